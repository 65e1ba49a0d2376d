/**
 * Which of two versions of an item counts, one of hot and one of warm.
 *
 * Until an item is marked, hot is the truth: its copy in warm is as old as hot, or older. A marked
 * item was copied as it is; from then on the version that was written last counts, and hot if both
 * were written in the same second.
 *
 * A row of warm whose item is in hot at the very same place of the result is left to the one who
 * merges, who sees whether hot's row came. Only a version at another place, or one that does not
 * fit the query any more, overrules a row without having been seen. The difference matters for
 * marked items: such an item may leave hot between two requests.
 */
import { compareValues } from "../keys/client/compareValues.ts";
import type { RouteSpan } from "./dateFormat.ts";
import type { ItemVersion, KnownVersion } from "./itemVersion.ts";

interface Place {
  /** Whether the date of a version is one of which both containers may have items. */
  readonly isShared: (date: unknown) => boolean;
  /** Whether the date of a version is one that its container was asked for. */
  readonly isAsked: (date: unknown, span: RouteSpan) => boolean;
}

/** Whether a row of warm is out of date, because hot has this version of its item. */
export function isWarmOverruled(
  warm: ItemVersion,
  hot: KnownVersion,
  hotSpan: RouteSpan,
  { isShared, isAsked }: Place,
): boolean {
  const fits = hot.fits === true && isAsked(hot.date, hotSpan);
  const isSamePlace = fits && isShared(hot.date) && compareValues(hot.by, warm.by) === 0;
  return !isSamePlace && (hot.mark !== true || hot.ts >= warm.ts);
}

/** Whether a row of hot is out of date, because warm has this version of its item. */
export function isHotOverruled(hot: ItemVersion, warm: ItemVersion): boolean {
  return hot.mark === true && warm.ts > hot.ts;
}
