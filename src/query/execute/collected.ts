/**
 * Rows that had to be collected before the first could be given, in their order. A page gives some
 * of them and hands the rest back, so that the caller can keep it: as long as the data does not
 * change, the next page need not collect again. Keeping the rest saves time and changes nothing
 * else: the first page pays for collecting, and a later page pays for what it gives, whether it has
 * to collect again or not.
 */
import type { PageRows } from "./pageRows.ts";
import type { Place, Position } from "./position.ts";
import type { QueryWork } from "./work.ts";

export interface CollectedRow {
  /** Absent when the entry is only a place to go on from, without a row. */
  readonly text: (() => Buffer) | undefined;
  readonly place: Place;
}

export interface Collected {
  readonly rows: readonly CollectedRow[];
  /** True when no row follows the last of `rows`. */
  readonly isAll: boolean;
  readonly walk?: OrderedWalk | undefined;
}

/**
 * What a walk along the index would have met, for rows that were sorted although an index has their
 * order. A page that walks until it is full is taken to meet entries and rows in the same
 * proportion as the whole walk.
 */
export interface OrderedWalk {
  readonly entryCount: number;
  readonly passedCount: number;
}

export interface Ended {
  readonly rows: readonly Buffer[];
  readonly next: Position | undefined;
  /** The rows from `next` on that have been collected already. */
  readonly rest?: Collected | undefined;
}

/** Number of rows that are collected ahead, for the next pages, when the page needs fewer. */
export const AHEAD_COUNT = 5_000;

/** Gives the page its rows out of `collected`. `position` is where the page begins. */
export function give(
  collected: Collected,
  rows: PageRows,
  position: Position | undefined,
  work: QueryWork,
): Ended {
  if (position !== undefined) work.forgetVisits();
  const ended = giveRows(collected, rows, position);
  if (collected.walk !== undefined) {
    const before = walkedTo(collected.walk, position?.given ?? 0);
    const { given = 0 } = rows.remaining;
    const after =
      ended.next === undefined ? collected.walk.entryCount : walkedTo(collected.walk, given);
    work.orderedEntryCount = Math.max(0, after - before);
  }
  return ended;
}

function walkedTo({ entryCount, passedCount }: OrderedWalk, given: number): number {
  return Math.floor((entryCount * Math.min(given, passedCount)) / Math.max(1, passedCount));
}

function giveRows(
  { rows: list, isAll, walk }: Collected,
  rows: PageRows,
  position: Position | undefined,
): Ended {
  let last = position;
  for (const [index, { text, place }] of list.entries()) {
    // If more rows may follow, the last collected one only shows that, and begins the next page.
    const isSpare = !isAll && index === list.length - 1;
    const added = isSpare ? "full" : text === undefined ? "taken" : rows.add(text);
    if (added === "full") {
      return { rows: rows.texts, next: last, rest: { rows: list.slice(index), isAll, walk } };
    }
    if (added === "last") break;
    last = { ...place, ...rows.remaining };
  }
  return { rows: rows.texts, next: undefined };
}
