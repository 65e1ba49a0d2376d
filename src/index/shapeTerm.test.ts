/** Which items have the same shape, and what a shape tells. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../json/value.ts";
import { compilePolicy } from "./compiledPolicy.ts";
import { DEFAULT_INDEXING_POLICY, parseIndexingPolicy } from "./policy.ts";
import { ELEMENTS } from "./policyPath.ts";
import { hasPath, shapeTermRange } from "./shapeTerm.ts";
import { termsOf } from "./terms.ts";

describe("items of one shape", () => {
  const ROWS: readonly (readonly [rule: string, a: string, b: string, isSame: boolean])[] = [
    ["values do not matter", '{"a":1,"b":"x"}', '{"a":null,"b":[1]}', true],
    ["nor does the order of names", '{"a":1,"b":2}', '{"b":2,"a":1}', true],
    ["one property more makes another shape", '{"a":1}', '{"a":1,"b":1}', false],
    ["another name does", '{"a":1}', '{"b":1}', false],
    ["so does a property further down", '{"o":{"a":1}}', '{"o":{"b":1}}', false],
    ["and an object with nothing in it", '{"o":{}}', "{}", false],
    ["arrays are looked at from outside", '{"l":[{"a":1}]}', '{"l":[]}', true],
    ["what is not indexed does not count", '{"a":1,"x":{"y":1}}', '{"a":1}', true],
  ];
  test.each(ROWS)("%s", (_rule, a, b, isSame) => {
    const policy = parseIndexingPolicy({ excludedPaths: [{ path: "/x/*" }] });
    const compiled = compilePolicy(policy.ok ? policy.value : DEFAULT_INDEXING_POLICY);
    const shapeOf = (text: string) => shapesIn(termsOf(compiled, JSON.parse(text) as JsonObject));
    expect(shapeOf(a)).toHaveLength(1);
    expect(JSON.stringify(shapeOf(a)) === JSON.stringify(shapeOf(b))).toBe(isSame);
  });
});

describe("whether an item has a path", () => {
  const compiled = compilePolicy(DEFAULT_INDEXING_POLICY);
  const item = JSON.parse('{"a":null,"o":{"b":1},"l":[{"c":1}],"_etag":"e"}') as JsonObject;
  const ROWS = [
    [["a"], true],
    [["o"], true],
    [["o", "b"], true],
    [["l"], true],
    [["b"], false],
    [["a", "b"], false],
    [["o", "toString"], false],
    [["l", ELEMENTS], false],
    [["l", "0"], false],
    [["_etag"], false],
  ] as const;
  test.each(ROWS)("%j: %s", (path, expected) => {
    expect(hasPath(compiled, item, path)).toBe(expected);
  });
});

test("the shape decides which paths an item has", () => {
  const compiled = compilePolicy(DEFAULT_INDEXING_POLICY);
  const anyName = fc.constantFrom("a", "b", "c");
  const anyItem = fc.letrec<{ value: JsonValue; item: JsonObject }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom<JsonValue>(1, "x"),
      fc.array(tie("value"), { maxLength: 2 }),
      tie("item"),
    ),
    item: fc.dictionary(anyName, tie("value"), { maxKeys: 3 }) as fc.Arbitrary<JsonObject>,
  })).item;
  const anyPath = fc.array(anyName, { minLength: 1, maxLength: 3 });
  const PATHS = fc.sample(anyPath, 60);
  fc.assert(
    fc.property(anyItem, anyItem, (a, b) => {
      const isSameShape = shapesIn(termsOf(compiled, a))[0] === shapesIn(termsOf(compiled, b))[0];
      const isSameSet = namedPlaces(a).sort().join() === namedPlaces(b).sort().join();
      expect(isSameShape).toBe(isSameSet);
      for (const path of PATHS) {
        expect(hasPath(compiled, a, path)).toBe(namedPlaces(a).includes(path.join(".")));
      }
    }),
    { numRuns: process.env["ORRERY_LONG"] !== undefined ? 1_000 : 300 },
  );
});

function shapesIn({ terms }: { readonly terms: readonly string[] }): readonly string[] {
  const { min, max } = shapeTermRange();
  return terms.filter((term) => term >= min && term < max);
}

function namedPlaces(value: JsonValue, place = ""): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const here = place === "" ? name : `${place}.${name}`;
    return [here, ...namedPlaces(child, here)];
  });
}
