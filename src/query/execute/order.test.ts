/**
 * The order of rows: that of an index is that of a sort, and both are that of a naive model. What
 * is refused is in `plan/orderAccess.test.ts`.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { cutAt, epkOfNumber, ListContainer } from "./listSource.fake.ts";

const LONG = "m".repeat(200);
const scalar = fc.oneof(
  fc.constantFrom<JsonValue>(null, false, true, 0, -0, 1, -1, 1.5, 1e300, -1e-300),
  fc.constantFrom<JsonValue>(
    "",
    "a",
    "B",
    "ab",
    "\u{1F600}",
    "\uff5e",
    "\ud800",
    "\u0000",
    "\u0001",
  ),
  fc.integer({ min: -3, max: 3 }),
);
const node = fc.constantFrom<JsonValue>([], [1], [2, 1], {}, { a: 1 }, { b: [] });
const long = fc.constantFrom<JsonValue>(LONG, `${LONG}a`, `${LONG}b`, `${LONG}\u{1F600}`);
const short = fc.oneof({ weight: 4, arbitrary: scalar }, node);
const any = fc.oneof({ weight: 9, arbitrary: short }, long);

const itemsOf = (value: fc.Arbitrary<JsonValue>): fc.Arbitrary<readonly JsonObject[]> =>
  fc
    .array(fc.record({ x: value, y: value, o: fc.record({ p: value }) }, { requiredKeys: [] }), {
      maxLength: 25,
    })
    .map((items) => items.map((item, index) => ({ ...item, id: `${index + 1}` })));

const policy = {
  compositeIndexes: [
    [
      { path: "/x", order: "ascending" as const },
      { path: "/y", order: "descending" as const },
    ],
    [
      { path: "/y", order: "descending" as const },
      { path: "/o/p", order: "descending" as const },
    ],
  ],
};

/** As the documentation has it: types in order, arrays alike, objects alike, missing first. */
function placeOf(value: JsonValue | undefined): readonly (number | string)[] {
  if (value === undefined) return [0];
  if (value === null) return [1];
  if (typeof value === "boolean") return [value ? 3 : 2];
  if (typeof value === "number") return [4, value];
  if (typeof value === "string") return [5, Buffer.from(toUtf32(value)).toString("hex")];
  return [Array.isArray(value) ? 6 : 7];
}

/** Four bytes a code point, highest first. */
function toUtf32(text: string): readonly number[] {
  return [...text].flatMap((unit) => {
    const point = unit.codePointAt(0)!;
    return [point >>> 24, (point >>> 16) & 255, (point >>> 8) & 255, point & 255];
  });
}

function naiveIds(
  items: readonly JsonObject[],
  by: readonly (readonly [(item: JsonObject) => JsonValue | undefined, 1 | -1])[],
  rangeOf: (number: number) => number,
): readonly string[] {
  const numbered = items.map((item, index) => ({ item, number: index + 1 }));
  const sorted = numbered.sort((a, b) => {
    for (const [read, sign] of by) {
      const [left, right] = [placeOf(read(a.item)), placeOf(read(b.item))];
      for (let depth = 0; depth < left.length; depth++) {
        if (left[depth] === right[depth]) continue;
        return left[depth]! < right[depth]! ? -sign : sign;
      }
    }
    return rangeOf(a.number) - rangeOf(b.number) || (a.number - b.number) * by[0]![1];
  });
  return sorted.map(({ item }) => item["id"] as string);
}

const x = (item: JsonObject): JsonValue | undefined => item["x"];
const y = (item: JsonObject): JsonValue | undefined => item["y"];
const p = (item: JsonObject): JsonValue | undefined => (item["o"] as JsonObject | undefined)?.["p"];

const ORDERS = [
  ["c.x", [[x, 1]]],
  ["c.x DESC", [[x, -1]]],
  ["c.o.p ASC", [[p, 1]]],
  ["c.o.p DESC", [[p, -1]]],
  [
    "c.x, c.y DESC",
    [
      [x, 1],
      [y, -1],
    ],
  ],
  [
    "c.x DESC, c.y",
    [
      [x, -1],
      [y, 1],
    ],
  ],
  [
    "c.y, c.o.p",
    [
      [y, 1],
      [p, 1],
    ],
  ],
  [
    "c.y DESC, c.o.p DESC",
    [
      [y, -1],
      [p, -1],
    ],
  ],
] as const;

const RANGES = [cutAt(), cutAt("40", "90")];

describe.each(ORDERS)("ORDER BY %s", (order, by) => {
  const text = `SELECT VALUE c.id FROM c ORDER BY ${order}`;
  const check = async (
    items: readonly JsonObject[],
    isIncomplete: boolean,
    access: string | undefined,
  ): Promise<void> => {
    const container = new ListContainer(items, { policy, isIncomplete });
    for (const ranges of RANGES) {
      const rangeOf = (number: number): number =>
        ranges.findIndex(({ max }) => epkOfNumber(number) < max);
      const expected = naiveIds(items, by, rangeOf);
      for (const countMax of [1_000, 4]) {
        const pages = await container.pages(text, { ranges, countMax });
        expect(pages.flatMap(({ rows }) => rows)).toEqual(expected);
        if (access !== undefined) expect(pages[0]!.work.access[0]).toBe(access);
      }
    }
  };

  test("by the index", async () => {
    const access = by.length === 1 ? "order(index)" : "order(composite)";
    const property = fc.asyncProperty(itemsOf(short), (items) => check(items, false, access));
    await fc.assert(property, { numRuns: 15 });
  });

  test("by the index, with long strings", async () => {
    const property = fc.asyncProperty(itemsOf(any), (items) => check(items, false, undefined));
    await fc.assert(property, { numRuns: 15 });
  });

  test("sorted", async () => {
    const property = fc.asyncProperty(itemsOf(any), (items) => check(items, true, "sort"));
    await fc.assert(property, { numRuns: 10 });
  });
});

describe("with a filter", () => {
  const filters = [
    "c.x > 0",
    "c.x = 1",
    "c.x IN (1, 'a', null)",
    "c.y = 1 AND c.x >= 'a'",
    "c.x != 1",
  ];
  test("the order is the same, whichever way is chosen", async () => {
    const check = async (items: readonly JsonObject[], filter: string, isDown: boolean) => {
      const order = `ORDER BY c.x ${isDown ? "DESC" : "ASC"}`;
      const text = `SELECT VALUE c.id FROM c WHERE ${filter} ${order}`;
      const indexed = new ListContainer(items);
      const sorted = new ListContainer(items, { isIncomplete: true });
      const expected = await sorted.rows(text);
      expect(await indexed.rows(text)).toEqual(expected);
      expect(await indexed.rows(text, { countMax: 2 })).toEqual(expected);
    };
    const property = fc.asyncProperty(
      itemsOf(any),
      fc.constantFrom(...filters),
      fc.boolean(),
      check,
    );
    await fc.assert(property, { numRuns: 80 });
  });
});
