/**
 * What the official client does, recorded by the server and made into a workload: the right
 * operations at the right rates, frequencies of keys as they were, and no secret anywhere.
 */
import { request } from "node:http";
import { text as textOf } from "node:stream/consumers";
import type { Container } from "@azure/cosmos";
import { BulkOperationType } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fromRecording } from "../../src/lab/observed/fromRecording.ts";
import { printWorkload } from "../../src/lab/workload/printWorkload.ts";
import type { Workload } from "../../src/lab/workload/workload.ts";
import { readWorkload } from "../../src/lab/workload/workloadText.ts";
import type { OperationRecord, Recording } from "../../src/recording/recording.ts";
import type { Stage } from "./stage.ts";
import { openContainer, openStage, refusalOf } from "./stage.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

interface Told {
  readonly status: number;
  readonly recording: Recording;
  readonly message: string;
  readonly text: string;
}

function ask(
  container: string,
  method: string,
  body?: object,
  part = "",
  { port }: { readonly port: number } = stage.server,
): Promise<Told> {
  const path = `/_orrery/v1/containers/stage/${container}/recordings${part}`;
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = request({ port, method, path, headers }, (answer) => {
      textOf(answer).then((text) => {
        const { recording, message } = JSON.parse(text) as Told;
        resolve({ status: answer.statusCode ?? 0, text, recording, message });
      }, reject);
    });
    sent.on("error", reject).end(body && JSON.stringify(body));
  });
}

const TENANTS = ["ada", "bob", "cyd", "dan"];
/** One half, a quarter, an eighth, an eighth. */
const tenantOf = (at: number): string => TENANTS[[0, 0, 0, 0, 1, 1, 2, 3][at % 8]!]!;

function order(at: number): Record<string, unknown> & { id: string } {
  return {
    id: `order-${at}`,
    tenant: tenantOf(at),
    status: at % 3 === 0 ? "open" : "paid",
    customer: { email: `canary-${at % 5}@example.org`, name: `name-${at % 5}` },
    at: new Date(Date.now() - 1000).toISOString(),
    total: at * 1.5,
    tags: ["new", "web"],
  };
}

const BY_STATUS = "SELECT * FROM c WHERE c.tenant = @tenant AND c.status = @status";
const SINCE = "SELECT c.id, c.total FROM c WHERE c.at >= @since ORDER BY c.at";
const BY_EMAIL = "SELECT VALUE c.id FROM c WHERE c.customer.email = @email";

/** 200 upserts, 400 reads of which 40 find nothing, 150 queries, 80 patches, 60 bulk operations. */
async function mixedLoad(container: Container): Promise<void> {
  for (let at = 0; at < 200; at++) await container.items.upsert(order(at));
  for (let at = 0; at < 400; at++) {
    const id = at % 10 === 9 ? `none-${at}` : `order-${at % 200}`;
    await container.item(id, tenantOf(at % 10 === 9 ? at : at % 200)).read();
  }
  for (let at = 0; at < 100; at++) {
    const parameters = [
      { name: "@tenant", value: tenantOf(at) },
      { name: "@status", value: "open" },
    ];
    const options = { partitionKey: tenantOf(at), maxItemCount: 10 };
    await container.items.query({ query: BY_STATUS, parameters }, options).fetchAll();
  }
  const since = new Date(Date.now() - 7 * 86_400_000).toISOString();
  for (let at = 0; at < 30; at++) {
    const parameters = [{ name: "@since", value: since }];
    await container.items.query({ query: SINCE, parameters }, { maxItemCount: 50 }).fetchAll();
  }
  for (let at = 0; at < 20; at++) {
    const parameters = [{ name: "@email", value: `canary-${at % 5}@example.org` }];
    await container.items.query({ query: BY_EMAIL, parameters }).fetchAll();
  }
  for (let at = 0; at < 80; at++) {
    const item = container.item(`order-${at}`, tenantOf(at));
    await item.patch([{ op: "set", path: "/status", value: "sent" }]);
  }
  const bulk = Array.from({ length: 60 }, (_, at) => ({
    operationType: BulkOperationType.Create,
    partitionKey: tenantOf(at),
    resourceBody: { ...order(1000 + at), tenant: tenantOf(at) } as never,
  }));
  await container.items.executeBulkOperations(bulk);
  for (let at = 0; at < 50; at++) {
    // None of those that were patched: of these it is not known any more what they are like.
    await container.items.upsert({ ...order(100 + at), status: "done" });
  }
}

describe("a mixed load", () => {
  let recording: Recording;
  let workload: Workload;
  let told: Told;

  beforeAll(async () => {
    const container = await openContainer(stage.database, {
      partitionKey: { paths: ["/tenant"] },
      throughput: 4000,
    });
    const { status } = await ask(container.id, "POST", { secretPaths: ["/customer/email"] });
    expect(status).toBe(201);
    await mixedLoad(container);
    told = await ask(container.id, "DELETE");
    recording = told.recording;
    workload = fromRecording(recording);
  }, 120_000);

  const operation = (id: string): OperationRecord =>
    recording.operations.find((each) => each.id === id || each.text === id)!;

  test("every operation is counted once, by its shape", () => {
    const counts = recording.operations.map(({ kind, text, count }) => [text ?? kind, count]);
    expect(new Map(counts as [string, number][])).toEqual(
      new Map<string, number>([
        ["pointRead", 400],
        ["upsert", 250],
        [BY_STATUS, 100],
        ["/status", 80],
        ["create", 60],
        [SINCE, 30],
        [BY_EMAIL, 20],
      ]),
    );
    expect(recording.operationCount).toBe(940);
    expect(operation("pointRead").statuses).toEqual({ 200: 360, 404: 40 });
    expect(recording).toMatchObject({ throttledCount: 0, failedCount: 0 });
  });

  test("rates, rows and throughput are in the workload", () => {
    const rates = new Map(workload.operations.map((each) => [each.sql ?? each.kind, each]));
    const rateOf = (name: string): number => rates.get(name)!.ratePerSecond * recording.seconds;
    expect(rateOf("pointRead")).toBeCloseTo(400, -1);
    expect(rateOf("upsert")).toBeCloseTo(250, -1);
    expect(rateOf(BY_STATUS) / 100).toBeCloseTo(1, 2);
    expect(rates.get(SINCE)).toMatchObject({ resultItems: 200, knows: undefined, pageSize: 50 });
    // What it cost, and that it went everywhere.
    expect(rates.get(SINCE)!.ru).toBeCloseTo(operation(SINCE).ru.mean, 0);
    expect(rates.get(SINCE)!.ruPartitions).toBe(recording.partitionCountAtStart);
    expect(rates.get(BY_STATUS)).toMatchObject({ knows: ["/tenant"], pageSize: 10 });
    // This server refuses nobody: its rate is no limit.
    expect(recording.throughput).toMatchObject({ ratePerSecond: 4000, isLimited: false });
    expect(workload.throughput).toBeUndefined();
    expect(workload.growth.itemsPerDay * (recording.seconds / 86_400)).toBeCloseTo(260, -1);
  });

  test("a query in pages and ranges is one, and costs what all of them do", () => {
    const { pagesMean, rows, ru } = operation(SINCE);
    expect(rows).toMatchObject({ mean: 200, max: 200 });
    expect(pagesMean).toBeGreaterThanOrEqual(4);
    expect(ru.mean).toBeGreaterThan(4 * 2);
  });

  test("frequencies of keys are as they were", () => {
    const shares = new Map(
      operation("pointRead").keys.heaviest.map(({ value, count }) => [value, count / 400]),
    );
    expect(shares.get("ada")).toBeCloseTo(0.5, 1);
    expect(shares.get("bob")).toBeCloseTo(0.25, 1);
    const tenant = workload.properties.get("/tenant")!;
    expect(tenant).toMatchObject({ distinct: 4, isUnique: false, changes: false });
    const { items, requests } = tenant;
    if (items.kind !== "shares" || requests?.kind !== "shares") throw new Error("not by name");
    expect(items.shares.get("ada")).toBeCloseTo(0.5, 1);
    expect(requests.shares.get("dan")).toBeCloseTo(0.125, 1);
  });

  test("parameters say what they are compared with, times how far back", () => {
    const since = operation(SINCE).parameters[0]!;
    expect(since.compared).toEqual([{ path: "/at", comparison: "range" }]);
    expect(since.agoDays?.p50).toBeCloseTo(7, 0);
    const byStatus = workload.operations.find(({ sql }) => sql === BY_STATUS)!;
    expect(byStatus.parameters.get("@tenant")).toMatchObject({ like: "/tenant" });
    expect(workload.operations.find(({ sql }) => sql === SINCE)?.parameters.get("@since")).toEqual({
      agoDays: expect.closeTo(7, 0),
    });
    expect(workload.properties.get("/at")).toMatchObject({ time: "second" });
  });

  test("what updates change is known: patches say it, upserts are compared", () => {
    expect(operation("/status").changes?.paths).toEqual([{ path: "/status", count: 80 }]);
    const { changes } = operation("upsert");
    expect(changes).toMatchObject({ evidence: "sample", comparedCount: 50 });
    expect(changes?.paths).toEqual(
      expect.arrayContaining([
        { path: "/status", count: 50 },
        { path: "/at", count: 50 },
      ]),
    );
    expect(changes?.paths.length).toBe(2);
    expect(workload.properties.get("/status")?.changes).toBe(true);
  });

  test("items have their size, their paths and an example", () => {
    expect(workload.item.bytes).toBeGreaterThan(150);
    expect(recording.items.paths.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["/id", "/tenant", "/customer/email", "/customer/name", "/tags/[]"]),
    );
    expect(workload.item.example).toMatchObject({ tenant: "ada", tags: ["xxx", "xxx"] });
    expect(JSON.stringify(workload.item.example).length / workload.item.bytes!).toBeCloseTo(1, 0);
  });

  test("secrets are nowhere; how often each occurs is", () => {
    expect(told.text).not.toContain("canary");
    expect(told.text).not.toContain("example.org");
    const email = recording.items.paths.find(({ path }) => path === "/customer/email")!;
    expect(email).toMatchObject({ isSecret: true, values: { distinct: 5 } });
    const asked = operation(BY_EMAIL).parameters[0]!;
    expect(asked.values?.heaviest.map(({ count }) => count)).toEqual([4, 4, 4, 4, 4]);
    expect(asked.values?.heaviest.map(({ value }) => value).sort()).toEqual(
      email.values!.heaviest.map(({ value }) => value).sort(),
    );
  });

  test("the workload can be written and read again", () => {
    const text = printWorkload(workload);
    expect(text).not.toContain("canary");
    const read = readWorkload(text, "yaml", "recorded.yaml");
    expect(read.ok ? [] : read.error).toEqual([]);
    if (read.ok) expect(read.value.operations).toEqual(workload.operations);
  });
});

test("a query whose ranks the client fuses is one, of the text that was written", async () => {
  const { container } = await stage.database.containers.create({
    id: "ranked",
    partitionKey: { paths: ["/pk"] },
    throughput: 12_000,
    fullTextPolicy: {
      defaultLanguage: "en-US",
      fullTextPaths: [{ path: "/text", language: "en-US" }],
    },
    indexingPolicy: { fullTextIndexes: [{ path: "/text" }] },
  });
  for (const id of ["a", "b"]) await container.items.create({ id, pk: id, text: "red bird" });
  await ask(container.id, "POST", {});
  const written = "SELECT TOP 5 c.id FROM c ORDER BY RANK FullTextScore(c.text, 'red', 'bird')";
  for (let at = 0; at < 3; at++) await container.items.query(written).fetchAll();
  const { recording } = await ask(container.id, "DELETE");
  expect(recording.operations.map(({ text, count }) => [text, count])).toEqual([[written, 3]]);
});

test("a rate that nobody asked for is told from one that somebody did", async () => {
  await using limited = await openStage({ memory: true, rateLimit: true });
  const { server, database } = limited;
  for (const [asked, isDefault] of [
    [{}, true],
    [{ throughput: 700 }, false],
  ] as const) {
    const { id } = await openContainer(database, asked);
    await ask(id, "POST", {}, "", server);
    const { recording } = await ask(id, "GET", undefined, "", server);
    expect(recording.throughput).toMatchObject({ isLimited: true, isDefault });
    expect(fromRecording(recording).throughput === undefined).toBe(isDefault);
  }
});

describe("the admin API", () => {
  test("one recording of a container at a time, and none of what is not there", async () => {
    const { id } = await openContainer(stage.database);
    expect(await ask(id, "GET")).toMatchObject({ status: 404 });
    expect(await ask(id, "POST", {})).toMatchObject({ status: 201 });
    const second = await ask(id, "POST", {});
    expect(second.status).toBe(409);
    expect(second.message).toContain(`orrery record stage/${id} --discard`);
    expect(await ask(id, "GET", undefined, "?part=progress")).toMatchObject({
      status: 200,
      recording: { state: "running", operationCount: 0 },
    });
    expect((await ask(id, "DELETE")).status).toBe(200);
    expect((await ask(id, "DELETE")).status).toBe(404);
    expect((await ask(id, "POST", {})).status).toBe(201);
    const absent = await ask("none", "POST", {});
    expect(absent).toMatchObject({
      status: 404,
      message: "There is no container 'none' in a database 'stage'.",
    });
  });

  test("a container that is deleted takes its recording with it", async () => {
    const container = await openContainer(stage.database);
    await ask(container.id, "POST", {});
    await container.delete();
    await stage.database.containers.create({ id: container.id, partitionKey: { paths: ["/pk"] } });
    expect((await ask(container.id, "GET")).status).toBe(404);
  });

  test("what fails is counted and not kept", async () => {
    const container = await openContainer(stage.database);
    await ask(container.id, "POST", {});
    const wrong = container.items.query("SELECT * FROM c WHERE c.x = 'canary' AND", {
      partitionKey: "a",
    });
    expect((await refusalOf(wrong.fetchAll())).status).toBe(400);
    const { recording, text } = await ask(container.id, "DELETE");
    expect(recording).toMatchObject({ operationCount: 0, statuses: { 400: expect.any(Number) } });
    expect(text).not.toContain("canary");
  });
});
