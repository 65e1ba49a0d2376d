/** How throughput buckets may be configured, and who may name them. */
import { describe, expect, test } from "vitest";
import { millis } from "../base/units.ts";
import { callerOf, HIGH_CALLER, isBucketId, LOW_CALLER } from "../model/caller.ts";
import { bucketBudgets } from "./throughputBuckets.ts";

describe("buckets", () => {
  test("earn their part of the rate, and keep what they held", () => {
    const amounts = new Map([[2, -7]]);
    const buckets = [
      { id: 2, percent: 50 },
      { id: 4, percent: 10 },
    ];
    const budgets = bucketBudgets(buckets, 1000, { amounts, now: millis(0) });
    expect(budgets[1]).toBeUndefined();
    expect(budgets[2]?.balance.amount).toBe(-7);
    expect(budgets[4]?.balance.amount).toBe(100);
    expect(budgets[2]?.balance.ratePerSecond).toBe(500);
  });
});

describe("callers", () => {
  test("are the same objects each time", () => {
    expect(callerOf("high")).toBe(HIGH_CALLER);
    expect(callerOf("low")).toBe(LOW_CALLER);
    for (const bucket of [1, 2, 3, 4, 5]) {
      expect(callerOf("low", bucket)).toBe(callerOf("low", bucket));
      expect(callerOf("low", bucket)).toEqual({ priority: "low", bucket });
      expect(callerOf("high", bucket)).toEqual({ priority: "high", bucket });
    }
  });

  test.each([0, 6, -1, 2.5, Number.NaN])("cannot name the bucket %s", (id) => {
    expect(isBucketId(id)).toBe(false);
    expect(() => callerOf("high", id)).toThrow("no bucket");
  });
});
