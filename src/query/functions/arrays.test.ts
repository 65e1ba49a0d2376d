/** Documented examples and odd cases first, then agreement with naive spellings of the same. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { equalValues } from "../../json/compare.ts";
import type { JsonValue } from "../../json/value.ts";
import { ARRAY_FUNCTIONS } from "./arrays.ts";
import type { CallContext, Value } from "./builtIn.ts";

function call(name: string, ...args: Value[]): Value {
  return ARRAY_FUNCTIONS.find((builtIn) => builtIn.name === name)!.call(args, {} as CallContext);
}

type Row = readonly [call: readonly [name: string, ...args: Value[]], expected: Value];

const check = ([name, ...args]: Row[0], expected: Value): void => {
  expect(call(name, ...args)).toEqual(expected);
};

const MIXED = [1, true, "3", [1, 2, 3]];
const SHIRT = { category: "shirts", color: "blue" };
const NESTED = { a: { b: 1, c: 2 }, d: [{ e: 1, f: 2 }] };
const WORDS = ["abc", "ABC", "aBc", "AbC"];
const ALPHABET = ["Alpha", "Bravo", "Charlie", "Delta", "Echo", "Foxtrot", "Golf"];

describe("containing", () => {
  const EXAMPLES: readonly Row[] = [
    [["ARRAY_CONTAINS", ["coats", "jackets", "sweatshirts"], "coats"], true],
    [["ARRAY_CONTAINS", ["coats", "jackets", "sweatshirts"], "hoodies"], false],
    [["ARRAY_CONTAINS", [SHIRT], { color: "blue", category: "shirts" }], true],
    [["ARRAY_CONTAINS", [SHIRT], { category: "shirts" }], false],
    [["ARRAY_CONTAINS", [SHIRT], { category: "shirts" }, false], false],
    [["ARRAY_CONTAINS", [SHIRT], { category: "shirts" }, undefined], false],
    [["ARRAY_CONTAINS", [SHIRT], { category: "shirts" }, true], true],
    [["ARRAY_CONTAINS", [SHIRT], { category: "shorts", color: "blue" }, true], false],
    [["ARRAY_CONTAINS", [SHIRT], { category: "shirts" }, "true"], undefined],
    [["ARRAY_CONTAINS", [NESTED], { a: { b: 1 } }, true], true],
    [["ARRAY_CONTAINS", [NESTED], { a: { b: 2 } }, true], false],
    [["ARRAY_CONTAINS", [NESTED], { d: [{ e: 1 }] }, true], false],
    [["ARRAY_CONTAINS", [NESTED], {}, true], true],
    [["ARRAY_CONTAINS", [1, "a"], {}, true], false],
    [["ARRAY_CONTAINS", [SHIRT], { toString: 1 }, true], false],
    [["ARRAY_CONTAINS", [1, 2], 2, true], true],
    [["ARRAY_CONTAINS", [1, "1"], null], false],
    [["ARRAY_CONTAINS", [1, null], null], true],
    [["ARRAY_CONTAINS", [0], -0], true],
    [["ARRAY_CONTAINS", [[1, 2]], [1, 2]], true],
    [["ARRAY_CONTAINS", [4, 4], 2], false],
    [["ARRAY_CONTAINS", [1], undefined], undefined],
    [["ARRAY_CONTAINS", "abc", "a"], undefined],
    [["ARRAY_CONTAINS_ALL", MIXED, 1, true, "3", [1, 2, 3]], true],
    [["ARRAY_CONTAINS_ALL", [1, 2, 3, 4], 2, 3, 4, 5], false],
    [["ARRAY_CONTAINS_ALL", [1, 2, 3, 4], 1, undefined], undefined],
    [["ARRAY_CONTAINS_ALL", [1, 2, 3, 4], 5, undefined], false],
    [["ARRAY_CONTAINS_ALL", [], 1, 2, 3], false],
    [["ARRAY_CONTAINS_ALL", "abc", "a"], undefined],
    [["ARRAY_CONTAINS_ANY", MIXED, 1, true, "3", [1, 2, 3]], true],
    [["ARRAY_CONTAINS_ANY", [1, 2, 3, 4], 2, 3, 4, 5], true],
    [["ARRAY_CONTAINS_ANY", [1, 2, 3, 4], 1, undefined], true],
    [["ARRAY_CONTAINS_ANY", [1, 2, 3, 4], 5, 6, 7, 8], false],
    [["ARRAY_CONTAINS_ANY", [1, 2, 3, 4], 5, undefined], undefined],
    [["ARRAY_CONTAINS_ANY", [], 1, 2, 3], false],
  ];
  test.each(EXAMPLES)("%j is %j", check);
});

describe("joining, cutting and summing up", () => {
  const EXAMPLES: readonly Row[] = [
    [
      ["ARRAY_CONCAT", ["a"], ["b"], ["c", ["d"]]],
      ["a", "b", "c", ["d"]],
    ],
    [["ARRAY_CONCAT", "a", ["b"], ["c"]], undefined],
    [["ARRAY_CONCAT", undefined, ["b"]], undefined],
    [["ARRAY_LENGTH", [70, 86, 92, 99, 85, 90, 82]], 7],
    [["ARRAY_LENGTH", []], 0],
    [["ARRAY_LENGTH", null], undefined],
    [["ARRAY_LENGTH", "abc"], undefined],
    [["ARRAY_SLICE", ALPHABET, 0], ALPHABET],
    [
      ["ARRAY_SLICE", ALPHABET, 5],
      ["Foxtrot", "Golf"],
    ],
    [["ARRAY_SLICE", ALPHABET, -1], ["Golf"]],
    [
      ["ARRAY_SLICE", ALPHABET, -2],
      ["Foxtrot", "Golf"],
    ],
    [
      ["ARRAY_SLICE", ALPHABET, 0, 3],
      ["Alpha", "Bravo", "Charlie"],
    ],
    [["ARRAY_SLICE", ALPHABET, 0, 12], ALPHABET],
    [
      ["ARRAY_SLICE", ALPHABET, 3, 5],
      ["Delta", "Echo", "Foxtrot", "Golf"],
    ],
    [["ARRAY_SLICE", ALPHABET, -2, 1], ["Foxtrot"]],
    [["ARRAY_SLICE", ALPHABET, -100, 1], ["Alpha"]],
    [["ARRAY_SLICE", ALPHABET, 7], []],
    [["ARRAY_SLICE", ALPHABET, 1, 0], []],
    [["ARRAY_SLICE", ALPHABET, 1, -100], []],
    [["ARRAY_SLICE", ALPHABET, 0.5], undefined],
    [["ARRAY_SLICE", ALPHABET, 0, 1.5], undefined],
    [["ARRAY_SLICE", ALPHABET, 0, undefined], undefined],
    [["ARRAY_SLICE", "abc", 0], undefined],
    [["ARRAY_AVG", [1, 2, 3, 4]], 2.5],
    [["ARRAY_AVG", [1, 2, 3.3, 4.7]], 2.75],
    [["ARRAY_AVG", [1, -2.7, 3, -4]], -0.675],
    [["ARRAY_AVG", WORDS], undefined],
    [["ARRAY_AVG", [12, "abc", true, false, null]], undefined],
    [["ARRAY_AVG", []], undefined],
    [["ARRAY_SUM", [1, 2, 3, 4]], 10],
    [["ARRAY_SUM", WORDS], undefined],
    [["ARRAY_SUM", [12, null]], undefined],
    [["ARRAY_SUM", []], 0],
    [["ARRAY_MEDIAN", [4, 1, 3, 2]], 2.5],
    [["ARRAY_MEDIAN", [1, 2, 3.3, 4.7, 7.8]], 3.3],
    [["ARRAY_MEDIAN", [1, -2.7, 3, -4]], -0.8500000000000001],
    [["ARRAY_MEDIAN", [10, 9, 1]], 9],
    [["ARRAY_MEDIAN", WORDS], undefined],
    [["ARRAY_MEDIAN", []], undefined],
    [["ARRAY_MAX", [1, 2, 3, 4]], 4],
    [["ARRAY_MAX", WORDS], "abc"],
    [["ARRAY_MAX", [true, false]], true],
    [["ARRAY_MAX", [null, null]], null],
    [["ARRAY_MAX", [12, "abc", true, false, null]], "abc"],
    [["ARRAY_MAX", [12, [1]]], undefined],
    [["ARRAY_MIN", [1, 2, 3, 4]], 1],
    [["ARRAY_MIN", WORDS], "ABC"],
    [["ARRAY_MIN", [true, false]], false],
    [["ARRAY_MIN", [12, "abc", true, false, null]], null],
    [["ARRAY_MIN", [{}]], undefined],
    [["ARRAY_MIN", []], undefined],
    [["ARRAY_MIN", 1], undefined],
  ];
  test.each(EXAMPLES)("%j is %j", check);

  test("what would not fit into memory is undefined", () => {
    const long = Array<number>(2 ** 21).fill(1);
    expect(call("ARRAY_CONCAT", long, long)).toHaveLength(2 ** 22);
    expect(call("ARRAY_CONCAT", long, long, [1])).toBeUndefined();
  });
});

describe("properties", () => {
  const fewValues = fc.constantFrom<JsonValue>(0, -0, 1, "1", null, [], [1], {}, { a: 1, b: [0] });
  const fewArrays = fc.array(fewValues, { maxLength: 5 });

  test("an array contains what is equal to one of its elements", () => {
    fc.assert(
      fc.property(fewArrays, fewValues, (elements, sought) => {
        const expected = elements.some((element) => equalValues(element, sought));
        expect(call("ARRAY_CONTAINS", elements, sought)).toBe(expected);
      }),
    );
  });

  test("an object contains every part of itself", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), (given) => {
        const object = JSON.parse(JSON.stringify(given)) as Record<string, JsonValue>;
        const part = Object.fromEntries(Object.entries(object).filter((_, index) => index % 2));
        expect(call("ARRAY_CONTAINS", [object], part, true)).toBe(true);
        expect(call("ARRAY_CONTAINS", [object], { ...part, "\0": 1 }, true)).toBe(false);
      }),
    );
  });

  test("two slices that meet are the whole", () => {
    fc.assert(
      fc.property(fewArrays, fc.nat(6), (elements, cut) => {
        const head = call("ARRAY_SLICE", elements, 0, cut);
        expect(call("ARRAY_CONCAT", head, call("ARRAY_SLICE", elements, cut))).toEqual(elements);
      }),
    );
  });
});
