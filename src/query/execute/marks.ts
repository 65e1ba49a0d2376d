/**
 * How far a query has come in the key space. Items that nothing else puts in order come in the
 * order of their ranges, and within a range in that of their numbers.
 *
 * As long as the physical partitions stay as they are, one *mark* is enough: a range, and the
 * number of the last item that is done in it. All ranges before are done, and none behind. When a
 * range has been split or merged since the page before, the mark is about another range than the
 * one that is being read, and is kept until nothing of its range is left.
 */
import type { Epk, EpkRange } from "../../partition/epkRange.ts";
import { contains } from "../../partition/epkRange.ts";

export interface Mark {
  readonly range: EpkRange;
  readonly number: number;
}

export interface Progress extends Mark {
  /** Marks of earlier pages whose ranges are not done yet. */
  readonly earlier?: readonly Mark[] | undefined;
}

export type Direction = "up" | "down";

/**
 * True when an earlier page has given the item. Item numbers count upwards or downwards, as the
 * order goes.
 */
export function isDone(
  progress: Progress,
  epk: Epk,
  number: number,
  direction: Direction = "up",
): boolean {
  if (epk < progress.range.min) return true;
  return marksOf(progress).some(
    (mark) => contains(mark.range, epk) && !isAfter(number, mark.number, direction),
  );
}

/**
 * Returns the item number after which to begin in a range: all items up to it are done, and some
 * behind it may be.
 */
export function startIn(
  progress: Progress,
  range: EpkRange,
  direction: Direction = "up",
): number | "done" | "beginning" {
  if (range.max <= progress.range.min) return "done";
  const { min } = range.min > progress.range.min ? range : progress.range;
  const covering = marksOf(progress).filter(
    (mark) => mark.range.min <= min && range.max <= mark.range.max,
  );
  if (covering.length === 0) return "beginning";
  const numbers = covering.map(({ number }) => number);
  return direction === "up" ? Math.max(...numbers) : Math.min(...numbers);
}

/** Returns the progress after an item of a range. `before` is where the page began. */
export function progressTo(
  before: Progress | undefined,
  range: EpkRange,
  number: number,
  direction: Direction = "up",
): Progress {
  const earlier =
    before === undefined
      ? []
      : [...doneBefore(before, range, direction), ...marksOf(before)].filter(
          (mark) =>
            mark.range.max > range.max ||
            (mark.range.max > range.min && isAfter(mark.number, number, direction)),
        );
  return earlier.length === 0 ? { range, number } : { range, number, earlier };
}

/**
 * Returns a mark for the stretch before `before.range` that a merge has made part of the range: all
 * of that stretch is done.
 */
function doneBefore(before: Progress, range: EpkRange, direction: Direction): readonly Mark[] {
  if (before.range.min <= range.min) return [];
  const done = { min: range.min, max: before.range.min };
  return [{ range: done, number: direction === "up" ? Number.MAX_SAFE_INTEGER : 0 }];
}

function marksOf(progress: Progress): readonly Mark[] {
  return [progress, ...(progress.earlier ?? [])];
}

function isAfter(number: number, other: number, direction: Direction): boolean {
  return direction === "up" ? number > other : number < other;
}
