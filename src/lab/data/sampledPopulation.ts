/**
 * A population of which nothing is known but a sample of items: the keys that came in it, and as
 * many more as Chao's number says. How many that are is uncertain, and the interval says so.
 */
import type { Estimate } from "../counting/estimate.ts";
import type { PopulationGrowth, Profile } from "../profile/profile.ts";
import type { Population, PopulationRow } from "./facts.ts";
import { grownCount, type Outlook } from "./populationCount.ts";
import { combinationsIn, type SampledKey } from "./sampledKeys.ts";

const TAIL_ROWS = 1500;
/** Fewer items do not show that every one has its own. */
const UNIQUE_MIN = 30;

export function sampledPopulation(
  profile: Profile,
  paths: readonly string[],
  outlook: Outlook,
): Population {
  const sampled = combinationsIn(profile.sample, paths);
  const n = Math.max(1, profile.sample.length);
  const distinct = sampledCount(sampled, n, outlook.expected, outlook.days);
  const lightest = sampled.filter(({ count }) => count <= 2);
  const lightItems = lightest.reduce((sum, { count }) => sum + count, 0);
  const heavyCount = sampled.length - lightest.length;
  const lightKeys = Math.max(lightest.length, distinct.value - heavyCount);
  const heavy = sampled
    .filter(({ count }) => count > 2)
    .map(({ values, count }) => rowOf(values, 1, count / n));
  const light = lightest
    .slice(0, TAIL_ROWS)
    .map(({ values }, _, { length }) => rowOf(values, lightKeys / length, lightItems / n / length));
  return { paths, rows: [...heavy, ...light], distinct };
}

/** How many keys `expected` items have, going by `n` of them. */
export function sampledCount(
  sampled: readonly SampledKey[],
  n: number,
  expected: number,
  days: number,
): Estimate {
  const seen = sampled.length;
  const once = sampled.filter(({ count }) => count === 1).length;
  const twice = sampled.filter(({ count }) => count === 2).length;
  const growth: PopulationGrowth = {
    model: seen === n && n >= UNIQUE_MIN ? "unique" : "fixed",
    evidence: "",
    newPerItem: 0,
    newPerDay: null,
    unmet: (once * Math.max(0, once - 1)) / (2 * (twice + 1)),
    onceShare: once / Math.max(1, n),
  };
  if (n >= expected) return { value: seen, low: seen, high: seen };
  const { value } = grownCount({ value: seen, low: seen, high: seen }, growth, {
    counted: n,
    expected,
    days,
  });
  // Chao's is a lower bound: there may be as many as items.
  return { value, low: seen, high: once === 0 ? Math.max(value, seen) : expected };
}

/** One that stands for several varies in its last value. */
function rowOf(
  values: PopulationRow["values"],
  keyCount: number,
  itemShare: number,
): PopulationRow {
  return {
    values,
    counts: values.map((_, at) => (at === values.length - 1 ? keyCount : 1)),
    keyCount,
    itemShare,
    byteShare: itemShare,
    requestShare: itemShare,
  };
}
