/**
 * What one operation pays where it asks: by what it finds there, what it has to read for that, and
 * how many others it asks. Who is asked is not here (`load.ts`).
 */
import { grainDays } from "../candidate/keyShape.ts";
import type { FoundItems } from "../price/price.ts";
import { itemsOnDay } from "../workload/totalItems.ts";
import { meanKeyShare, sizesAsked } from "./askedSizes.ts";
import type { LoadSetting } from "./load.ts";
import { statedVisitRu } from "./measuredPrices.ts";
import { foundWithin, type OperationModel } from "./operationModel.ts";
import type { Routing } from "./simulation.ts";

/** Keys of one way, as an operation asks them. */
export interface BilledKeys {
  /** Periods that are asked of each, on average. */
  readonly periods: number;
  readonly days: number | undefined;
  /** How much of the period of now is over. */
  readonly passed: number;
  /** Who has enough asks no further. */
  readonly isInTurn: boolean;
  readonly kind: Routing["kind"];
}

/** What an operation pays, by what it meets where it asks. */
export interface Bill {
  /**
   * In one key of so many that are asked, in so many periods; by how much it holds more than a key
   * that is asked.
   */
  inKey(keyCount: number, keyFactor?: number, periods?: number): number;
  /** In physical partitions, each with its share of all items; a prefix has a part of each. */
  inPartitions(shares: readonly number[], isWhole: boolean): readonly number[];
}

export function billOf(model: OperationModel, setting: LoadSetting, keys: BilledKeys): Bill {
  const { price, pointRu, lookupRu, operation } = model;
  if (price === undefined) {
    return {
      inKey: (count) => (count <= 1 ? pointRu : lookupRu + pointRu / count),
      inPartitions: (shares) => shares.map((share) => lookupRu + pointRu * share),
    };
  }
  const { visitRu } = price;
  const stated = statedVisitRu(model);
  if (stated !== undefined) {
    const foundRu = Math.max(0, stated - visitRu);
    return {
      inKey: (count) => visitRu + foundRu / Math.max(1, count),
      inPartitions: (shares) => shares.map((share) => visitRu + foundRu * share),
    };
  }
  const { workload, day, population, ranges } = setting;
  const items = itemsOnDay(workload.growth, day);
  const part = (share: number, keyFactor = 1, periods = keys.periods): FoundItems => {
    const window = windowOf(model, setting, { ...keys, periods });
    const found = foundWithin(model, workload, day, window, keyFactor);
    return {
      matchCount: found.matchCount * share,
      // Who looks for the newest few asks each period for all of them.
      rowCount: keys.isInTurn
        ? Math.min(found.rowCount, found.matchCount * share)
        : found.rowCount * share,
      heldItems: items * share,
      candidateCount: price.isAnswered ? undefined : found.candidateCount * share,
      orderedShare: found.rangeShare,
      pageSize: operation.pageSize,
    };
  };
  const keyItems = items * meanKeyShare(population);
  const sizes = sizesAsked(model, setting);
  const mean = (ruFor: (factor: number) => number): number =>
    sizes.reduce((sum, { weight, factor }) => sum + weight * ruFor(factor), 0);
  return {
    inKey: (count, keyFactor = 1, periods = keys.periods) =>
      mean((factor) => {
        const one = part(1 / Math.max(1, count), keyFactor * factor, periods);
        const heldItems = Math.max(one.matchCount, keyItems * keyFactor);
        const partitionItems = Math.max(heldItems, items / ranges.length);
        return visitRu + price.foundRu({ ...one, heldItems, partitionItems });
      }),
    inPartitions: (shares, isWhole) => {
      const partitionItems = isWhole ? undefined : { partitionItems: items / ranges.length };
      const bills = new Map(
        sizes.map(({ factor }) => [
          factor,
          price.ruOfVisits(shares.map((share) => ({ ...part(share, factor), ...partitionItems }))),
        ]),
      );
      return shares.map((_, at) => mean((factor) => bills.get(factor)![at]!));
    },
  };
}

/** Under keys with periods nobody looks at periods that are not asked. */
function windowOf(
  { spanDays }: OperationModel,
  { shape }: LoadSetting,
  { kind, days, passed, periods, isInTurn }: BilledKeys,
): number | undefined {
  if (shape.times.size === 0 || (spanDays !== undefined && !isInTurn)) return spanDays;
  if (kind !== "key" && kind !== "keys") return isInTurn ? spanDays : undefined;
  const coarsest = Math.max(...[...shape.times.values()].map(({ grain }) => grainDays(grain)));
  return (days ?? coarsest) * (passed + periods - 1);
}
