/**
 * What counts as a time in an item: ISO 8601 text, or a number since 1970.
 *
 * Text without an offset is UTC, so that a key never depends on where it is made. A day, a month or
 * a year alone is the moment it begins. Numbers of fewer than twelve digits are seconds, others
 * milliseconds: as seconds that reaches the year 5138, as milliseconds it begins in 1973. A `Date`
 * is the text that it becomes in JSON.
 */

import { DAY_MS, MINUTE_MS } from "../base/units.ts";
import { calendarDay, daysOf } from "./calendar.ts";

/** The years 0001 to 9999: what four digits can say, and what .NET has. It begins on a Monday. */
export const EARLIEST_MILLIS: number = daysOf(1, 1, 1) * DAY_MS;
export const LATEST_MILLIS: number = daysOf(10_000, 1, 1) * DAY_MS - 1;

const MILLIS_MIN = 1e11;

const CLOCK = String.raw`([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d+))?)?`;
const OFFSET = String.raw`(?:Z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)?`;
const ISO = new RegExp(`^(\\d{4})(?:-(\\d\\d)(?:-(\\d\\d)(?:[T ]${CLOCK}${OFFSET})?)?)?$`, "i");

/** Milliseconds since 1970; undefined when it is no time. */
export function timeOf(value: unknown): number | undefined {
  if (typeof value === "string") return timeOfText(value);
  const millis = value instanceof Date ? value.getTime() : millisOfNumber(value);
  const isInside = millis >= EARLIEST_MILLIS && millis <= LATEST_MILLIS;
  return isInside ? millis : undefined;
}

function millisOfNumber(value: unknown): number {
  if (typeof value !== "number") return Number.NaN;
  return Math.floor(Math.abs(value) < MILLIS_MIN ? value * 1000 : value);
}

function timeOfText(text: string): number | undefined {
  const found = ISO.exec(text);
  if (found === null) return undefined;
  const [, year, month, day, hours, minutes, seconds, fraction, sign, ahead, aheadMinutes] = found;
  const [monthNumber, dayNumber] = [numberOf(month, 1), numberOf(day, 1)];
  const days = daysOf(Number(year), monthNumber, dayNumber);
  // A day that its month does not have would be one of the next.
  const date = calendarDay(days);
  if (date.month !== monthNumber || date.day !== dayNumber) return undefined;
  const late = numberOf(hours, 0) * 60 + numberOf(minutes, 0);
  const early = (numberOf(ahead, 0) * 60 + numberOf(aheadMinutes, 0)) * (sign === "-" ? -1 : 1);
  const millis = numberOf(seconds, 0) * 1000 + millisOfFraction(fraction);
  const at = days * DAY_MS + (late - early) * MINUTE_MS + millis;
  return at >= EARLIEST_MILLIS && at <= LATEST_MILLIS ? at : undefined;
}

function numberOf(digits: string | undefined, otherwise: number): number {
  return digits === undefined ? otherwise : Number(digits);
}

function millisOfFraction(digits: string | undefined): number {
  return digits === undefined ? 0 : Number(digits.slice(0, 3).padEnd(3, "0"));
}
