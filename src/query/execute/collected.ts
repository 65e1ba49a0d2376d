/**
 * Rows that had to be collected before the first could be given, in their order. A page gives some
 * of them; the rest is handed back with it, for whoever wants to keep it: as long as the data does
 * not change, the next page need not collect them again. Nothing depends on that but time: the
 * first page pays for collecting, and a later one for what it gives out, whether it has to collect
 * again or not.
 */
import type { PageRows } from "./pageRows.ts";
import type { Place, Position } from "./position.ts";
import type { Work } from "./work.ts";

export interface CollectedRow {
  /** Absent when there is no row here, only a place to go on from. */
  readonly text: (() => Buffer) | undefined;
  readonly place: Place;
}

export interface Collected {
  readonly rows: readonly CollectedRow[];
  /** Nothing follows the last of them. */
  readonly isAll: boolean;
  readonly walk?: OrderedWalk | undefined;
}

/**
 * Rows that were sorted although an index has their order. Whoever walks it until a page is full
 * meets entries and rows in the same proportion as on the whole way.
 */
export interface OrderedWalk {
  readonly entryCount: number;
  readonly passedCount: number;
}

export interface Ended {
  readonly rows: readonly Buffer[];
  readonly next: Position | undefined;
  /** What comes from `next` on, as far as it is known. */
  readonly rest?: Collected | undefined;
}

/** More rows than the page needs are collected up to this many, for the pages to come. */
export const AHEAD_COUNT = 5_000;

/** `position` is where the page begins. */
export function give(
  collected: Collected,
  rows: PageRows,
  position: Position | undefined,
  work: Work,
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
    // If there may be more, the last one is there to say so, and begins the next page.
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
