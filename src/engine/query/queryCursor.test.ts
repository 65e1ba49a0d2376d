/** The text of a position: it comes back as it was, travels in a header, and cannot be forged. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { type EpkRange, parseEpk } from "../../partition/epkRange.ts";
import { ListContainer } from "../../query/execute/listSource.fake.ts";
import type { Position } from "../../query/execute/position.ts";
import { CursorKey, type CursorScope, type SignedCursors } from "../cursor/cursorKey.ts";
import { encodeQueryCursor, parseQueryCursor } from "./queryCursor.ts";

const KEY = new CursorKey(Buffer.alloc(32, 7));
const cursorsOf = (owner: string, scope?: CursorScope): SignedCursors =>
  KEY.cursorsOf(() => ({ kind: "query", owner, scope }));
const CURSORS = cursorsOf("AbCdEfGhIjk=");
const encoded = (position: Position): string => encodeQueryCursor(CURSORS, position);

function parsed(text: string, cursors = CURSORS): Position | undefined {
  const position = parseQueryCursor(cursors, text);
  return position.ok ? position.value : undefined;
}

const range: EpkRange = { min: parseEpk("")!, max: parseEpk("1F")! };

describe("a cursor", () => {
  const item = { range, number: 7, skip: 0, take: undefined } as const;
  test.each<readonly [string, Position]>([
    ["of items", { kind: "items", ...item }],
    ["in the middle of an item", { kind: "items", ...item, coordinates: [0, -1] }],
    ["with rows to skip and to take", { kind: "items", ...item, skip: 3, take: 9 }],
    ["with nothing more to take", { kind: "items", ...item, take: 0 }],
    ["of an order", { kind: "order", ...item, values: [undefined, null, 1, "x", [1], {}] }],
    ["of values", { kind: "values", after: [[], undefined, { a: 1 }], skip: 0, take: 1 }],
    ["of no value at all", { kind: "values", after: [], skip: 0, take: undefined }],
    ["of rows by their number", { kind: "ordinal", done: 5, skip: 0, take: undefined }],
  ])("%s comes back", (_name, position) => {
    expect(parsed(encoded(position))).toEqual(position);
  });

  test("belongs to its container", () => {
    const text = encoded({ kind: "items", ...item });
    expect(parsed(text, cursorsOf("other"))).toBe(undefined);
  });

  test("is ASCII, whatever is in it", () => {
    const values = ["\u{1F600}\u0000\n\u007f\u2028é\ud800"];
    const text = encoded({ kind: "order", ...item, values });
    expect(text).toMatch(/^[\x20-\x7e]*$/);
    expect(parsed(text)).toMatchObject({ values });
  });

  test.each([[Infinity], [-Infinity], [NaN]])("may hold %s", (value) => {
    const position: Position = { kind: "values", after: [value], skip: 0, take: undefined };
    expect(parsed(encoded(position))).toEqual(position);
  });

  // Each is signed, as if it were of a version that wrote other members.
  test.each<JsonObject>([
    {},
    { min: "", max: "FF" },
    { min: "", max: "FF", n: -1 },
    { min: "", max: "FF", n: 1.5 },
    { min: "FF", max: "00", n: 1 },
    { min: "x", max: "FF", n: 1 },
    { v: 1 },
    { v: [1] },
    { min: "", max: "FF", n: 1, o: {} },
  ])("is not %j, although it is signed", (fields) => {
    expect(parsed(CURSORS.sign({ z: 1, ...fields }))).toBe(undefined);
  });

  const placed: Position = { kind: "items", ...item };
  const ordered: Position = { kind: "order", ...item, values: [1] };
  const valued: Position = { kind: "values", after: [1], skip: 0, take: undefined };
  const counted: Position = { kind: "ordinal", done: 5, skip: 0, take: undefined };
  test.each([
    ["the very range", "10", "20", [placed, ordered, valued, counted]],
    ["its left part", "10", "18", [placed, ordered, valued]],
    ["its right part", "18", "20", [placed, ordered, valued]],
    ["a range that ends with it", "00", "20", [placed]],
    ["a range that begins with it", "10", "30", []],
    ["the next range", "20", "30", []],
  ])("of a range is good for %s, as far as it knows its place", (_what, min, max, expected) => {
    const of = (from: string, to: string): SignedCursors =>
      cursorsOf("r", { by: "range", range: { min: parseEpk(from)!, max: parseEpk(to)! } });
    const good = [placed, ordered, valued, counted].filter(
      (position) => parsed(encodeQueryCursor(of("10", "20"), position), of(min, max)) !== undefined,
    );
    expect(good).toEqual(expected);
  });
});

describe("any position", () => {
  const value = fc.option(fc.jsonValue() as fc.Arbitrary<JsonValue>, { nil: undefined });
  const count = fc.nat();
  const remaining = { skip: count, take: fc.option(count, { nil: undefined }) };
  const epk = fc.constantFrom("", "05", "0A", "1F", "FF");
  const ranges = fc
    .uniqueArray(epk, { minLength: 2, maxLength: 2 })
    .map((bounds) => bounds.sort())
    .map(([min, max]) => ({ min: parseEpk(min!)!, max: parseEpk(max!)! }));
  const coordinates = fc.option(fc.array(fc.integer(), { maxLength: 3 }), { nil: undefined });
  const earlier = fc.option(
    fc.array(fc.record({ range: ranges, number: count }), { minLength: 1, maxLength: 3 }),
    { nil: undefined },
  );
  const position: fc.Arbitrary<Position> = fc.oneof(
    fc.record({
      kind: fc.constant("items" as const),
      range: ranges,
      number: count,
      coordinates,
      earlier,
      ...remaining,
    }),
    fc.record({
      kind: fc.constant("order" as const),
      range: ranges,
      number: count,
      coordinates,
      earlier,
      values: fc.array(value, { maxLength: 4 }),
      ...remaining,
    }),
    fc.record({
      kind: fc.constant("values" as const),
      after: fc.array(value, { maxLength: 4 }),
      ...remaining,
    }),
    fc.record({ kind: fc.constant("ordinal" as const), done: count, ...remaining }),
  );

  test("comes back, in ASCII", () => {
    const property = fc.property(position, (given) => {
      const text = encoded(given);
      expect(text).toMatch(/^[\x20-\x7e]*$/);
      const plain = JSON.parse(JSON.stringify(given)) as unknown;
      expect(JSON.parse(JSON.stringify(parsed(text)))).toEqual(plain);
    });
    fc.assert(property, { numRuns: 200 });
  });

  const container = new ListContainer(
    Array.from({ length: 12 }, (_, n) => ({ id: `${n}`, x: n % 5, y: [n], l: [1, n] })),
    {
      policy: {
        compositeIndexes: [
          [
            { path: "/x", order: "ascending" },
            { path: "/id", order: "descending" },
          ],
        ],
      },
    },
  );
  const texts = [
    "SELECT * FROM c",
    "SELECT * FROM c WHERE c.x = 1",
    "SELECT * FROM c WHERE c.x > 1 ORDER BY c.x DESC",
    "SELECT * FROM c ORDER BY c.x",
    "SELECT * FROM c ORDER BY c.x, c.id DESC",
    "SELECT * FROM c ORDER BY c.x DESC, c.id",
    "SELECT e FROM c JOIN e IN c.l ORDER BY c.y",
    "SELECT e FROM c JOIN e IN c.l JOIN f IN c.l",
    "SELECT DISTINCT c.x FROM c ORDER BY c.id",
    "SELECT DISTINCT VALUE c.x FROM c",
    "SELECT DISTINCT VALUE c.y FROM c",
    "SELECT c.x, COUNT(1) AS n FROM c GROUP BY c.x, c.y",
    "SELECT COUNT(1) AS n FROM c",
    "SELECT VALUE x FROM (SELECT DISTINCT VALUE c.x FROM c) x",
    "SELECT VALUE 1",
  ];

  test("can be forged for any query, and ends in rows", async () => {
    const check = async (given: Position, text: string): Promise<void> => {
      const position = parsed(encoded(given));
      const page = await container.page(container.plan(text), position, { countMax: 5 });
      expect(page.rows.length).toBeLessThan(6);
    };
    const property = fc.asyncProperty(position, fc.constantFrom(...texts), check);
    await fc.assert(property, { numRuns: 500 });
  });

  test("changed in any place is none", () => {
    const characters = ["0", '"', "[", "}", " ", "a", "\\", ""];
    const check = (given: Position, at: number, character: string): void => {
      const whole = encoded(given);
      const cut = at % whole.length;
      const changed = whole.slice(0, cut) + character + whole.slice(cut + 1);
      if (changed !== whole) expect(parsed(changed)).toBe(undefined);
      const longer = whole.slice(0, cut) + character + whole.slice(cut);
      if (longer !== whole) expect(parsed(longer)).toBe(undefined);
      expect(parsed(whole.slice(0, cut))).toBe(undefined);
    };
    const property = fc.property(position, fc.nat(), fc.constantFrom(...characters), check);
    fc.assert(property, { numRuns: 500 });
  });
});
