/** Inequality of amounts, exactly and from a distribution. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { Defect } from "../base/assert.ts";
import { AmountDistribution, gini } from "./inequality.ts";

describe("the Gini coefficient", () => {
  test.each<[string, readonly number[], number | undefined]>([
    ["of nothing", [], undefined],
    ["of zeros", [0, 0], undefined],
    ["of one amount", [5], 0],
    ["of equal amounts", [3, 3, 3], 0],
    ["when one of four has everything", [0, 0, 8, 0], 0.75],
    ["of 1 and 3", [3, 1], 0.25],
    ["of 1 to 4", [4, 2, 1, 3], 0.25],
  ])("%s", (_, amounts, coefficient) => {
    expect(gini(amounts)).toBe(coefficient);
    expect(distributionOf(amounts).gini()).toBe(coefficient);
  });

  const anyAmounts = fc.array(fc.oneof(fc.nat(100), fc.nat(2 ** 40)), { maxLength: 60 });

  test("is half the mean difference over the mean", () => {
    fc.assert(
      fc.property(anyAmounts, (amounts) => {
        const total = amounts.reduce((sum, amount) => sum + amount, 0);
        if (total === 0) return;
        let differences = 0;
        for (const one of amounts)
          for (const other of amounts) differences += Math.abs(one - other);
        expect(gini(amounts)).toBeCloseTo(differences / (2 * amounts.length * total), 9);
      }),
    );
  });

  test("from a distribution it is at most 0.006 too low, never too high", () => {
    fc.assert(
      fc.property(anyAmounts, (amounts) => {
        const exact = gini(amounts);
        if (exact === undefined) return;
        const coefficient = distributionOf(amounts).gini()!;
        expect(coefficient).toBeLessThanOrEqual(exact + 1e-9);
        expect(coefficient).toBeGreaterThanOrEqual(exact - 0.006);
      }),
    );
  });

  test("a million amounts", () => {
    const amounts = Float64Array.from({ length: 1_000_000 }, (_, index) => (index * 7919) % 65_536);
    expect(gini(amounts)).toBeCloseTo(1 / 3, 3);
  });
});

describe("a distribution", () => {
  test("amounts come and go, and leave nothing behind", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2 ** 40)), fc.array(fc.nat(2 ** 40)), (staying, leaving) => {
        const distribution = distributionOf([...leaving, ...staying]);
        for (const amount of leaving) distribution.remove(amount);
        const expected = distributionOf(staying);
        expect(distribution.count).toBe(staying.length);
        expect(distribution.total).toBe(expected.total);
        expect(distribution.average).toBe(expected.average);
        expect(distribution.gini()).toBe(expected.gini());
      }),
    );
  });

  test("two of them come to one of all", () => {
    const whole = distributionOf([1, 5, 9, 100, 4000]);
    const sum = distributionOf([1, 9]);
    sum.addAll(distributionOf([5, 100, 4000]));
    expect([sum.count, sum.average, sum.gini()]).toEqual([5, whole.average, whole.gini()]);
  });

  test("the average of nothing is zero", () => {
    expect(new AmountDistribution().average).toBe(0);
  });

  test("removing what was never added is a defect", () => {
    expect(() => new AmountDistribution().remove(3)).toThrow(Defect);
  });
});

function distributionOf(amounts: readonly number[]): AmountDistribution {
  const distribution = new AmountDistribution();
  for (const amount of amounts) distribution.add(amount);
  return distribution;
}
