/**
 * The partition key of the feed, the month of publication in UTC ("2026-03"), and the months that a
 * question is about. `orrery/keys` makes both from one expression, so that a reader visits exactly
 * the keys under which a writer has put something.
 */
import { type KeyStrategy, periodStart, strategyOf, timeOf } from "orrery/keys";
import { BadFeedInput, dateTextOf, type FeedItem, type StoredFeedItem } from "./feedItem.ts";

export const BY_MONTH: KeyStrategy = strategyOf("month(/publishedDate)", {
  property: "partitionKey",
});

/** What a container of feeds is created with. */
export const PARTITION_KEY_PATH: string = BY_MONTH.paths[0]!;

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

export function isMonth(text: unknown): text is string {
  return typeof text === "string" && MONTH.test(text);
}

export function withMonth(item: FeedItem): StoredFeedItem {
  return { ...item, partitionKey: monthOf(item.publishedDate) };
}

export function monthOf(date: string): string {
  const [month] = BY_MONTH.keyOf({ publishedDate: date });
  if (!isMonth(month)) throw new BadFeedInput(`${JSON.stringify(date)} is in no month.`);
  return month;
}

/** Times from a first one up to, but without, a last one. */
export interface DateRange {
  readonly from: string;
  readonly to: string;
}

export function dateRangeOf(from: string | Date, to: string | Date): DateRange {
  const range = { from: dateTextOf("from", from), to: dateTextOf("to", to) };
  if (range.from <= range.to) return range;
  throw new BadFeedInput(`The range ends before it begins: ${range.from} to ${range.to}.`);
}

/** True if no moment is in it. */
export function isEmptyRange({ from, to }: DateRange): boolean {
  return from >= to;
}

/** The months that have a moment in the range, the newest first. */
export function monthsIn({ from, to }: DateRange): readonly string[] {
  if (isEmptyRange({ from, to })) return [];
  const range = { path: "/publishedDate", from: timeOf(from)!, to: timeOf(to)! - 1 };
  const visits = BY_MONTH.visits({ values: new Map(), range });
  if (visits === undefined) {
    throw new BadFeedInput(`From ${from} to ${to} are too many months to visit; ask for less.`);
  }
  return visits.keys.map(([month]) => String(month)).toReversed();
}

/** When so many months before the month of `date` began; 0 stands for that month itself. */
export function monthStart(date: Date, monthsBack: number): Date {
  const start = new Date(periodStart("month", date.getTime()));
  start.setUTCMonth(start.getUTCMonth() - monthsBack);
  return start;
}

/**
 * The first month of which a part is younger than so many years. All months before it are older as
 * a whole. On 29 February a year ago is 1 March: nothing is taken for older than it is.
 */
export function firstYoungMonth(now: Date, years: number): string {
  const cutoff = new Date(now);
  cutoff.setUTCFullYear(cutoff.getUTCFullYear() - years);
  return monthOf(cutoff.toISOString());
}
