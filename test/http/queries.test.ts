/** Queries as plain requests: every header that says what they are about, and what is no query. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startOrrery } from "../../src/index.ts";
import { temporaryDirectory } from "../sdk/stage.ts";
import type { Answer, Wire } from "./wire.ts";
import { expectStatus, ITEMS, openWire, PARTITION_KEY, signatureOf } from "./wire.ts";

type Headers = Readonly<Record<string, string>>;

let wire: Wire;
beforeAll(async () => {
  wire = await openWire();
  await makeContainer("wide", { paths: ["/pk"], kind: "Hash", version: 2 });
  await makeContainer("tree", { paths: ["/tenant", "/user"], kind: "MultiHash", version: 2 });
  for (let n = 0; n < 30; n++) {
    const [tenant, user] = [`t${n % 3}`, `u${n % 5}`];
    await makeItem("wide", { id: String(n), pk: `p${n % 10}`, n }, [`p${n % 10}`]);
    await makeItem("tree", { id: String(n), tenant, user, n }, [tenant, user]);
  }
});
afterEach(() => wire.assertAlive());
afterAll(() => wire[Symbol.asyncDispose]());

const itemsOf = (container: string): readonly string[] => ["dbs", "d", "colls", container, "docs"];

async function makeContainer(id: string, partitionKey: unknown): Promise<void> {
  const body = JSON.stringify({ id, partitionKey });
  const headers = { "x-ms-offer-throughput": "30000" };
  await expectStatus(201, wire.call("POST", ["dbs", "d", "colls"], { body, headers }));
}

async function makeItem(container: string, item: unknown, key: unknown): Promise<void> {
  const headers = keyHeader(key);
  const body = JSON.stringify(item);
  await expectStatus(201, wire.call("POST", itemsOf(container), { body, headers }));
}

const keyHeader = (key: unknown): Headers => ({
  "x-ms-documentdb-partitionkey": JSON.stringify(key),
});
const IS_QUERY: Headers = {
  "x-ms-documentdb-isquery": "true",
  "content-type": "application/query+json",
};
const EVERYWHERE: Headers = { "x-ms-documentdb-query-enablecrosspartition": "True" };
const MERGED: Headers = { ...EVERYWHERE, "x-orrery-merge-query": "true" };

function ask(segments: readonly string[], query: unknown, headers: Headers = {}): Promise<Answer> {
  const body = typeof query === "string" ? JSON.stringify({ query }) : JSON.stringify(query);
  return wire.call("POST", segments, { body, headers: { ...IS_QUERY, ...headers } });
}

interface Page {
  readonly _rid: string;
  readonly Documents: readonly unknown[];
  readonly _count: number;
}

const pageOf = ({ body }: Answer): Page => JSON.parse(body.toString()) as Page;
const rowsOf = (answer: Answer): readonly unknown[] => pageOf(answer).Documents;
const messageOf = ({ body }: Answer): string => String(JSON.parse(body.toString())["message"]);

/** Sorted: without an order, rows come in any. */
async function numbersOf(container: string, headers: Headers): Promise<readonly number[]> {
  const answer = await expectStatus(
    200,
    ask(itemsOf(container), "SELECT VALUE c.n FROM c", headers),
  );
  return (rowsOf(answer) as number[]).toSorted((a, b) => a - b);
}

const upTo = (end: number): readonly number[] => Array.from({ length: end }, (_, n) => n);
const ALL = upTo(30);

describe("a query", () => {
  test("is answered like a feed", async () => {
    const answer = await expectStatus(200, ask(itemsOf("wide"), "SELECT c.n FROM c", MERGED));
    const { _rid, Documents, _count } = pageOf(answer);
    expect(Documents).toHaveLength(30);
    expect(_count).toBe(30);
    const { headers } = answer;
    expect(headers["x-ms-item-count"]).toBe("30");
    expect(headers["x-ms-content-path"]).toBe(_rid);
    expect(headers["x-ms-alt-content-path"]).toBe("dbs/d/colls/wide");
    expect(headers["x-ms-continuation"]).toBeUndefined();
    expect(Number(headers["x-ms-request-charge"])).toBeGreaterThan(0);
    expect(headers["x-ms-session-token"]).toMatch(/^2:0#\d+$/);
  });

  test.each<readonly [string, Headers]>([
    ["by its header, with JSON", { "content-type": "application/json" }],
    ["by its content type alone", { "x-ms-documentdb-isquery": "" }],
    [
      "by a content type with more to it",
      {
        "x-ms-documentdb-isquery": "False",
        "content-type": "application/query+json; charset=utf-8",
      },
    ],
    ["by its header in other letters", { "x-ms-documentdb-isquery": "TRUE", "content-type": "" }],
  ])("is known as one %s", async (_rule, headers) => {
    const query = "SELECT VALUE 1";
    const answer = await expectStatus(200, ask(ITEMS, query, { ...PARTITION_KEY, ...headers }));
    expect(rowsOf(answer)).toEqual([1]);
  });

  test("of a container that is not there is a 404", async () => {
    await expectStatus(404, ask(itemsOf("none"), "SELECT * FROM c", EVERYWHERE));
  });
});

describe("what a query is about", () => {
  test("is everything, if that is allowed", async () => {
    expect(await numbersOf("wide", MERGED)).toEqual(ALL);
  });

  test("is asked range by range, a page for each", async () => {
    const pages: number[][] = [];
    for (let continuation = ""; pages.length === 0 || continuation !== ""; ) {
      const headers = { ...EVERYWHERE, "x-ms-continuation": continuation };
      const answer = await ask(itemsOf("wide"), "SELECT VALUE c.n FROM c", headers);
      pages.push(rowsOf(answer) as number[]);
      continuation = String(answer.headers["x-ms-continuation"] ?? "");
    }
    const ranges: number[][] = [];
    for (const id of ["0", "1", "2"]) {
      const headers = { "x-ms-documentdb-partitionkeyrangeid": id };
      const answer = await ask(itemsOf("wide"), "SELECT VALUE c.n FROM c", headers);
      ranges.push(rowsOf(answer) as number[]);
    }
    expect(pages).toEqual(ranges.slice(0, ranges.findLastIndex((rows) => rows.length > 0) + 1));
    expect(pages.length).toBeGreaterThan(1);
  });

  test("has to be one key otherwise", async () => {
    for (const headers of [{}, { "x-ms-documentdb-query-enablecrosspartition": "False" }]) {
      const answer = await expectStatus(400, ask(itemsOf("wide"), "SELECT * FROM c", headers));
      expect(messageOf(answer)).toContain("x-ms-documentdb-query-enablecrosspartition");
    }
    const query = "SELECT VALUE c.n FROM c WHERE c.pk = 'p3'";
    const rows = rowsOf(await expectStatus(200, ask(itemsOf("wide"), query)));
    expect(rows).toEqual([3, 13, 23]);
  });

  test("is the key of the header, wherever the filter looks", async () => {
    expect(await numbersOf("wide", keyHeader(["p3"]))).toEqual([3, 13, 23]);
    const query = "SELECT VALUE c.n FROM c WHERE c.pk = 'p4'";
    const answer = await expectStatus(200, ask(itemsOf("wide"), query, keyHeader(["p3"])));
    expect(rowsOf(answer)).toEqual([]);
  });

  test("is all below a part of a hierarchical key", async () => {
    const below = (prefix: readonly string[]) => numbersOf("tree", keyHeader(prefix));
    expect(await below(["t1"])).toEqual(ALL.filter((n) => n % 3 === 1));
    expect(await below(["t1", "u2"])).toEqual(ALL.filter((n) => n % 3 === 1 && n % 5 === 2));
    expect(await below(["t9"])).toEqual([]);
    const query = "SELECT * FROM c";
    await expectStatus(400, ask(itemsOf("tree"), query, keyHeader(["t1", "u2", "more"])));
  });

  test("is a range, by its id alone or after the container's rid", async () => {
    const { _rid } = pageOf(await ask(itemsOf("wide"), "SELECT VALUE 1", EVERYWHERE));
    const idHeader = "x-ms-documentdb-partitionkeyrangeid";
    const parts = await Promise.all(
      ["0", "1", "2"].map((id) => numbersOf("wide", { [idHeader]: id })),
    );
    expect(parts.flat().toSorted((a, b) => a - b)).toEqual(ALL);
    expect(parts.filter((part) => part.length > 0).length).toBeGreaterThan(1);
    expect(await numbersOf("wide", { [idHeader]: `${_rid},1` })).toEqual(parts[1]);
    const gone = await expectStatus(
      410,
      ask(itemsOf("wide"), "SELECT * FROM c", { [idHeader]: "9" }),
    );
    expect(gone.headers["x-ms-substatus"]).toBe("1002");
  });

  test("is a span of effective keys", async () => {
    const between = (start: string, end: string) =>
      numbersOf("wide", {
        "x-ms-read-key-type": "EffectivePartitionKeyRange",
        "x-ms-start-epk": start,
        "x-ms-end-epk": end,
      });
    expect(await between("", "FF")).toEqual(ALL);
    const [low, high] = [await between("", "1A"), await between("1A", "FF")];
    expect([...low, ...high].toSorted((a, b) => a - b)).toEqual(ALL);
    expect(low.length).toBeGreaterThan(0);
    expect(high.length).toBeGreaterThan(0);
    for (const [start, end] of [
      ["FF", ""],
      ["1A", "1A"],
      ["xyz", "FF"],
    ]) {
      const headers = { "x-ms-start-epk": start!, "x-ms-end-epk": end! };
      await expectStatus(400, ask(itemsOf("wide"), "SELECT * FROM c", headers));
    }
  });

  test("is what the key and the range have in common when a client says both", async () => {
    const both = (id: string) =>
      numbersOf("wide", { ...keyHeader(["p3"]), "x-ms-documentdb-partitionkeyrangeid": id });
    expect([await both("0"), await both("1")]).toContainEqual([3, 13, 23]);
    expect([...(await both("0")), ...(await both("1"))]).toEqual([3, 13, 23]);
  });
});

describe("a query that has to be merged", () => {
  const SORTED = "SELECT VALUE c.n FROM c ORDER BY c.n";

  test.each(["wide", "tree", "c"])("is left to the client, with a plan: %s", async (container) => {
    const answer = await expectStatus(400, ask(itemsOf(container), SORTED, EVERYWHERE));
    expect(answer.headers["x-ms-substatus"]).toBe("1004");
    expect(answer.headers["x-ms-request-charge"]).toBe("0");
    const { code, message, additionalErrorInfo } = JSON.parse(answer.body.toString());
    expect(code).toBe("BadRequest");
    expect(message).toContain("cross partition query can not be directly served by the gateway");
    expect(message).toContain(`ActivityId: ${answer.headers["x-ms-activity-id"]}`);
    expect(JSON.parse(additionalErrorInfo)).toMatchObject({
      partitionedQueryExecutionInfoVersion: 2,
      queryInfo: { orderBy: ["Ascending"], rewrittenQuery: expect.stringContaining("ORDER BY") },
      queryRanges: [{ min: "", max: "FF", isMinInclusive: true, isMaxInclusive: false }],
    });
  });

  test("is recorded as it was written, whatever the plan makes of it", async () => {
    const recordings = { path: "/_orrery/v1/containers/d/wide/recordings" };
    const headers = { "content-type": "application/json" };
    await expectStatus(201, wire.call("POST", [], { ...recordings, headers, body: "{}" }));
    const refused = await expectStatus(400, ask(itemsOf("wide"), SORTED, EVERYWHERE));
    const { additionalErrorInfo } = JSON.parse(refused.body.toString());
    const { rewrittenQuery } = JSON.parse(additionalErrorInfo).queryInfo;
    const sent = rewrittenQuery.replace("{documentdb-formattableorderbyquery-filter}", "true");
    for (const range of ["0", "1"]) {
      const one = { "x-ms-documentdb-partitionkeyrangeid": range };
      const correlated = { "x-ms-cosmos-correlated-activityid": "of one query" };
      await expectStatus(200, ask(itemsOf("wide"), sent, { ...one, ...correlated }));
    }
    const ended = await expectStatus(200, wire.call("DELETE", [], recordings));
    const { recording } = JSON.parse(ended.body.toString());
    expect(recording.operations).toMatchObject([{ text: SORTED, count: 1 }]);
  });

  test.each<[string, Headers]>([
    ["whoever wants one answer", MERGED],
    ["a logical partition", keyHeader(["p3"])],
    ["a range by its id", { "x-ms-documentdb-partitionkeyrangeid": "0" }],
    ["a span of effective keys", { "x-ms-start-epk": "", "x-ms-end-epk": "FF" }],
  ])("is answered to %s", async (_, headers) => {
    const rows = rowsOf(await expectStatus(200, ask(itemsOf("wide"), SORTED, headers)));
    expect(rows).toEqual((rows as number[]).toSorted((a, b) => a - b));
    expect(rows.length).toBeGreaterThan(0);
  });

  test("is answered by the one range of a container, if that is asked", async () => {
    const range = { ...EVERYWHERE, "x-ms-documentdb-partitionkeyrangeid": "0" };
    await expectStatus(200, ask(ITEMS, SORTED, range));
  });

  test("is answered if its filter names one key, unless rows are to be distinct", async () => {
    const filter = "FROM c WHERE c.pk = 'p3'";
    const sorted = `SELECT VALUE c.n ${filter} ORDER BY c.n DESC`;
    expect(rowsOf(await expectStatus(200, ask(itemsOf("wide"), sorted)))).toEqual([23, 13, 3]);
    const distinct = await expectStatus(
      400,
      ask(itemsOf("wide"), `SELECT DISTINCT VALUE c.n ${filter}`),
    );
    expect(distinct.headers["x-ms-substatus"]).toBe("1004");
  });

  test("is told first that it needs leave to be about many keys", async () => {
    const answer = await expectStatus(400, ask(itemsOf("wide"), SORTED));
    expect(answer.headers["x-ms-substatus"]).not.toBe("1004");
    expect(messageOf(answer)).toContain("x-ms-documentdb-query-enablecrosspartition");
  });

  test("may be any, if the client would ask several ranges at a time", async () => {
    const parallel = { "x-ms-documentdb-query-parallelizecrosspartitionquery": "True" };
    const headers = { ...EVERYWHERE, ...parallel };
    const answer = await expectStatus(400, ask(itemsOf("wide"), "SELECT * FROM c", headers));
    expect(answer.headers["x-ms-substatus"]).toBe("1004");
    expect(await numbersOf("wide", { ...MERGED, ...parallel })).toEqual(ALL);
    expect(await numbersOf("wide", { ...keyHeader(["p3"]), ...parallel })).toEqual([3, 13, 23]);
  });
});

describe("the body of a query", () => {
  const body = (query: unknown) => ask(itemsOf("wide"), query, EVERYWHERE);
  const one = "SELECT VALUE c.n FROM c WHERE c.n = @n";

  test.each([
    [{ query: "SELECT VALUE 1" }],
    [{ query: "SELECT VALUE 1", parameters: [] }],
    [{ query: "SELECT VALUE 1", parameters: null }],
    [{ query: "SELECT VALUE 1", parameters: [{ name: "@unused", value: {} }] }],
    [{ query: "SELECT VALUE @n", parameters: [{ name: "@n", value: 1 }], more: true }],
  ])("may be %j", async (query) => {
    expect(rowsOf(await expectStatus(200, body(query)))).toEqual([1]);
  });

  test("gives parameters of any type", async () => {
    const parameters = [null, true, "text", [1, { a: 2 }], { b: [] }].map((value, index) => ({
      name: `@p${index}`,
      value,
    }));
    const query = "SELECT VALUE [@p0, @p1, @p2, @p3, @p4]";
    const answer = await expectStatus(200, body({ query, parameters }));
    expect(rowsOf(answer)).toEqual([parameters.map(({ value }) => value)]);
  });

  test.each([[{ parameters: [{ name: "@n" }] }], [{ parameters: [] }], [{}]])(
    "may leave out a parameter or its value, which is then undefined: %j",
    async (sent) => {
      expect(rowsOf(await expectStatus(200, body({ query: one, ...sent })))).toEqual([]);
      const query = "SELECT VALUE @n ?? 1";
      expect(rowsOf(await expectStatus(200, body({ query, ...sent })))).toEqual([1]);
    },
  );

  test.each<[unknown]>([
    [[]],
    [null],
    ["text"],
    [{}],
    [{ query: 1 }],
    [{ query: null }],
    [{ query: "" }],
    [{ query: one, parameters: {} }],
    [{ query: one, parameters: "@n" }],
    [{ query: one, parameters: [1] }],
    [{ query: one, parameters: [{ value: 1 }] }],
    [{ query: one, parameters: [{ name: "n", value: 1 }] }],
    [{ query: one, parameters: [{ name: 1, value: 1 }] }],
    [
      {
        query: one,
        parameters: [
          { name: "@n", value: 1 },
          { name: "@n", value: 2 },
        ],
      },
    ],
  ])("must not be %j", async (sent) => {
    const text = JSON.stringify(sent);
    const headers = { ...IS_QUERY, ...EVERYWHERE };
    await expectStatus(400, wire.call("POST", itemsOf("wide"), { body: text, headers }));
  });

  test("must be JSON", async () => {
    for (const text of ["", "SELECT * FROM c", '{"query":"SELECT', "\u0000"]) {
      const headers = { ...IS_QUERY, ...EVERYWHERE };
      await expectStatus(400, wire.call("POST", itemsOf("wide"), { body: text, headers }));
    }
  });

  test("is told where its text is wrong", async () => {
    const answer = await expectStatus(400, body("SELECT VALUE FROM c"));
    const [first] = messageOf(answer).split("\r\n");
    const { errors } = JSON.parse(first!.replace("Message: ", ""));
    expect(errors).toEqual([
      {
        severity: "Error",
        location: { start: 13, end: 17 },
        code: "SC1001",
        message: expect.stringContaining("FROM"),
      },
    ]);
  });
});

describe("pages", () => {
  const SIZE = "x-ms-max-item-count";
  const page = (query: string, headers: Headers, container = "wide") =>
    ask(itemsOf(container), query, { ...MERGED, ...headers });

  test.each([
    "SELECT VALUE c.n FROM c",
    "SELECT VALUE c.n FROM c ORDER BY c.n DESC",
    "SELECT DISTINCT VALUE c.n FROM c",
    "SELECT c.n, COUNT(1) AS count FROM c GROUP BY c.n",
    "SELECT TOP 25 VALUE c.n FROM c ORDER BY c.n",
    "SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 3 LIMIT 20",
  ])("of any size give the same rows: %s", async (query) => {
    const whole = rowsOf(await expectStatus(200, page(query, { [SIZE]: "-1" })));
    for (const size of ["1", "7", "1000"]) {
      const rows: unknown[] = [];
      let next: string | undefined = "";
      while (next !== undefined) {
        const headers: Headers = { [SIZE]: size, "x-ms-continuation": next };
        const answer: Answer = await expectStatus(200, page(query, headers));
        expect(rowsOf(answer).length).toBeLessThanOrEqual(Number(size));
        rows.push(...rowsOf(answer));
        next = answer.headers["x-ms-continuation"];
      }
      expect(rows).toEqual(whole);
    }
  });

  test.each(["-2", "1.5", "many"])("cannot be of the size %s", async (size) => {
    await expectStatus(400, page("SELECT * FROM c", { [SIZE]: size }));
  });

  test.each([
    "x",
    "1",
    "null",
    "{}",
    "[]",
    '{"c":1}',
    '{"token":"+RID:~abc#RT:1#TRC:1","range":{"min":"","max":"FF"}}',
    "%7B%7D",
  ])("do not go on from %s", async (continuation) => {
    const answer = await page("SELECT * FROM c", { "x-ms-continuation": continuation });
    expect(answer.status).toBe(400);
    expect(messageOf(answer)).toContain("Invalid Continuation Token");
  });

  test("do not go on from a page that was changed", async () => {
    for (const order of ["", " ORDER BY c.n"]) {
      const query = `SELECT VALUE c.n FROM c${order}`;
      const { headers } = await expectStatus(200, page(query, { [SIZE]: "3" }));
      const text = headers["x-ms-continuation"]!;
      for (let at = 0; at < text.length; at++) {
        const changed = `${text.slice(0, at)}~${text.slice(at + 1)}`;
        const answer = await expectStatus(400, page(query, { "x-ms-continuation": changed }));
        expect(messageOf(answer)).toContain("Send it back unchanged");
      }
    }
  });

  test("do not go on from another container", async () => {
    const query = "SELECT VALUE c.n FROM c";
    const { headers } = await expectStatus(200, page(query, { [SIZE]: "3" }));
    const continuation = { "x-ms-continuation": headers["x-ms-continuation"]! };
    await expectStatus(400, page(query, continuation, "tree"));
    await expectStatus(200, page(query, continuation));
  });

  test("of a query do not go on from the position of another one", async () => {
    const queries = [
      "SELECT VALUE c.n FROM c",
      "SELECT VALUE c.n FROM c ORDER BY c.n",
      "SELECT VALUE c.n FROM c ORDER BY c.pk, c.n",
      "SELECT DISTINCT VALUE c.pk FROM c",
      "SELECT c.pk, COUNT(1) AS n FROM c GROUP BY c.pk",
      "SELECT VALUE COUNT(1) FROM c",
      "SELECT VALUE n FROM (SELECT DISTINCT VALUE c.n FROM c) AS n",
    ];
    for (const from of queries) {
      const { headers } = await page(from, { [SIZE]: "2" });
      const continuation = headers["x-ms-continuation"];
      if (continuation === undefined) continue;
      for (const query of queries) {
        const status = query === from ? 200 : 400;
        await expectStatus(status, page(query, { "x-ms-continuation": continuation }));
      }
    }
  });
});

test("a query goes on after the server was started again", async () => {
  using directory = temporaryDirectory();
  const query = "SELECT VALUE c.id FROM c ORDER BY c.id DESC";
  const first = await openWire({ data: directory.path });
  for (let n = 0; n < 9; n++) {
    const body = JSON.stringify({ id: `${n}`, pk: "a" });
    await expectStatus(201, first.call("POST", ITEMS, { body, headers: PARTITION_KEY }));
  }
  const headers = { ...IS_QUERY, ...MERGED, "x-ms-max-item-count": "4" };
  const body = JSON.stringify({ query });
  const begun = await expectStatus(200, first.call("POST", ITEMS, { body, headers }));
  expect(rowsOf(begun)).toEqual(["kept", "8", "7", "6"]);
  await first[Symbol.asyncDispose]();

  const server = await startOrrery({ data: directory.path });
  const continuation = begun.headers["x-ms-continuation"]!;
  const again = await fetch(`${server.endpoint}/${ITEMS.join("/")}`, {
    method: "POST",
    headers: {
      ...headers,
      "x-ms-max-item-count": "-1",
      "x-ms-continuation": continuation,
      ...signatureOf(server.key, "POST", ITEMS),
    },
    body,
  });
  const { Documents } = (await again.json()) as Page;
  expect(Documents).toEqual(["5", "4", "3", "2", "1", "0"]);
  await server.close();
});

describe("queries of anything else", () => {
  test("of databases and containers are answered like their lists", async () => {
    const databases = await expectStatus(200, ask(["dbs"], "SELECT VALUE d.id FROM d"));
    expect(JSON.parse(databases.body.toString())).toEqual({
      _rid: "",
      Databases: ["d"],
      _count: 1,
    });
    expect(databases.headers["x-ms-item-count"]).toBe("1");
    expect(databases.headers["x-ms-request-charge"]).toBe("1");
    const containers = await expectStatus(200, ask(["dbs", "d", "colls"], "SELECT * FROM c"));
    const listed = await expectStatus(200, wire.call("GET", ["dbs", "d", "colls"]));
    expect(JSON.parse(containers.body.toString())).toEqual(JSON.parse(listed.body.toString()));
    await expectStatus(404, ask(["dbs", "none", "colls"], "SELECT * FROM c"));
  });

  test("make nothing", async () => {
    await expectStatus(400, ask(["dbs"], { id: "made" }));
    await expectStatus(400, ask(["dbs", "d", "colls"], { id: "made" }));
    await expectStatus(404, wire.call("GET", ["dbs", "made"]));
    const plan = { "x-ms-cosmos-is-query-plan-request": "True" };
    await expectStatus(400, ask(["dbs"], "SELECT * FROM c", plan));
  });

  test("of what nobody serves are refused", async () => {
    const attachments = [...ITEMS, "kept", "attachments"];
    const answer = await expectStatus(400, ask(attachments, "SELECT * FROM r"));
    expect(messageOf(answer)).toContain("'attachments' is not supported");
  });
});
