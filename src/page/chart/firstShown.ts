/**
 * Where a view over time begins. Before the first count there is nothing to be seen: that part is
 * left out, so that what was counted is not squeezed to the edge. Gaps between counts stay gaps.
 */

/** Few spans of time make a strange picture, so this many are shown, counted or not. */
const SHOWN_MIN = 15;

/** The number of the first span that is shown; 0 when nothing was counted at all. */
export function firstShown(isCounted: readonly boolean[]): number {
  const first = isCounted.indexOf(true);
  return first < 0 ? 0 : Math.max(0, Math.min(first, isCounted.length - SHOWN_MIN));
}
