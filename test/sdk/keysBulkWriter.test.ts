/** The bulk writer through the official client: many items, bad ones, a rate that is too low. */
import { setTimeout as wait } from "node:timers/promises";
import type { Container } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BulkProgress } from "../../src/keys/client/bulkReport.ts";
import { bulkWriter } from "../../src/keys/client/bulkWriter.ts";
import type { ClientBulkContainer } from "../../src/keys/client/container.ts";
import { strategyOf } from "../../src/keys/strategy.ts";
import { locate, rangeIds } from "./inside.ts";
import type { Stage } from "./stage.ts";
import { openContainer, openStage } from "./stage.ts";

type Item = Readonly<Record<string, unknown>>;

const WORLD = { wait, now: () => performance.now(), random: Math.random };
const byPk = (item: Item) => item["pk"] as string;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ memory: true, limits: { logicalPartitionBytes: "20KB" } });
});
afterAll(() => stage[Symbol.asyncDispose]());

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const item = (n: number, more: object = {}) => ({ id: `i${n}`, pk: `k${n % 300}`, n, ...more });

async function numbersIn(container: Container): Promise<number[]> {
  const { resources } = await container.items.query<number>("SELECT VALUE c.n FROM c").fetchAll();
  return resources.toSorted((a, b) => a - b);
}

test("writes thousands of items, wherever they belong, and says what it took", async () => {
  const container = await openContainer(stage.database, { throughput: 30_000 });
  expect((await rangeIds(stage.server, container)).length).toBeGreaterThan(1);
  const seen: BulkProgress[] = [];
  const onProgress = (progress: BulkProgress): void => void seen.push(progress);
  const writer = bulkWriter(container, { key: byPk, world: WORLD, onProgress });
  const result = await writer.write(range(3000).map((n) => item(n)));
  expect(result).toMatchObject({
    count: 3000,
    failures: [],
    failureCount: 0,
    retries: 0,
    isStopped: false,
  });
  expect(await numbersIn(container)).toEqual(range(3000));
  expect(result.requestCount).toBeLessThan(100);
  expect(seen).toHaveLength(result.requestCount);
  expect(seen.at(-1)).toMatchObject({ readCount: 3000, writtenCount: 3000, waitingCount: 0 });
  expect(result.elapsed).toBeGreaterThan(0);
  expect(result.byKey.isExact).toBe(true);
  expect(result.byKey.top).toHaveLength(10);
  expect(result.byKey.top[0]).toMatchObject({ count: 10 });
  const { resources } = await container.items
    .query<number>("SELECT VALUE COUNT(1) FROM c WHERE c.pk = 'k7'")
    .fetchAll();
  expect(resources).toEqual([10]);
  const single = await container.items.upsert(item(0));
  expect(result.ru / 3000).toBeGreaterThan(single.requestCharge / 3);
});

test("one bad item is one failure, whatever is wrong with it", async () => {
  const container = await openContainer(stage.database);
  await container.items.create(item(7));
  const cyclic: { [name: string]: unknown } = { id: "cyclic", pk: "a" };
  cyclic["self"] = cyclic;
  const longId = "x".repeat(1100);
  const bad = [
    { pk: "a", n: -1 },
    cyclic,
    { id: "big", pk: "a", count: 10n },
    { id: longId, pk: "a" },
    { id: "large", pk: "a", fill: "x".repeat(2_200_000) },
    { id: "wide", pk: "b", fill: "x".repeat(19_000) },
    { id: "wider", pk: "b", fill: "x".repeat(19_000) },
    item(7),
  ];
  const good = range(1000).map((n) => (n === 7 ? bad[7]! : item(n)));
  const mixed = good.flatMap((each, n) => (n % 100 === 50 ? [each, bad[n / 100 - 0.5]!] : [each]));
  const failed: (readonly unknown[])[] = [];
  const writer = bulkWriter(container, {
    key: byPk,
    world: WORLD,
    onFailure: ({ id, status, substatus }) => void failed.push([id, status, substatus]),
  });
  const result = await writer.write(mixed.filter((each) => each !== undefined));
  expect(failed).toEqual(
    expect.arrayContaining([
      [undefined, undefined, undefined],
      ["cyclic", undefined, undefined],
      ["big", undefined, undefined],
      [longId, 400, expect.anything()],
      ["wider", 403, 1014],
      ["i7", 409, expect.anything()],
    ]),
  );
  // Before 4.10 the client tells of the status of a whole request in words only.
  const [, tooLarge] = failed.find(([id]) => id === "large")!;
  expect([413, undefined]).toContain(tooLarge);
  expect(result.failureCount).toBe(failed.length);
  expect(result.failures[0]!.message).toContain("no id");
  expect(await numbersIn(container)).toEqual(range(1000));
});

test("a strategy puts its keys into the items, drawn once for each", async () => {
  const container = await openContainer(stage.database, {
    partitionKey: { paths: ["/partitionKey"] },
  });
  const random = () => Math.random();
  const key = strategyOf("suffix(month(/ts), random(), 5)", { random });
  const writer = bulkWriter(container, { key, world: WORLD });
  const ts = (n: number) => new Date(Date.UTC(2026, n % 3, 5)).toISOString();
  const result = await writer.write(range(300).map((n) => ({ id: `i${n}`, n, ts: ts(n) })));
  expect([result.count, result.failureCount]).toEqual([300, 0]);
  expect(await numbersIn(container)).toEqual(range(300));
  const { resources } = await container.items
    .query<string>("SELECT DISTINCT VALUE c.partitionKey FROM c")
    .fetchAll();
  expect(resources).toHaveLength(15);
  expect(result.byKey.top.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(150);
});

test("of items with the same id the last one in the source is the one that stays", async () => {
  const container = await openContainer(stage.database);
  const writer = bulkWriter(container, { key: byPk, operation: "upsert", world: WORLD });
  const source = range(2000).map((n) => ({ id: `i${n % 50}`, pk: `k${n % 5}`, n }));
  const result = await writer.write(source);
  expect(result.count).toBe(2000);
  expect(await numbersIn(container)).toEqual(range(50).map((n) => 1950 + n));
});

describe("a rate that is too low", () => {
  test("is waited for: everything is written, and not much is sent in vain", async () => {
    await using limited = await openStage({
      memory: true,
      rateLimit: true,
      limits: { partitionRate: 200 },
    });
    const container = await openContainer(limited.database, { throughput: 400 });
    const writer = bulkWriter(container, { key: byPk, world: WORLD });
    const result = await writer.write(range(300).map((n) => item(n, { fill: "x".repeat(300) })));
    expect([result.count, result.failureCount]).toEqual([300, 0]);
    expect(result.retries).toBeGreaterThan(0);
    expect(result.retries).toBeLessThan(20 * 300);
    expect(await numbersIn(container)).toEqual(range(300));
  });

  test("for one hot key leaves the others alone", async () => {
    await using limited = await openStage({
      memory: true,
      rateLimit: true,
      limits: { partitionRate: 500 },
    });
    const container = await openContainer(limited.database, { throughput: 2000 });
    const hotPartition = (await locate(limited.server, container, "hot")).partitionId;
    const others: string[] = [];
    for (const n of range(100)) {
      const { partitionId } = await locate(limited.server, container, `k${n}`);
      if (partitionId !== hotPartition) others.push(`k${n}`);
    }
    const source = range(500).flatMap((n): Item[] => {
      const hot = { id: `h${n}`, pk: "hot", n };
      return n < 60 ? [hot, { id: `o${n}`, pk: others[n % others.length]!, n: -1 }] : [hot];
    });
    /** Keys in the order in which their items were written. */
    const written: unknown[] = [];
    const watched: ClientBulkContainer = {
      item: (id, key) => container.item(id, key),
      items: {
        async bulk(operations, options) {
          const answers = await container.items.bulk(operations, options);
          answers.forEach(({ statusCode }, at) => {
            if (statusCode === 201) written.push(operations[at]!.resourceBody["pk"]);
          });
          return answers;
        },
      },
    };
    const result = await bulkWriter(watched, { key: byPk, world: WORLD }).write(source);
    expect(result.count).toBe(560);
    const hotBefore = written
      .slice(
        0,
        written.findLastIndex((pk) => pk !== "hot"),
      )
      .filter((pk) => pk === "hot");
    expect(hotBefore.length).toBeLessThan(400);
    expect(result.byKey.top[0]).toMatchObject({ key: ["hot"], count: 500 });
  });
});

test("an endless source is read as fast as is written, until it is told to stop", async () => {
  const container = await openContainer(stage.database);
  const stop = new AbortController();
  let readCount = 0;
  async function* endless(): AsyncGenerator<Item> {
    for (;;) yield item(readCount++);
  }
  let waitingMax = 0;
  const writer = bulkWriter(container, {
    key: byPk,
    world: WORLD,
    bufferCount: 300,
    signal: stop.signal,
    onProgress: ({ waitingCount, writtenCount }) => {
      waitingMax = Math.max(waitingMax, waitingCount);
      if (writtenCount > 2000) stop.abort();
    },
  });
  const result = await writer.write(endless());
  expect(result.isStopped).toBe(true);
  expect(waitingMax).toBeLessThanOrEqual(300);
  expect(readCount - result.count).toBeLessThanOrEqual(301);
  expect(await numbersIn(container)).toHaveLength(result.count);
});

test("stops at the first failure if it is asked to", async () => {
  const container = await openContainer(stage.database);
  await container.items.create(item(500));
  const options = { key: byPk, world: WORLD, stopOnError: true, bufferCount: 200 };
  const result = await bulkWriter(container, options).write(range(5000).map((n) => item(n)));
  expect(result.isStopped).toBe(true);
  expect(result.failures).toMatchObject([{ id: "i500", status: 409 }]);
  expect(result.count).toBeLessThan(1500);
  expect(await numbersIn(container)).toHaveLength(result.count + 1);
});
