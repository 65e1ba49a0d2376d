/**
 * What one operation pays where it asks: by what it finds there, what it has to read for that, and
 * how many others it asks. Who is asked is not here (`load.ts`).
 */
import { grainDays } from "../candidate/keyShape.ts";
import type { FoundItems, QueryPrice } from "../price/price.ts";
import { itemsOnDay } from "../workload/totalItems.ts";
import {
  type AskedValue,
  askedKeyShare,
  type KeySize,
  layoutAsked,
  MEAN_SIZE,
  sizesAsked,
  toldPaths,
} from "./askedSizes.ts";
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
  readonly routing: Routing;
}

/** What a physical partition gets of one operation, on average. */
export interface BilledVisit {
  /** How often it is visited: not at all where those before it had enough. */
  readonly chance: number;
  /** Whether it is visited or not. */
  readonly ru: number;
}

/** What an operation pays, by what it meets where it asks. */
export interface Bill {
  /**
   * In one key of so many that are asked, in so many periods; by how it differs from a key that is
   * asked.
   */
  inKey(keyCount: number, size?: KeySize, periods?: number): number;
  /**
   * In physical partitions, each with its share of all items; a prefix has a part of each, and may
   * differ from one that is asked.
   */
  inPartitions(
    shares: readonly number[],
    isWhole: boolean,
    prefix?: KeySize,
  ): readonly BilledVisit[];
}

export function billOf(model: OperationModel, setting: LoadSetting, keys: BilledKeys): Bill {
  const { price, pointRu, lookupRu } = model;
  if (price === undefined) {
    return {
      inKey: (count) => (count <= 1 ? pointRu : lookupRu + pointRu / count),
      inPartitions: (shares) =>
        shares.map((share) => ({ chance: 1, ru: lookupRu + pointRu * share })),
    };
  }
  const { visitRu } = price;
  const stated = statedVisitRu(model);
  if (stated !== undefined) {
    const foundRu = Math.max(0, stated - visitRu);
    return {
      inKey: (count) => visitRu + foundRu / Math.max(1, count),
      inPartitions: (shares) =>
        shares.map((share) => ({ chance: 1, ru: visitRu + foundRu * share })),
    };
  }
  return billOfFound(model, price, setting, keys);
}

/** Of what is found, by how much that is. */
function billOfFound(
  model: OperationModel,
  price: QueryPrice,
  setting: LoadSetting,
  keys: BilledKeys,
): Bill {
  const { workload, day, population, ranges, shape } = setting;
  const items = itemsOnDay(workload.growth, day);
  const part = partsOf(model, price, setting, keys);
  const keyItems = items * askedKeyShare(shape, population);
  const sizes = sizesAsked(model, setting, toldBy(model, setting, keys));
  return {
    inKey: (count, { factor: keyFactor, bytes: keyBytes } = MEAN_SIZE, periods = keys.periods) =>
      sizes.reduce((sum, { weight, factor, bytes }) => {
        const share = 1 / Math.max(1, count);
        const size = { factor: keyFactor * factor, bytes: keyBytes * bytes };
        const one = part({ share, ...size, periods });
        const heldItems = Math.max(one.matchCount, keyItems * keyFactor);
        const partitionItems = Math.max(heldItems, items / ranges.length);
        const found = price.foundRu({ ...one, heldItems, partitionItems });
        return sum + weight * (price.visitRu + found);
      }, 0),
    inPartitions: (shares, isWhole, ofPrefix = MEAN_SIZE) => {
      const partitionItems = isWhole ? undefined : { partitionItems: items / ranges.length };
      const values = (isWhole ? layoutAsked(model, setting) : undefined) ?? sizes;
      const bills = values.map(({ factor, bytes, parts }: AskedValue) =>
        price.ruOfVisits(
          shares.map((held, at) => ({
            ...part({
              share: parts?.[at] ?? held,
              held,
              factor: ofPrefix.factor * factor,
              bytes: ofPrefix.bytes * bytes,
            }),
            ...partitionItems,
          })),
        ),
      );
      const mean = (of: (bill: readonly number[]) => number): number =>
        values.reduce((sum, { weight }, index) => sum + weight * of(bills[index]!), 0);
      return shares.map((_, at) => ({
        chance: mean((bill) => (bill[at]! > 0 ? 1 : 0)),
        ru: mean((bill) => bill[at]!),
      }));
    },
  };
}

/** What is found in a place. */
function partsOf(
  model: OperationModel,
  price: QueryPrice,
  setting: LoadSetting,
  keys: BilledKeys,
): (part: Part) => FoundItems {
  const { workload, day, facts } = setting;
  const items = itemsOnDay(workload.growth, day);
  return ({ share, held = share, factor, bytes, periods = keys.periods }) => {
    const window = windowOf(model, setting, { ...keys, periods });
    const found = foundWithin(model, workload, day, window, factor);
    return {
      matchCount: found.matchCount * share,
      // Who looks for the newest few asks each period for all of them.
      rowCount: keys.isInTurn
        ? Math.min(found.rowCount, found.matchCount * share)
        : found.rowCount * share,
      heldItems: items * held,
      candidateCount: price.isAnswered ? undefined : found.candidateCount * share,
      orderedShare: found.rangeShare,
      pageSize: model.operation.pageSize,
      itemBytes: bytes === 1 ? undefined : facts.itemBytes * bytes,
    };
  };
}

interface Part extends KeySize {
  /** Of all that is found. */
  readonly share: number;
  /** Of all items; as much, if nothing else is known. */
  readonly held?: number;
  readonly periods?: number;
}

/** What is told by the keys that are asked, and so is not a matter of chance in each. */
function toldBy(
  { access }: OperationModel,
  { shape }: LoadSetting,
  { routing }: BilledKeys,
): ReadonlySet<string> {
  if (routing.kind === "everywhere") return new Set();
  return toldPaths(shape, access, routing.kind === "prefix" ? routing.levelCount : undefined);
}

/** Under keys with periods nobody looks at periods that are not asked. */
function windowOf(
  { spanDays }: OperationModel,
  { shape }: LoadSetting,
  { routing: { kind }, days, passed, periods, isInTurn }: BilledKeys,
): number | undefined {
  if (shape.times.size === 0 || (spanDays !== undefined && !isInTurn)) return spanDays;
  if (kind !== "key" && kind !== "keys") return isInTurn ? spanDays : undefined;
  const coarsest = Math.max(...[...shape.times.values()].map(({ grain }) => grainDays(grain)));
  return (days ?? coarsest) * (passed + periods - 1);
}
