/**
 * The router with the official client and a server: hot and warm containers, and a migrator that
 * moves items from one to the other with the client, as an application would.
 */
import type { Container } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import { DAY_MS } from "../../src/base/units.ts";
import { type Random, seededRandom } from "../../src/base/world.ts";
import { strategyOf } from "../../src/keys/strategy.ts";
import type { HotWarmOptions } from "../../src/router/hotWarmRouter.ts";
import { hotWarmRouter } from "../../src/router/hotWarmRouter.ts";
import { orreryWatermark } from "../../src/router/orreryWatermark.ts";
import { routeOver } from "../../src/router/routeOver.ts";
import type { RoutedContainer, RouteQuery } from "../../src/router/routeTypes.ts";
import type { Stage } from "./stage.ts";
import { openContainer, openStage, ownPart } from "./stage.ts";

interface Feed {
  readonly id: string;
  readonly provider: string;
  readonly date: string;
  readonly score: number;
}

const NOW = Date.UTC(2026, 6, 1);
const AGE_SECONDS = 30 * 86_400;
const THRESHOLD = NOW - AGE_SECONDS * 1000;
const FEED_COUNT = 120;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

function feedsOf(random: Random): Feed[] {
  return Array.from({ length: FEED_COUNT }, (_, n) => ({
    id: `f${n}`,
    provider: `p${n % 5}`,
    date: new Date(NOW - Math.floor(random.next() * 90 * DAY_MS)).toISOString(),
    score: Math.floor(random.next() * 20),
  }));
}

/** Moves what is old: the copy first, then the mark; an item that was edited once more. */
class Migrator {
  readonly hot: Container;
  readonly warm: Container;
  readonly feeds: Map<string, Feed>;
  readonly #random: Random;
  /** Items to copy, to mark and to let expire. */
  readonly #copied: Feed[] = [];
  readonly #marked: Feed[] = [];
  #expirableCount = 0;

  constructor(hot: Container, warm: Container, feeds: readonly Feed[], random: Random) {
    this.hot = hot;
    this.warm = warm;
    this.feeds = new Map(feeds.map((feed) => [feed.id, feed]));
    this.#random = random;
  }

  /** What is marked after this stays until the next time: a mark outlives a query. */
  beginQuery(): void {
    this.#expirableCount = this.#marked.length;
  }

  async step(): Promise<void> {
    const draw = this.#random.next();
    if (draw < 0.2 && this.#expirableCount > 0) {
      this.#expirableCount--;
      const { id, provider } = this.#marked.shift()!;
      await this.hot.item(id, provider).delete();
      return;
    }
    if (draw < 0.5 && this.#copied.length > 0) {
      const feed = this.#copied.shift()!;
      if (this.feeds.get(feed.id) !== feed) return this.#copy(feed.id);
      await this.hot.item(feed.id, feed.provider).patch([
        { op: "add", path: "/migrated", value: true },
        { op: "add", path: "/ttl", value: 3600 },
      ]);
      this.#marked.push(feed);
      return;
    }
    if (draw < 0.6 && this.#copied.length > 0) return this.#edit(this.#copied[0]!.id);
    const old = [...this.feeds.values()].filter(({ date }) => Date.parse(date) < THRESHOLD);
    await this.#copy(old[Math.floor(this.#random.next() * old.length)]!.id);
  }

  async #copy(id: string): Promise<void> {
    const feed = this.feeds.get(id)!;
    const { resource } = await this.hot.item(id, feed.provider).read();
    if (resource === undefined || resource["migrated"] === true) return;
    await this.warm.items.upsert({ ...feed });
    if (!this.#copied.some((other) => other.id === id)) this.#copied.push(feed);
  }

  async #edit(id: string): Promise<void> {
    const feed = { ...this.feeds.get(id)!, score: Math.floor(this.#random.next() * 20) };
    await this.hot.items.upsert({ ...feed });
    this.feeds.set(id, feed);
  }
}

async function opened(throughput: number, options: Partial<HotWarmOptions> = {}) {
  const random = seededRandom(throughput);
  const partitionKey = { paths: ["/provider"] };
  const hot = await openContainer(stage.database, { partitionKey, throughput, defaultTtl: -1 });
  const warm = await openContainer(stage.database, { partitionKey, throughput });
  const feeds = feedsOf(random);
  await Promise.all(feeds.map((feed) => hot.items.create({ ...feed })));
  const router = hotWarmRouter({
    hot,
    warm,
    ageProperty: "date",
    isoDigits: 3,
    ageSeconds: AGE_SECONDS,
    clock: { now: () => NOW },
    paths: ["/provider"],
    ...options,
  });
  return { random, hot, warm, router, migrator: new Migrator(hot, warm, feeds, random) };
}

function randomQuery(random: Random): RouteQuery {
  const ends = [random.next(), random.next()].toSorted((a, b) => b - a);
  const [from, to] = ends.map((share) => new Date(NOW - Math.floor(share * 90 * DAY_MS)));
  return {
    from: from!,
    to: to!,
    ...(random.next() < 0.4 && { where: "c.score < @most", parameters: { most: 12 } }),
    ...(random.next() < 0.4 && { key: "p1" }),
    order: {
      ...(random.next() < 0.4 && { by: "/score" }),
      direction: random.next() < 0.5 ? "ascending" : "descending",
    },
    ...(random.next() < 0.4 && { limit: 7 }),
    pageSize: 10 + Math.floor(random.next() * 50),
  };
}

function expectedOf(feeds: Iterable<Feed>, { from, to, where, key, order }: RouteQuery): Feed[] {
  const property = order?.by === undefined ? "date" : "score";
  const sign = order?.direction === "descending" ? -1 : 1;
  return [...feeds]
    .filter(({ date }) => new Date(date) >= from! && new Date(date) <= to!)
    .filter(({ score }) => where === undefined || score < 12)
    .filter(({ provider }) => key === undefined || provider === key)
    .toSorted((a, b) => (a[property] < b[property] ? -sign : a[property] > b[property] ? sign : 0));
}

test("a container of the client is what a router takes", () => {
  expectTypeOf<Container>().toExtend<RoutedContainer>();
});

describe.each([1000, 30_000])("hot and warm of %i RU/s", (throughput) => {
  test("are answered as one container while items are moved", async () => {
    const { random, router, migrator } = await opened(throughput);
    await router.check();
    const asked = new Set<string>();
    for (let at = 0; at < 15; at++) {
      migrator.beginQuery();
      for (let steps = 0; steps < 8; steps++) await migrator.step();
      const query = randomQuery(random);
      const { rows, report } = await router.query<Feed>(query).all();
      const expected = expectedOf(migrator.feeds.values(), query);
      const property = query.order?.by === undefined ? "date" : "score";
      const what = JSON.stringify(query);
      expect(
        rows.map((row) => row[property]),
        what,
      ).toEqual(expected.slice(0, query.limit).map((feed) => feed[property]));
      expect(new Set(rows.map(({ id }) => id)).size, what).toBe(rows.length);
      for (const row of rows) {
        expect(ownPart(row as never), what).toEqual(migrator.feeds.get(row.id));
      }
      const { order: _, limit: __, ...counted } = query;
      expect((await router.count(counted)).count, what).toBe(expected.length);
      asked.add(report.asked.join());
      expect(report.ru > 0, what).toBe(report.requestCount > 0);
    }
    expect(asked).toContain("hot");
    expect(asked).toContain("hot,warm");
  });

  test("are answered as one container while items are moved between pages", async () => {
    const { router, migrator } = await opened(throughput);
    for (let at = 0; at < 4; at++) {
      const rows: Feed[] = [];
      migrator.beginQuery();
      for await (const row of router.query<Feed>({ pageSize: 20, limit: 1000 })) {
        rows.push(row);
        if (rows.length % 10 === 0) for (let n = 0; n < 3; n++) await migrator.step();
      }
      const ids = rows.map(({ id }) => id).toSorted();
      expect(ids).toEqual([...migrator.feeds.keys()].toSorted());
    }
  });
});

test("the watermark of a server that has no such lifecycle is unknown", async () => {
  const { endpoint, key } = stage.server;
  const place = { database: "stage", container: "none" };
  const watermark = orreryWatermark({ endpoint, key, hot: place, warm: place });
  const { router } = await opened(400, { watermark });
  const { report } = await router.query({ to: new Date(THRESHOLD - DAY_MS) }).all();
  expect(report.planned).toEqual(["hot", "warm"]);
  expect(report.watermarkProblem).toMatch(/lifecycle/);
});

test("the keys that a strategy names are asked, and no others", async () => {
  const strategy = strategyOf("concat(/provider, '-', month(/date))");
  const partitionKey = { paths: [...strategy.paths] };
  const container = await openContainer(stage.database, { partitionKey });
  const feeds = feedsOf(seededRandom(3));
  await Promise.all(feeds.map((feed) => container.items.create(strategy.withKey({ ...feed }))));
  const router = routeOver({ container, dateProperty: "date", isoDigits: 3, strategy });
  const range = { from: new Date(NOW - 50 * DAY_MS), to: new Date(NOW) };
  const values = { "/provider": ["p1", "p2"] };
  const { rows, report } = await router.query<Feed>({ ...range, values }).all();
  const expected = expectedOf(feeds, range).filter(({ provider }) => /p[12]/.test(provider));
  expect(rows.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  const keys = ["p1", "p2"].flatMap((id) => [`${id}-2026-05`, `${id}-2026-06`, `${id}-2026-07`]);
  expect(report.byKey.map(({ key }) => String(key)).toSorted()).toEqual(keys);
  const everybody = await router.query<Feed>(range).all();
  expect(everybody.report.fanOut).toBe("all");
  expect(everybody.rows).toHaveLength(expectedOf(feeds, range).length);
});
