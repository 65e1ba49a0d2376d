/**
 * Pages: whatever their size, and whatever happens between them, the rows are those of the whole.
 * Properties over random items; the rules one by one are in `page.test.ts`.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Random, seededRandom } from "../../base/world.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { cutAt, ListContainer, type RunOptions } from "./listSource.fake.ts";

/** Seeds of each property; more with ORRERY_LONG. */
const RUN_COUNT = process.env["ORRERY_LONG"] !== undefined ? 40 : 12;
const LONG = "y".repeat(230);
const SCALARS: readonly (JsonValue | undefined)[] = [
  ...[undefined, null, false, true, -1, 0, 0.5, 1, 2, 3, 1e10],
  ...["", "a", "ab", "b", "\u{1F600}", "\uff5e"],
];
const NODES: readonly JsonValue[] = [[], [1], {}, { b: 1 }];

function oneOf<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random.next() * list.length)]!;
}

function randomItem(random: Random, id: string, hasLong = false): JsonObject {
  const values = [...SCALARS, ...NODES, ...(hasLong ? [`${LONG}1`, `${LONG}2`, LONG] : [])];
  const tags = Array.from({ length: Math.floor(random.next() * 4) }, () =>
    oneOf(random, [1, 2, "a", "b", null]),
  );
  const item: Record<string, JsonValue | undefined> = {
    id,
    x: oneOf(random, values),
    y: oneOf(random, values),
    k: Math.floor(random.next() * 4),
    o: random.next() < 0.8 ? { p: oneOf(random, values) as JsonValue } : undefined,
    tags: random.next() < 0.9 ? tags : undefined,
  };
  return JSON.parse(JSON.stringify(item)) as JsonObject;
}

function randomContainer(seed: number, count: number, hasLong = false): ListContainer {
  const random = seededRandom(seed);
  const items = Array.from({ length: count }, (_, n) => randomItem(random, `i${n + 1}`, hasLong));
  const isIncomplete = seed % 7 === 3;
  return new ListContainer(items, { policy: { compositeIndexes: COMPOSITES }, isIncomplete });
}

const COMPOSITES = [
  [
    { path: "/x", order: "ascending" as const },
    { path: "/y", order: "descending" as const },
  ],
  [
    { path: "/k", order: "ascending" as const },
    { path: "/x", order: "ascending" as const },
  ],
];

const FROMS = ["c", "c", "c JOIN t IN c.tags", "c JOIN t IN c.tags JOIN u IN c.tags", "c JOIN c.o"];
const WHERES = ["", "c.k = 1", "c.x > 0", "c.k IN (1, 2) AND NOT IS_DEFINED(c.y)", "c.x != c.y"];
const ORDERS = [
  "",
  ...["c.x", "c.x DESC", "c.o.p", "c.k DESC", "c.id"],
  ...["c.x, c.y DESC", "c.x DESC, c.y", "c.k DESC, c.x DESC"],
];
const CUTS = ["", "OFFSET 2 LIMIT 7", "OFFSET 1000 LIMIT 5", "OFFSET 3 LIMIT 0"];

/** Rows that can be told apart, each from one item. */
function randomStream(random: Random): string {
  const from = oneOf(random, FROMS);
  const joined = from.includes("u IN") ? ", t, u" : from.includes("t IN") ? ", t" : "";
  const order = oneOf(random, ORDERS);
  const select = `SELECT c.id, c.x, c.y, c.k, c.o.p${joined}`;
  return textOf(select, from, oneOf(random, WHERES), order);
}

/** With the rows that the order does not tell apart in one that does not matter. */
function upToTies(rows: readonly JsonValue[], text: string): readonly string[] {
  const order = text.split("ORDER BY")[1] ?? "";
  const names = [...order.matchAll(/c\.(?:o\.)?(\w+)/g)].map(([, name]) => name!);
  const typeOnly = (value: JsonValue | undefined): unknown => {
    if (typeof value !== "object" || value === null) return value ?? "none";
    return Array.isArray(value) ? "array" : "object";
  };
  const keyOf = (row: JsonValue): string =>
    JSON.stringify(names.map((name) => typeOnly((row as JsonObject)[name])));
  const ties: string[][] = [];
  rows.forEach((row, index) => {
    const isTie = index > 0 && keyOf(row) === keyOf(rows[index - 1]!);
    if (isTie) ties.at(-1)!.push(JSON.stringify(row));
    else ties.push([JSON.stringify(row)]);
  });
  return ties.flatMap((tie) => tie.sort());
}

function randomQuery(random: Random): string {
  const where = oneOf(random, WHERES);
  const from = oneOf(random, FROMS);
  const order = oneOf(random, ORDERS);
  const selected = oneOf(random, ["c.id", "c.x", "c.k"]);
  const text = oneOf(random, [
    () => randomStream(random),
    () => textOf("SELECT *", "c", where, order),
    () => textOf(`SELECT TOP ${Math.floor(random.next() * 9)} c.id`, from, where, order),
    () => textOf(`SELECT DISTINCT VALUE ${selected}`, from, where, order),
    () => textOf("SELECT DISTINCT c.k, c.x", from, where, order),
    () => `${textOf("SELECT c.k, COUNT(1) AS n", from, where, "")} GROUP BY c.k`,
    () => `${textOf("SELECT VALUE MAX(c.o.p)", from, where, "")} GROUP BY c.x`,
    () => `${textOf("SELECT c.x, c.k, MAX(c.y) AS y", from, where, "")} GROUP BY c.x, c.k`,
    () => textOf("SELECT COUNT(1) AS n, SUM(c.k)", from, where, ""),
    () => textOf("SELECT VALUE c.y", from, where, order),
  ])();
  return text.includes("TOP") ? text : `${text} ${oneOf(random, CUTS)}`;
}

function textOf(select: string, from: string, where: string, order: string): string {
  return [select, `FROM ${from}`, where && `WHERE ${where}`, order && `ORDER BY ${order}`]
    .filter((part) => part !== "")
    .join(" ");
}

const seeds = fc.integer({ min: 0, max: 1e9 });
const PAGES: readonly RunOptions[] = [
  ...[{ countMax: 1 }, { countMax: 3 }, { bytesMax: 100 }],
  ...[{ isOfOneSource: true }, { isOfOneSource: true, countMax: 3 }],
];
const RANGES = [cutAt(), cutAt("80"), cutAt("30", "31", "A0")];

test("pages of any size, over any number of sources, are the whole", async () => {
  const check = async (seed: number): Promise<void> => {
    const random = seededRandom(seed);
    const container = randomContainer(seed, 25, seed % 3 === 0);
    const text = randomQuery(random);
    for (const ranges of RANGES) {
      const whole = await container.rows(text, { ranges });
      for (const options of PAGES) {
        const pages = await container.pages(text, { ...options, ranges });
        const rows = pages.flatMap((page) => page.rows);
        expect({ text, rows }).toEqual({ text, rows: whole });
        const isEndKnown = whole.length === 0 || pages.at(-1)!.rows.length > 0;
        // Groups without a row take places that are missed only at the end.
        if (!text.includes("GROUP BY"))
          expect({ text, isEndKnown }).toEqual({ text, isEndKnown: true });
      }
    }
  };
  await fc.assert(fc.asyncProperty(seeds, check), { numRuns: RUN_COUNT });
});

test("pages that run out of time are continued", async () => {
  const check = async (seed: number): Promise<void> => {
    const container = randomContainer(seed, 60);
    const text = randomQuery(seededRandom(seed));
    const whole = await container.rows(text);
    const isOfOneSource = seed % 2 === 1;
    const rows = await container.rows(text, { timeSliceMs: 5, countMax: 7, isOfOneSource });
    expect({ text, rows }).toEqual({ text, rows: whole });
  };
  await fc.assert(fc.asyncProperty(seeds, check), { numRuns: RUN_COUNT });
});

describe("the rows of items that nobody touches are all there, once and in order", () => {
  const check = async (
    seed: number,
    disturb: (container: ListContainer, random: Random, touched: Set<string>) => void,
    optionsOf: (page: number) => RunOptions,
    told: (rows: readonly JsonValue[], text: string) => unknown = (rows) => rows,
  ): Promise<void> => {
    const random = seededRandom(seed);
    const container = randomContainer(seed, 30, seed % 5 === 0);
    const text = randomStream(random);
    const plan = container.plan(text);
    const whole = (await container.page(plan, undefined, { ...optionsOf(0), countMax: 1e6 })).rows;
    const touched = new Set<string>();
    const rows: JsonValue[] = [];
    const countMax = oneOf(random, [1, 3, 8]);
    const timeSliceMs = oneOf(random, [10, 1e9]);
    let position: Awaited<ReturnType<ListContainer["page"]>>["next"];
    for (let page = 0; page === 0 || position !== undefined; page++) {
      const options = { ...optionsOf(page), countMax, timeSliceMs, isOfOneSource: seed % 2 === 1 };
      const found = await container.page(plan, position, options);
      rows.push(...found.rows);
      position = found.next;
      disturb(container, random, touched);
      expect(page).toBeLessThan(1_000);
    }
    const isUntouched = (row: JsonValue): boolean => !touched.has((row as { id: string }).id);
    const expected = told(whole.filter(isUntouched), text);
    const found = told(rows.filter(isUntouched), text);
    expect({ text, seed, found }).toEqual({ text, seed, found: expected });
  };

  const write = (container: ListContainer, random: Random, touched: Set<string>): void => {
    const numbers = [...container.items.keys()];
    const number = oneOf(random, numbers);
    const kind = random.next();
    if (kind < 0.4) {
      // Bounded, or pages would find new items for ever.
      if (numbers.length > 80) return;
      const fresh = Math.max(...numbers, 30) + 1;
      touched.add(`i${fresh}`);
      container.put(fresh, randomItem(random, `i${fresh}`));
    } else if (number !== undefined) {
      touched.add(`i${number}`);
      if (kind < 0.6) container.remove(number);
      else container.put(number, randomItem(random, `i${number}`));
    }
  };

  test("while others are inserted, changed and deleted", async () => {
    const run = (seed: number): Promise<void> =>
      check(seed, write, () => ({ ranges: RANGES[seed % 3]! }));
    await fc.assert(fc.asyncProperty(seeds, run), { numRuns: RUN_COUNT });
  });

  test("while the index is being read", async () => {
    const run = (seed: number): Promise<void> =>
      check(
        seed,
        (container, random, touched) => {
          let count = 0;
          container.afterScan = () => {
            if (count++ % 3 === 0) write(container, random, touched);
          };
        },
        () => ({}),
      );
    await fc.assert(fc.asyncProperty(seeds, run), { numRuns: RUN_COUNT });
  });

  const SPLITS = [cutAt(), cutAt("80"), cutAt("40", "80"), cutAt("40", "80", "A0")];

  test("while sources are split", async () => {
    const run = (seed: number): Promise<void> =>
      check(
        seed,
        () => undefined,
        (page) => ({ ranges: SPLITS[Math.min(page >> 1, 3)]! }),
        upToTies,
      );
    await fc.assert(fc.asyncProperty(seeds, run), { numRuns: RUN_COUNT });
  });

  test("while sources are merged", async () => {
    const run = (seed: number): Promise<void> =>
      check(
        seed,
        () => undefined,
        (page) => ({ ranges: SPLITS[Math.max(3 - page, 0)]! }),
        upToTies,
      );
    await fc.assert(fc.asyncProperty(seeds, run), { numRuns: RUN_COUNT });
  });

  test("while sources are split and merged, and others are written", async () => {
    const run = (seed: number): Promise<void> =>
      check(seed, write, (page) => ({ ranges: SPLITS[(page * 7 + (seed % 5)) % 4]! }), upToTies);
    await fc.assert(fc.asyncProperty(seeds, run), { numRuns: RUN_COUNT });
  });
});
