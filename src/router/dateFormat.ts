/**
 * How items spell their dates: what a query text compares them with, and whether a stored value is
 * within a span.
 *
 * A date counts by its millisecond; what is finer is cut off. Bounds for a text find every item
 * within the span. Where they may find more (`isExact` is false), whoever reads the rows has to ask
 * `isWithin` about each.
 *
 * Not here: what counts as a date at all (`keys/time.ts`).
 */
import { DAY_MS } from "../base/units.ts";
import { EARLIEST_MILLIS, LATEST_MILLIS, timeOf } from "../keys/time.ts";
import { BadRoute } from "./badRoute.ts";

/** Milliseconds since 1970: from the first up to, but without, the last. */
export interface RouteSpan {
  readonly from: number;
  readonly before: number;
}

type Bound = string | number;

export interface DateFormat {
  /** Whether the order of stored values is the order of time. */
  readonly isOrdered: boolean;
  readonly isExact: boolean;
  boundsOf(span: RouteSpan): { readonly from: Bound; readonly before: Bound };
  isWithin(value: unknown, span: RouteSpan): boolean;
}

export interface DateOptions {
  /**
   * `iso`: ISO 8601 text, such as "2026-01-31T12:00:00Z". `epochSeconds` and `epochMillis`: numbers
   * since 1970. `iso` unless told.
   */
  readonly dateFormat?: "iso" | "epochSeconds" | "epochMillis";
  /**
   * For `iso`: says that every item spells its date in UTC, with `Z` and this many digits of a
   * fraction: 3 as `toISOString` of JavaScript does, 7 as .NET's "o", 0 without a fraction. Then
   * the order of the texts is the order of time, and the server finds exactly what is asked for.
   * Unless told, texts may have any offset and any fraction.
   */
  readonly isoDigits?: number;
}

/** The years that four digits can say. */
export const ALL_TIME: RouteSpan = { from: EARLIEST_MILLIS, before: LATEST_MILLIS + 1 };

const ISO_DIGITS_MAX = 9;
/** A text that comes after every digit, and so after every date. */
const AFTER_DATES = ":";
/** Local time is at most so far from UTC. */
const OFFSET_MS_MAX = DAY_MS;

export function dateFormatOf({ dateFormat = "iso", isoDigits }: DateOptions): DateFormat {
  if (isoDigits !== undefined && dateFormat !== "iso") {
    throw new BadRoute(`isoDigits is about texts; with dateFormat "${dateFormat}" leave it out.`);
  }
  switch (dateFormat) {
    case "iso":
      return isoDigits === undefined ? ANY_ISO : uniformIso(digitsOf(isoDigits));
    case "epochSeconds":
      return numbersOf(1000);
    case "epochMillis":
      return numbersOf(1);
    default:
      throw new BadRoute(
        `dateFormat: ${JSON.stringify(dateFormat)} is unknown. Write "iso" for ISO 8601 texts, ` +
          '"epochSeconds" or "epochMillis" for numbers; other spellings cannot be compared.',
      );
  }
}

function digitsOf(digits: number): number {
  if (Number.isInteger(digits) && digits >= 0 && digits <= ISO_DIGITS_MAX) return digits;
  throw new BadRoute(`isoDigits: ${digits} is not a whole number from 0 to ${ISO_DIGITS_MAX}.`);
}

function numbersOf(millisPerUnit: number): DateFormat {
  const boundsOf = ({ from, before }: RouteSpan): { from: number; before: number } => ({
    from: from / millisPerUnit,
    before: before / millisPerUnit,
  });
  return {
    isOrdered: true,
    isExact: true,
    boundsOf,
    // The very comparison that the server makes, so that both agree about fractions.
    isWithin(value, span) {
      const { from, before } = boundsOf(span);
      return typeof value === "number" && value >= from && value < before;
    },
  };
}

function uniformIso(digits: number): DateFormat {
  const boundsOf = ({ from, before }: RouteSpan): { from: string; before: string } => ({
    from: isoText(from, digits),
    before: isoText(before, digits),
  });
  return {
    isOrdered: true,
    isExact: true,
    boundsOf,
    isWithin(value, span) {
      const { from, before } = boundsOf(span);
      return typeof value === "string" && value >= from && value < before;
    },
  };
}

/** The first date that can be spelled so and is not earlier. */
function isoText(millis: number, digits: number): string {
  const unit = digits >= 3 ? 1 : 10 ** (3 - digits);
  const at = Math.ceil(Math.max(millis, EARLIEST_MILLIS) / unit) * unit;
  if (at > LATEST_MILLIS) return AFTER_DATES;
  const [seconds, fraction] = new Date(at).toISOString().slice(0, -1).split(".") as [
    string,
    string,
  ];
  return digits === 0
    ? `${seconds}Z`
    : `${seconds}.${fraction.slice(0, digits).padEnd(digits, "0")}Z`;
}

/** A text tells local time, so its day is at most one away from the day in UTC. */
const ANY_ISO: DateFormat = {
  isOrdered: false,
  isExact: false,
  boundsOf: ({ from, before }) => ({
    from: dayText(from - OFFSET_MS_MAX),
    before: dayText(before - 1 + OFFSET_MS_MAX + DAY_MS),
  }),
  isWithin(value, { from, before }) {
    const at = typeof value === "string" ? timeOf(value) : undefined;
    return at !== undefined && at >= from && at < before;
  },
};

function dayText(millis: number): string {
  if (millis > LATEST_MILLIS) return AFTER_DATES;
  // A year or a month alone is a date, and its text comes before those of its days.
  if (millis < EARLIEST_MILLIS) return "";
  return new Date(millis).toISOString().slice(0, 10);
}
