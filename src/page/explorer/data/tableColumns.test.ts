/** Columns of results: which, in which order, and what a cell shows. */
import { expect, test } from "vitest";
import { sortedRows } from "../../parts/rowOrder.ts";
import { cellOf, columnsOf, isNumeric, keyValues, sortValueIn } from "./tableColumns.ts";

const ROWS = [
  { id: "1", total: 1, _ts: 5, address: { city: "Rome" } },
  { id: "2", name: "x", tenant: "t" },
];

test.each<[string, readonly string[], boolean, readonly string[]]>([
  ["a key of one path", ["/tenant"], false, ["tenant", "id", "total", "address", "name"]],
  [
    "a nested key",
    ["/address/city"],
    false,
    ["address.city", "id", "total", "address", "name", "tenant"],
  ],
  ["system properties", ["/tenant"], true, ["tenant", "id", "total", "_ts", "address", "name"]],
  ["a key that is not there", ["/other"], false, ["id", "total", "address", "name", "tenant"]],
])("%s", (_, paths, isSystemShown, wanted) => {
  expect(columnsOf(ROWS, paths, isSystemShown).map(({ title }) => title)).toEqual(wanted);
});

test("rows that are no objects have one column", () => {
  expect(columnsOf([1, "a"], ["/id"], false).map(({ title }) => title)).toEqual(["value"]);
});

test("a key is read where its path leads", () => {
  const [city] = columnsOf(ROWS, ["/address/city"], false);
  expect(ROWS.map((row) => city!.read(row))).toEqual(["Rome", undefined]);
});

test.each<[unknown, string, boolean]>([
  [undefined, "missing", true],
  [null, "null", true],
  ["", '""', true],
  ["null", "null", false],
  [0, "0", false],
  [{ a: 1 }, '{"a":1}', false],
  ["x".repeat(100), `${"x".repeat(80)}…`, false],
])("%j is shown as %s", (value, text, isFaint) => {
  expect(cellOf(value)).toEqual({ text, isFaint });
});

test("values of a key: missing is not null", () => {
  const item = { a: null, b: { c: 0 } };
  expect(keyValues(item, ["/a", "/b/c", "/d"])).toEqual([null, 0, {}]);
});

test.each<[string, readonly unknown[], boolean]>([
  ["numbers", [1, 2.5], true],
  ["numbers, null and missing", [1, null, undefined], true],
  ["numbers and a text", [1, "2"], false],
  ["nothing but null", [null], false],
])("a column of %s", (_, values, wanted) => {
  const [column] = columnsOf(values, [], false);
  expect(isNumeric(column!, values)).toBe(wanted);
});

test("numbers are sorted as numbers, others as text, what is missing first", () => {
  const sorted = (isNumber: boolean, values: readonly unknown[]): readonly unknown[] =>
    sortedRows(values, {
      column: "v",
      isDescending: false,
      sortValueOf: (value) => sortValueIn(isNumber, value),
    });
  expect(sorted(true, [10, null, 9, -1])).toEqual([null, -1, 9, 10]);
  expect(sorted(false, ["b", null, true, "a"])).toEqual([null, "a", "b", true]);
});
