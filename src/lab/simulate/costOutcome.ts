/** What operations cost one by one, what asking too many partitions costs, and the bill. */
import { HOUR_SECONDS, HOURS_PER_MONTH } from "../../base/units.ts";
import type { Limits } from "../../model/limits.ts";
import { HOURS } from "./hours.ts";
import type { OperationLoad } from "./load.ts";
import { type DayLoad, greatest } from "./loadOutcome.ts";
import { autoscaleCost, manualCost, serverlessCost, storageCost } from "./money.ts";
import type { PlacedRange } from "./partitions.ts";
import type {
  CostOutcome,
  FanOutOutcome,
  LoadOutcome,
  OperationOutcome,
  Routing,
} from "./simulation.ts";

const GIB: number = 1024 ** 3;

export function operationOutcomes(loads: readonly OperationLoad[]): readonly OperationOutcome[] {
  return loads.map(({ model, routing, visitCount, ruEach, usefulRuEach, rates }) => ({
    id: model.operation.id,
    kind: model.operation.kind,
    ratePerSecond: model.operation.ratePerSecond,
    routing,
    partitionsVisited: Math.min(visitCount, rates.length),
    ruEach,
    usefulRuEach,
  }));
}

export function fanOutOf(loads: readonly OperationLoad[]): FanOutOutcome {
  const reads = loads.filter(({ model }) => !model.isWrite);
  const total = rateOf(reads);
  const shareOf = (isMeant: (routing: Routing) => boolean): number =>
    total === 0 ? 0 : rateOf(reads.filter(({ routing }) => isMeant(routing))) / total;
  // Who looks at the newest period first seldom has to look further.
  const isOne = (routing: Routing): boolean =>
    routing.kind === "key" || (routing.kind === "keys" && routing.count < ABOUT_ONE);
  return {
    keyShare: shareOf(isOne),
    keysShare: shareOf((routing) => routing.kind === "keys" && !isOne(routing)),
    prefixShare: shareOf(({ kind }) => kind === "prefix"),
    everywhereShare: shareOf(({ kind }) => kind === "everywhere"),
    surchargeRate: ruRateOf(loads, ({ ruEach, usefulRuEach }) =>
      Math.max(0, ruEach - usefulRuEach),
    ),
    usefulRate: ruRateOf(loads, ({ usefulRuEach }) => usefulRuEach),
  };
}

/** Keys, on average. */
const ABOUT_ONE = 1.5;

function rateOf(loads: readonly OperationLoad[]): number {
  return loads.reduce((sum, { model }) => sum + model.operation.ratePerSecond, 0);
}

function ruRateOf(loads: readonly OperationLoad[], ruOf: (load: OperationLoad) => number): number {
  return loads.reduce((sum, load) => sum + load.model.operation.ratePerSecond * ruOf(load), 0);
}

export function costOutcomeOf({
  load,
  day,
  ranges,
  limits,
  totalBytes,
}: {
  readonly load: LoadOutcome;
  readonly day: DayLoad;
  readonly ranges: readonly PlacedRange[];
  readonly limits: Limits;
  readonly totalBytes: number;
}): CostOutcome {
  const ruPerMonth = load.meanRate * HOUR_SECONDS * HOURS_PER_MONTH;
  const storage = storageCost(totalBytes);
  const gib = totalBytes / GIB;
  const needed = load.neededRate;
  const manual = needed === undefined ? undefined : manualCost(needed, gib, limits) + storage;
  const autoscale =
    needed === undefined
      ? undefined
      : autoscaleCost(hoursOf(day, ranges, needed), gib, limits) + storage;
  const serverlessProblem = serverlessProblemOf(load, limits);
  const serverless =
    serverlessProblem === undefined ? serverlessCost(ruPerMonth) + storage : undefined;
  const known = [manual, autoscale, serverless].filter((cost) => cost !== undefined);
  const cheapest = known.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...known);
  const laidOut = laidOutCost({ load, day, ranges, limits, gib, ruPerMonth });
  const { value, low, high } = load.hottestPartition.rate;
  const isByRate = cheapest !== serverless && value > 0 && Number.isFinite(cheapest);
  return {
    ruPerMonth,
    storage,
    manual,
    autoscale,
    serverless,
    serverlessProblem,
    laidOut: Math.min(cheapest, laidOut + storage),
    cheapest: {
      value: cheapest,
      low: isByRate ? storage + ((cheapest - storage) * low) / value : cheapest,
      high: isByRate ? storage + ((cheapest - storage) * high) / value : cheapest,
    },
  };
}

/** Load can be divided among partitions down to the hottest key, by splits that follow it. */
function laidOutCost({
  load,
  day,
  ranges,
  limits,
  gib,
  ruPerMonth,
}: {
  readonly load: LoadOutcome;
  readonly day: DayLoad;
  readonly ranges: readonly PlacedRange[];
  readonly limits: Limits;
  readonly gib: number;
  readonly ruPerMonth: number;
}): number {
  const hottestKey = load.hottestKey.rate.value;
  if (hottestKey > limits.partitionRateMax) return Number.POSITIVE_INFINITY;
  const needed = Math.max(load.peakRate, ranges.length * hottestKey);
  const scale = needed / Math.max(load.peakRate, Number.MIN_VALUE);
  const hours = Array.from({ length: HOURS }, (_, hour) =>
    Math.min(needed, scale * day.rates.reduce((sum, own) => sum + own[hour]!, 0)),
  );
  const provisioned = Math.min(
    manualCost(needed, gib, limits),
    autoscaleCost(hours.with(day.peakHour, needed), gib, limits),
  );
  const isServerless = needed / ranges.length <= limits.serverlessPartitionRateMax;
  return isServerless ? Math.min(provisioned, serverlessCost(ruPerMonth)) : provisioned;
}

/**
 * What has to be there in each hour: for the hottest partition of it, as many times as there are;
 * or less, in proportion, if what is needed is less because hot partitions would be split.
 */
function hoursOf(
  { rates, peaks, peakHour }: DayLoad,
  ranges: readonly PlacedRange[],
  needed: number,
): readonly number[] {
  const atPeak = Math.max(greatest(peaks), Number.MIN_VALUE) * ranges.length;
  const scale = Math.min(1, needed / atPeak) * ranges.length;
  const hours = Array.from({ length: HOURS }, (_, hour) =>
    rates.reduce((most, own) => Math.max(most, own[hour]! * scale), 0),
  );
  return hours.with(peakHour, Math.min(needed, atPeak));
}

function serverlessProblemOf(load: LoadOutcome, limits: Limits): string | undefined {
  const max = limits.serverlessPartitionRateMax;
  const rate = load.hottestPartition.rate.value;
  if (rate <= max) return undefined;
  return (
    `The hottest physical partition needs ${Math.round(rate)} RU/s, and a serverless one has ` +
    `${max}.`
  );
}
