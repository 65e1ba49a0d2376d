/**
 * Instants as text: the date strings that the query language accepts, and the one form it writes.
 *
 * A text must be a whole date, alone or followed by `T` or a space and a whole time with up to
 * seven digits of a fraction; a `Z` may end either. All times are UTC: a text with an offset is no
 * date.
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

/** Returns the text of an instant; such texts sort as their instants do. */
export function instantText(instant: Ticks): string {
  const at = calendarOf(instant);
  const date = `${digits(at.year, 4)}-${digits(at.month, 2)}-${digits(at.day, 2)}`;
  const time = `${digits(at.hour, 2)}:${digits(at.minute, 2)}:${digits(at.second, 2)}`;
  return `${date}T${time}.${digits(at.fraction, 7)}Z`;
}

/** Returns a non-negative integer with at least `count` digits. */
export const digits = (integer: number, count: number): string =>
  String(integer).padStart(count, "0");
