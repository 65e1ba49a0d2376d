/** How many items there are on a day, and at most. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DAYS_PER_MONTH } from "../../base/units.ts";
import { SAMPLE_GROWTH } from "../data/sampleWorkload.fake.ts";
import { itemsOnDay, itemsWritten, oldestDay, totalItems } from "./totalItems.ts";
import type { Growth } from "./workload.ts";

const growths: fc.Arbitrary<Growth> = fc
  .record({
    itemsPerDay: fc.constantFrom(0, 1, 1000),
    initialItems: fc.constantFrom(0, 500, 1_000_000),
    retentionDays: fc.constantFrom(undefined, 0.5, 30, 400, 10_000),
    perMonth: fc.constantFrom(0, 0.1, -0.3),
  })
  .map((said) => ({ ...SAMPLE_GROWTH, ...said }));

describe("items over time", () => {
  test.each([
    ["nothing is thrown away", {}, 100, 1_000_000],
    ["what was there stays", { initialItems: 500 }, 100, 1_000_500],
    ["a month is kept", { retentionDays: 30 }, 100, 300_000],
    ["it is not full yet", { retentionDays: 30 }, 10, 100_000],
    ["what was there goes evenly", { retentionDays: 30, initialItems: 90_000 }, 10, 160_000],
    ["no writes", { itemsPerDay: 0, initialItems: 7 }, 100, 7],
  ])("%s", (_, said, day, expected) => {
    expect(itemsOnDay({ ...SAMPLE_GROWTH, ...said }, day)).toBeCloseTo(expected, 4);
  });

  test("growth of a tenth each month is compounded, day by day", () => {
    const growth = { ...SAMPLE_GROWTH, perMonth: 0.1 };
    let sum = 0;
    for (let day = 0; day < 100; day += 0.01) {
      sum += 100 * 1.1 ** ((day + 0.005) / DAYS_PER_MONTH);
    }
    expect(itemsOnDay(growth, 100) / sum).toBeCloseTo(1, 5);
  });

  test("what is written in parts is what is written; the most is never below any day", () => {
    fc.assert(
      fc.property(growths, fc.integer({ min: 1, max: 60 }), (growth, months) => {
        const end = months * DAYS_PER_MONTH;
        const parts = [-20, end / 3, end / 2].map((day, at, days) =>
          itemsWritten(growth, day, days[at + 1] ?? end),
        );
        const whole = itemsWritten(growth, -20, end);
        expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(whole, 3);
        const most = totalItems(growth, months);
        for (let step = 0; step <= 100; step++) {
          const day = (end * step) / 100;
          expect(itemsOnDay(growth, day)).toBeLessThanOrEqual(most * 1.001);
          expect(itemsOnDay(growth, day)).toBeGreaterThanOrEqual(0);
          expect(oldestDay(growth, day)).toBeLessThanOrEqual(day);
        }
      }),
    );
  });
});
