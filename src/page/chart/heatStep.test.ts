/** The scale of heat. */
import { expect, test } from "vitest";
import { heatStepOf } from "./heatStep.ts";

test.each<[number, number, boolean]>([
  [0, 0, false],
  [-1, 0, false],
  [Number.NaN, 0, false],
  [0.000001, 1, false],
  [0.5, 5, false],
  [0.89, 9, false],
  [1, 9, false],
  [1.01, 9, true],
])("%d is step %i (beyond: %s)", (share, step, isBeyond) => {
  expect(heatStepOf(share)).toEqual({ step, isBeyond });
});
