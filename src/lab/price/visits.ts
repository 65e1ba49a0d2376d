/**
 * The work of a query in each physical partition, worked out from its shape and from what there is
 * to be found. What is counted when is `query/execute/work.ts` and `engine/queryCharge.ts`; this is
 * the same, with numbers of items in place of items. Numbers may be means, so they need not be
 * whole.
 *
 * Taken to be so, where the plan and the counts do not tell:
 * - matches lie evenly in the order of creation, and in the order of an index;
 * - of items that are found through the index and have to be tried on a further condition, one in
 *   ten matches; if every condition was asked of the index, and items are looked at only because it
 *   cannot be sure (EXISTS over an array, long strings), all of them do;
 * - an index is asked for all conditions. The server leaves out further ones once at most 64 items
 *   are left, which matters only for conditions that it has to try on items.
 */
import { LARGE_BYTES } from "../../query/execute/work.ts";
import type { CallCounts } from "../../query/plan/callCounts.ts";
import type { VisitWork } from "../../throughput/charge.ts";
import { NO_WORK } from "../../throughput/charge.ts";
import type { ExampleRow } from "./exampleRow.ts";
import type { FoundItems } from "./price.ts";
import type { PricedQuery } from "./queryShape.ts";

/** Work that is done so many times. */
export interface Paid {
  readonly work: VisitWork;
  readonly times: number;
}

export interface VisitSetting {
  readonly shape: PricedQuery;
  readonly row: ExampleRow;
  /** Of an item, as it is stored. */
  readonly itemBytes: number;
  /** Rows go to another query, which takes them all at once. */
  readonly isInner?: true;
}

const CANDIDATES_PER_MATCH = 10;
/** What is read of the index to find items, `GATHER_MAX` and `TESTED_MAX` there. */
const GATHERED_MAX = 50_000;
const TRIED_MAX = 1_000_000;
/** So few items are looked at rather than tried in the index. */
const FEW = 64;

/** How a partition is opened, and what leads to its items. */
interface Opening {
  readonly lookupCount: number;
  /** Items are reached through the index. */
  readonly isFound: boolean;
  /** Items that have to be looked at to know all matches. */
  readonly candidateCount: number;
  readonly scannedEntryCount: number;
}

export function openingOf({ access }: PricedQuery, found: FoundItems): Opening {
  const { isAnswered } = access;
  const isScoped = found.partitionItems !== undefined;
  const asked = access.lookupCount === 0 && isScoped ? 1 : access.lookupCount;
  const isWayIn = access.isWayIn || isScoped;
  const left = candidatesIn(found, access);
  const isGivenUp = !isScoped && !access.isOneTerm && left > GATHERED_MAX;
  const isFound = isAnswered ? asked > 0 : isWayIn && !isGivenUp;
  return {
    lookupCount: isFound ? asked : 0,
    isFound,
    candidateCount: isAnswered ? found.matchCount : isFound ? left : found.heldItems,
    scannedEntryCount: triedIn(found, access),
  };
}

/** Items that pass what the index is asked. */
export function candidatesIn(found: FoundItems, access: PricedQuery["access"]): number {
  const { matchCount, heldItems, candidateCount } = found;
  if (access.isAnswered) return matchCount;
  if (!access.isWayIn) return heldItems;
  const perMatch = access.isWhole ? 1 : CANDIDATES_PER_MATCH;
  return Math.max(matchCount, Math.min(candidateCount ?? perMatch * matchCount, heldItems));
}

/** Values of the whole partition are tried, unless other conditions leave few items. */
function triedIn(found: FoundItems, { triedCount, untriedCount }: PricedQuery["access"]): number {
  if (triedCount === 0) return 0;
  const { matchCount, heldItems, partitionItems } = found;
  const guess = found.candidateCount ?? CANDIDATES_PER_MATCH * matchCount;
  const isNarrowed = untriedCount > 0 || partitionItems !== undefined;
  const before = untriedCount > 0 ? Math.min(guess, heldItems) : heldItems;
  if (isNarrowed && before <= FEW) return 0;
  const valueCount = found.triedValueCount ?? partitionItems ?? heldItems;
  return Math.min(valueCount, TRIED_MAX) * (matchCount <= FEW ? 1 : triedCount);
}

/** Items that were looked at, and rows that came of them. */
interface Looked {
  readonly opening: Opening;
  readonly itemCount: number;
  /** Rows that the filter was tried on, that passed it, and that were given out from here. */
  readonly triedRows: number;
  readonly passedRows: number;
  readonly givenRows: number;
}

export function workOf(setting: VisitSetting, looked: Looked): VisitWork {
  const { shape, row, itemBytes } = setting;
  const { opening, itemCount, givenRows } = looked;
  const { tried, passed, given } = shape.calls;
  const callsOf = (kind: keyof CallCounts): number =>
    tried[kind] * looked.triedRows +
    passed[kind] * looked.passedRows +
    given[kind] * looked.givenRows;
  const opened: VisitWork = {
    ...NO_WORK,
    isOpened: true,
    lookupCount: opening.lookupCount,
    scannedEntryCount: opening.scannedEntryCount,
    rowBytes: row.bytes <= LARGE_BYTES ? givenRows * row.bytes : 0,
    textCallCount: callsOf("text"),
    otherCallCount: callsOf("others"),
  };
  if (shape.isOfIndex && shape.access.isAnswered) {
    return { ...opened, scannedEntryCount: opened.scannedEntryCount + itemCount };
  }
  const isLarge = itemBytes > LARGE_BYTES;
  return {
    ...opened,
    postingCount: opening.isFound ? itemCount : 0,
    itemCount,
    itemBytes: isLarge ? 0 : itemCount * itemBytes,
    largeItemBytes: isLarge ? itemCount * itemBytes : 0,
  };
}

/** What no partition pays alone: rows, and entries of an index that was walked. */
export function shared(
  { shape, row }: VisitSetting,
  work: VisitWork,
  rows: number,
  orderedEntries = 0,
): VisitWork {
  const { text, others } = shape.calls.given;
  return {
    ...work,
    rowBytes: work.rowBytes + (row.bytes <= LARGE_BYTES ? rows * row.bytes : 0),
    orderedEntryCount: work.orderedEntryCount + orderedEntries,
    textCallCount: work.textCallCount + text * rows,
    otherCallCount: work.otherCallCount + others * rows,
  };
}

export function sumOf<T>(list: readonly T[], of: (each: T) => number): number {
  return list.reduce((sum, each) => sum + of(each), 0);
}
