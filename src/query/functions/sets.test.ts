/** Documented examples first, then agreement with sets kept by searching through arrays. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { equalValues } from "../../json/compare.ts";
import type { JsonValue } from "../../json/value.ts";
import type { CallContext, Value } from "./builtIn.ts";
import { SET_FUNCTIONS } from "./sets.ts";

function call(name: string, ...args: Value[]): Value {
  return SET_FUNCTIONS.find((builtIn) => builtIn.name === name)!.call(args, {} as CallContext);
}

type Row = readonly [call: readonly [name: string, a: Value, b: Value], expected: Value];

describe("sets", () => {
  const EXAMPLES: readonly Row[] = [
    [["SETDIFFERENCE", [1, 2, 3], [1, 2, 6, 7]], [3]],
    [
      ["SETDIFFERENCE", [1, 2, 6, 7], [1, 2, 3]],
      [6, 7],
    ],
    [["SETDIFFERENCE", [], [1, 2, 3]], []],
    [
      ["SETDIFFERENCE", [1, 2, 3], []],
      [1, 2, 3],
    ],
    [["SETDIFFERENCE", [1, 1, 1, 1], [2, 3, 4]], [1]],
    [["SETEQUAL", [1, 2, 3], [3, 2, 1]], true],
    [["SETEQUAL", [1, 2, 3, 3], [1, 2, 2, 3, 1, 2]], true],
    [["SETEQUAL", [], [1, 2, 3]], false],
    [["SETEQUAL", [1, true, "abc"], [true, 1, "abc"]], true],
    [["SETEQUAL", [1, 1, 1, 1], [2, 3, 4]], false],
    [["SETEQUAL", [1, 2], [1, 3]], false],
    [
      ["SETINTERSECT", [1, 2, 3, 4], [3, 4, 5, 6]],
      [3, 4],
    ],
    [["SETINTERSECT", [1, 2, 3, 4], []], []],
    [["SETINTERSECT", [1, 2, 3, 4], [1, 1, 1, 1]], [1]],
    [["SETINTERSECT", [1, 2, 3, 4], ["A", "B"]], []],
    [
      ["SETINTERSECT", [1, 2, "A", "B"], ["A", 1]],
      ["A", 1],
    ],
    [
      ["SETUNION", [1, 2, 3, 4], [3, 4, 5, 6]],
      [1, 2, 3, 4, 5, 6],
    ],
    [
      ["SETUNION", [1, 2, 3, 4], [1, 1, 1, 1]],
      [1, 2, 3, 4],
    ],
    [
      ["SETUNION", [1, 2, "A", "B"], ["A", 1]],
      [1, 2, "A", "B"],
    ],
    [
      ["SETUNION", [{ a: 1, b: 2 }], [{ b: 2, a: 1 }, [1]]],
      [{ a: 1, b: 2 }, [1]],
    ],
    [["SETUNION", [1], "1"], undefined],
    [["SETUNION", undefined, [1]], undefined],
    [["SETEQUAL", null, [1]], undefined],
  ];
  test.each(EXAMPLES)("%j is %j", ([name, ...args], expected) => {
    expect(call(name, ...args)).toEqual(expected);
  });

  const fewValues = fc.constantFrom<JsonValue>(0, -0, 1, "1", null, [], [1], { a: 1 }, { a: [0] });
  const fewArrays = fc.array(fewValues, { maxLength: 6 });

  test("agree with searching", () => {
    fc.assert(
      fc.property(fewArrays, fewArrays, (a, b) => {
        const isIn = (set: readonly JsonValue[], sought: JsonValue): boolean =>
          set.some((element) => equalValues(element, sought));
        const once = (elements: readonly JsonValue[]): readonly JsonValue[] =>
          elements.filter((element, index) => !isIn(elements.slice(0, index), element));
        expect(call("SETUNION", a, b)).toEqual(once([...a, ...b]));
        expect(call("SETINTERSECT", a, b)).toEqual(once(b.filter((element) => isIn(a, element))));
        expect(call("SETDIFFERENCE", a, b)).toEqual(once(a.filter((element) => !isIn(b, element))));
        const isSubset = (part: readonly JsonValue[], whole: readonly JsonValue[]): boolean =>
          part.every((element) => isIn(whole, element));
        expect(call("SETEQUAL", a, b)).toBe(isSubset(a, b) && isSubset(b, a));
      }),
      { numRuns: 500 },
    );
  });
});
