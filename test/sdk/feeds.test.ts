/** Lists of items: every item once, in pages up to the asked size, in an order to rely on. */
import type { Container, ItemDefinition } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openContainer, openStage, pagesOf, rangeIdOf, refusalOf } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const ITEM_COUNT = 60;
const KEY_COUNT = 12;

interface Filled {
  readonly container: Container;
  /** Ids in order of creation, by range id. */
  readonly byRange: ReadonlyMap<string, readonly string[]>;
}

/** Items are made one after the other, so that their order is known. */
async function fill(throughput: number): Promise<Filled> {
  const container = await openContainer(stage.database, { throughput });
  const byRange = new Map<string, string[]>();
  for (let index = 0; index < ITEM_COUNT; index++) {
    const id = `item-${index}`;
    const answer = await container.items.create({ id, pk: `key-${index % KEY_COUNT}` });
    const rangeId = rangeIdOf(answer);
    byRange.set(rangeId, [...(byRange.get(rangeId) ?? []), id]);
  }
  return { container, byRange };
}

/** How many items each page holds, when there are so many. */
const countsOf = (itemCount: number, maxItemCount: number): number[] =>
  Array.from({ length: Math.ceil(itemCount / maxItemCount) }, (_, page) =>
    Math.min(maxItemCount, itemCount - page * maxItemCount),
  );

const idsOf = (items: readonly ItemDefinition[]): string[] => items.map(({ id }) => String(id));

describe.each([
  { partitionCount: 1, throughput: 400 },
  { partitionCount: 3, throughput: 30_000 },
  { partitionCount: 20, throughput: 200_000 },
])("items in $partitionCount physical partitions", ({ partitionCount, throughput }) => {
  let filled: Filled;
  beforeAll(async () => {
    filled = await fill(throughput);
  });

  test("lie in several of them", () => {
    const { byRange } = filled;
    expect(byRange.size).toBeGreaterThanOrEqual(Math.min(partitionCount, 3));
  });

  test.each([1, 2, 7, 100])("are listed once each in pages of %d", async (maxItemCount) => {
    const { container, byRange } = filled;
    const pages = await pagesOf<ItemDefinition>(container.items.readAll({ maxItemCount }));
    // A page holds items of one range, and there are ranges without any; behind a full one of the
    // only range an empty one comes.
    const isEmptyLast = partitionCount === 1 && ITEM_COUNT % maxItemCount === 0;
    const counts = [...byRange.values()].flatMap((ids) => countsOf(ids.length, maxItemCount));
    if (isEmptyLast) counts.push(0);
    const pageCounts = pages.map((page) => page.length);
    const found = partitionCount === 1 ? pageCounts : pageCounts.filter((count) => count > 0);
    expect(found.toSorted()).toEqual(counts.toSorted());
    expect(pageCounts.at(-1)).toBe(isEmptyLast ? 0 : found.at(-1));

    const listed = idsOf(pages.flat());
    expect(listed.toSorted()).toEqual([...byRange.values()].flat().toSorted());
    for (const created of byRange.values()) {
      expect(listed.filter((id) => created.includes(id))).toEqual(created);
    }
  });

  test.each([1, 2, 7, 100])("of one key are listed in pages of %d", async (maxItemCount) => {
    const { container } = filled;
    for (const keyIndex of [0, 5, 11]) {
      const options = { maxItemCount, partitionKey: `key-${keyIndex}` };
      const pages = await pagesOf<ItemDefinition>(container.items.readAll(options));
      const expected = Array.from(
        { length: ITEM_COUNT / KEY_COUNT },
        (_, round) => `item-${keyIndex + round * KEY_COUNT}`,
      );
      expect(idsOf(pages.flat())).toEqual(expected);
      expect(pages).toHaveLength(Math.ceil(expected.length / maxItemCount));
    }
  });

  test("of a key nobody used are none", async () => {
    const { container } = filled;
    const { resources } = await container.items.readAll({ partitionKey: "unused" }).fetchAll();
    expect(resources).toEqual([]);
  });

  test("are listed from where another iterator stopped", async () => {
    const { container } = filled;
    const whole = idsOf((await container.items.readAll().fetchAll()).resources);
    const { resources, continuationToken } = await container.items
      .readAll({ maxItemCount: 25 })
      .fetchNext();
    const rest = await container.items.readAll({ maxItemCount: 7, continuationToken }).fetchAll();
    expect(idsOf([...resources, ...rest.resources])).toEqual(whole);
  });

  test("cost the same each time they are listed", async () => {
    const { container } = filled;
    const chargeOf = async (maxItemCount: number) =>
      (await container.items.readAll({ maxItemCount }).fetchAll()).requestCharge;
    const charge = await chargeOf(10);
    expect(charge).toBeGreaterThan(0);
    expect(await chargeOf(10)).toBe(charge);
  });
});

describe("a list", () => {
  test("of nothing is an empty page for each range", async () => {
    const container = await openContainer(stage.database, { throughput: 30_000 });
    expect(await pagesOf(container.items.readAll({ maxItemCount: 5 }))).toEqual([[], [], []]);
  });

  test("goes on where it was while items come, change and go", async () => {
    const { container } = await fill(30_000);
    const iterator = container.items.readAll({ maxItemCount: 10 });
    const seen = idsOf((await iterator.fetchNext()).resources);
    const before = idsOf((await container.items.readAll().fetchAll()).resources);
    const last = before.at(-1)!;
    const key = `key-${Number(last.slice("item-".length)) % KEY_COUNT}`;
    await container.item(last, key).delete();
    for (let index = 0; index < 20; index++) {
      await container.items.create({ id: `late-${index}`, pk: `key-${index}` });
      await container.items.upsert({ id: `item-${index}`, pk: `key-${index % KEY_COUNT}`, n: 1 });
    }
    for (const page of await pagesOf<ItemDefinition>(iterator)) seen.push(...idsOf(page));
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(before.filter((id) => id !== last)));
    expect(seen).not.toContain(last);
  });

  test("keeps an item at its place when it is replaced, not when it is deleted", async () => {
    const container = await openContainer(stage.database);
    for (const id of ["a", "b", "c", "d"]) await container.items.create({ id, pk: "x" });
    await container.items.upsert({ id: "a", pk: "x", n: 1 });
    await container.item("b", "x").delete();
    await container.items.create({ id: "b", pk: "x" });
    expect(idsOf((await container.items.readAll().fetchAll()).resources)).toEqual([..."acdb"]);
  });

  test("breaks its pages at 4 MB whatever count was asked for", async () => {
    const container = await openContainer(stage.database);
    const text = "x".repeat(1_500_000);
    for (let index = 0; index < 7; index++) {
      await container.items.create({ id: `large-${index}`, pk: "a", text });
    }
    const pages = await pagesOf<ItemDefinition>(container.items.readAll({ maxItemCount: 100 }));
    expect(idsOf(pages.flat())).toEqual(Array.from({ length: 7 }, (_, index) => `large-${index}`));
    expect(pages.length).toBeGreaterThan(1);
    for (const page of pages) expect(page.length).toBeLessThanOrEqual(3);
  });

  test("refuses a continuation that it did not give out", async () => {
    const container = await openContainer(stage.database);
    const options = { continuationToken: "bm90IG91cnM" };
    const { status, message } = await refusalOf(container.items.readAll(options).fetchNext());
    expect(status).toBe(400);
    expect(message).toContain("Invalid Continuation Token");
  });

  test("refuses the continuation of a container that was deleted and made again", async () => {
    const container = await openContainer(stage.database);
    for (const id of ["a", "b"]) await container.items.create({ id, pk: "x" });
    const { continuationToken } = await container.items.readAll({ maxItemCount: 1 }).fetchNext();
    await container.delete();
    const again = await stage.database.containers.create({ id: container.id, partitionKey: "/pk" });
    const read = again.container.items.readAll({ maxItemCount: 1, continuationToken }).fetchNext();
    expect((await refusalOf(read)).status).toBe(400);
  });
});

describe("physical partitions", () => {
  test("have the form the service gives them", async () => {
    const container = await openContainer(stage.database, { throughput: 30_000 });
    const { resources } = await container.readPartitionKeyRanges().fetchAll();
    expect(resources).toHaveLength(3);
    for (const [index, range] of resources.entries()) {
      expect(range).toMatchObject({ id: String(index), status: "online", parents: [] });
      expect(range["throughputFraction"]).toBeCloseTo(1 / 3);
    }
  });

  test("are named by feed ranges too", async () => {
    const container = await openContainer(stage.database, { throughput: 30_000 });
    expect(await container.getFeedRanges()).toHaveLength(3);
  });
});
