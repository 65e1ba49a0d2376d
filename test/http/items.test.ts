/**
 * What clients are told about items under another id, about a key within a range, about keys that
 * are too short, and about how much there is in each range.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rangeIds, split } from "../sdk/inside.ts";
import type { Answer, Wire } from "./wire.ts";
import { expectStatus, ITEMS, openWire, PARTITION_KEY } from "./wire.ts";

const CONTAINER = ["dbs", "d", "colls", "c"];
const KEY_HEADER = "x-ms-documentdb-partitionkey";
const RANGE_HEADER = "x-ms-documentdb-partitionkeyrangeid";
const QUERY = { "content-type": "application/query+json", "x-ms-documentdb-isquery": "True" };
const KEY_COUNT = 12;

let wire: Wire;

beforeAll(async () => {
  wire = await openWire();
  for (let n = 0; n < KEY_COUNT; n++) {
    const headers = { [KEY_HEADER]: JSON.stringify([`k${n}`]) };
    const body = JSON.stringify({ id: "item", pk: `k${n}`, text: "x".repeat(100 * n) });
    await expectStatus(201, wire.call("POST", ITEMS, { headers, body }));
  }
  await split(wire.server, { id: "c", database: { id: "d" } }, { partitionId: "0" });
});
afterAll(() => wire[Symbol.asyncDispose]());

describe("a replace whose body has another id", () => {
  test("renames the item", async () => {
    const made = { headers: PARTITION_KEY, body: '{"id":"a","pk":"a"}' };
    await expectStatus(201, wire.call("POST", ITEMS, made));
    const renamed = await expectStatus(200, wire.item("PUT", "a", { body: '{"id":"b","pk":"a"}' }));
    expect(json(renamed)).toMatchObject({ id: "b", _etag: renamed.headers["etag"] });
    await expectStatus(404, wire.item("GET", "a"));
    expect((await expectStatus(200, wire.item("GET", "b"))).body).toEqual(renamed.body);
    await expectStatus(409, wire.item("PUT", "b", { body: '{"id":"kept","pk":"a"}' }));
    const headers = { "if-match": '"another"' };
    await expectStatus(412, wire.item("PUT", "b", { headers, body: '{"id":"c","pk":"a"}' }));
    await expectStatus(400, wire.item("PUT", "b", { body: '{"id":"c","pk":"other"}' }));
    await expectStatus(204, wire.item("DELETE", "b"));
  });
});

describe("a key and a range id mean what both have in common", () => {
  const askEach = async (
    ask: (headers: Record<string, string>) => Promise<Answer>,
  ): Promise<readonly Answer[]> => {
    const ids = await rangeIds(wire.server, { id: "c", database: { id: "d" } });
    expect(ids).toHaveLength(2);
    return Promise.all(ids.map((id) => ask({ [KEY_HEADER]: '["k3"]', [RANGE_HEADER]: id })));
  };
  const counts = (answers: readonly Answer[]): readonly unknown[] =>
    answers.map(({ body }) => (body.length === 0 ? 0 : json({ body })["_count"])).toSorted();

  test("in a read feed", async () => {
    const answers = await askEach((headers) => wire.call("GET", ITEMS, { headers }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(counts(answers)).toEqual([0, 1]);
  });

  test("in the change feed", async () => {
    const feed = { "a-im": "Incremental feed" };
    const answers = await askEach((headers) =>
      wire.call("GET", ITEMS, { headers: { ...headers, ...feed } }),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 304]);
    expect(counts(answers)).toEqual([0, 1]);
    for (const { headers } of answers) expect(headers["etag"]).toMatch(/\S/);
  });

  test.each([
    ["SELECT * FROM c", [0, 1]],
    ["SELECT * FROM c WHERE c.pk = 'k4'", [0, 0]],
  ])("in the query %s", async (query, expected) => {
    const body = JSON.stringify({ query });
    const answers = await askEach((headers) =>
      wire.call("POST", ITEMS, { headers: { ...QUERY, ...headers }, body }),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(counts(answers)).toEqual(expected);
  });

  test("and what nothing comes to is told", async () => {
    const body = JSON.stringify({ query: "SELECT VALUE COUNT(1) FROM c" });
    const answers = await askEach((headers) =>
      wire.call("POST", ITEMS, { headers: { ...QUERY, ...headers }, body }),
    );
    expect(answers.flatMap((answer) => json(answer)["Documents"]).toSorted()).toEqual([0, 1]);
  });

  test("a range that never was is gone", async () => {
    const headers = { [KEY_HEADER]: '["k3"]', [RANGE_HEADER]: "77" };
    await expectStatus(410, wire.call("GET", ITEMS, { headers }));
  });
});

test("a plan needs no values, but for the counts in it", async () => {
  const plan = { ...QUERY, "x-ms-cosmos-is-query-plan-request": "True" };
  const supported = { "x-ms-cosmos-supported-query-features": "OffsetAndLimit, Top, OrderBy" };
  const ask = (query: string): Promise<Answer> => {
    const headers = { ...plan, ...supported };
    return wire.call("POST", ITEMS, { headers, body: JSON.stringify({ query }) });
  };
  const planned = await expectStatus(200, ask("SELECT * FROM c WHERE c.pk = @pk ORDER BY c.n"));
  expect(json(planned)).toMatchObject({
    queryInfo: { orderBy: ["Ascending"] },
    // Whoever does not know the key asks everywhere.
    queryRanges: [{ min: "", max: "FF" }],
  });
  await expectStatus(400, ask("SELECT TOP @n * FROM c"));
  await expectStatus(400, ask("SELECT * FROM c OFFSET @o LIMIT 5"));
});

test("a container tells how much there is in each range, to whoever asks", async () => {
  const plain = await expectStatus(200, wire.call("GET", CONTAINER));
  expect(json(plain)["statistics"]).toBeUndefined();
  const headers = { "x-ms-documentdb-populatepartitionstatistics": "True" };
  const { statistics, ...rest } = json(
    await expectStatus(200, wire.call("GET", CONTAINER, { headers })),
  );
  expect(rest).toEqual(json(plain));
  const ranges = statistics as readonly Record<string, unknown>[];
  const sum = (name: string): number => ranges.reduce((total, one) => total + Number(one[name]), 0);
  expect(ranges.map(({ id }) => id)).toEqual(["1", "2"]);
  // With the item `kept` of the stage.
  expect(sum("documentCount")).toBe(KEY_COUNT + 1);
  expect(sum("sampledDistinctPartitionKeyCount")).toBe(KEY_COUNT + 1);
  expect(sum("sizeInKB")).toBeGreaterThan(KEY_COUNT / 2);
  expect(ranges.flatMap(({ partitionKeys }) => partitionKeys)).toContainEqual({
    partitionKey: [`k${KEY_COUNT - 1}`],
    sizeInKB: 2,
  });
});

test("a batch under the beginning of a key is told what is wrong with it", async () => {
  const partitionKey = { paths: ["/a", "/b"], kind: "MultiHash", version: 2 };
  const made = { body: JSON.stringify({ id: "levels", partitionKey }) };
  await expectStatus(201, wire.call("POST", CONTAINER.slice(0, 3), made));
  const headers = {
    [KEY_HEADER]: '["x"]',
    "x-ms-cosmos-is-batch-request": "True",
    "x-ms-cosmos-batch-atomic": "True",
  };
  const body = JSON.stringify([{ operationType: "Read", id: "i" }]);
  const levels = [...CONTAINER.slice(0, 3), "levels", "docs"];
  const refused = await expectStatus(400, wire.call("POST", levels, { headers, body }));
  expect(refused.headers["x-ms-substatus"]).toBe("1001");
  expect(json(refused)["message"]).toMatch(/doesn't correspond to definition in the collection/);
});

describe("operations sent together", () => {
  const AHEAD = "0:0#999999,1:0#999999,2:0#999999";
  const send = (atomic: boolean, operations: readonly object[], token?: string): Promise<Answer> =>
    wire.call("POST", ITEMS, {
      headers: {
        ...PARTITION_KEY,
        "x-ms-cosmos-is-batch-request": "True",
        "x-ms-cosmos-batch-atomic": String(atomic),
        ...(token !== undefined && { "x-ms-session-token": token }),
      },
      body: JSON.stringify(operations.map((one) => ({ partitionKey: '["a"]', ...one }))),
    });
  const upsert = { operationType: "Upsert", resourceBody: { id: "many", pk: "a" } };
  const read = { operationType: "Read", id: "kept" };
  const statuses = ({ body }: Answer): readonly unknown[] =>
    (JSON.parse(String(body)) as { statusCode: number }[]).map(({ statusCode }) => statusCode);

  test("what only writes does not mind what its sender has seen", async () => {
    await expectStatus(200, send(true, [upsert], AHEAD));
    const behind = await expectStatus(404, send(true, [upsert, read], AHEAD));
    expect(behind.headers["x-ms-substatus"]).toBe("1002");
    expect(statuses(await send(false, [upsert, read], AHEAD))).toEqual([200, 404]);
  });

  test("bulk tells what its sender has seen now", async () => {
    const { headers } = await expectStatus(200, send(false, [upsert, read]));
    expect(headers["x-ms-session-token"]).toMatch(/^\d:0#\d+$/);
  });

  test("a read has one condition under either name", async () => {
    const etag = (await wire.item("GET", "kept")).headers["etag"]!;
    const reads = [{ ifMatch: etag }, { ifNoneMatch: etag }, { ifMatch: '"x"' }];
    const sent = reads.map((condition) => ({ ...read, ...condition }));
    expect(statuses(await send(false, sent))).toEqual([304, 304, 200]);
  });

  test("what cannot be routed is charged, and says no owner", async () => {
    const other = { operationType: "Create", resourceBody: { id: "many", pk: "b" } };
    const failed = await expectStatus(207, send(true, [upsert, other]));
    expect(statuses(failed)).toEqual([424, 400]);
    expect(Number(failed.headers["x-ms-request-charge"])).toBeGreaterThan(0);
    expect(failed.headers).not.toHaveProperty("x-ms-content-path");
    const missing = await expectStatus(404, wire.item("GET", "missing"));
    expect(missing.headers).not.toHaveProperty("x-ms-content-path");
    expect(json(missing)["message"]).toMatch(/^Entity with .* Resource Not Found/);
  });
});

function json({ body }: Pick<Answer, "body">): Record<string, unknown> {
  return JSON.parse(body.toString()) as Record<string, unknown>;
}
