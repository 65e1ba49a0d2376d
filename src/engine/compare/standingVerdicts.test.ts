/** Verdicts that stand: the latest of each item counts, and memory has a bound. */
import { expect, test } from "vitest";
import type { Imprint } from "./bucketSums.ts";
import { StandingVerdicts } from "./standingVerdicts.ts";
import type { RowVerdict } from "./verdict.ts";

test("the latest verdict about an item takes the place of the one before", () => {
  const standing = new StandingVerdicts(10, 10);
  standing.enterFirst(1, equal(1));
  standing.enterFirst(2, equal(2));
  const before = standing.expected;
  standing.enter(2, missing(2));
  expect([standing.expected!.itemCount, standing.found!.itemCount]).toEqual([2, 1]);
  expect(standing.unsettled).toEqual([2]);
  standing.enterMoving(2);
  expect([standing.expected!.itemCount, standing.found!.itemCount]).toEqual([1, 1]);
  expect([standing.countOf("missing"), standing.inMotionCount]).toEqual([0, 1]);
  expect(standing.unsettled).toEqual([2]);
  standing.enter(2, equal(2));
  expect(standing.expected).toEqual(before);
  expect(standing.found).toEqual(before);
  standing.enter(2, { kind: "nothing" });
  expect(standing.found!.itemCount).toBe(1);
});

test("differences beyond those that can be remembered are counted, and need a whole run", () => {
  const standing = new StandingVerdicts(10, 2);
  for (const number of [1, 2]) standing.enterFirst(number, missing(number));
  expect(standing.canGoOn).toBe(true);
  standing.enterFirst(3, missing(3));
  expect(standing.countOf("missing")).toBe(3);
  expect(standing.listed.length).toBe(2);
  expect(standing.canGoOn).toBe(false);
});

test("items in motion beyond those that can be remembered need a whole run", () => {
  const standing = new StandingVerdicts(10, 1);
  standing.enterMoving(1);
  expect(standing.canGoOn).toBe(true);
  standing.enterMoving(2);
  expect(standing.inMotionCount).toBe(2);
  expect(standing.canGoOn).toBe(false);
});

test("sums are given up when an item changes of which the imprint is not known", () => {
  const standing = new StandingVerdicts(2, 10);
  for (const number of [1, 2, 3]) standing.enterFirst(number, equal(number));
  expect(standing.expected!.itemCount).toBe(3);
  standing.enter(2, equal(20));
  expect(standing.expected!.itemCount).toBe(3);
  standing.enter(3, equal(30));
  expect(standing.expected).toBeUndefined();
  expect(standing.found).toBeUndefined();
  expect(standing.rangesOf([])).toEqual([]);
  // Items are compared all the same.
  standing.enter(3, missing(3));
  expect(standing.countOf("missing")).toBe(1);
  expect(standing.canGoOn).toBe(true);
});

function imprintOf(n: number): Imprint {
  return { bucket: n, bytes: n, words: [n, 0, 0, n] };
}

function equal(n: number): RowVerdict {
  return { kind: "equal", imprint: imprintOf(n) };
}

function missing(n: number): RowVerdict {
  return { kind: "missing", id: `i${n}`, key: ["k"], expected: imprintOf(n), found: [] };
}
