/** The change feed, through the iterators of the client. */
import type { ChangeFeedIteratorOptions, Container, ItemDefinition } from "@azure/cosmos";
import {
  ChangeFeedMode,
  ChangeFeedPolicy,
  ChangeFeedRetentionTimeSpan,
  ChangeFeedStartFrom,
} from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openContainer, openStage } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

interface Row {
  readonly id?: string;
  readonly _lsn?: number;
  readonly current?: ItemDefinition;
  readonly previous?: ItemDefinition;
  readonly metadata?: Record<string, unknown>;
}

/** Reads until nothing is new. */
async function drain(
  container: Container,
  options: ChangeFeedIteratorOptions,
): Promise<{ rows: Row[]; continuation: string; pages: number }> {
  const iterator = container.items.getChangeFeedIterator(options);
  const rows: Row[] = [];
  for (let pages = 0; ; pages++) {
    const page = await iterator.readNext();
    if (page.statusCode === 304) return { rows, continuation: page.continuationToken, pages };
    expect(page.statusCode).toBe(200);
    rows.push(...(page.result as Row[]));
  }
}

const from = (
  start: ChangeFeedIteratorOptions["changeFeedStartFrom"],
  more: Partial<ChangeFeedIteratorOptions> = {},
): ChangeFeedIteratorOptions => ({ changeFeedStartFrom: start!, ...more });

const all = { changeFeedMode: ChangeFeedMode.AllVersionsAndDeletes };
const ids = (rows: readonly Row[]): (string | undefined)[] => rows.map(({ id }) => id);

describe("latest versions", () => {
  test("are each item once, in the order of its last change", async () => {
    const container = await openContainer(stage.database);
    for (const id of ["a", "b", "c", "d"]) await container.items.create({ id, pk: "x", n: 1 });
    await container.item("b", "x").replace({ id: "b", pk: "x", n: 2 });
    await container.item("c", "x").delete();
    const { rows, continuation } = await drain(container, from(ChangeFeedStartFrom.Beginning()));
    expect(ids(rows)).toEqual(["a", "d", "b"]);
    expect(rows.at(-1)).toMatchObject({ n: 2, _lsn: 5 });
    expect(rows.map(({ _lsn }) => _lsn)).toEqual([1, 4, 5]);

    await container.items.upsert({ id: "a", pk: "x", n: 3 });
    const later = await drain(container, from(ChangeFeedStartFrom.Continuation(continuation)));
    expect(ids(later.rows)).toEqual(["a"]);
  });

  test("come in pages, from beginning, key, range, time and now", async () => {
    const container = await openContainer(stage.database, { throughput: 30_000 });
    const { resources: ranges } = await container.readPartitionKeyRanges().fetchAll();
    expect(ranges.length).toBeGreaterThan(2);
    for (let n = 0; n < 60; n++) await container.items.create({ id: `${n}`, pk: `k${n % 12}` });
    const whole = await drain(
      container,
      from(ChangeFeedStartFrom.Beginning(), { maxItemCount: 5 }),
    );
    expect(ids(whole.rows).toSorted()).toEqual(
      Array.from({ length: 60 }, (_, n) => `${n}`).toSorted(),
    );
    expect(whole.pages).toBeGreaterThanOrEqual(12);

    const one = await drain(container, from(ChangeFeedStartFrom.Beginning("k3")));
    expect(ids(one.rows)).toEqual(["3", "15", "27", "39", "51"]);

    const seen: (string | undefined)[] = [];
    for (const range of await container.getFeedRanges()) {
      seen.push(...ids((await drain(container, from(ChangeFeedStartFrom.Beginning(range)))).rows));
    }
    expect(seen.toSorted()).toEqual(ids(whole.rows).toSorted());

    const now = container.items.getChangeFeedIterator(from(ChangeFeedStartFrom.Now()));
    expect((await now.readNext()).statusCode).toBe(304);
    await container.items.create({ id: "new", pk: "k3" });
    expect(ids((await now.readNext()).result as Row[])).toEqual(["new"]);

    const past = await drain(container, from(ChangeFeedStartFrom.Time(new Date(0))));
    expect(past.rows).toHaveLength(61);
    const soon = new Date(Date.now() + 60_000);
    expect((await drain(container, from(ChangeFeedStartFrom.Time(soon)))).rows).toEqual([]);
  });

  test("never show part of a batch", async () => {
    const container = await openContainer(stage.database);
    for (let n = 0; n < 3; n++) {
      const creates = Array.from({ length: 10 }, (_, index) => ({
        operationType: "Create" as const,
        resourceBody: { id: `${n}-${index}`, pk: "x" },
      }));
      await container.items.batch(creates, "x");
    }
    const iterator = container.items.getChangeFeedIterator(
      from(ChangeFeedStartFrom.Beginning("x"), { maxItemCount: 4 }),
    );
    for (let n = 0; n < 3; n++) {
      const rows = (await iterator.readNext()).result as Row[];
      expect(rows).toHaveLength(10);
      expect(new Set(rows.map(({ _lsn }) => _lsn)).size).toBe(1);
    }
    expect((await iterator.readNext()).statusCode).toBe(304);
  });

  test("of the older iterator", async () => {
    const container = await openContainer(stage.database);
    for (let n = 0; n < 5; n++) await container.items.create({ id: `${n}`, pk: "x" });
    const iterator = container.items.changeFeed("x", { startFromBeginning: true, maxItemCount: 3 });
    expect((await iterator.fetchNext()).result).toHaveLength(3);
    expect((await iterator.fetchNext()).result).toHaveLength(2);
    expect((await iterator.fetchNext()).statusCode).toBe(304);
  });
});

async function keepingContainer(id: string): Promise<Container> {
  const policy = new ChangeFeedPolicy(ChangeFeedRetentionTimeSpan.fromMinutes(10));
  const definition = { id, partitionKey: { paths: ["/pk"] }, changeFeedPolicy: policy };
  return (await stage.database.containers.create({ ...definition, defaultTtl: -1 })).container;
}

describe("all versions and deletes", () => {
  test("are every change in order, each with what is known of it", async () => {
    const container = await keepingContainer("keeping");
    await container.items.create({ id: "old", pk: "x" });
    const start = await drain(container, from(ChangeFeedStartFrom.Now(), all));
    await container.items.create({ id: "a", pk: "x", n: 1 });
    await container.items.upsert({ id: "a", pk: "x", n: 2 });
    await container.item("a", "x").patch([{ op: "incr", path: "/n", value: 1 }]);
    await container.item("old", "x").delete();
    await container.item("a", "x").delete();
    const { rows } = await drain(
      container,
      from(ChangeFeedStartFrom.Continuation(start.continuation), all),
    );
    expect(rows.map(({ metadata }) => metadata?.["operationType"])).toEqual([
      "create",
      "replace",
      "replace",
      "delete",
      "delete",
    ]);
    expect(rows.map(({ current }) => current?.["n"])).toEqual([1, 2, 3, undefined, undefined]);
    const none = [undefined, undefined, undefined, undefined];
    expect(rows.map(({ previous }) => previous?.["n"])).toEqual([...none, 3]);
    expect(rows.map(({ metadata }) => metadata?.["lsn"])).toEqual([2, 3, 4, 5, 6]);
    expect(rows[4]!.metadata).toMatchObject({
      id: "a",
      partitionKey: { pk: "x" },
      previousImageLSN: 4,
      timeToLiveExpired: false,
    });
    const latest = await drain(container, from(ChangeFeedStartFrom.Beginning()));
    expect(latest.rows).toEqual([]);
  });

  test("begin now or where one was, and only where they are kept", async () => {
    const container = await keepingContainer("begins");
    await expect(drain(container, from(ChangeFeedStartFrom.Beginning(), all))).rejects.toThrow(
      "within the retention period",
    );
    const without = await openContainer(stage.database);
    await expect(drain(without, from(ChangeFeedStartFrom.Now(), all))).rejects.toMatchObject({
      code: 400,
    });
    const { resource } = await container.read();
    const { continuation } = await drain(container, from(ChangeFeedStartFrom.Now(), all));
    await container.replace({ ...resource!, changeFeedPolicy: undefined as never });
    await container.items.create({ id: "missed", pk: "x" });
    await container.replace(resource!);
    await expect(
      drain(container, from(ChangeFeedStartFrom.Continuation(continuation), all)),
    ).rejects.toThrow("within the retention period");
  });
});

describe("a continuation that makes no sense is refused", () => {
  test.each(['"x"', "-1", '"99999"', '"eyJjIjoieCJ9"'])("%s", async (etag) => {
    const container = await openContainer(stage.database);
    await container.items.create({ id: "a", pk: "x" });
    const iterator = container.items.changeFeed("x", { continuation: etag });
    await expect(iterator.fetchNext()).rejects.toMatchObject({ code: 400 });
  });

  test("that of a container that was deleted and made again", async () => {
    const definition = { id: "reborn", partitionKey: { paths: ["/pk"] } };
    const { container } = await stage.database.containers.create(definition);
    const { continuation } = await drain(container, from(ChangeFeedStartFrom.Now()));
    await container.delete();
    await stage.database.containers.create(definition);
    await expect(
      drain(container, from(ChangeFeedStartFrom.Continuation(continuation))),
    ).rejects.toThrow("not for the current container");
  });
});
