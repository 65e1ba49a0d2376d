/** How far a query reads: the rows there are, those that are given out, and the pages they take. */
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { FoundItems } from "./price.ts";
import type { VisitSetting } from "./visits.ts";
import { sumOf } from "./visits.ts";

export interface Extent {
  readonly available: number;
  readonly given: number;
  /** Up to the last one that is given, with those that OFFSET passes over. */
  readonly passed: number;
  /** All there were, as many as TOP or LIMIT say, or the client read no further. */
  readonly end: "exhausted" | "taken" | "left";
  readonly pages: Pages;
}

interface Pages {
  readonly count: number;
  /** Rows of each but the last. */
  readonly size: number;
}

/** Of rows that are made of items one by one. */
export function extentOf(setting: VisitSetting, found: readonly FoundItems[]): Extent {
  const { skip, take } = setting.shape;
  const available = sumOf(found, (each) => rowsIn(setting, each));
  const rest = Math.max(0, available - skip);
  const wanted = sumOf(found, ({ rowCount }) => rowCount);
  const given = Math.min(rest, take, wanted);
  const isTaken = isReached(Math.min(rest, wanted), take);
  const end = isTaken ? "taken" : isReached(given, rest) ? "exhausted" : "left";
  const passed = end === "exhausted" ? available : skip + given;
  return { available, given, passed, end, pages: pagesOf(setting, given, found) };
}

/** Rows that all matches of a partition make. */
export function rowsIn({ shape, row }: VisitSetting, found: FoundItems): number {
  const { matchCount, rowCount } = found;
  if (!shape.isJoined) return matchCount;
  const isCut = shape.skip > 0 || Number.isFinite(shape.take);
  return isCut ? matchCount * row.rowsPerItem : rowCount;
}

export function pagesOf(
  { row, isInner }: VisitSetting,
  rows: number,
  found: readonly FoundItems[],
): Pages {
  if (isInner) return { count: 1, size: INNER_COUNT_MAX };
  const asked = Math.min(found[0]?.pageSize ?? PAGE_COUNT_DEFAULT, SERVICE_LIMITS.pageItemsMax);
  const fitting = Math.max(1, Math.floor(SERVICE_LIMITS.pageBytesMax / Math.max(1, row.bytes)));
  const size = Math.min(asked, fitting);
  return { count: Math.max(1, Math.ceil(rows / size - SLACK)), size };
}

/** Rows of an inner query, `DERIVED_COUNT_MAX` there. */
const INNER_COUNT_MAX = 500_000;

/** Sums of shares are not exact: 100 rows on pages of 100 must not make two. */
const SLACK = 1e-9;

/** As many as that, but for what sums of shares are off by. */
export function isReached(count: number, wanted: number): boolean {
  return count >= wanted - SLACK * Math.max(1, count);
}

/** What a page has if the client does not say. */
const PAGE_COUNT_DEFAULT = 100;

/**
 * How many of so many items lie before the end of the first `share` of those that match: the mean
 * over all orders they could be in.
 */
export function placeOf(share: number, matchCount: number, itemCount: number): number {
  return (share * matchCount * (itemCount + 1)) / (matchCount + 1);
}

/** Ends of pages among these rows: wherever one lies, the next page goes on. */
export function pageEndsIn({ count, size }: Pages, from: number, to: number): number {
  const endsUpTo = (rows: number): number => Math.min(count - 1, Math.floor(rows / size + SLACK));
  return endsUpTo(to) - endsUpTo(from);
}
