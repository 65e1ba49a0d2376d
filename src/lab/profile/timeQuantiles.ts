/**
 * When items came, from a sample: which share of the items had come by when, and over which time.
 */
import type { JsonObject } from "../../json/value.ts";
import { valueAt } from "../../keys/paths.ts";
import type { SampledItem } from "../counting/itemSample.ts";
import { itemTimeOf } from "./itemTime.ts";
import type { TimeQuantiles } from "./populationGrowth.ts";

interface TimedItem {
  readonly sampled: SampledItem;
  readonly millis: number;
}

/** With fewer different times little can be said about what came when. */
const TIMES_MIN = 20;

/** Returns the items that have a time, in the order of time. */
export function timedItems(
  sample: readonly SampledItem[],
  steps: readonly string[],
): readonly TimedItem[] {
  return sample
    .map((sampled) => ({ sampled, millis: millisOf(sampled.item, steps) }))
    .filter(({ millis }) => !Number.isNaN(millis))
    .sort((a, b) => a.millis - b.millis || a.sampled.hash - b.sampled.hash);
}

/** Returns undefined where too few times are known. */
export function quantilesOf(items: readonly TimedItem[] | undefined): TimeQuantiles | undefined {
  if (items === undefined || new Set(items.map(({ millis }) => millis)).size < TIMES_MIN) {
    return undefined;
  }
  const times = Float64Array.from(items, ({ millis }) => millis);
  return {
    // Items of the instant itself count half.
    shareBy: (millis) =>
      (placeOf(times, millis, false) + placeOf(times, millis, true)) / 2 / times.length,
    firstMillis: times[0]!,
    lastMillis: times.at(-1)!,
  };
}

/** Milliseconds from the first time to the last. */
export function spanOf(items: readonly JsonObject[], steps: readonly string[]): number {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const item of items) {
    const millis = millisOf(item, steps);
    if (Number.isNaN(millis)) continue;
    first = Math.min(first, millis);
    last = Math.max(last, millis);
  }
  return Math.max(0, last - first);
}

function millisOf(item: JsonObject, steps: readonly string[]): number {
  const value = valueAt(item, steps);
  return typeof value === "string" || typeof value === "number" ? itemTimeOf(value) : Number.NaN;
}

/** Number of times that are below `millis`, or not above it. */
function placeOf(times: Float64Array, millis: number, isWith: boolean): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const isBelow = isWith ? times[middle]! <= millis : times[middle]! < millis;
    if (isBelow) low = middle + 1;
    else high = middle;
  }
  return low;
}
