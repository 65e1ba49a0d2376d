/** Names by a table, weeks against a count of days, spans against a walk hour by hour. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TIME_GRAINS, type TimeGrain } from "./expression.ts";
import {
  meanPeriodMillis,
  nextPeriodStart,
  periodOf,
  periodStart,
  periodsBetween,
} from "./period.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const EARLIEST = Date.parse("0001-01-01T00:00:00Z");
const LATEST = Date.parse("9999-12-31T23:59:59.999Z");
const anyTime = fc.integer({ min: EARLIEST, max: LATEST });
const anyGrain = fc.constantFrom(...TIME_GRAINS);

describe("the period of a moment", () => {
  test.each<[TimeGrain, string, string]>([
    ["hour", "2025-10-03T08:59:59.999Z", "2025-10-03T08"],
    ["day", "2025-10-03T23:59:59.999Z", "2025-10-03"],
    ["week", "2025-10-03T12:00:00Z", "2025-W40"],
    ["month", "2025-10-03T12:00:00Z", "2025-10"],
    ["quarter", "2025-10-01T00:00:00Z", "2025-Q4"],
    ["quarter", "2025-09-30T23:59:59.999Z", "2025-Q3"],
    ["year", "2025-12-31T23:59:59.999Z", "2025"],
    ["year", "0044-03-15T00:00:00Z", "0044"],
    ["hour", "1969-12-31T23:00:00Z", "1969-12-31T23"],
    // Ends of years, where a week has the year of its Thursday.
    ["week", "2018-12-30T00:00:00Z", "2018-W52"],
    ["week", "2018-12-31T00:00:00Z", "2019-W01"],
    ["week", "2019-12-30T00:00:00Z", "2020-W01"],
    ["week", "2020-12-31T00:00:00Z", "2020-W53"],
    ["week", "2021-01-01T00:00:00Z", "2020-W53"],
    ["week", "2021-01-03T23:59:59.999Z", "2020-W53"],
    ["week", "2021-01-04T00:00:00Z", "2021-W01"],
    ["week", "2016-01-03T00:00:00Z", "2015-W53"],
    ["week", "2012-01-01T00:00:00Z", "2011-W52"],
    ["week", "2024-12-30T00:00:00Z", "2025-W01"],
    ["week", "2026-12-31T00:00:00Z", "2026-W53"],
    ["week", "2027-01-03T00:00:00Z", "2026-W53"],
  ])("%s of %s is %s", (grain, time, name) => {
    expect(periodOf(grain, Date.parse(time))).toBe(name);
  });

  test("weeks follow each other, and the first has 4 January in it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9998 }), fc.nat(366), (year, later) => {
        const fourth = Date.parse(`${String(year).padStart(4, "0")}-01-04T00:00:00Z`);
        const mondayOffset = (new Date(fourth).getUTCDay() + 6) % 7;
        const firstMonday = fourth - mondayOffset * DAY;
        const week = Math.floor(later / 7) + 1;
        if (week > 52) return; // Some years have 53; the table above has those.
        const name = `${String(year).padStart(4, "0")}-W${String(week).padStart(2, "0")}`;
        expect(periodOf("week", firstMonday + later * DAY)).toBe(name);
      }),
    );
  });

  test("changes exactly where a period starts, and names sort as times do", () => {
    fc.assert(
      fc.property(anyGrain, anyTime, (grain, millis) => {
        const start = periodStart(grain, millis);
        const next = nextPeriodStart(grain, millis);
        expect(start).toBeLessThanOrEqual(millis);
        expect(next).toBeGreaterThan(millis);
        expect(start).toBeGreaterThanOrEqual(EARLIEST);
        expect(periodOf(grain, start)).toBe(periodOf(grain, millis));
        if (next <= LATEST) {
          expect(periodOf(grain, next - 1)).toBe(periodOf(grain, millis));
          expect(periodOf(grain, next) > periodOf(grain, millis)).toBe(true);
          expect(periodStart(grain, next)).toBe(next);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("the periods of a span", () => {
  test.each<[TimeGrain, string, string, string]>([
    ["month", "2025-11-15", "2026-02-01", "2025-11 2025-12 2026-01 2026-02"],
    ["month", "2025-11-15", "2025-11-15", "2025-11"],
    ["quarter", "2025-03-31", "2025-04-01", "2025-Q1 2025-Q2"],
    ["week", "2020-12-28", "2021-01-11", "2020-W53 2021-W01 2021-W02"],
    ["year", "2019-12-31", "2021-01-01", "2019 2020 2021"],
    ["day", "2024-02-28", "2024-03-01", "2024-02-28 2024-02-29 2024-03-01"],
    ["day", "2024-03-01", "2024-02-28", ""],
  ])("%s from %s to %s", (grain, from, to, names) => {
    expect(periodsBetween(grain, Date.parse(from), Date.parse(to)).join(" ")).toBe(names);
  });

  test("are those that a walk hour by hour meets", () => {
    fc.assert(
      fc.property(anyGrain, anyTime, fc.nat(1000), (grain, time, hours) => {
        const from = Math.min(time, LATEST - hours * HOUR);
        const met = new Set<string>();
        for (let step = 0; step <= hours; step++) met.add(periodOf(grain, from + step * HOUR));
        expect(periodsBetween(grain, from, from + hours * HOUR)).toEqual([...met]);
      }),
      { numRuns: 100 },
    );
  });

  test("end where years have more than four digits", () => {
    expect(periodsBetween("year", LATEST - DAY, Number.POSITIVE_INFINITY)).toEqual(["9999"]);
    expect(periodsBetween("year", Number.NEGATIVE_INFINITY, EARLIEST)).toEqual(["0001"]);
    expect(periodsBetween("year", Number.NaN, EARLIEST)).toEqual([]);
  });

  test("are as many as their mean length says, over 400 years", () => {
    const span = Date.parse("2400-01-01") - Date.parse("2000-01-01");
    for (const grain of TIME_GRAINS.slice(2)) {
      const count = periodsBetween(
        grain,
        Date.parse("2000-01-03"),
        Date.parse("2400-01-02"),
      ).length;
      expect(Math.abs(count - span / meanPeriodMillis(grain))).toBeLessThanOrEqual(1);
    }
  });
});
