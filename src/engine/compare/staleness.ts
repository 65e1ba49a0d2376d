/**
 * For how long what a comparison found holds: its state as of now, by its age and by what was
 * written since. Differences hold until a later run finds none.
 */
import { DAY_MS, MINUTE_MS } from "../../base/units.ts";
import type { FeedMark } from "../feed/feedMarks.ts";
import type { ComparedPair } from "./comparedPair.ts";
import type { ComparedFigures, ComparisonReport, RememberedComparison } from "./comparison.ts";
import { lsnDistance } from "./logChanges.ts";

type Ends = Pick<ComparedPair, "source" | "target">;

/** Up to where both sides were read. */
export interface ReadPositions {
  readonly source: readonly FeedMark[];
  readonly target: readonly FeedMark[];
}

const STALE_AFTER_MS = DAY_MS;
export const STALE_SHARE = 0.01;
/**
 * So long a comparison holds whatever is written meanwhile: where many write, it would otherwise be
 * stale before anybody could read it, and a copy under load could never take over.
 */
const STALE_NOT_BEFORE_MS = 5 * MINUTE_MS;

/** Without `changedCount` nobody can tell what was written since. */
export function stateOf(
  { at, comparedCount, differences, inMotionCount = 0 }: ComparedFigures,
  changedCount: number | undefined,
  wallNow: number,
): ComparisonReport["state"] {
  if (differences?.length !== 0) return "differs";
  if (changedCount === undefined) return "stale";
  const ageMs = wallNow - at;
  const isMuch = changedCount + inMotionCount > comparedCount * STALE_SHARE;
  const isOvertaken = ageMs >= STALE_NOT_BEFORE_MS && isMuch;
  return ageMs >= STALE_AFTER_MS || isOvertaken ? "stale" : "fresh";
}

/** What is remembered of a comparison, as a report of now. Ends that are gone tell nothing. */
export function rememberedReport(
  { figures, positions }: RememberedComparison,
  ends: Ends | undefined,
  wallNow: number,
): ComparisonReport {
  const changedCount = ends && distanceOf(ends, positions);
  return { ...figures, state: stateOf(figures, changedCount, wallNow) };
}

/** How many changes either side has had since, in LSNs: those of the source come to both. */
export function distanceOf({ source, target }: Ends, positions: ReadPositions): number {
  const sourceDistance = lsnDistance(source, positions.source);
  return Math.max(sourceDistance, lsnDistance(target, positions.target));
}
