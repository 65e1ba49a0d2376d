/** Where keys lead. */
import { expect, test } from "vitest";
import { movedBy, nextIndex } from "./keyMoves.ts";

test.each<[string, number, number | undefined]>([
  ["ArrowRight", 0, 1],
  ["ArrowRight", 2, 0],
  ["ArrowLeft", 0, 2],
  ["Home", 2, 0],
  ["End", 0, 2],
  ["x", 1, undefined],
])("%s in a row of three, from %i", (key, at, next) => {
  expect(nextIndex(key, at, 3)).toBe(next);
});

test.each<[string, boolean, number | undefined]>([
  ["ArrowRight", true, 116],
  ["ArrowLeft", true, 84],
  ["ArrowDown", true, undefined],
  ["ArrowDown", false, 116],
  ["ArrowUp", false, 84],
  ["Home", true, 60],
  ["End", false, 200],
])("%s moves a bar at 100 (between panes in a row: %s)", (key, isRow, extent) => {
  expect(movedBy(key, 100, { min: 60, max: 200, isRow })).toBe(extent);
});
