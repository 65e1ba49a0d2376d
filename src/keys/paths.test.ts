/** What an expression looks at, and how a path is written. */
import { describe, expect, test } from "vitest";
import { parseKeyExpression } from "./expressionText.ts";
import { pathsOf, pathText, periodsIn, valueAt } from "./paths.ts";

const TEXT =
  "choose(/s, ['x'], suffix(concat(/b/c, month(/ts)), hash(/a), 4), concat(/s, year(/ts), month(/ts)))";

describe("an expression", () => {
  const parsed = parseKeyExpression(TEXT);
  if (!parsed.ok) throw new Error(parsed.error.message);

  test("has every path once, in the order of the text", () => {
    expect(pathsOf(parsed.value).map(pathText)).toEqual(["/s", "/b/c", "/ts", "/a"]);
  });

  test("has every period once", () => {
    const periods = periodsIn(parsed.value).map(({ grain, of }) => `${grain} ${pathText(of)}`);
    expect(periods).toEqual(["month /ts", "year /ts"]);
  });
});

test.each([
  [["a"], "/a"],
  [["a", "b-1", "_c.$@"], "/a/b-1/_c.$@"],
  [["my prop", "x"], '/"my prop"/x'],
  [["a/b", 'c"d'], '/"a/b"/"c\\"d"'],
  [[""], '/""'],
  [["größe"], "/größe"],
])("%j is written %s", (steps, text) => expect(pathText({ kind: "path", steps })).toBe(text));

test("values are those of own properties of objects", () => {
  const item = { a: { b: [1] }, n: null };
  expect(valueAt(item, ["a", "b"])).toEqual([1]);
  expect(valueAt(item, ["a", "b", "0"])).toBeUndefined();
  expect(valueAt(item, ["n", "x"])).toBeUndefined();
  expect(valueAt(item, ["a", "toString"])).toBeUndefined();
  expect(valueAt(item, [])).toBe(item);
});
