/**
 * A feed in two containers, while a server moves articles from one to the other: the store answers
 * as it does over one container. Time is that of the machine, because the server has no other.
 */
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { FeedContainers } from "../feedContainers.ts";
import type { FeedItem } from "../feedItem.ts";
import { FeedStore } from "../feedStore.ts";
import { generateItems, PROVIDERS, TOPICS } from "../generate.ts";
import { loadItems } from "../load.ts";
import { type HotAndWarm, setUpHotAndWarm } from "../setUp.ts";
import { article, idsOf, noWait, openStage, type Stage } from "../stage.fake.ts";
import { hotAndWarm } from "./hotAndWarm.ts";
import { type Moving, startMoving } from "./moving.ts";

const DAY_MS = 86_400_000;
const START = Date.now();

/** The server is asked again at once, and works meanwhile. */
const atOnce = async (): Promise<void> => {};
const now = (): Date => new Date();

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

interface Opened {
  readonly pair: HotAndWarm;
  readonly moving: Moving;
  readonly containers: FeedContainers;
  readonly store: FeedStore;
}

/** Two new containers, in a database of their own. */
let count = 0;
async function opened(): Promise<Opened> {
  const { client } = stage.database;
  const { database } = await client.databases.create({ id: `pair-${++count}` });
  const pair = await setUpHotAndWarm(database);
  const moving = await startMoving(stage.server, pair, atOnce);
  const containers = hotAndWarm({ ...pair, now, watermark: moving.watermark });
  return { pair, moving, containers, store: await FeedStore.open(containers, { now }) };
}

function daysAgo(days: number): string {
  return new Date(START - days * DAY_MS).toISOString();
}

describe("a hundred days of articles", () => {
  const from = new Date(START - 100 * DAY_MS);
  const to = new Date(START);
  const all = [...generateItems({ itemsPerDay: 2, itemBytes: 400, from, to, seed: 7 })];
  const newestFirst = all.toReversed();
  let feed: Opened;
  beforeAll(async () => {
    feed = await opened();
    await loadItems(feed.pair.current, all, { wait: noWait });
    await feed.moving.caughtUp();
  });

  test("those older than thirty days are moved", async () => {
    expect(await feed.moving.movedCount()).toBe(140);
    const { resources } = await feed.pair.historical.items.readAll().fetchAll();
    expect(resources).toHaveLength(140);
  });

  test("what is new is asked of the hot container alone, what is old of the warm one", async () => {
    const { rows, cost } = await feed.store.recent();
    expect(idsOf(rows)).toEqual(idsOf(newestFirst.slice(0, 14)));
    expect(cost.containers).toEqual(["feeds_current"]);
    const old = await feed.store.byProvider("northgate", daysAgo(90), daysAgo(60));
    expect(old.rows.length).toBeGreaterThan(3);
    expect(old.cost.containers).toEqual(["feeds_historical"]);
    expect(old.cost.months!.length).toBeGreaterThan(0);
  });

  test("random questions are answered as an array would be that is filtered", async () => {
    const moment = fc.integer({ min: from.getTime() - DAY_MS, max: to.getTime() });
    const question = fc.record({
      ends: fc.tuple(moment, moment).map((ends) => ends.sort((a, b) => a - b)),
      provider: fc.constantFrom(...PROVIDERS.keys()),
      topic: fc.constantFrom(...TOPICS),
      limit: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(question, async ({ ends, provider, topic, limit }) => {
        const [start, end] = ends.map((at) => new Date(at).toISOString()) as [string, string];
        const isMeant = ({ publishedDate }: FeedItem): boolean =>
          publishedDate >= start && publishedDate < end;
        const wanted = (is: (item: FeedItem) => boolean): readonly string[] =>
          idsOf(newestFirst.filter((item) => isMeant(item) && is(item))).slice(0, limit);
        const options = limit === undefined ? {} : { limit };
        const ofOne = await feed.store.byProvider(provider, start, end, options);
        expect(idsOf(ofOne.rows)).toEqual(wanted((item) => item.feedProviderId === provider));
        const found = await feed.store.search(topic, { from: start, to: end, ...options });
        expect(idsOf(found.rows)).toEqual(wanted(({ tags }) => tags.includes(topic)));
        const counts = await feed.store.countsByProvider(start, end);
        const sum = counts.rows.reduce((total, { itemCount }) => total + itemCount, 0);
        expect(sum).toBe(all.filter(isMeant).length);
      }),
      { numRuns: 12, seed: 11 },
    );
  });

  test("a range without a moment asks nobody", async () => {
    const at = daysAgo(50);
    const { rows, cost } = await feed.store.byProvider("northgate", at, at);
    expect([rows, cost.containers, cost.ru]).toEqual([[], [], 0]);
    expect((await feed.store.countsByProvider(at, at)).rows).toEqual([]);
  });
});

describe("what is corrected", () => {
  let feed: Opened;
  beforeEach(async () => {
    feed = await opened();
  });

  async function titlesOf(): Promise<readonly string[]> {
    await feed.moving.caughtUp();
    const { rows } = await feed.store.search("a", { from: daysAgo(200) });
    return rows.map(({ title }) => title);
  }

  test("an article that was moved is there once, as it is now", async () => {
    await feed.store.store(article("a", daysAgo(60), { title: "a wrong title" }));
    expect(await titlesOf()).toEqual(["a wrong title"]);
    await feed.store.store(article("a", daysAgo(60), { title: "a right title" }));
    expect(await titlesOf()).toEqual(["a right title"]);
  });

  test("one that has left the hot container, under another date", async () => {
    // What is in the warm container alone is what has left the hot one.
    const { item } = await feed.store.store(article("a", daysAgo(90), { title: "a wrong date" }));
    await feed.moving.caughtUp();
    await feed.pair.historical.items.upsert({ ...item, id: "b" });
    const dateBefore = item.publishedDate;
    const corrected = article("b", daysAgo(2), { title: "a right date" });
    await feed.store.store(corrected, { dateBefore });
    expect(await titlesOf()).toEqual(["a right date", "a wrong date"]);
  });
});

test("whoever cannot move articles is named, with what it said", async () => {
  const { pair } = await opened();
  await expect(startMoving(stage.server, pair, atOnce)).rejects.toThrow(/400.*Stop that first/);
  const missing = { ...pair, historical: stage.database.container("nowhere") };
  await expect(startMoving(stage.server, missing, atOnce)).rejects.toThrow("nowhere is not there");
});

test("a mover that is paused is not waited for", async () => {
  const { moving, pair } = await opened();
  await stepOf(stage, pair, "pause");
  await expect(moving.caughtUp()).rejects.toThrow("Somebody paused it");
});

test("one that is stopped moves nothing more", async () => {
  const { moving, store, pair } = await opened();
  await moving.stop();
  await store.store(article("a", daysAgo(60)));
  await expect(moving.caughtUp()).rejects.toThrow("Somebody stopped it");
  expect((await pair.historical.items.readAll().fetchAll()).resources).toEqual([]);
});

/** What somebody asks of a lifecycle elsewhere. */
async function stepOf({ server }: Stage, { current }: HotAndWarm, step: string): Promise<void> {
  const url = new URL("/_orrery/v1/lifecycles", server.endpoint);
  const { lifecycles } = (await (await fetch(url)).json()) as {
    readonly lifecycles: readonly { readonly id: string; readonly hot: { database: string } }[];
  };
  const own = lifecycles.find(({ hot }) => hot.database === current.database.id)!;
  const headers = { "content-type": "application/json" };
  const { status } = await fetch(`${url.href}/${own.id}/${step}`, { method: "POST", headers });
  expect(status).toBe(200);
}
