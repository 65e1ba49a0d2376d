/** The table says what counts as a level; the property compares with a walk over parsed JSON. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { depthExceeds } from "./depth.ts";

const utf8 = new TextEncoder();

function depthOf(text: string): number {
  let depth = 0;
  while (depthExceeds(utf8.encode(text), depth)) depth++;
  return depth;
}

describe("nesting depth", () => {
  const RULES: readonly (readonly [rule: string, text: string, depth: number])[] = [
    ["a scalar has no depth", "1", 0],
    ["an empty object is one level", "{}", 1],
    ["an array is a level like an object", "[[{}]]", 3],
    ["siblings do not add up", "[{},{},{}]", 2],
    ["brackets in a string do not count", '["[[[{{{"]', 1],
    ["nor those in a name", '{"[{[{":1}', 1],
    ["an escaped quote does not end a string", '["\\"[[["]', 1],
    ["an escaped backslash before a quote does", '["\\\\",[[]]]', 3],
    ["multi-byte characters are skipped", '["é[€[😀["]', 1],
    ["a string without end hides the rest", '["[[[', 1],
    ["so does one that ends in a backslash", '["[[[\\', 1],
    ["nothing at all", "", 0],
  ];
  test.each(RULES)("%s", (_rule, text, depth) => {
    expect(depthOf(text)).toBe(depth);
  });

  test("the limit itself is allowed, one more is not", () => {
    const nested = (depth: number): Uint8Array =>
      utf8.encode("[".repeat(depth) + "]".repeat(depth));
    expect(depthExceeds(nested(128), 128)).toBe(false);
    expect(depthExceeds(nested(129), 128)).toBe(true);
    expect(depthExceeds(nested(1_000_000), 128)).toBe(true);
  });

  test("agrees with the parsed value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(2), (value, indent) => {
        expect(depthOf(JSON.stringify(value, undefined, indent))).toBe(naiveDepth(value));
      }),
    );
  });
});

function naiveDepth(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(naiveDepth));
}
