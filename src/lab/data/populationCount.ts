/**
 * How many different keys there will be when there are more items, by what a sample or a file shows
 * of their growth.
 *
 * Of a fixed set those come in addition that were not met yet, ever more slowly: at first as fast
 * as the share of keys that were met once, and never more than Chao's number of the unmet. Where
 * nearly every key was met once that number is large, and where every one was it has no end: so
 * between "a few new ones" and "each item has its own" there is no step.
 */
import type { Estimate } from "../counting/estimate.ts";
import type { GrowthModel, PopulationGrowth } from "../profile/profile.ts";

/** Items that were counted, items that there will be, and the days until then. */
export interface Outlook {
  readonly counted: number;
  readonly expected: number;
  readonly days: number;
}

/** Keys at the end. Between: what was met, and twice as many more. */
export function grownCount(
  distinct: Estimate,
  growth: PopulationGrowth,
  outlook: Outlook,
): Estimate {
  const more = newKeys(distinct.value, growth, outlook);
  if (more <= 0) return distinct;
  const most = Math.max(distinct.high, outlook.expected);
  return {
    value: Math.min(distinct.value + more, most),
    low: growth.model === "unique" ? Math.min(distinct.low + more, most) : distinct.low,
    high: Math.min(distinct.high + (growth.model === "unique" ? more : 2 * more), most),
  };
}

function newKeys(
  distinct: number,
  { model, newPerItem, newPerDay, unmet, onceShare }: PopulationGrowth,
  { counted, expected, days }: Outlook,
): number {
  const items = Math.max(0, expected - counted);
  switch (model) {
    case "unique":
      return items * Math.min(1, distinct / Math.max(1, counted));
    case "items":
      return items * newPerItem;
    case "time":
      return Math.min(items, days * (newPerDay ?? 0));
    case "fixed":
      return unmet <= 0 ? 0 : unmet * -Math.expm1((-items * onceShare) / unmet);
  }
}

/** The same population under a model that the user has set. */
export function asDeclared(
  growth: PopulationGrowth,
  model: GrowthModel | undefined,
  {
    distinct,
    counted,
    days,
  }: { readonly distinct: number; readonly counted: number; readonly days: number },
): PopulationGrowth {
  if (model === undefined || model === growth.model) return growth;
  return {
    model,
    evidence: "The workload says so.",
    newPerItem: model === "items" ? growth.newPerItem || distinct / Math.max(1, counted) : 0,
    newPerDay: model === "time" ? (growth.newPerDay ?? distinct / Math.max(1, days)) : null,
    unmet: model === "fixed" ? growth.unmet : 0,
    onceShare: growth.onceShare,
  };
}
