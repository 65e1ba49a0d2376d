/** The load of a candidate at the peak and through the day, and what it takes to serve it. */

import type { Random } from "../../base/world.ts";
import type { Limits } from "../../model/limits.ts";
import { gini } from "../../statistics/inequality.ts";
import type { KeyShape } from "../candidate/keyShape.ts";
import { type Estimate, exactly } from "../counting/estimate.ts";
import type { DataFacts } from "../data/facts.ts";
import { HOURS } from "./hours.ts";
import type { JointDemand, JointStream } from "./jointRefusals.ts";
import { isMissingName, keyLabel } from "./keyLabel.ts";
import type { OperationLoad } from "./load.ts";
import type { PlacedRange } from "./partitions.ts";
import type { LoadOutcome } from "./simulation.ts";
import type { PartitionDemand } from "./throttling.ts";

export interface DayLoad {
  /** RU/s of each partition, hour by hour. */
  readonly rates: readonly Float64Array[];
  readonly peakHour: number;
  /** RU/s of each partition in the busiest seconds. */
  readonly peaks: Float64Array;
  readonly total: number;
  readonly mean: number;
}

export function dayLoadOf(loads: readonly OperationLoad[], partitionCount: number): DayLoad {
  const rates = Array.from({ length: partitionCount }, () => new Float64Array(HOURS));
  const hourTotals = new Float64Array(HOURS);
  for (const load of loads) {
    const { hours } = load.model;
    for (let partition = 0; partition < partitionCount; partition++) {
      const mean = load.rates[partition]!;
      const own = rates[partition]!;
      for (let hour = 0; hour < HOURS; hour++) own[hour]! += mean * hours[hour]!;
    }
    const total = totalOf(load);
    for (let hour = 0; hour < HOURS; hour++) hourTotals[hour]! += total * peakOf(load, hour);
  }
  const peakHour = hourTotals.indexOf(greatest(hourTotals));
  const peaks = new Float64Array(partitionCount);
  for (const load of loads) {
    const factor = peakOf(load, peakHour);
    for (let at = 0; at < partitionCount; at++) peaks[at]! += load.rates[at]! * factor;
  }
  return {
    rates,
    peakHour,
    peaks,
    total: hourTotals[peakHour]!,
    mean: loads.reduce((sum, load) => sum + totalOf(load), 0),
  };
}

/** Of any number of amounts; 0 of none. */
export function greatest(amounts: ArrayLike<number>): number {
  let most = 0;
  for (let at = 0; at < amounts.length; at++) most = Math.max(most, amounts[at]!);
  return most;
}

function totalOf({ rates }: OperationLoad): number {
  return rates.reduce((sum, rate) => sum + rate, 0);
}

/** Factor over the mean, in the busiest seconds of an hour. */
function peakOf({ model }: OperationLoad, hour: number): number {
  return model.hours[hour]! * model.innerPeak;
}

export interface LoadContext {
  readonly shape: KeyShape;
  readonly facts: DataFacts;
  readonly loads: readonly OperationLoad[];
  readonly day: DayLoad;
  readonly ranges: readonly PlacedRange[];
  readonly provisioned: number;
  readonly limits: Limits;
  readonly random: Random;
}

export function loadOutcomeOf(context: LoadContext): LoadOutcome {
  const { day, ranges, provisioned } = context;
  const hottest = day.peaks.indexOf(greatest(day.peaks));
  const rate = day.peaks[hottest]!;
  const key = hottestKeyOf(context);
  const mean = day.total / ranges.length;
  return {
    peakRate: day.total,
    meanRate: day.mean,
    provisioned,
    neededRate: neededRate(rate, key.rate.value, context),
    hottestPartition: {
      id: ranges[hottest]!.id,
      rate: bootstrapped(context),
      share: day.total === 0 ? 0 : rate / day.total,
      overMean: mean === 0 ? 1 : rate / mean,
    },
    hottestKey: key,
    giniRates: Math.max(0, gini(day.peaks) ?? 0),
    archetype: archetypeOf(context, rate, mean),
  };
}

/**
 * So much has to be provisioned for the hottest partition to be allotted what it needs. A partition
 * that needs more than one can have is split, which helps down to its hottest key and no further.
 */
function neededRate(
  hottest: number,
  hottestKey: number,
  { ranges, limits }: LoadContext,
): number | undefined {
  const max = limits.partitionRateMax;
  if (hottestKey > max) return undefined;
  let [rate, count] = [hottest, ranges.length];
  while (rate > max) {
    rate = Math.max(rate / 2, hottestKey);
    count *= 2;
  }
  const needed = Math.max(rate * count, limits.manualRate.rateMin);
  return needed <= limits.rateMax ? needed : undefined;
}

function hottestKeyOf(context: LoadContext): LoadOutcome["hottestKey"] {
  const { loads, day, shape, facts } = context;
  const rates = new Map<string, { all: number; writes: number; reads: number }>();
  let [writes, reads] = [0, 0];
  for (const load of loads) {
    const factor = peakOf(load, day.peakHour);
    const total = totalOf(load) * factor;
    if (load.model.isWrite) writes += total;
    else reads += total;
    for (const [name, mean] of load.keyRates) {
      const rate = mean * factor;
      const known = rates.get(name) ?? { all: 0, writes: 0, reads: 0 };
      known.all += rate;
      if (load.model.isWrite) known.writes += rate;
      else known.reads += rate;
      rates.set(name, known);
    }
  }
  let [label, best] = ["", { all: 0, writes: 0, reads: 0 }];
  for (const [name, sums] of rates) {
    if (sums.all > best.all) [label, best] = [name, sums];
  }
  const stated = shape.candidate.stated;
  const writeShare =
    stated?.hottestKeyWriteShare ?? Math.max(share(best.writes, writes), hotHour(shape, facts));
  const readShare = stated?.hottestKeyReadShare ?? share(best.reads, reads);
  const pinnedReads = pinnedReadRate(context);
  const isStated = stated?.hottestKeyWriteShare ?? stated?.hottestKeyReadShare;
  const rate =
    isStated === undefined
      ? Math.max(best.all, writeShare * writes)
      : writeShare * writes + readShare * pinnedReads;
  const isMany = loads.some(({ manyNames }) => manyNames.has(label));
  return { label: keyLabel(label, isMany, context), rate: exactly(rate), writeShare, readShare };
}

/** RU/s at the peak of the busiest key that lacks a value. */
export function missingRateOf({ loads, day }: Pick<LoadContext, "loads" | "day">): number {
  const rates = new Map<string, number>();
  for (const load of loads) {
    const factor = peakOf(load, day.peakHour);
    for (const [name, mean] of load.keyRates) {
      if (isMissingName(name)) rates.set(name, (rates.get(name) ?? 0) + mean * factor);
    }
  }
  return greatest([...rates.values()]);
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

/** Of reads that name keys. */
function pinnedReadRate({ loads, day }: LoadContext): number {
  return loads
    .filter(({ model, routing }) => !model.isWrite && routing.kind !== "everywhere")
    .reduce((sum, load) => sum + totalOf(load) * peakOf(load, day.peakHour), 0);
}

/** What a sample showed of values that are busy for a while only. */
function hotHour({ staticPaths, times }: KeyShape, { properties }: DataFacts): number {
  if (staticPaths.length !== 1 || times.size > 0) return 0;
  return properties.get(staticPaths[0]!)?.hottestHourShare ?? 0;
}

const ROUNDS = 40;

/**
 * The hottest partition's rate, had the sample fallen out differently: shares are drawn again, each
 * with the error of a count, and the largest is taken each time.
 */
function bootstrapped({ day, facts, random }: LoadContext): Estimate {
  const value = greatest(day.peaks);
  const { sampleCount } = facts;
  if (sampleCount === undefined || day.total === 0) return exactly(value);
  const drawn = Array.from({ length: ROUNDS }, () =>
    day.peaks.reduce((largest, rate) => {
      const partShare = rate / day.total;
      const error = Math.sqrt((partShare * (1 - partShare)) / sampleCount);
      return Math.max(largest, (partShare + error * normal(random)) * day.total);
    }, 0),
  ).sort((a, b) => a - b);
  const low = Math.min(value, drawn[Math.floor(ROUNDS * 0.025)]!);
  const high = Math.max(value, drawn[Math.ceil(ROUNDS * 0.975) - 1]!);
  return { value, low, high };
}

function normal(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
  return radius * Math.cos(2 * Math.PI * random.next());
}

const CONCENTRATED = 2.5;
const PERIODIC = 2;

function archetypeOf(
  { shape, day }: LoadContext,
  hottest: number,
  mean: number,
): LoadOutcome["archetype"] {
  const isUneven = mean > 0 && hottest > CONCENTRATED * mean;
  if (isUneven)
    return shape.times.size > 0 && shape.staticPaths.length === 0 ? "moving" : "concentrated";
  const factor = day.mean === 0 ? 1 : day.total / day.mean;
  return factor >= PERIODIC ? "periodic" : "even";
}

/** What arrives at each partition in the busiest seconds. */
export function demandsOf({
  loads,
  day,
  ranges,
  provisioned,
  limits,
}: LoadContext): readonly PartitionDemand[] {
  const allotment = Math.min(provisioned / ranges.length, limits.partitionRateMax);
  return ranges.map((_, partition) => ({
    allotment,
    streams: loads
      .map((load) => {
        const requests = load.requests[partition]! * peakOf(load, day.peakHour);
        const rate = load.rates[partition]! * peakOf(load, day.peakHour);
        return { rate: requests, ru: requests === 0 ? 0 : rate / requests };
      })
      .filter(({ rate }) => rate > 0),
  }));
}

/**
 * The same by requests: one that goes to every partition is one request. It begins only if all of
 * them could pay, those among them that it does not come to, because it has enough before.
 */
export function jointDemandOf({
  loads,
  day,
  ranges,
  provisioned,
  limits,
}: LoadContext): JointDemand {
  const streams = loads.flatMap((load): readonly JointStream[] => {
    const factor = peakOf(load, day.peakHour);
    const asked = ranges
      .map((_, partition) => ({ partition, requests: load.requests[partition]! }))
      .filter(({ requests }) => requests > 0)
      .map(({ partition, requests }) => ({
        rate: requests * factor,
        visit: { partition, ru: load.rates[partition]! / requests },
      }));
    if (!load.isWhole) return asked.map(({ rate, visit }) => ({ rate, visits: [visit] }));
    const most = greatest(load.requests);
    const visits = ranges.map((_, partition) => ({ partition, ru: load.rates[partition]! / most }));
    return most === 0 ? [] : [{ rate: most * factor, visits }];
  });
  return {
    allotment: Math.min(provisioned / ranges.length, limits.partitionRateMax),
    partitionCount: ranges.length,
    streams,
  };
}
