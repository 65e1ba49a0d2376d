/**
 * Items are copied, marked, expire and are edited between the pages of a query: each comes once, in
 * a version that it had while the query was read.
 *
 * The migrator here does one random step before each page that either container gives. Items that
 * were marked before a query began may expire at any moment of it; items that are marked during the
 * query stay until its end, because the mark's time to live is longer than a query.
 */
import { expect, test } from "vitest";
import { type Random, seededRandom } from "../../src/base/world.ts";
import { hotWarmRouter } from "../../src/router/hotWarmRouter.ts";
import type { RangeRouter, RouteQuery } from "../../src/router/routeTypes.ts";
import { FakeTier, type Stored } from "./fakeTier.ts";
import { AGE_SECONDS, FIRST, NOW, THRESHOLD } from "./world.ts";

const ITEM_COUNT = 30;
const QUERY_COUNT = 150;
const PAGED_COUNT = 40;

/** Copies, marks, lets expire and edits, one random step at a time. */
class Migrator {
  readonly hot = new FakeTier();
  readonly warm = new FakeTier();
  readonly items: readonly Stored[];
  readonly #random: Random;
  /** By id: every version that an item had since the query began. */
  readonly versions = new Map<string, Set<number>>();
  /** By id: the version that was copied last. */
  readonly #copied = new Map<string, number>();
  readonly #markedEarlier = new Set<string>();
  #second = 1000;

  constructor(random: Random) {
    this.#random = random;
    this.items = Array.from({ length: ITEM_COUNT }, (_, n) => ({
      id: `i${n}`,
      pk: `p${n % 3}`,
      date: Math.floor(FIRST + random.next() * (NOW - FIRST)),
      rank: Math.floor(random.next() * 6),
      version: 0,
    }));
    for (const item of this.items) this.#write(this.hot, item);
  }

  beginQuery(): void {
    this.#markedEarlier.clear();
    for (const item of this.hot.all) {
      if (item["migrated"] === true) this.#markedEarlier.add(String(item["id"]));
    }
    for (const item of this.items) {
      const current = this.hot.get(item) ?? this.warm.get(item)!;
      this.versions.set(String(item["id"]), new Set([current["version"] as number]));
    }
  }

  /** Everything dated before is in warm as it is in hot. */
  settledBefore(): number {
    const unsettled = this.hot.all.filter((item) => {
      return this.warm.get(item)?.["version"] !== item["version"];
    });
    return Math.min(THRESHOLD, ...unsettled.map(({ date }) => date as number));
  }

  step(): void {
    const item = this.items[Math.floor(this.#random.next() * this.items.length)]!;
    const id = String(item["id"]);
    const inHot = this.hot.get(item);
    const draw = this.#random.next();
    if (draw < 0.15) {
      this.#edit(item, inHot);
      return;
    }
    if (inHot === undefined || (item["date"] as number) >= THRESHOLD) return;
    if (inHot["migrated"] === true) {
      if (this.#markedEarlier.has(id)) this.hot.delete(item);
      return;
    }
    if (this.#copied.get(id) === inHot["version"]) {
      this.#write(this.hot, { ...inHot, migrated: true, ttl: 60 });
      return;
    }
    this.#write(this.warm, inHot);
    this.#copied.set(id, inHot["version"] as number);
  }

  /** An edit replaces the item, so a mark is gone; what is in warm alone may come back to hot. */
  #edit(item: Stored, inHot: Stored | undefined): void {
    const { migrated: _, ttl: __, ...current } = inHot ?? this.warm.get(item)!;
    const version = (current["version"] as number) + 1;
    const isInWarm = inHot === undefined && this.#random.next() < 0.5;
    this.#write(isInWarm ? this.warm : this.hot, { ...current, version });
    this.versions.get(String(item["id"]))?.add(version);
    this.#markedEarlier.delete(String(item["id"]));
  }

  #write(tier: FakeTier, item: Stored): void {
    tier.put({ ...item, _ts: Math.floor(this.#second++ / 3) });
  }
}

function routerOver(migrator: Migrator, seed: number): RangeRouter {
  const step = (): void => migrator.step();
  migrator.hot.beforePage = step;
  migrator.warm.beforePage = step;
  return hotWarmRouter({
    hot: migrator.hot.container,
    warm: migrator.warm.container,
    ageProperty: "date",
    dateFormat: "epochMillis",
    ageSeconds: AGE_SECONDS,
    clock: { now: () => NOW },
    paths: ["/pk"],
    ...(seed % 2 === 0 && {
      watermark: async () => ({ settledBefore: migrator.settledBefore() }),
    }),
  });
}

test.each([1, 2, 3, 4, 5, 6])("each item once while items move, seed %i", async (seed) => {
  const random = seededRandom(seed);
  const migrator = new Migrator(random);
  const step = (): void => migrator.step();
  const router = routerOver(migrator, seed);
  const ids = migrator.items.map(({ id }) => id).toSorted();
  let leftOutCount = 0;
  for (let at = 0; at < QUERY_COUNT; at++) {
    for (let steps = Math.floor(random.next() * 8); steps > 0; steps--) step();
    migrator.beginQuery();
    const query: RouteQuery = {
      order: {
        ...(random.next() < 0.5 && { by: "/rank" }),
        direction: random.next() < 0.5 ? "ascending" : "descending",
      },
      pageSize: 1 + Math.floor(random.next() * 10),
      concurrency: 1 + Math.floor(random.next() * 3),
    };
    const what = JSON.stringify({ seed, at, query });
    const { rows, report } = await router.query<Stored>(query).all();
    expect(rows.map(({ id }) => id).toSorted(), what).toEqual(ids);
    for (const { id, version, migrated } of rows) {
      expect([...migrator.versions.get(String(id))!], what).toContain(version);
      expect(migrated, what).toBeUndefined();
    }
    leftOutCount += report.leftOutCount;
  }
  // Otherwise nothing was in both, and the test would show nothing.
  expect(leftOutCount).toBeGreaterThan(50);
});

test.each([7, 8])("each item once over pages asked one by one, seed %i", async (seed) => {
  const random = seededRandom(seed);
  const migrator = new Migrator(random);
  const router = routerOver(migrator, seed);
  const ids = migrator.items.map(({ id }) => id).toSorted();
  for (let at = 0; at < PAGED_COUNT; at++) {
    const query: RouteQuery = {
      order: {
        ...(random.next() < 0.5 && { by: "/rank" }),
        direction: random.next() < 0.5 ? "ascending" : "descending",
      },
      limit: 1 + Math.floor(random.next() * 10),
    };
    const seen: unknown[] = [];
    for (let after: string | undefined; ; ) {
      for (let steps = Math.floor(random.next() * 8); steps > 0; steps--) migrator.step();
      migrator.beginQuery();
      const page = await router
        .query<Stored>({ ...query, ...(after !== undefined && { after }) })
        .all();
      seen.push(...page.rows.map(({ id }) => id));
      after = page.next;
      if (after === undefined) break;
    }
    expect(seen.toSorted(), JSON.stringify({ seed, at, query })).toEqual(ids);
  }
});
