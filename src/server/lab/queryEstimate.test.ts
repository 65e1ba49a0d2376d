/** How far the share of items that pass may be off, by the size of the sample. */
import { expect, test } from "vitest";
import { shareOf } from "./queryEstimate.ts";

test("all items leave nothing to be guessed", () => {
  expect(shareOf(3, 10, 10)).toEqual({ low: 0.3, likely: 0.3, high: 0.3 });
});

test("a sample leaves a range, which narrows with it", () => {
  const small = shareOf(3, 10, 1_000);
  const large = shareOf(30, 100, 1_000);
  expect(small.low).toBeLessThan(large.low);
  expect(small.high).toBeGreaterThan(large.high);
  expect(shareOf(0, 10, 1_000).low).toBe(0);
  expect(shareOf(0, 10, 1_000).high).toBeGreaterThan(0.1);
});

test("of no sample nothing is known, and of no items there is nothing to know", () => {
  expect(shareOf(0, 0, 5)).toEqual({ low: 0, likely: 1, high: 1 });
  expect(shareOf(0, 0, 0)).toEqual({ low: 0, likely: 0, high: 0 });
});
