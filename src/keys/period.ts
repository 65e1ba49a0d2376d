/**
 * Periods of time as keys, in UTC: 2025-10-03T08, 2025-10-03, 2025-W40, 2025-10, 2025-Q4, 2025.
 *
 * Weeks are those of ISO 8601: they begin on Monday and belong to the year of their Thursday, so
 * 31 December 2018 is in 2019-W01, and 1 January 2021 in 2020-W53. A week that took the year of its
 * day instead would put days that lie a year apart under one key.
 *
 * Times are milliseconds since 1970, in the years 0001 to 9999.
 */
import { DAY_MS, HOUR_MS } from "../base/units.ts";
import { calendarDay, daysOf } from "./calendar.ts";
import type { TimeGrain } from "./expression.ts";
import { EARLIEST_MILLIS, LATEST_MILLIS } from "./time.ts";

/** Of the Gregorian calendar, over four centuries. */
const YEAR_MEAN = 365.2425 * DAY_MS;

const MEAN_MILLIS: Readonly<Record<TimeGrain, number>> = {
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: YEAR_MEAN / 12,
  quarter: YEAR_MEAN / 4,
  year: YEAR_MEAN,
};

export function periodOf(grain: TimeGrain, millis: number): string {
  const days = Math.floor(millis / DAY_MS);
  if (grain === "week") return weekOf(days);
  const { year, month, day } = calendarDay(days);
  switch (grain) {
    case "year":
      return fourDigits(year);
    case "quarter":
      return `${fourDigits(year)}-Q${Math.ceil(month / 3)}`;
    case "month":
      return `${fourDigits(year)}-${twoDigits(month)}`;
    case "day":
      return `${fourDigits(year)}-${twoDigits(month)}-${twoDigits(day)}`;
    case "hour": {
      const hour = twoDigits(Math.floor((millis - days * DAY_MS) / HOUR_MS));
      return `${fourDigits(year)}-${twoDigits(month)}-${twoDigits(day)}T${hour}`;
    }
  }
}

/** Every period that has a moment in common with the span, in order. Both ends belong to it. */
export function periodsBetween(
  grain: TimeGrain,
  fromMillis: number,
  toMillis: number,
): readonly string[] {
  return periodStartsBetween(grain, fromMillis, toMillis).map((start) => periodOf(grain, start));
}

/** When those periods begin; the first may do so before the span. */
export function periodStartsBetween(
  grain: TimeGrain,
  fromMillis: number,
  toMillis: number,
): readonly number[] {
  const from = Math.max(fromMillis, EARLIEST_MILLIS);
  const to = Math.min(toMillis, LATEST_MILLIS);
  const starts: number[] = [];
  if (!(from <= to)) return starts;
  for (let at = periodStart(grain, from); at <= to; at = nextPeriodStart(grain, at)) {
    starts.push(at);
  }
  return starts;
}

export function periodStart(grain: TimeGrain, millis: number): number {
  switch (grain) {
    case "hour":
      return Math.floor(millis / HOUR_MS) * HOUR_MS;
    case "day":
      return Math.floor(millis / DAY_MS) * DAY_MS;
    case "week":
      return mondayOf(Math.floor(millis / DAY_MS)) * DAY_MS;
    case "month":
      return startOfMonths(millis, 1, 0);
    case "quarter":
      return startOfMonths(millis, 3, 0);
    case "year":
      return startOfMonths(millis, 12, 0);
  }
}

/** When the period after that of `millis` begins. */
export function nextPeriodStart(grain: TimeGrain, millis: number): number {
  switch (grain) {
    case "hour":
    case "day":
    case "week":
      return periodStart(grain, millis) + MEAN_MILLIS[grain];
    case "month":
      return startOfMonths(millis, 1, 1);
    case "quarter":
      return startOfMonths(millis, 3, 1);
    case "year":
      return startOfMonths(millis, 12, 1);
  }
}

export function meanPeriodMillis(grain: TimeGrain): number {
  return MEAN_MILLIS[grain];
}

/** The beginning of the stretch of `length` months that `millis` is in, or of a later one. */
function startOfMonths(millis: number, length: number, later: number): number {
  const { year, month } = calendarDay(Math.floor(millis / DAY_MS));
  const months = (Math.floor((month - 1) / length) + later) * length;
  return daysOf(year + Math.floor(months / 12), (months % 12) + 1, 1) * DAY_MS;
}

function weekOf(days: number): string {
  const thursday = mondayOf(days) + 3;
  const { year } = calendarDay(thursday);
  return `${fourDigits(year)}-W${twoDigits(Math.floor((thursday - daysOf(year, 1, 1)) / 7) + 1)}`;
}

/** In days, as 1 January 1970 was a Thursday. */
function mondayOf(days: number): number {
  return Math.floor((days + 3) / 7) * 7 - 3;
}

function fourDigits(year: number): string {
  return String(year).padStart(4, "0");
}

function twoDigits(count: number): string {
  return count < 10 ? `0${count}` : String(count);
}
