/** Values between commas: what is written can be read, and no cell is a formula. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { csvCells, csvText } from "./csv.ts";

test.each<[unknown, string]>([
  ["plain", "plain"],
  ['a "b", c', '"a ""b"", c"'],
  ["two\nlines", '"two\nlines"'],
  ["", '""'],
  [undefined, ""],
  [null, "null"],
  [1.5, "1.5"],
  [-1, "-1"],
  ["=1+1", "'=1+1"],
  ["-1", "'-1"],
  [{ a: [1, 2] }, '"{""a"":[1,2]}"'],
])("%j", (value, wanted) => {
  expect(csvText(["v"], [[value]])).toBe(`v\r\n${wanted}\r\n`);
});

test("what is written is read again", () => {
  const cell = fc.string().filter((text) => !/^[=+\-@\t\r]/.test(text));
  const rows = fc.array(fc.tuple(cell, cell));
  fc.assert(
    fc.property(rows, (cells) => {
      expect(csvCells(csvText(["a", "b"], cells))).toEqual([["a", "b"], ...cells]);
    }),
  );
});
