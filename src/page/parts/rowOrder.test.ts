/** The order of rows, and when it stays. */
import { describe, expect, test } from "vitest";
import { keptOrder, nextSort, parseSort, sortedRows } from "./rowOrder.ts";

const ROWS = [
  { id: "a", load: 2 },
  { id: "b10", load: 3 },
  { id: "b9", load: 1 },
];
const keyOf = (row: { readonly id: string }): string => row.id;

describe("rows are sorted", () => {
  test.each<[string, readonly string[]]>([
    ["-load", ["b10", "a", "b9"]],
    ["load", ["b9", "a", "b10"]],
    ["id", ["a", "b9", "b10"]],
  ])("by %s", (text, ids) => {
    const { column, isDescending } = parseSort(text);
    const sortValueOf = (row: (typeof ROWS)[number]): number | string =>
      column === "load" ? row.load : row.id;
    expect(sortedRows(ROWS, { column, isDescending, sortValueOf }).map(keyOf)).toEqual(ids);
  });

  test("or stay as they came", () => {
    expect(sortedRows(ROWS, undefined)).toBe(ROWS);
  });
});

test("a click sorts downwards first, then upwards", () => {
  expect(nextSort("-load", "items")).toBe("-items");
  expect(nextSort("-items", "items")).toBe("items");
  expect(nextSort("items", "items")).toBe("-items");
});

test("an order that is kept has new rows last", () => {
  const rows = [{ id: "new" }, ...ROWS];
  expect(keptOrder(rows, keyOf, ["b9", "gone", "a", "b10"]).map(keyOf)).toEqual([
    "b9",
    "a",
    "b10",
    "new",
  ]);
});
