/**
 * How far a query has come in the key space, where items with nothing else between them come in the
 * order of ranges and then of numbers.
 *
 * As long as physical partitions stay what they are, one *mark* says it: a range, and the number of
 * the last item that is done in it; all ranges before are done, none behind. When a range has been
 * split or merged since the page before, the mark is about another range than the one that is being
 * read, and has to be kept until nothing of it is left.
 */
import type { Epk, EpkRange } from "../../partition/epkRange.ts";
import { contains } from "../../partition/epkRange.ts";

export interface Mark {
  readonly range: EpkRange;
  readonly number: number;
}

export interface Progress extends Mark {
  /** Marks of earlier pages that still say something. */
  readonly earlier?: readonly Mark[] | undefined;
}

export type Direction = "up" | "down";

/** Is this item done? Its number counts upwards or downwards, as the order goes. */
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

/** Where to begin in a range: nothing up to there is left, though behind it some may be done. */
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

/** Progress after an item of a range, when `before` was where the page began. */
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

/** What lay before the range and was done is part of the range after a merge. */
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
