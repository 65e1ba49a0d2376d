/** When two answers to one query say the same. */
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../json/value.ts";
import type { ComparisonTerms } from "./rowComparison.ts";
import { compareRows } from "./rowComparison.ts";

type Rows = readonly JsonValue[];
const SYSTEM = { _rid: "a", _self: "b", _etag: "c", _attachments: "d", _ts: 1 };
const OTHERS = { _rid: "z", _self: "y", _etag: "x", _attachments: "w", _ts: 2 };

function kindOf(source: Rows, target: Rows, terms: Partial<ComparisonTerms> = {}): string {
  const plain = { isOrdered: false, isAggregating: false, cutAt: undefined };
  return compareRows(source, target, { ...plain, ...terms }).kind;
}

test.each<[string, Rows, Rows, string]>([
  ["another order of rows", [1, 2], [2, 1], "same"],
  ["one row more often", [1, 1, 2], [1, 2, 2], "different"],
  ["one row less", [1, 2], [1], "different"],
  [
    "another order of properties",
    [{ a: 1, b: [{ c: 1, d: 2 }] }],
    [{ b: [{ d: 2, c: 1 }], a: 1 }],
    "same",
  ],
  ["another order of an array", [[1, 2]], [[2, 1]], "different"],
  ["an item of another container", [{ id: "1", ...SYSTEM }], [{ id: "1", ...OTHERS }], "same"],
  [
    "such an item inside a row",
    [{ c: { id: "1", ...SYSTEM } }],
    [{ c: { id: "1", ...OTHERS } }],
    "same",
  ],
  ["a property that is only called so", [{ a: { _ts: 1 } }], [{ a: { _ts: 2 } }], "different"],
  ["a property that is missing", [{ a: 1 }], [{ a: 1, b: null }], "different"],
  ["a number and its text", [1], ["1"], "different"],
  ["a sum in another order", [0.1 + 0.2], [0.3], "different"],
])("%s", (_what, source, target, kind) => {
  expect(kindOf(source, target)).toBe(kind);
});

test.each<[string, Rows, Rows, Partial<ComparisonTerms>, string]>([
  ["rows of an order that come in another", [1, 2], [2, 1], { isOrdered: true }, "reordered"],
  ["other rows of an order", [1, 2], [1, 3], { isOrdered: true }, "different"],
  [
    "other rows of an order that was cut off",
    [1, 2],
    [1, 3],
    { isOrdered: true, cutAt: 2 },
    "reordered",
  ],
  ["any rows up to a cut", [1, 2], [1, 3], { cutAt: 2 }, "same"],
  ["rows that were not cut off", [1, 2], [1, 3], { cutAt: 3 }, "different"],
  ["fewer rows than the cut lets through", [1, 2], [1], { cutAt: 2 }, "different"],
  ["sums in another order", [{ s: 0.1 + 0.2 }], [{ s: 0.3 }], { isAggregating: true }, "same"],
  ["sums that are not equal", [{ s: 0.31 }], [{ s: 0.3 }], { isAggregating: true }, "different"],
  [
    "sums of groups in another order",
    [
      { g: 1, s: 0.1 + 0.2 },
      { g: 2, s: 0.7 },
    ],
    [
      { g: 2, s: 0.1 + 0.6 },
      { g: 1, s: 0.3 },
    ],
    { isAggregating: true },
    "same",
  ],
  [
    "sums of the wrong groups",
    [
      { g: 1, s: 0.3 },
      { g: 2, s: 0.7 },
    ],
    [
      { g: 1, s: 0.7 },
      { g: 2, s: 0.3 },
    ],
    { isAggregating: true },
    "different",
  ],
])("%s", (_what, source, target, terms, kind) => {
  expect(kindOf(source, target, terms)).toBe(kind);
});

describe("names of rows that differ", () => {
  const terms = { isOrdered: false, isAggregating: false, cutAt: undefined };
  test.each<[string, Rows, Rows, readonly string[]]>([
    ["the id, once for both sides", [{ id: "a", n: 1 }], [{ id: "a", n: 2 }], ["a"]],
    ["the id of the item in the row", [{ c: { id: "a" } }], [], ["a"]],
    ["the row where there is no id", [5], [6], ["only on the source: 5", "only on the target: 6"]],
  ])("%s", (_what, source, target, names) => {
    expect(compareRows(source, target, terms).names).toEqual(names);
  });

  test("at most twenty, and no long ones", () => {
    const rows = Array.from({ length: 50 }, (_row, n) => `${n}${"x".repeat(1_000)}`);
    const { names } = compareRows(rows, [], terms);
    expect(names.length).toBe(20);
    expect(Math.max(...names.map(({ length }) => length))).toBeLessThan(150);
  });
});
