/** Rows of values that are the same, and of values that are not; then: it agrees with equality. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalText } from "./canonical.ts";
import { equalValues } from "./compare.ts";
import type { JsonValue } from "./value.ts";

describe("the one text of a value", () => {
  const TEXTS: readonly (readonly [value: JsonValue, text: string])[] = [
    [null, "null"],
    [true, "true"],
    [1, "1"],
    [1.5e300, "1.5e+300"],
    [-0, "0"],
    [Infinity, "Infinity"],
    [-Infinity, "-Infinity"],
    ["1", '"1"'],
    ['a"b', '"a\\"b"'],
    ["\ud800", '"\\ud800"'],
    [[1, [-0, "x"]], '[1,[0,"x"]]'],
    [{ b: 1, a: { d: null, c: [] } }, '{"a":{"c":[],"d":null},"b":1}'],
    [JSON.parse('{"__proto__":1}') as JsonValue, '{"__proto__":1}'],
  ];
  test.each(TEXTS)("%j is %s", (value, text) => {
    expect(canonicalText(value)).toBe(text);
  });
});

describe("properties of the text", () => {
  const fewScalars = fc.constantFrom<JsonValue>(null, true, 0, -0, 1, Infinity, "", "1", ",", '"');
  const fewNames = fc.constantFrom("a", "b", "__proto__", '":1,"');
  const { value: fewValues } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fewScalars,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fewNames, tie("value"), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));

  test("two texts are the same exactly when the values are equal", () => {
    fc.assert(
      fc.property(fewValues, fewValues, (a, b) => {
        expect(canonicalText(a) === canonicalText(b)).toBe(equalValues(a, b));
      }),
      { numRuns: 2_000 },
    );
  });

  test("the order in which members were written does not matter", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fewValues)), (members) => {
        const once = new Map(members);
        const forward = Object.fromEntries(once);
        const backward = Object.fromEntries([...once].reverse());
        expect(canonicalText(forward)).toBe(canonicalText(backward));
      }),
    );
  });

  test("it reads back as the value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const read = JSON.parse(canonicalText(value as JsonValue)) as JsonValue;
        expect(equalValues(read, value as JsonValue)).toBe(true);
      }),
    );
  });
});
