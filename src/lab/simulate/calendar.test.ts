/** Periods of the calendar: a table of instants, then that they tile time. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { grainDays } from "../candidate/keyShape.ts";
import type { TimeResolution } from "../data/facts.ts";
import { passedShare, periodsWithin } from "./calendar.ts";

const NOON = Date.UTC(2026, 7, 13, 12);

const PASSED: readonly (readonly [TimeResolution, passedDays: number])[] = [
  ["year", 31 + 28 + 31 + 30 + 31 + 30 + 31 + 12.5],
  ["quarter", 31 + 12.5],
  ["month", 12.5],
  // It is a Thursday.
  ["week", 3.5],
  ["day", 0.5],
  ["hour", 0],
];

describe("where in its period an instant is", () => {
  test.each(PASSED)("%s: %d days after its beginning", (grain, days) => {
    expect(passedShare(grain, NOON) * grainDays(grain)).toBeCloseTo(days, 9);
  });

  test("the last day of a long month is not beyond it", () => {
    expect(passedShare("month", Date.UTC(2026, 7, 31, 23))).toBe(1);
  });
});

describe("periods of a span", () => {
  const anyGrain = fc.constantFrom<TimeResolution>("year", "quarter", "month", "week", "day");
  const anyMillis = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2030, 0, 1) });

  test("months are as long as they are", () => {
    const months = periodsWithin("month", Date.UTC(2024, 0, 15), Date.UTC(2024, 3, 2));
    const days = months.map(({ from, to }) => (to - from) / 86_400_000);
    expect(days).toEqual([31, 29, 31, 30]);
  });

  test("one follows the other, and all of them cover the span and nothing else", () => {
    const anyDays = fc.integer({ min: 1, max: 800 });
    fc.assert(
      fc.property(anyGrain, anyMillis, anyDays, (grain, from, days) => {
        const to = from + days * 86_400_000;
        const periods = periodsWithin(grain, from, to);
        expect(periods[0]!.from).toBeLessThanOrEqual(from);
        expect(periods[0]!.to).toBeGreaterThan(from);
        expect(periods.at(-1)!.from).toBeLessThan(to);
        expect(periods.at(-1)!.to).toBeGreaterThanOrEqual(to);
        for (let at = 1; at < periods.length; at++) {
          expect(periods[at]!.from).toBe(periods[at - 1]!.to);
        }
      }),
    );
  });
});
