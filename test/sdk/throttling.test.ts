/**
 * What happens to requests beyond the rate, through the official client: they are refused at no
 * price, told honestly when to come back, and hidden by the client's own patience.
 *
 * Rates are scaled down by name, to 100 RU/s for a physical partition instead of 10,000, so that
 * one large item is a debt of more than ten seconds. Refusals within it do not depend on how fast
 * this machine is.
 */
import type { Container, ItemDefinition } from "@azure/cosmos";
import { ErrorResponse } from "@azure/cosmos";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { signatureOf } from "../http/wire.ts";
import { countersOf, locate, rangeIds, reportOf } from "./inside.ts";
import type { Stage } from "./stage.ts";
import { clientOf, openContainer, openStage, ownPart } from "./stage.ts";

/** A server that limits rates, and a client that does not try again. */
const LIMITED = { memory: true, rateLimit: true } as const;
const SMALL_WORLD = { ...LIMITED, limits: { partitionRate: 100 } };
const IMPATIENT = { connectionPolicy: { retryOptions: { maxRetryAttemptCount: 0 } } };
/** 1,250 RU. */
const LARGE = "x".repeat(1_900_000);
/** Half of the time that a debt of one lasts; the other half is for a test on a busy machine. */
const FRESH_MS = 5_000;

describe("a request beyond the budget", () => {
  let stage: Stage;
  let indebted: Container;
  let impatient: Container;
  const item = { id: "1", pk: "a", n: 1 };
  let indebtedAt = 0;

  beforeAll(async () => {
    stage = await openStage(SMALL_WORLD);
    indebted = await openContainer(stage.database, { throughput: 400 });
    impatient = impatientOf(stage, indebted);
    await impatient.items.create(item);
    indebtedAt = performance.now();
    const { requestCharge } = await impatient.items.create({ id: "large", pk: "a", fill: LARGE });
    expect(requestCharge).toBeGreaterThan(1200);
  });

  // The debt is renewed before it ends while a busy machine is in the middle of a test.
  beforeEach(async () => {
    while (performance.now() - indebtedAt > FRESH_MS) {
      const startedAt = performance.now();
      const large = impatient.items.upsert({ id: "large", pk: "a", fill: LARGE });
      if (await large.then(() => true, notServed)) indebtedAt = startedAt;
      else await pause(100);
    }
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const one = (): ReturnType<Container["item"]> => impatient.item("1", "a");
  const attempts: readonly [string, () => Promise<unknown>][] = [
    ["a read", () => one().read()],
    ["a read of what is not there", () => impatient.item("none", "a").read()],
    ["a create", () => impatient.items.create({ id: "2", pk: "a" })],
    ["a create of what is there", () => impatient.items.create(item)],
    ["an upsert", () => impatient.items.upsert({ ...item, n: 2 })],
    ["a replace", () => one().replace({ ...item, n: 2 })],
    ["a patch", () => one().patch([{ op: "incr", path: "/n", value: 1 }])],
    ["a delete", () => one().delete()],
    ["a query by key", () => rows(impatient, "SELECT * FROM c WHERE c.pk = 'a'")],
    ["a query over all", () => rows(impatient, "SELECT VALUE c.id FROM c")],
    ["a feed", () => impatient.items.readAll({ partitionKey: "a" }).fetchAll()],
    ["a feed over all", () => impatient.items.readAll().fetchAll()],
  ];

  test.each(attempts)("%s: 429, no price, nothing done", async (_what, attempt) => {
    const before = await stateOf(stage, indebted);
    const { code, substatus, headers, message } = await throttled(attempt());
    expect([code, substatus]).toEqual([429, 3200]);
    expect(headers?.["x-ms-request-charge"]).toBe("0.38");
    expect(Number(headers?.["x-ms-retry-after-ms"])).toBeGreaterThan(0);
    expect(message).toContain("Request rate is large");
    const after = await stateOf(stage, indebted);
    expect(after.throttled).toBe(before.throttled + 1);
    expect({ ...after, throttled: 0, others: 0 }).toEqual({ ...before, throttled: 0, others: 0 });
  });

  test("a bulk: each of its operations, and the others are done", async () => {
    const elsewhere = await keyElsewhere(stage, indebted, "a");
    const upsert = (pk: string) =>
      ({ operationType: "Upsert", resourceBody: { id: "bulk", pk }, partitionKey: pk }) as const;
    const body = JSON.stringify([upsert("a"), upsert(elsewhere)].map(withKeyText));
    const answer = await post(stage, indebted, body, {
      "content-type": "application/json",
      "x-ms-cosmos-is-batch-request": "true",
      "x-ms-cosmos-batch-atomic": "false",
      "x-ms-cosmos-batch-continue-on-error": "true",
    });
    expect(answer.status).toBe(207);
    const [refused, done] = (await answer.json()) as readonly Record<string, unknown>[];
    expect(refused).toMatchObject({ statusCode: 429, subStatusCode: 3200, requestCharge: 0.38 });
    expect(refused?.["retryAfterMilliseconds"]).toBeGreaterThan(0);
    expect(done).toMatchObject({ statusCode: 201 });
  });

  test("other physical partitions of the container have their own budgets", async () => {
    const elsewhere = await keyElsewhere(stage, indebted, "a");
    const created = await impatient.items.create({ id: "1", pk: elsewhere });
    expect(created.statusCode).toBe(201);
    const query = "SELECT * FROM c WHERE c.pk = @pk";
    const parameters = [{ name: "@pk", value: elsewhere }];
    const { resources } = await impatient.items.query({ query, parameters }).fetchAll();
    expect(resources.map(({ id }) => id)).toContain("1");
  });

  test("what is no work of the container's is not refused", async () => {
    expect((await impatient.read()).statusCode).toBe(200);
    expect((await impatient.readOffer()).statusCode).toBe(200);
    const ranges = await impatient.readPartitionKeyRanges().fetchAll();
    expect(ranges.resources).toHaveLength(4);
  });
});

describe("who is told to wait", () => {
  test("and does, is served", async () => {
    await using stage = await openStage(LIMITED);
    const container = impatientOf(stage, await openContainer(stage.database));
    for (let round = 0; round < 2; round++) {
      const { headers } = await exhaust(container);
      await pause(Number(headers?.["x-ms-retry-after-ms"]) + 1);
      const { statusCode } = await container.items.upsert({ id: "after", pk: "a" });
      expect(statusCode).toBeLessThan(300);
    }
  });

  test("is not noticed behind the client's own patience", async () => {
    await using stage = await openStage(LIMITED);
    const container = await openContainer(stage.database);
    const ids = Array.from({ length: 20 }, (_, index) => String(index));
    const create = (id: string, fill = "") => container.items.create({ id, pk: "a", fill });
    const created = await Promise.all(ids.map((id) => create(id)));
    // A debt of two seconds, for which those that follow have to wait.
    created.push(await create("large", LARGE));
    const query = "SELECT VALUE c.id FROM c WHERE c.fill = '' AND LENGTH(c.id) < 3 ORDER BY c._ts";
    const pages = container.items.query<string>(query, { maxItemCount: 8 }).fetchAll();
    created.push(...(await Promise.all(["xxx", "yyy", "zzz"].map((id) => create(id)))));
    const { resources, requestCharge: queryCharge } = await pages;
    expect(resources.toSorted()).toEqual(ids.toSorted());
    expect(new Set(created.map(({ statusCode }) => statusCode))).toEqual(new Set([201]));
    const { throttled, spent, itemCount } = await stateOf(stage, container);
    expect(throttled).toBeGreaterThanOrEqual(4);
    expect(itemCount).toBe(24);
    expect(spent).toBeCloseTo(
      created.reduce((sum, { requestCharge }) => sum + requestCharge, queryCharge),
      5,
    );
  });

  test("in a bulk is not noticed either", async () => {
    await using stage = await openStage(SMALL_WORLD);
    const container = await openContainer(stage.database);
    // A debt of two seconds; this client waits for the others one by one.
    const fills = ["x".repeat(500_000), "", ""];
    const results = await container.items.executeBulkOperations(
      fills.map((fill, index) => ({
        operationType: "Create" as const,
        resourceBody: { id: String(index), pk: "a", fill },
        partitionKey: "a",
      })),
    );
    expect(results.map(({ response }) => response?.statusCode)).toEqual(fills.map(() => 201));
    expect((await stateOf(stage, container)).throttled).toBeGreaterThanOrEqual(2);
  });
});

describe("nobody is told to wait", () => {
  test("by a server that does not limit rates", async () => {
    await using stage = await openStage({ ...SMALL_WORLD, rateLimit: false });
    const container = impatientOf(stage, await openContainer(stage.database));
    const fills = Array.from({ length: 4 }, (_, index) => String(index));
    for (const id of fills) await container.items.create({ id, pk: "a", fill: LARGE });
    expect((await container.item("0", "a").read()).statusCode).toBe(200);
    const { throughput } = await reportOf(stage.server, container);
    expect(throughput).toMatchObject({ ratePerSecond: 400, isLimited: false });
    expect(await stateOf(stage, container)).toMatchObject({ throttled: 0 });
  });
});

describe("each physical partition pays for its own part", () => {
  let stage: Stage;
  let container: Container;
  const keys = Array.from({ length: 60 }, (_, index) => `pk-${index}`);

  beforeAll(async () => {
    stage = await openStage(LIMITED);
    container = await openContainer(stage.database, { throughput: 30_000 });
    await Promise.all(keys.map((pk) => container.items.create({ id: pk, pk, color: "red" })));
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  test("of a query by key that one alone visits", async () => {
    const { partitionId } = await locate(stage.server, container, "pk-7");
    const { charge, spent } = await spending("SELECT * FROM c WHERE c.pk = 'pk-7'");
    expect(charge).toBeCloseTo(2.83, 1);
    expect([...spent]).toEqual([[partitionId, expect.closeTo(charge, 5)]]);
  });

  test("of the same query by another property, which all visit", async () => {
    const ids = await rangeIds(stage.server, container);
    const { charge, spent, found } = await spending("SELECT * FROM c WHERE c.color = 'red'");
    expect(found).toHaveLength(keys.length);
    expect([...spent.keys()].toSorted()).toEqual(ids);
    const parts = [...spent.values()];
    for (const part of parts) expect(part).toBeGreaterThan(2.79);
    expect(charge).toBeCloseTo(
      parts.reduce((sum, part) => sum + part, 0),
      5,
    );
    // None of them has it: the price of asking is all the same.
    const empty = await spending("SELECT * FROM c WHERE c.color = 'blue'");
    expect(empty.found).toEqual([]);
    for (const part of empty.spent.values()) expect(part).toBeCloseTo(2.79, 1);
    expect(empty.charge).toBeCloseTo(3 * 2.79, 1);
  });

  test("of a query whose pages the server merges, page by page", async () => {
    let continuation = "";
    let pageCount = 0;
    const ids: string[] = [];
    do {
      const before = await spentOf(stage, container);
      const query = JSON.stringify({ query: "SELECT * FROM c ORDER BY c.id" });
      const answer = await post(stage, container, query, {
        "content-type": "application/query+json",
        "x-ms-documentdb-isquery": "true",
        "x-ms-documentdb-query-enablecrosspartition": "true",
        "x-orrery-merge-query": "true",
        "x-ms-max-item-count": "25",
        ...(continuation !== "" && { "x-ms-continuation": continuation }),
      });
      expect(answer.status).toBe(200);
      const { Documents } = (await answer.json()) as { readonly Documents: ItemDefinition[] };
      ids.push(...Documents.map(({ id }) => String(id)));
      const charge = Number(answer.headers.get("x-ms-request-charge"));
      const spent = difference(before, await spentOf(stage, container));
      expect(spent.size).toBe(3);
      expect([...spent.values()].reduce((sum, part) => sum + part, 0)).toBeCloseTo(charge, 5);
      continuation = answer.headers.get("x-ms-continuation") ?? "";
      pageCount++;
    } while (continuation !== "");
    expect(pageCount).toBe(3);
    expect(ids).toEqual(keys.toSorted());
  });

  test("of a read and of a write", async () => {
    const before = await spentOf(stage, container);
    const { requestCharge: readCharge } = await container.item("pk-3", "pk-3").read();
    const { resource, requestCharge } = await container.items.create({ id: "new", pk: "pk-3" });
    expect(ownPart(resource)).toEqual({ id: "new", pk: "pk-3" });
    const { partitionId } = await locate(stage.server, container, "pk-3");
    expect([...difference(before, await spentOf(stage, container))]).toEqual([
      [partitionId, expect.closeTo(readCharge + requestCharge, 5)],
    ]);
  });

  async function spending(query: string) {
    const before = await spentOf(stage, container);
    const { resources: found, requestCharge: charge } = await container.items
      .query(query)
      .fetchAll();
    return { found, charge, spent: difference(before, await spentOf(stage, container)) };
  }
});

function impatientOf({ server }: Stage, { id, database }: Container): Container {
  return clientOf(server, IMPATIENT).database(database.id).container(id);
}

async function rows(container: Container, query: string): Promise<readonly unknown[]> {
  return (await container.items.query(query).fetchAll()).resources;
}

/** Fails unless it is refused because of its rate. */
async function throttled(attempt: Promise<unknown>): Promise<ErrorResponse> {
  const refusal = await attempt.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (refusal instanceof ErrorResponse && refusal.code === 429) return refusal;
  throw new Error("429 was expected", { cause: refusal });
}

/** False, so that whoever is served can be told from whoever is not. */
function notServed(refusal: unknown): false {
  if (refusal instanceof ErrorResponse && refusal.code === 429) return false;
  throw refusal;
}

/** Writes one after the other until there is nothing left to spend. */
async function exhaust(container: Container): Promise<ErrorResponse> {
  for (let index = 0; ; index++) {
    try {
      await container.items.upsert({ id: String(index), pk: "a", fill: "x".repeat(100_000) });
    } catch (error) {
      if (error instanceof ErrorResponse && error.code === 429) return error;
      throw error;
    }
  }
}

/** Of the physical partition of key "a"; `others` is what the others have done. */
async function stateOf({ server }: Stage, container: Container) {
  const { partitionId: id } = await locate(server, container, "a");
  const { partitions } = await reportOf(server, container);
  const { lsn, itemCount, itemBytes } = partitions.find((each) => each.id === id)!;
  const spent = await countersOf(server, container, "request_units");
  const throttledCounts = await countersOf(server, container, "throttled_requests");
  return {
    lsn,
    itemCount,
    itemBytes,
    spent: spent.get(id) ?? 0,
    throttled: throttledCounts.get(id) ?? 0,
    others: [...spent.values()].reduce((sum, ru) => sum + ru, 0) - (spent.get(id) ?? 0),
  };
}

function spentOf({ server }: Stage, container: Container): Promise<ReadonlyMap<string, number>> {
  return countersOf(server, container, "request_units");
}

/** Only what has changed. */
function difference(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const changes = [...after].map(([id, ru]) => [id, ru - (before.get(id) ?? 0)] as const);
  return new Map(changes.filter(([, change]) => change !== 0));
}

/** A partition key that another physical partition has. */
async function keyElsewhere({ server }: Stage, container: Container, pk: string): Promise<string> {
  const { partitionId } = await locate(server, container, pk);
  for (let index = 0; ; index++) {
    const key = `elsewhere-${index}`;
    if ((await locate(server, container, key)).partitionId !== partitionId) return key;
  }
}

function withKeyText<T extends { readonly partitionKey: string }>(operation: T) {
  return { ...operation, partitionKey: JSON.stringify([operation.partitionKey]) };
}

function post(
  { server }: Stage,
  { id, database }: Container,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const segments = ["dbs", database.id, "colls", id, "docs"];
  const signed = { ...signatureOf(server.key, "POST", segments), ...headers };
  const url = `${server.endpoint}/${segments.join("/")}`;
  return fetch(url, { method: "POST", headers: signed, body });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
