/** One ascending list pins the order down; the properties say that it is an order at all. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareStrings, compareValues, equalValues } from "./compare.ts";
import type { JsonValue } from "./value.ts";

const ASCENDING: readonly (JsonValue | undefined)[] = [
  undefined,
  null,
  false,
  true,
  -Infinity,
  -1e300,
  -1,
  -5e-324,
  0,
  5e-324,
  0.1,
  1,
  2,
  10,
  Infinity,
  "",
  "\0",
  "\0\0",
  "\x01",
  "A",
  "a",
  "a\0",
  "aa",
  "b",
  "é",
  "\ud7ff",
  "\ud800",
  "\ud800a",
  "\udc00",
  "\ue000",
  "\uffff",
  "\u{10000}",
  "\u{10001}",
  "\u{10ffff}",
  [],
  [null],
  [1],
  [1, null],
  [2],
  [[]],
  {},
  { a: 1 },
  { a: 1, b: 1 },
  { a: 2 },
  { b: 0 },
];

describe("the order of values", () => {
  test("every value of the list stands before all that follow it", () => {
    ASCENDING.forEach((left, leftIndex) => {
      ASCENDING.forEach((right, rightIndex) => {
        expect(Math.sign(compareValues(left, right))).toBe(Math.sign(leftIndex - rightIndex));
      });
    });
  });

  const EQUAL: readonly (readonly [rule: string, a: JsonValue, b: JsonValue])[] = [
    ["minus zero is zero", -0, 0],
    ["the order of names does not matter", { a: 1, b: [2] }, { b: [2], a: 1 }],
    ["also deep down", [{ a: { b: 1, c: 2 } }], [{ a: { c: 2, b: 1 } }]],
  ];
  test.each(EQUAL)("%s", (_rule, a, b) => {
    expect(equalValues(a, b)).toBe(true);
  });

  test("inherited names are no members", () => {
    expect(equalValues({}, JSON.parse('{"__proto__":1}') as JsonValue)).toBe(false);
    expect(equalValues({ toString: 1 }, {})).toBe(false);
  });
});

describe("properties of the order", () => {
  const anyUnits = fc
    .array(fc.oneof(fc.constantFrom(0, 0x61, 0xd800, 0xdc00, 0xe000), fc.nat(0xffff)))
    .map((units) => String.fromCharCode(...units));
  const anyValue = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;

  test("strings compare as their lists of code points", () => {
    fc.assert(
      fc.property(anyUnits, anyUnits, (a, b) => {
        expect(Math.sign(compareStrings(a, b))).toBe(naiveCompare([...a], [...b]));
      }),
      { numRuns: 2_000 },
    );
  });

  test("swapping sides swaps the sign, and a copy is equal", () => {
    fc.assert(
      fc.property(anyValue, anyValue, (a, b) => {
        expect(Math.sign(compareValues(a, b)) + Math.sign(compareValues(b, a))).toBe(0);
        expect(compareValues(a, JSON.parse(JSON.stringify(a)) as JsonValue)).toBe(0);
      }),
    );
  });

  test("it is transitive", () => {
    fc.assert(
      fc.property(anyValue, anyValue, anyValue, (a, b, c) => {
        const [low, middle, high] = [a, b, c].sort(compareValues);
        expect(compareValues(low, middle)).toBeLessThanOrEqual(0);
        expect(compareValues(middle, high)).toBeLessThanOrEqual(0);
        expect(compareValues(low, high)).toBeLessThanOrEqual(0);
      }),
    );
  });
});

function naiveCompare(a: readonly string[], b: readonly string[]): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const difference = a[index]!.codePointAt(0)! - b[index]!.codePointAt(0)!;
    if (difference !== 0) return Math.sign(difference);
  }
  return Math.sign(a.length - b.length);
}

test("long strings compare as short ones do, wherever they differ", () => {
  const ends = ["", "a", "b", "\u{1F600}", "\uFF5E"];
  for (const length of [1023, 1024, 1025, 2047, 2048, 3000, 5000]) {
    const beginning = "x".repeat(length);
    for (const left of ends) {
      for (const right of ends) {
        const order = Math.sign(compareStrings(beginning + left, beginning + right));
        expect(order).toBe(Math.sign(compareStrings(left, right)));
      }
    }
  }
});
