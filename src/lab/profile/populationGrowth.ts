/**
 * Decides whether a population of values is a fixed set or grows, from when its values were seen
 * first and last. Times are taken as shares of the items that had come by then.
 *
 * In a fixed set any item may have any value at any time: how many of the values are seen first in
 * the second half, and how far apart the first and the last item of a value are, follows from how
 * many items each value has. Where more values are late than expected, or first and last item lie
 * closer together, values come and go, and new ones will go on coming at their recent rate. Without
 * times growth cannot be seen, and none is assumed; but the number of values met once and twice
 * tells how many of a fixed set were not met yet (Chao, 1984).
 */
import { DAY_MS } from "../../base/units.ts";
import { countText } from "../../base/wording.ts";
import type { KeyTally } from "../counting/keyTally.ts";
import type { Sighting } from "../counting/sightings.ts";
import type { GrowthModel, PopulationGrowth } from "./profile.ts";

/** When items came. */
export interface TimeQuantiles {
  /** The share of the items that had come by then. */
  shareBy(millis: number): number;
  readonly firstMillis: number;
  readonly lastMillis: number;
}

/** Standard errors beyond which chance is no explanation. */
const CLEARLY = 4;
/**
 * The least excess of late values, and the greatest relative distance, that show growth: smaller
 * differences are of no consequence.
 */
const LATE_MIN = 0.03;
const CLOSE_MAX = 0.8;
/** Number of values with several items below which their distances are not evaluated. */
const REPEATED_MIN = 20;
/** The last part of the items, in which new values are counted. */
const LATELY = 0.25;

export function growthOf(
  tally: KeyTally,
  sightings: readonly Sighting[],
  quantiles: TimeQuantiles | undefined,
): PopulationGrowth {
  const { once, twice } = metIn(tally);
  const distinct = Math.max(1, tally.distinct().value);
  const unmet = (once * Math.max(0, once - 1)) / (2 * (twice + 1));
  if (distinct >= tally.itemCount && tally.itemCount > 1) {
    return {
      model: "unique",
      evidence: `Each of ${countText(tally.itemCount)} items has its own.`,
      newPerItem: 1,
      newPerDay: null,
      unmet: 0,
      onceShare: 1,
    };
  }
  const onceShare = once / Math.max(1, tally.itemCount);
  const fixed = { newPerItem: 0, newPerDay: null, unmet, onceShare };
  if (quantiles === undefined) {
    const evidence = `No time says when values came first; ${metText(distinct, once)}`;
    return { model: "fixed", evidence, ...fixed };
  }
  const course = courseOf(sightings, quantiles);
  const clearly = CLEARLY * course.lateError;
  const isLate = course.late > course.lateExpected + Math.max(LATE_MIN, clearly);
  const isClose =
    course.repeatedCount >= REPEATED_MIN &&
    course.distance < Math.min(CLOSE_MAX, 1 - (CLEARLY * 0.71) / Math.sqrt(course.repeatedCount));
  const share = (part: number): string => `${(part * 100).toFixed(1)} %`;
  const seen =
    `${share(course.late)} of the values were seen first in the second half of the items, ` +
    `where a fixed set would show ${share(course.lateExpected)}`;
  if (!isLate && !isClose) {
    return { model: "fixed", evidence: `${seen}; ${metText(distinct, once)}`, ...fixed };
  }
  const spanDays = Math.max(1, quantiles.lastMillis - quantiles.firstMillis) / DAY_MS;
  const newPerItem = (course.lately * distinct) / (LATELY * tally.itemCount);
  const newPerDay = (course.latelyByTime * distinct) / (LATELY * spanDays);
  const model: GrowthModel = isByTime(sightings, quantiles) ? "time" : "items";
  const apart = isClose
    ? `; the items of a value lie ${course.distance.toFixed(2)} times as far apart as there`
    : "";
  return { model, evidence: `${seen}${apart}.`, newPerItem, newPerDay, unmet: 0, onceShare };
}

function metText(distinct: number, once: number): string {
  return `${countText(once)} of ${countText(distinct)} came once only.`;
}

/** Number of keys with one item, and with two; for a sample, scaled up to all keys. */
function metIn(tally: KeyTally): { readonly once: number; readonly twice: number } {
  const [all, more, many] = tally.table.countsFrom(1, 4);
  const scale = tally.isSample ? tally.distinct().value / Math.max(1, all!) : 1;
  return { once: (all! - more!) * scale, twice: (more! - many!) * scale };
}

interface Course {
  /** Share of the values that were seen first in the second half of the items. */
  readonly late: number;
  readonly lateExpected: number;
  /** One standard error of `late`. */
  readonly lateError: number;
  /** Share of the values that were seen first in the last part of the items, and of the time. */
  readonly lately: number;
  readonly latelyByTime: number;
  /** Mean distance between first and last item of a value, over what it would be in a fixed set. */
  readonly distance: number;
  readonly repeatedCount: number;
}

function courseOf(sightings: readonly Sighting[], quantiles: TimeQuantiles): Course {
  const { firstMillis, lastMillis, shareBy } = quantiles;
  const lateTime = lastMillis - LATELY * (lastMillis - firstMillis);
  let [late, lateExpected, variance, lately, latelyByTime, distance, expected, repeated] = [
    0, 0, 0, 0, 0, 0, 0, 0,
  ];
  for (const { first, last, count: items } of sightings) {
    const from = shareBy(first);
    const chance = 0.5 ** items;
    if (from > 0.5) late++;
    lateExpected += chance;
    variance += chance * (1 - chance);
    if (from > 1 - LATELY) lately++;
    if (first > lateTime) latelyByTime++;
    if (items < 2) continue;
    repeated++;
    distance += shareBy(last) - from;
    expected += (items - 1) / (items + 1);
  }
  const all = Math.max(1, sightings.length);
  return {
    late: late / all,
    lateExpected: lateExpected / all,
    lateError: Math.sqrt(variance) / all,
    lately: lately / all,
    latelyByTime: latelyByTime / all,
    distance: expected === 0 ? 1 : distance / expected,
    repeatedCount: repeated,
  };
}

const STRETCHES = 12;
/** Where items come evenly, growth with time and growth with items cannot be told apart. */
const UNEVEN = 0.3;
const MUCH_EVENER = 0.7;

/** True when new values come evenly over time although items do not. */
function isByTime(sightings: readonly Sighting[], quantiles: TimeQuantiles): boolean {
  const { firstMillis, lastMillis, shareBy } = quantiles;
  const length = (lastMillis - firstMillis) / STRETCHES;
  if (length <= 0) return false;
  const fresh = new Float64Array(STRETCHES);
  for (const { first } of sightings) {
    fresh[Math.min(STRETCHES - 1, Math.floor((first - firstMillis) / length))]!++;
  }
  const items = Array.from(fresh, (_, at) => {
    return shareBy(firstMillis + (at + 1) * length) - shareBy(firstMillis + at * length);
  });
  // The first stretch is left out: all values that were there before are new in it.
  const rows = items.flatMap((share, at) =>
    at > 0 && share > 0 ? [{ share, fresh: fresh[at]! }] : [],
  );
  if (rows.length < STRETCHES / 2) return false;
  if (unevenness(rows.map(({ share }) => share)) < UNEVEN) return false;
  const overTime = unevenness(rows.map((row) => row.fresh));
  const overItems = unevenness(rows.map((row) => row.fresh / row.share));
  return overTime < MUCH_EVENER * overItems;
}

/** The standard deviation over the mean. */
function unevenness(amounts: readonly number[]): number {
  const mean = amounts.reduce((sum, amount) => sum + amount, 0) / amounts.length;
  const squares = amounts.reduce((sum, amount) => sum + (amount - mean) ** 2, 0);
  return mean === 0 ? 0 : Math.sqrt(squares / amounts.length) / mean;
}
