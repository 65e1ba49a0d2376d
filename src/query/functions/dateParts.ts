/**
 * The calendar of the query language: instants counted in 100 ns ticks since 1970, and the parts
 * (year, month, … nanosecond) that date functions name.
 *
 * Every `Ticks` a function here returns lies within the years 1 to 9999, proleptic Gregorian and
 * UTC; an instant outside is `undefined`. Ticks are bigints because a double holds each tick
 * exactly only up to the year 1998. There are no leap seconds and no time zones.
 *
 * Not here: the text form of an instant (`dateText.ts`, `dateFormat.ts`).
 */

import { DAY_SECONDS } from "../../base/units.ts";

/** 100 ns steps since 1970-01-01T00:00:00Z; negative before. */
export type Ticks = bigint;

export interface CalendarTime {
  readonly year: number;
  /** Counts from 1. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** Ticks within the second, below 10,000,000. */
  readonly fraction: number;
}

/** Parts that always last the same. */
type SteadyPart =
  | "day"
  | "hour"
  | "minute"
  | "second"
  | "millisecond"
  | "microsecond"
  | "nanosecond";

export type DatePart = "year" | "month" | SteadyPart;

export const TICKS_PER_MS = 10_000n;
const NANOS_PER_TICK = 100n;
const FRACTIONS_PER_SECOND = 10_000_000;
const TICKS_PER_SECOND = BigInt(FRACTIONS_PER_SECOND);
const YEAR_MIN = 1;
const YEAR_MAX = 9999;

const NANOS: Readonly<Record<SteadyPart, bigint>> = {
  day: 86_400_000_000_000n,
  hour: 3_600_000_000_000n,
  minute: 60_000_000_000n,
  second: 1_000_000_000n,
  millisecond: 1_000_000n,
  microsecond: 1_000n,
  nanosecond: 1n,
};

const PART_NAMES: Readonly<Record<DatePart, readonly string[]>> = {
  year: ["year", "yyyy", "yy"],
  month: ["month", "mm", "m"],
  day: ["day", "dd", "d"],
  hour: ["hour", "hh"],
  minute: ["minute", "mi", "n"],
  second: ["second", "ss", "s"],
  millisecond: ["millisecond", "ms"],
  microsecond: ["microsecond", "mcs"],
  nanosecond: ["nanosecond", "ns"],
};

const PART_OF_NAME: ReadonlyMap<string, DatePart> = new Map(
  Object.entries(PART_NAMES).flatMap(([part, names]) =>
    names.map((name) => [name, part as DatePart] as const),
  ),
);

const VALUE_OF_PART: Readonly<Record<DatePart, (at: CalendarTime) => number>> = {
  year: (at) => at.year,
  month: (at) => at.month,
  day: (at) => at.day,
  hour: (at) => at.hour,
  minute: (at) => at.minute,
  second: (at) => at.second,
  millisecond: (at) => Math.floor(at.fraction / 10_000),
  microsecond: (at) => Math.floor(at.fraction / 10),
  nanosecond: (at) => at.fraction * 100,
};

/** Days of a common year before each month; the thirteenth entry is the length of the year. */
const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365] as const;

export function parseDatePart(name: string): DatePart | undefined {
  return PART_OF_NAME.get(name.toLowerCase());
}

/**
 * Returns the instant; undefined for a day that the calendar does not have. Every field must be an
 * integer.
 */
export function ticksOf(at: CalendarTime): Ticks | undefined {
  if (at.year < YEAR_MIN || at.year > YEAR_MAX || at.month < 1 || at.month > 12) return undefined;
  if (at.day < 1 || at.day > daysOfMonth(at.year, at.month)) return undefined;
  if (!isBelow(at.hour, 24) || !isBelow(at.minute, 60) || !isBelow(at.second, 60)) return undefined;
  if (!isBelow(at.fraction, FRACTIONS_PER_SECOND)) return undefined;
  const days = dayNumberOf(at.year, at.month, at.day) - EPOCH_DAY;
  const seconds = days * DAY_SECONDS + at.hour * 3600 + at.minute * 60 + at.second;
  return BigInt(seconds) * TICKS_PER_SECOND + BigInt(at.fraction);
}

/** The instant must be within the calendar, as all instants made here are. */
export function calendarOf(instant: Ticks): CalendarTime {
  const seconds = Number(floorDivide(instant, TICKS_PER_SECOND));
  const fraction = Number(instant - BigInt(seconds) * TICKS_PER_SECOND);
  const days = Math.floor(seconds / DAY_SECONDS);
  const secondOfDay = seconds - days * DAY_SECONDS;
  return {
    ...dateOfDayNumber(days + EPOCH_DAY),
    hour: Math.floor(secondOfDay / 3600),
    minute: Math.floor(secondOfDay / 60) % 60,
    second: secondOfDay % 60,
    fraction,
  };
}

/** Returns the day of the week, 0 for Monday; the first day of the year 1 was a Monday. */
export function dayOfWeekOf(at: CalendarTime): number {
  return dayNumberOf(at.year, at.month, at.day) % 7;
}

/** Returns the instant if it is within the years 1 to 9999, else undefined. */
export function withinCalendar(instant: Ticks): Ticks | undefined {
  return instant >= TICKS_MIN && instant < TICKS_END ? instant : undefined;
}

/**
 * Returns the value of a part. Fractions of a second count from the second's start: 130, 130161 and
 * 130161700 for .1301617.
 */
export function valueOfPart(part: DatePart, instant: Ticks): number {
  return VALUE_OF_PART[part](calendarOf(instant));
}

/**
 * Adds `count` parts; `count` must be a 64-bit integer. Nanoseconds that do not fill a tick are
 * dropped.
 */
export function addPart(part: DatePart, count: number, instant: Ticks): Ticks | undefined {
  if (part === "year") return addMonths(count * 12, instant);
  if (part === "month") return addMonths(count, instant);
  return withinCalendar(instant + (BigInt(count) * NANOS[part]) / NANOS_PER_TICK);
}

/**
 * Returns how many boundaries of the part lie between two instants; negative when `end` comes
 * first.
 */
export function countBoundaries(part: DatePart, start: Ticks, end: Ticks): number {
  if (part === "year") return calendarOf(end).year - calendarOf(start).year;
  if (part === "month") return monthNumberOf(calendarOf(end)) - monthNumberOf(calendarOf(start));
  return Number(floorDivide(nanosOf(end), NANOS[part]) - floorDivide(nanosOf(start), NANOS[part]));
}

/** Bins follow each other from `origin`, in both directions, each `count` parts long. */
interface Bins {
  readonly part: DatePart;
  /** A positive 64-bit integer. */
  readonly count: number;
  readonly origin: Ticks;
}

/** Returns the start of the bin that the instant is in. */
export function binStartOf(instant: Ticks, { part, count, origin }: Bins): Ticks | undefined {
  if (part === "year" || part === "month") {
    return monthBinStartOf(instant, part === "year" ? count * 12 : count, origin);
  }
  const binNanos = BigInt(count) * NANOS[part];
  const startNanos = floorDivide(nanosOf(instant - origin), binNanos) * binNanos;
  return withinCalendar(origin + floorDivide(startNanos, NANOS_PER_TICK));
}

/** Adds months. The day is kept if the month has it; otherwise the month's last day is taken. */
function addMonths(count: number, instant: Ticks): Ticks | undefined {
  const at = calendarOf(instant);
  const months = monthNumberOf(at) + count;
  const year = Math.floor(months / 12);
  if (year < YEAR_MIN || year > YEAR_MAX) return undefined;
  const month = months - year * 12 + 1;
  return ticksOf({ ...at, year, month, day: Math.min(at.day, daysOfMonth(year, month)) });
}

function monthBinStartOf(instant: Ticks, months: number, origin: Ticks): Ticks | undefined {
  const between = monthNumberOf(calendarOf(instant)) - monthNumberOf(calendarOf(origin));
  const binMonths = Math.floor(between / months) * months;
  const start = addMonths(binMonths, origin);
  // In the month a bin starts, the days before the origin's day are still in the bin before.
  return start !== undefined && start > instant ? addMonths(binMonths - months, origin) : start;
}

const isBelow = (count: number, end: number): boolean => count >= 0 && count < end;

const nanosOf = (ticks: Ticks): bigint => ticks * NANOS_PER_TICK;

const monthNumberOf = (at: CalendarTime): number => at.year * 12 + at.month - 1;

const isLeapYear = (year: number): boolean =>
  year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

function daysBeforeMonth(year: number, month: number): number {
  return DAYS_BEFORE_MONTH[month - 1]! + (month > 2 && isLeapYear(year) ? 1 : 0);
}

function daysOfMonth(year: number, month: number): number {
  return daysBeforeMonth(year, month + 1) - daysBeforeMonth(year, month);
}

/**
 * Returns the number of days before the year's first of January, counted from that of the year 1.
 */
function daysBeforeYear(year: number): number {
  const past = year - 1;
  return past * 365 + Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400);
}

function dayNumberOf(year: number, month: number, day: number): number {
  return daysBeforeYear(year) + daysBeforeMonth(year, month) + day - 1;
}

function dateOfDayNumber(dayNumber: number): Pick<CalendarTime, "year" | "month" | "day"> {
  // 400 years have 146,097 days, with leap days spread unevenly, so the guess is at most one year
  // off.
  let year = Math.floor((dayNumber * 400) / 146_097) + 1;
  if (daysBeforeYear(year) > dayNumber) year -= 1;
  else if (daysBeforeYear(year + 1) <= dayNumber) year += 1;
  const dayOfYear = dayNumber - daysBeforeYear(year);
  let month = 12;
  while (daysBeforeMonth(year, month) > dayOfYear) month -= 1;
  return { year, month, day: dayOfYear - daysBeforeMonth(year, month) + 1 };
}

function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
}

const EPOCH_DAY = dayNumberOf(1970, 1, 1);
const TICKS_PER_DAY = NANOS.day / NANOS_PER_TICK;
const TICKS_MIN: Ticks = BigInt(-EPOCH_DAY) * TICKS_PER_DAY;
const TICKS_END: Ticks = BigInt(daysBeforeYear(YEAR_MAX + 1) - EPOCH_DAY) * TICKS_PER_DAY;
