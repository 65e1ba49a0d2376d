/** How rates are divided: the documented examples, one row each. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "../model/limits.ts";
import type { RateSetting, Throughput } from "../model/throughput.ts";
import { allotmentOf, budgetOptionsOf, sharedBudgetIndex } from "./allotment.ts";

const SETTING: RateSetting = {
  isLimited: true,
  isServerless: false,
  hasBurst: false,
  manualRatePerPartition: 10_000,
};
const manual = (ratePerSecond: number): Throughput => ({ kind: "manual", ratePerSecond });

describe("a rate", () => {
  test.each([
    { rule: "is divided evenly", rate: 18_000, count: 3, each: 6000 },
    { rule: "may be all that each can serve", rate: 30_000, count: 3, each: 10_000 },
    { rule: "is not served beyond that", rate: 24_000, count: 2, each: 10_000 },
    { rule: "falls for each when one is split", rate: 18_000, count: 4, each: 4500 },
    { rule: "rises for each when two are merged", rate: 18_000, count: 2, each: 9000 },
  ])("$rule: $rate over $count", ({ rate, count, each }) => {
    expect(allotmentOf(rate, count, SERVICE_LIMITS)).toBe(each);
  });
});

describe("a budget", () => {
  const throughput = manual(800);

  test("has the allotted rate", () => {
    const options = budgetOptionsOf({ throughput, count: 2 }, SETTING, SERVICE_LIMITS);
    expect(options).toEqual({ ratePerSecond: 400, burst: undefined, buckets: undefined });
  });

  test("has the ceiling of autoscale, and saves on that", () => {
    const autoscale: Throughput = { kind: "autoscale", rateMax: 4000 };
    const setting = { ...SETTING, hasBurst: true };
    const options = budgetOptionsOf({ throughput: autoscale, count: 2 }, setting, SERVICE_LIMITS);
    expect(options.ratePerSecond).toBe(2000);
    expect(options.burst).toEqual({ rateMax: 3000, savedSeconds: 300 });
  });

  test("has its buckets", () => {
    const buckets = [{ id: 1, percent: 10 }];
    const options = budgetOptionsOf({ throughput, count: 1, buckets }, SETTING, SERVICE_LIMITS);
    expect(options.buckets).toBe(buckets);
  });

  test("is for what a serverless physical partition serves, however many there are", () => {
    const setting = { ...SETTING, isServerless: true, hasBurst: true };
    const options = budgetOptionsOf({ count: 3 }, setting, SERVICE_LIMITS);
    expect(options).toEqual({ ratePerSecond: 5000 });
  });

  test("has no end when rates are not limited", () => {
    const setting = { ...SETTING, isLimited: false };
    const unlimited = { ratePerSecond: "unlimited" };
    expect(budgetOptionsOf({ throughput, count: 1 }, setting, SERVICE_LIMITS)).toEqual(unlimited);
  });

  test("shrinks with the limits", () => {
    const limits = { ...SERVICE_LIMITS, partitionRateMax: 1000, burstRateMax: 300 };
    const setting = { ...SETTING, hasBurst: true };
    const options = budgetOptionsOf({ throughput: manual(5000), count: 2 }, setting, limits);
    expect(options).toMatchObject({ ratePerSecond: 1000, burst: { rateMax: 300 } });
  });
});

describe("the shared budget of a physical partition", () => {
  test.each([
    { rule: "is the only one", middle: 0.5, ends: [1], index: 0 },
    { rule: "is the one at its place", middle: 0.75, ends: [0.5, 1], index: 1 },
    {
      rule: "is so though boundaries are rounded",
      middle: (0.3333333 + 0.6666666) / 2,
      ends: [0.3333334, 0.6666667, 1],
      index: 1,
    },
    { rule: "is the same for both halves of a range", middle: 0.125, ends: [0.5, 1], index: 0 },
    { rule: "is the same for both halves of a range", middle: 0.375, ends: [0.5, 1], index: 0 },
    { rule: "is that of a narrow range inside of it", middle: 0.05, ends: [0.1, 1], index: 0 },
    { rule: "is the next one on the boundary", middle: 0.5, ends: [0.5, 1], index: 1 },
    { rule: "is the last one at the very end", middle: 1, ends: [0.5, 1], index: 1 },
  ])("$rule", ({ middle, ends, index }) => {
    expect(sharedBudgetIndex(middle, ends)).toBe(index);
  });

  test("is each one once for the ranges that have them, and in the order of any others", () => {
    const anyEnds = fc
      .uniqueArray(fc.integer({ min: 1, max: 999_999 }), { maxLength: 30 })
      .map((cuts) => [...cuts.sort((a, b) => a - b), 1_000_000].map((end) => end / 1e6));
    const middlesOf = (ends: readonly number[]): readonly number[] =>
      ends.map((end, index) => ((ends[index - 1] ?? 0) + end) / 2);
    fc.assert(
      fc.property(anyEnds, anyEnds, (ends, others) => {
        const own = middlesOf(ends).map((middle) => sharedBudgetIndex(middle, ends));
        expect(own).toEqual(ends.map((_, index) => index));
        const indices = middlesOf(others).map((middle) => sharedBudgetIndex(middle, ends));
        expect(indices).toEqual([...indices].sort((a, b) => a - b));
      }),
    );
  });
});
