/** Splits and merges neither give nor forgive: what is held before is held after. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { millis, ru } from "../base/units.ts";
import { HIGH_CALLER } from "../model/caller.ts";
import { Budget } from "./budget.ts";
import { type Holding, mergedHolding, partOfHolding } from "./holding.ts";

const CLOCK = { now: () => millis(0), wallNow: () => 0 };

describe("what is held", () => {
  const parent: Holding = { balance: -300, savings: 0, buckets: new Map([[2, -50]]) };

  test("goes to two children, half each, debt as well", () => {
    const half = { balance: -150, savings: 0, pace: undefined, buckets: new Map([[2, -25]]) };
    expect(partOfHolding(parent, 1 / 2)).toEqual(half);
  });

  test("is added up by a merge, bucket by bucket", () => {
    const other = { balance: 400, savings: 70, pace: 3000, buckets: new Map([[3, 9]]) };
    const buckets = new Map([
      [2, -50],
      [3, 9],
    ]);
    const sum = { balance: 100, savings: 70, pace: 3000, buckets };
    expect(mergedHolding([parent, other])).toEqual(sum);
  });

  test("is what the next budget begins with, as far as it has room", () => {
    const budget = new Budget(CLOCK, { ratePerSecond: 400 }, { ...parent, balance: 500 });
    expect(budget.holding()?.balance).toBe(400);
    const indebted = new Budget(CLOCK, { ratePerSecond: 400 }, parent);
    expect(indebted.admit(HIGH_CALLER)).toMatchObject({ kind: "throttled", retryAfter: 751 });
  });

  test("of a budget without a rate is nothing", () => {
    expect(new Budget(CLOCK, { ratePerSecond: "unlimited" }).holding()).toBeUndefined();
  });
});

test("children hold together what their parent held, and so does who replaces them", () => {
  const anyAmount = fc
    .integer({ min: -1_000_000, max: 30_000 })
    .map((hundredths) => hundredths / 100);
  fc.assert(
    fc.property(anyAmount, fc.nat(100_000), anyAmount, (balance, savings, inBucket) => {
      const buckets = new Map([[1, inBucket]]);
      const parent: Holding = { balance, savings, pace: 100, buckets };
      const child = partOfHolding(parent, 1 / 2);
      expect(mergedHolding([child, child])).toEqual(parent);
    }),
  );
});

test("splitting ten times over is no way to spend more", () => {
  let now = 0;
  const clock = { now: () => millis(now), wallNow: () => now };
  let budgets = [new Budget(clock, { ratePerSecond: 400 })];
  budgets[0]!.settle(ru(400), HIGH_CALLER);
  let spent = 0;
  for (let round = 1; round <= 10; round++) {
    now += 100;
    for (const budget of budgets) {
      if (budget.admit(HIGH_CALLER).kind === "throttled") continue;
      budget.settle(ru(7), HIGH_CALLER);
      spent += 7;
    }
    const ratePerSecond = 400 / (2 * budgets.length);
    budgets = budgets.flatMap((budget) => {
      const holding = partOfHolding(budget.holding()!, 1 / 2);
      return [holding, holding].map((held) => new Budget(clock, { ratePerSecond }, held));
    });
  }
  expect(budgets.length).toBe(1024);
  expect(spent).toBeGreaterThan(0);
  const held = mergedHolding(budgets.map((budget) => budget.holding()!));
  expect(held.balance).toBeCloseTo(400 - spent, 6);
});
