/** Rows as a table: what is shown, in which order, and what never reaches a terminal. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../json/value.ts";
import { tableOf } from "./table.ts";

const lines = (rows: readonly JsonValue[], width?: number): string[] =>
  tableOf(rows, width).trimEnd().split("\n");

describe("a table", () => {
  test("has a column for each member, and blanks where a row has none", () => {
    expect(
      lines([
        { id: "a", n: 1 },
        { id: "bc", x: null },
      ]),
    ).toEqual(["id  n  x", "──  ─  ────", "a   1", "bc     null"]);
  });

  test("lines numbers up on the right", () => {
    expect(lines([{ n: 5 }, { n: 1200 }])).toEqual(["   n", "────", "   5", "1200"]);
  });

  test("puts what the service adds to items last", () => {
    expect(lines([{ _ts: 1, _rid: "r", id: "a" }])[0]).toBe("id  _ts  _rid");
  });

  test("has one column for rows that are no objects", () => {
    expect(lines([1, "a", [1, 2]])).toEqual(["value", "─────", "1", "a", "[1,2]"]);
  });

  test("shows objects and lists as JSON, and cuts what is long", () => {
    const [, , row] = lines([{ o: { a: [1] }, s: "x".repeat(50) }]);
    expect(row).toBe(`{"a":[1]}  ${"x".repeat(39)}…`);
  });

  test("leaves out columns that do not fit, and names them", () => {
    expect(lines([{ a: "12345", b: "12345", c: "1" }], 12)).toEqual([
      "a      b",
      "─────  ─────",
      "12345  12345",
      "not shown: c",
    ]);
  });

  test("shows one column at least", () => {
    expect(lines([{ a: "12345", b: 1 }], 2)[2]).toBe("12345");
  });

  test("of no rows is nothing", () => {
    expect(tableOf([])).toBe("");
  });

  test("escapes what would move the cursor or change colours", () => {
    const [, , row] = lines(["\x1b[31m\n\x7f\u202e"]);
    expect(row).toBe("\\u001b[31m\\n\\u{7f}\\u{202e}");
  });
});

test("whatever the rows, a line for each and no control characters", () => {
  const rows = fc.array(fc.jsonValue({ stringUnit: "binary", maxDepth: 2 }), {
    minLength: 1,
    maxLength: 8,
  });
  fc.assert(
    fc.property(rows as fc.Arbitrary<JsonValue[]>, (some) => {
      const table = tableOf(some);
      expect(table.split("\n")).toHaveLength(some.length + 3);
      expect(table.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
    }),
  );
});
