/**
 * A router answers as one container would: random items in every state of a lifecycle, random
 * ranges, orders, filters, limits, keys and page sizes, against a model that filters and sorts the
 * one container. A failure prints the seed of its world.
 */
import { expect, test } from "vitest";
import { withoutSystemProperties } from "../../src/base/systemProperties.ts";
import { type Random, seededRandom } from "../../src/base/world.ts";
import type { JsonObject } from "../../src/json/value.ts";
import { compareValues } from "../../src/keys/client/compareValues.ts";
import { type KeyStrategy, strategyOf } from "../../src/keys/strategy.ts";
import { parseQuery } from "../../src/query/language/parser.ts";
import { hotWarmRouter } from "../../src/router/hotWarmRouter.ts";
import type { RangeRouter, RouteQuery } from "../../src/router/routeTypes.ts";
import { naiveRows } from "../query/naive.ts";
import type { Stored } from "./fakeTier.ts";
import type { Spelling, World } from "./world.ts";
import { AGE_SECONDS, FIRST, LAST, millisOf, NOW, THRESHOLD, worldOf } from "./world.ts";

const BLOCK_COUNT = 10;
const WORLDS_PER_BLOCK = 5;
const QUERIES_PER_WORLD = 20;
const RANGES_PER_BLOCK = WORLDS_PER_BLOCK * QUERIES_PER_WORLD;
const SPELLINGS: readonly Spelling[] = ["iso", "isoDigits", "epochSeconds", "epochMillis"];
const PAGE_SIZES = [1, 3, 100];

/** How keys are made, and what a query knows of them. */
const KEYINGS: readonly {
  readonly keyProperty: string;
  readonly strategy?: KeyStrategy;
  readonly knows: (random: Random) => Pick<RouteQuery, "key" | "values">;
  readonly fanOut: string;
}[] = [
  { keyProperty: "pk", knows: () => ({}), fanOut: "all" },
  { keyProperty: "pk", knows: () => ({ key: "p1" }), fanOut: "key" },
  {
    keyProperty: "pk",
    strategy: strategyOf("/pk"),
    knows: () => ({ values: { "/pk": ["p0", "p3", "p9"] } }),
    fanOut: "keys",
  },
  {
    keyProperty: "partitionKey",
    strategy: strategyOf("concat(/pk, '_', month(/date))"),
    knows: () => ({ values: { "/pk": ["p1", "p2"] } }),
    fanOut: "keys",
  },
  {
    keyProperty: "partitionKey",
    strategy: strategyOf("concat(/pk, '_', month(/date))"),
    knows: () => ({}),
    fanOut: "all",
  },
  {
    keyProperty: "partitionKey",
    strategy: strategyOf("suffix(/pk, hash(/id), 3)"),
    knows: () => ({ values: { "/pk": "p2" } }),
    fanOut: "keys",
  },
];

const FILTERS: readonly Pick<RouteQuery, "where" | "parameters">[] = [
  {},
  {},
  { where: "c.open" },
  { where: "c.score >= @least -- and so on", parameters: { least: 2 } },
  { where: "IS_DEFINED(c.note) OR c.open = false" },
];

const BLOCKS = Array.from({ length: BLOCK_COUNT }, (_, at) => 1 + at * WORLDS_PER_BLOCK);

test.each(BLOCKS)(`${RANGES_PER_BLOCK} random ranges, from seed %i`, async (firstSeed) => {
  for (let seed = firstSeed; seed < firstSeed + WORLDS_PER_BLOCK; seed++) {
    const random = seededRandom(seed);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random.next() * list.length)]!;
    const spelling = pick(SPELLINGS);
    const { keyProperty, strategy, knows, fanOut } = pick(KEYINGS);
    const world = worldOf(random, {
      spelling,
      keyProperty,
      withKey: (item) => (strategy?.withKey(item) ?? item) as Stored,
      itemCount: 10 + Math.floor(random.next() * 40),
    });
    const router = hotWarmRouter({
      hot: world.hot.container,
      warm: world.warm.container,
      ageProperty: "date",
      ageSeconds: AGE_SECONDS,
      clock: { now: () => NOW },
      stampProperty: "migratedAt",
      ...(spelling === "isoDigits" ? { isoDigits: 3 } : { dateFormat: spelling }),
      ...(strategy === undefined ? { paths: [`/${keyProperty}`] } : { strategy }),
      ...(random.next() < 0.5 && {
        watermark: async () => ({ settledBefore: world.settledBefore }),
      }),
    });
    for (let at = 0; at < QUERIES_PER_WORLD; at++) {
      const [from, to] = rangeOf(random);
      const query: RouteQuery = {
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
        ...knows(random),
        ...pick(FILTERS),
        order: {
          ...(random.next() < 0.4 && { by: "/score" }),
          direction: pick(["ascending", "descending"] as const),
        },
        ...(random.next() < 0.4 && { limit: 1 + Math.floor(random.next() * 12) }),
        pageSize: pick(PAGE_SIZES),
      };
      const what = JSON.stringify({ seed, spelling, keyProperty, query });
      const { rows, report } = await router.query<Stored>(query).all();
      const expected = expectedOf(world, query, spelling);
      expectLike(expected, rows, query, what);
      // Open ranges have more months than can be visited.
      const isOpen = from === undefined || to === undefined;
      const isMany = isOpen && strategy?.name.includes("month") === true;
      expect(report.fanOut, what).toBe(isMany ? "all" : fanOut);
      const { limit: size = 7, ...unlimited } = query;
      const pages = await pagesOf(router, { ...query, limit: size });
      expectLike(expected, pages.flat(), unlimited, what);
      for (const page of pages.slice(0, -1)) expect(page, what).toHaveLength(size);
      const { select: _, order: __, limit: ___, ...counted } = { select: "", ...query };
      const { count } = await router.count(counted);
      expect(count, what).toBe(expected.length);
    }
  }
});

/** All of a query, a page after the other, each asked by itself. */
async function pagesOf(router: RangeRouter, query: RouteQuery): Promise<readonly Stored[][]> {
  const pages: Stored[][] = [];
  for (let after: string | undefined; ; ) {
    const { rows, next } = await router
      .query<Stored>({ ...query, ...(after !== undefined && { after }) })
      .all();
    pages.push([...rows]);
    if (next === undefined) return pages;
    after = next;
  }
}

function rangeOf(random: Random): readonly [Date | undefined, Date | undefined] {
  const ends = [0, 1].map(() => {
    const near = random.next();
    if (near < 0.1) return undefined;
    if (near < 0.3) return new Date(THRESHOLD + Math.floor(random.next() * 5) - 2);
    return new Date(Math.floor(FIRST + random.next() * (LAST - FIRST)));
  });
  const [a, b] = ends as [Date | undefined, Date | undefined];
  return a !== undefined && b !== undefined && a > b ? [b, a] : [a, b];
}

/** What the one container has of it, in order; ties in any order. */
function expectedOf({ single }: World, query: RouteQuery, spelling: Spelling): readonly Stored[] {
  const parsed = parseQuery(`SELECT VALUE c FROM c WHERE ${query.where ?? "true"}`);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  const parameters = Object.fromEntries(
    Object.entries(query.parameters ?? {}).map(([name, value]) => [`@${name}`, value]),
  );
  const outcome = naiveRows(parsed.value, single as JsonObject[], parameters as never);
  if (outcome.kind === "refused") throw new Error(outcome.message);
  const values = query.values?.["/pk"];
  const isMeant = (item: Stored): boolean => {
    const at = millisOf(item["date"], spelling);
    const [from, to] = [query.from as Date | undefined, query.to as Date | undefined];
    if (from !== undefined && at < from.getTime()) return false;
    if (to !== undefined && at > to.getTime()) return false;
    if (values !== undefined && ![values].flat().includes(item["pk"] as string)) return false;
    return query.key === undefined || item["pk"] === query.key;
  };
  const property = query.order?.by === undefined ? "date" : "score";
  const sign = query.order?.direction === "descending" ? -1 : 1;
  return (outcome.rows as readonly Stored[])
    .filter(isMeant)
    .toSorted((a, b) => compareValues(a[property], b[property]) * sign);
}

/** The same values in order, and each row one of the expected items, none of them twice. */
function expectLike(
  all: readonly Stored[],
  rows: readonly Stored[],
  { order, limit }: RouteQuery,
  what: string,
): void {
  const property = order?.by === undefined ? "date" : "score";
  const expected = all.slice(0, limit);
  expect(
    rows.map((row) => row[property]),
    what,
  ).toEqual(expected.map((item) => item[property]));
  const nameOf = (item: Stored): string => JSON.stringify([item["pk"], item["id"]]);
  const byName = new Map(all.map((item) => [nameOf(item), item]));
  expect(new Set(rows.map(nameOf)).size, what).toBe(rows.length);
  expect(rows.map(withoutSystemProperties), what).toEqual(
    rows.map((row) => byName.get(nameOf(row))),
  );
}
