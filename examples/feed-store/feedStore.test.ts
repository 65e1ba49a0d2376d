/**
 * What the feed store answers, through the official client: first the rules one by one, then random
 * questions beside an array that is filtered.
 */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BadFeedInput, type FeedItem, parseFeedItem } from "./feedItem.ts";
import { generateItems, PROVIDERS, TOPICS } from "./generate.ts";
import { loadItems } from "./load.ts";
import { firstYoungMonth, monthsIn } from "./months.ts";
import { setUpHotAndWarm } from "./setUp.ts";
import { article, contentsOf, idsOf, noWait, openStage, type Stage } from "./stage.fake.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

describe("storing", () => {
  test.each([
    ["the last moment of a month", "2026-01-31T23:59:59.999Z", "2026-01"],
    ["the first moment of the next", "2026-02-01T00:00:00.000Z", "2026-02"],
    ["an offset that leads into the month before", "2026-02-01T00:30:00+02:00", "2026-01"],
    ["an offset that leads into the month after", "2026-01-31T22:00:00-05:00", "2026-02"],
    ["no offset is UTC", "2026-02-01T00:30:00", "2026-02"],
    ["a leap day", "2024-02-29T12:00:00Z", "2024-02"],
  ])("%s", async (_name, publishedDate, month) => {
    const { container, store } = await stage.open();
    const { item, ru } = await store.store(article("a", publishedDate));
    expect(item.partitionKey).toBe(month);
    expect(ru).toBeGreaterThan(1);
    const { resource } = await container.item("a", month).read();
    expect(resource).toMatchObject({
      ...item,
      publishedDate: new Date(item.publishedDate).toISOString(),
    });
  });

  test("the same id in the same month is replaced", async () => {
    const { container, store } = await stage.open();
    await store.store(article("a", "2026-03-01T08:00:00Z"));
    await store.store(article("a", "2026-03-02T08:00:00Z", { title: "Corrected" }));
    expect(await contentsOf(container)).toMatchObject([{ id: "a", title: "Corrected" }]);
  });

  test("a corrected date moves an item, if the date before is told", async () => {
    const { container, store } = await stage.open();
    await store.store(article("a", "2026-02-27T08:00:00Z"));
    const dateBefore = "2026-02-27T08:00:00Z";
    await store.store(article("a", "2026-03-01T08:00:00Z"), { dateBefore });
    expect(await contentsOf(container)).toMatchObject([{ id: "a", partitionKey: "2026-03" }]);
    await store.store(article("a", "2026-03-01T08:00:00Z"), { dateBefore });
    expect(await contentsOf(container)).toHaveLength(1);
  });
});

describe("recent", () => {
  const dates: Readonly<Record<string, string>> = {
    now: "2026-03-03T12:00:00.000Z",
    week: "2026-02-24T12:00:00.000Z",
    older: "2026-02-24T11:59:59.999Z",
    february: "2026-02-28T23:59:59.999Z",
    march: "2026-03-01T00:00:00.000Z",
    future: "2026-03-03T12:00:00.001Z",
  };

  test("reaches over the end of a month, newest first, both ends included", async () => {
    const { store } = await stage.open();
    for (const [id, date] of Object.entries(dates)) await store.store(article(id, date));
    const { rows, cost } = await store.recent();
    expect(idsOf(rows)).toEqual(["now", "march", "february", "week"]);
    expect(cost).toMatchObject({ months: ["2026-03", "2026-02"], physicalPartitions: ["0"] });
    expect(cost.ru).toBeGreaterThan(4);
    expect(idsOf((await store.recent({ days: 2 })).rows)).toEqual(["now"]);
  });

  test("of one provider, in the same order", async () => {
    const { store } = await stage.open();
    for (const [id, date] of Object.entries(dates)) {
      await store.store(article(id, date));
      await store.store(article(`other-${id}`, date, { feedProviderId: "harbour-news" }));
    }
    const { rows } = await store.recent({ providerId: "northgate" });
    expect(idsOf(rows)).toEqual(["now", "march", "february", "week"]);
    expect((await store.recent({ providerId: "nobody" })).rows).toEqual([]);
  });

  test("a limit stops at the month that fills it", async () => {
    const { store } = await stage.open();
    for (const [id, date] of Object.entries(dates)) await store.store(article(id, date));
    const { rows, cost } = await store.recent({ limit: 2 });
    expect(idsOf(rows)).toEqual(["now", "march"]);
    expect(cost.months).toEqual(["2026-03"]);
    expect(idsOf((await store.recent({ limit: 3 })).rows)).toEqual(["now", "march", "february"]);
  });

  test("an empty container has nothing, and says what asking cost", async () => {
    const { store } = await stage.open();
    const { rows, cost } = await store.recent();
    expect(rows).toEqual([]);
    expect(cost).toMatchObject({ months: ["2026-03", "2026-02"], pageCount: 2 });
  });
});

describe("search", () => {
  const items: readonly FeedItem[] = [
    article("title", "2026-03-02T00:00:00Z", { title: "The HARVEST is late" }),
    article("content", "2026-02-02T00:00:00Z", { content: "Rain after harvest." }),
    article("tag", "2026-01-02T00:00:00Z", { tags: ["weather", "Harvest"] }),
    article("part", "2026-01-01T00:00:00Z", { title: "A harvestman is no spider" }),
    article("old", "2025-12-31T23:59:59Z", { title: "Harvest" }),
    article("none", "2026-03-01T00:00:00Z"),
  ];

  test("finds parts of titles, contents and tags in any case, this month and two before", async () => {
    const { store } = await stage.open();
    for (const item of items) await store.store(item);
    expect(store.searchMethod).toBe("parts");
    const { rows, cost } = await store.search("hArVeSt");
    expect(idsOf(rows)).toEqual(["title", "content", "tag", "part"]);
    expect(cost.months).toEqual(["2026-03", "2026-02", "2026-01"]);
    const before = { from: "2025-12-01", to: "2026-02-01" };
    expect(idsOf((await store.search("harvest", before)).rows)).toEqual(["tag", "part", "old"]);
    expect((await store.search("lighthouse")).rows).toEqual([]);
  });

  test("finds words, where the container has full-text indexes", async () => {
    const { store } = await stage.open({ fullText: true });
    for (const item of items) await store.store(item);
    expect(store.searchMethod).toBe("words");
    expect(idsOf((await store.search("harvest")).rows)).toEqual(["title", "content", "tag"]);
  });
});

test("counts by provider, the busiest first", async () => {
  const { store } = await stage.open();
  await store.store(article("a", "2026-01-10T00:00:00Z"));
  await store.store(article("b", "2026-02-10T00:00:00Z", { feedProviderId: "harbour-news" }));
  await store.store(article("c", "2026-02-11T00:00:00Z"));
  const { rows, cost } = await store.countsByProvider("2026-01-01", "2026-03-01");
  expect(rows).toEqual([
    { providerId: "northgate", itemCount: 2, newest: "2026-02-11T00:00:00.000Z" },
    { providerId: "harbour-news", itemCount: 1, newest: "2026-02-10T00:00:00.000Z" },
  ]);
  expect(cost).toMatchObject({ months: undefined, physicalPartitions: ["0"] });
});

describe("bad input is refused before anything is asked", () => {
  const bad = (others: object): FeedItem => ({
    ...article("a", "2026-03-01T00:00:00Z"),
    ...others,
  });

  test.each([
    ["a date that is none", { publishedDate: "yesterday" }, "publishedDate"],
    ["a day that no month has", { publishedDate: "2026-02-30" }, "publishedDate"],
    ["no date", { publishedDate: undefined }, "publishedDate"],
    ["no provider", { feedProviderId: " " }, "feedProviderId"],
    ["an id with a slash", { id: "a/b" }, "may not have"],
    ["tags that are a text", { tags: "weather" }, "tags"],
    ["an empty tag", { tags: [""] }, "tags"],
    ["no metadata", { metadata: null }, "metadata"],
    ["half a word", { metadata: { language: "en", wordCount: 0.5 } }, "wordCount"],
  ])("%s", (_name, others, part) => {
    expect(() => parseFeedItem(bad(others))).toThrow(BadFeedInput);
    expect(() => parseFeedItem(bad(others))).toThrow(part);
  });

  test("questions that make no sense", async () => {
    const { container, store } = await stage.open();
    await expect(store.recent({ days: 0 })).rejects.toThrow("days");
    await expect(store.recent({ limit: 0.5 })).rejects.toThrow("limit");
    await expect(store.recent({ providerId: "" })).rejects.toThrow("providerId");
    await expect(store.search("")).rejects.toThrow("term");
    await expect(store.search("x", { from: "soon" })).rejects.toThrow("from");
    await expect(store.byProvider("p", "2026-02-01", "2026-01-01")).rejects.toThrow("before it");
    await expect(store.store(bad({ crawledDate: "" }))).rejects.toThrow("crawledDate");
    expect(await contentsOf(container)).toEqual([]);
  });

  test("a range without a moment asks nobody", async () => {
    const { store } = await stage.open();
    const { rows, cost } = await store.byProvider("northgate", "2026-02-01", "2026-02-01");
    expect([rows, cost.months, cost.ru]).toEqual([[], [], 0]);
  });
});

test("months of a range, newest first; the end does not belong to it", () => {
  const monthsFor = (from: string, to: string): readonly string[] => monthsIn({ from, to });
  expect(monthsFor("2025-11-30T00:00:00Z", "2026-02-01T00:00:00Z")).toEqual([
    "2026-01",
    "2025-12",
    "2025-11",
  ]);
  expect(monthsFor("2026-01-31T23:59:59.999Z", "2026-02-01T00:00:00.001Z")).toHaveLength(2);
});

test.each([
  ["2026-03-03T12:00:00Z", 2, "2024-03"],
  ["2026-03-01T00:00:00Z", 2, "2024-03"],
  ["2028-02-29T12:00:00Z", 1, "2027-03"],
  ["2026-01-01T00:00:00Z", 0, "2026-01"],
])("at %s months before %i years ago end with the one before %s", (now, years, month) => {
  expect(firstYoungMonth(new Date(now), years)).toBe(month);
});

test("the hot container forgets after 45 days, the warm one keeps", async () => {
  const { current, historical } = await setUpHotAndWarm(stage.database);
  const [hot, warm] = [(await current.read()).resource!, (await historical.read()).resource!];
  expect(hot).toMatchObject({ id: "feeds_current", defaultTtl: 45 * 86_400 });
  expect(hot.indexingPolicy?.compositeIndexes).toHaveLength(1);
  expect(warm.id).toBe("feeds_historical");
  expect(warm.defaultTtl).toBeUndefined();
  expect(warm.indexingPolicy?.excludedPaths).toContainEqual({ path: "/content/*" });
  const rates = [(await current.readOffer()).resource, (await historical.readOffer()).resource];
  expect(rates.map((offer) => offer?.content?.offerThroughput)).toEqual([400, 800]);
  expect(rates[0]?.content?.offerAutopilotSettings?.maxThroughput).toBe(4000);
});

test("random questions are answered as an array would be that is filtered", async () => {
  const { container, store } = await stage.open({ now: "2026-03-20T12:00:00Z" });
  const to = new Date("2026-03-20T12:00:00Z");
  const from = new Date("2025-11-01T00:00:00Z");
  const all = [...generateItems({ itemsPerDay: 2, itemBytes: 400, from, to, seed: 7 })];
  await loadItems(container, all, { wait: noWait });
  const newestFirst = all.toReversed();
  // More than a page, and less than two.
  const { rows } = await store.recent({ days: 140, limit: 150 });
  expect(idsOf(rows)).toEqual(idsOf(newestFirst.slice(0, 150)));
  const moment = fc.integer({ min: from.getTime() - 1e9, max: to.getTime() + 1e9 });
  const question = fc.record({
    ends: fc.tuple(moment, moment).map((ends) => ends.sort((a, b) => a - b)),
    provider: fc.constantFrom(...PROVIDERS.keys()),
    topic: fc.constantFrom(...TOPICS),
    limit: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(question, async ({ ends, provider, topic, limit }) => {
      const [start, end] = ends.map((millis) => new Date(millis).toISOString()) as [string, string];
      const wanted = (is: (item: FeedItem) => boolean): readonly string[] =>
        idsOf(newestFirst.filter((item) => isBetween(item, start, end) && is(item))).slice(
          0,
          limit,
        );
      const options = limit === undefined ? {} : { limit };
      const byProvider = await store.byProvider(provider, start, end, options);
      expect(idsOf(byProvider.rows)).toEqual(wanted((item) => item.feedProviderId === provider));
      const found = await store.search(topic, { from: start, to: end, ...options });
      expect(idsOf(found.rows)).toEqual(wanted(({ tags }) => tags.includes(topic)));
    }),
    { numRuns: 12, seed: 11 },
  );
});

function isBetween({ publishedDate }: FeedItem, from: string, to: string): boolean {
  return publishedDate >= from && publishedDate < to;
}
