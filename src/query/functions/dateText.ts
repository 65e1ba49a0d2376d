/**
 * Instants as text: the date strings the query language accepts, and the one form it writes.
 *
 * Accepted is a whole date, then nothing, or `T` or a space and a whole time with up to seven
 * digits of a fraction; a `Z` may end either. All times are UTC: an offset makes a text no date.
 */
import { calendarOf, type Ticks, ticksOf } from "./dateParts.ts";

const INSTANT = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,7}))?)?Z?$/;

export function parseInstant(text: string): Ticks | undefined {
  const match = INSTANT.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour = 0, minute = 0, second = 0, digits = ""] = match;
  return ticksOf({
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    fraction: Number(digits.padEnd(7, "0")),
  });
}

/** Such texts sort as their instants do. */
export function instantText(instant: Ticks): string {
  const at = calendarOf(instant);
  const date = `${digits(at.year, 4)}-${digits(at.month, 2)}-${digits(at.day, 2)}`;
  const time = `${digits(at.hour, 2)}:${digits(at.minute, 2)}:${digits(at.second, 2)}`;
  return `${date}T${time}.${digits(at.fraction, 7)}Z`;
}

/** A non-negative integer with at least `count` digits. */
export const digits = (integer: number, count: number): string =>
  String(integer).padStart(count, "0");
