/** Where arrows lead in a table. */
import { expect, test } from "vitest";
import { cellAfter } from "./gridFocus.ts";

const EXTENT = { rowCount: 3, columnCount: 4 };

test.each<[string, boolean, readonly [number, number], readonly [number, number] | undefined]>([
  ["ArrowDown", false, [0, 1], [1, 1]],
  ["ArrowDown", false, [2, 1], [2, 1]],
  ["ArrowDown", true, [0, 1], [2, 1]],
  ["ArrowUp", false, [0, 1], [0, 1]],
  ["ArrowUp", true, [2, 1], [0, 1]],
  ["ArrowRight", false, [1, 3], [1, 3]],
  ["ArrowLeft", true, [1, 3], [1, 0]],
  ["Home", false, [1, 3], [1, 0]],
  ["End", true, [0, 0], [2, 3]],
  ["x", false, [0, 0], undefined],
])("%s (Mod: %s) from %j leads to %j", (key, ctrlKey, from, to) => {
  expect(cellAfter({ key, ctrlKey, metaKey: false }, from, EXTENT)).toEqual(to);
});
