/** What lies before the first count is left out; everything after it stays. */
import { expect, test } from "vitest";
import { firstShown } from "./firstShown.ts";

const spans = (missing: number, counted: number): readonly boolean[] => [
  ...Array.from({ length: missing }, () => false),
  ...Array.from({ length: counted }, (_, at) => at % 3 !== 1),
];

test.each([
  ["nothing was counted", spans(60, 0), 0],
  ["counting has just begun", spans(59, 1), 45],
  ["counted for half an hour", spans(30, 30), 30],
  ["counted all the time", spans(0, 60), 0],
  ["few spans", spans(9, 1), 0],
] as const)("%s", (_case, isCounted, first) => {
  expect(firstShown(isCounted)).toBe(first);
});
