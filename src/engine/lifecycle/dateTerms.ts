/**
 * Where in an index the items of a span of dates are. Dates are text or numbers, so a span is
 * several ranges of terms, and each range has more in it than the span: text with an offset from
 * UTC sorts up to a day off its time, and a day may be written with a blank or with a T. Whoever
 * scans a range reads the date of each term (`dateOfTerm`), and looks only at items inside.
 */
import { DAY_MS } from "../../base/units.ts";
import { PATH_HASH_BYTES, pathHashOf } from "../../index/hash.ts";
import { decodeValue, encodeBeginning, encodeValue } from "../../index/term.ts";
import { EARLIEST_MILLIS, LATEST_MILLIS, timeOf } from "../../keys/time.ts";
import type { KeyRange } from "../../store/partitionStore.ts";

/** The times `t` with `from <= t < to`. */
export interface DateSpan {
  readonly from: number;
  readonly to: number;
}

/** From this size on a number is milliseconds, and not seconds (`keys/time.ts`). */
const MILLIS_MIN = 1e11;
/** Of seconds that are rounded to whole ones on either side. */
const MARGIN_MS = 2000;

/** The ranges in which all items of a span are; none if the span is empty. */
export function termRangesOf(path: readonly string[], span: DateSpan): readonly KeyRange[] {
  const from = Math.max(span.from, EARLIEST_MILLIS);
  const to = Math.min(span.to, LATEST_MILLIS + 1);
  if (from >= to) return [];
  const start = pathHashOf(path);
  const numbers = (min: number, max: number): readonly KeyRange[] =>
    min < max ? [{ min: start + encodeValue(min), max: start + encodeValue(max) }] : [];
  const [low, high] = [from - MARGIN_MS, to + MARGIN_MS];
  return [
    ...numbers(low, Math.min(high, 1 - MILLIS_MIN)),
    ...numbers(Math.max(low / 1000, -MILLIS_MIN), Math.min(high / 1000, MILLIS_MIN)),
    ...numbers(Math.max(low, MILLIS_MIN), high),
    {
      min: start + encodeBeginning(dayText(from - DAY_MS)),
      max: start + encodeBeginning(dayText(to + 2 * DAY_MS)),
    },
  ];
}

/**
 * The time that a term stands for. `undefined` if it is none, and "unknown" if the term does not
 * hold all of the value.
 */
export function dateOfTerm(term: string): number | undefined | "unknown" {
  const value = decodeValue(term.slice(PATH_HASH_BYTES));
  return value === undefined ? "unknown" : timeOf(value);
}

/** The day in which a time is, as the beginning of every text of that day; of all days at most. */
function dayText(at: number): string {
  if (at < EARLIEST_MILLIS) return "0";
  if (at > LATEST_MILLIS) return ":";
  return new Date(at).toISOString().slice(0, 10);
}
