/** A prediction beside a measurement, and how far they are apart. */
import type { PartitionOutcome, Simulation } from "../simulate/simulation.ts";
import type { MeasuredPartition, Measurement } from "./measurement.ts";
import { type ProofRanking, rankingOf } from "./ranking.ts";
import {
  agrees,
  type ProofVerdicts,
  pointsApart,
  TOLERANCE,
  type Tolerance,
  verdictsOf,
} from "./verdicts.ts";

/** A number that was predicted and measured. */
export interface Pair {
  readonly predicted: number;
  readonly measured: number;
}

export interface CaseComparison {
  readonly id: string;
  readonly partitions: readonly PartitionPair[];
  /** The same number of physical partitions, cut at the same places. */
  readonly isSameMap: boolean;
  readonly partitionCount: Pair;
  readonly operations: readonly OperationPair[];
  readonly totalRate: Pair;
  readonly throttledShare: Pair;
  /** Of which the measured share is one. */
  readonly answerCount: number;
  /** How far such a share is off its mean in a run that is as short, by simulation. */
  readonly throttledDeviation: number;
  /** The hottest partition over the mean. */
  readonly skew: Pair;
  readonly largestKeyBytes: Pair;
  readonly overLimitShare: Pair;
  /** Of RU/s a partition. */
  readonly medianError: number;
  readonly latencyP50: number;
  readonly latencyP99: number;
  readonly isSplitMidway: boolean;
  readonly lateShare: number;
  readonly failures: ReadonlyMap<string, number>;
}

export interface PartitionPair {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly rate: Pair;
  readonly error: number;
  /** Of what was measured, in RU/s, as only so many operations were sent. */
  readonly standardError: number;
  readonly bytes: Pair;
  readonly throttledShare: number;
}

export interface OperationPair {
  readonly id: string;
  readonly ru: Pair;
  readonly error: number;
  readonly visited: Pair;
  readonly count: number;
  readonly latencyP50: number;
  readonly latencyP99: number;
  readonly throttledShare: number;
}

export interface ProofComparison {
  readonly cases: readonly CaseComparison[];
  /** Over the partitions of all candidates. */
  readonly medianError: number;
  /** In points: the largest difference of a candidate. */
  readonly throttledPoints: number;
  /** Ids, the best first. */
  readonly predictedRanking: readonly string[];
  readonly measuredRanking: readonly string[];
  /** But for those that are too close to be told apart. */
  readonly isSameRanking: boolean;
  readonly verdicts: ProofVerdicts;
  /** No verdict is that the prediction failed. */
  readonly agrees: boolean;
}

/** `overLimitShare` is predicted with the limit of the scale, which a run may have to raise. */
export function compareCase(
  simulation: Simulation,
  measured: Measurement,
  overLimitShare: number,
): CaseComparison {
  const partitions = partitionPairs(simulation.partitions, measured.partitions);
  const rateOf = (pick: (pair: Pair) => number): number =>
    partitions.reduce((sum, { rate }) => sum + pick(rate), 0);
  const operations = operationPairs(simulation, measured);
  // What is too rare to have come at its pace has no time of its own.
  const timed = measured.operations.filter(({ latencyP99 }) => latencyP99 > 0);
  return {
    id: simulation.candidate.id,
    partitions,
    isSameMap: isSameMap(simulation.partitions, measured.partitions),
    partitionCount: {
      predicted: simulation.partitions.length,
      measured: measured.partitions.length,
    },
    operations,
    totalRate: {
      predicted: rateOf((pair) => pair.predicted),
      measured: rateOf((pair) => pair.measured),
    },
    throttledShare: {
      predicted: simulation.throttling.share,
      measured: measured.throttledShare,
    },
    answerCount: measured.answerCount,
    throttledDeviation: simulation.throttling.shareDeviation ?? 0,
    skew: {
      predicted: skewOf(partitions.map(({ rate }) => rate.predicted)),
      measured: skewOf(partitions.map(({ rate }) => rate.measured)),
    },
    largestKeyBytes: {
      predicted: simulation.keys.largest.bytesAtEnd.value,
      measured: measured.largestKey.bytes,
    },
    overLimitShare: {
      predicted: overLimitShare,
      measured: measured.overLimitShare,
    },
    medianError: medianOf(partitions.map(({ error }) => error)),
    latencyP50: medianOf(timed.map(({ latencyP50 }) => latencyP50)),
    latencyP99: Math.max(0, ...timed.map(({ latencyP99 }) => latencyP99)),
    isSplitMidway: measured.isSplitMidway,
    lateShare: measured.lateShare,
    failures: measured.failures,
  };
}

function operationPairs(simulation: Simulation, measured: Measurement): readonly OperationPair[] {
  return simulation.operations.flatMap((operation): OperationPair[] => {
    const found = measured.operations.find(({ id }) => id === operation.id);
    if (found === undefined || found.count === 0) return [];
    const ru = { predicted: operation.ruEach, measured: found.ruEach };
    const visited = { predicted: operation.partitionsVisited, measured: found.visited };
    return [{ ...found, ru, error: errorOf(ru), visited }];
  });
}

export function compareAll(
  cases: readonly CaseComparison[],
  tolerance: Tolerance = TOLERANCE,
): ProofComparison {
  const errors = cases.flatMap(({ partitions }) => partitions.map(({ error }) => error));
  const medianError = medianOf(errors);
  const points = cases.map(({ throttledShare }) => pointsApart(throttledShare));
  const throttledPoints = Math.max(0, ...points);
  const ranking: ProofRanking = rankingOf(cases, tolerance);
  const verdicts = verdictsOf(cases, { medianError, ranking }, tolerance);
  return {
    cases,
    medianError,
    throttledPoints,
    predictedRanking: ranking.predicted,
    measuredRanking: ranking.measured,
    isSameRanking: verdicts.ranking.inverted.length === 0,
    verdicts,
    agrees: agrees(verdicts),
  };
}

/** In the order of the key space; where there are more on one side, they have no other. */
function partitionPairs(
  predicted: readonly PartitionOutcome[],
  measured: readonly MeasuredPartition[],
): readonly PartitionPair[] {
  const total = measured.reduce((sum, { rate }) => sum + rate, 0);
  const least = (LEAST_SHARE * total) / Math.max(1, measured.length);
  if (predicted.length === measured.length) {
    return measured.map((partition, at) => pairOf(predicted[at], partition, least));
  }
  // Another map: who has most load on one side stands beside who has most on the other.
  const byRate = [...predicted].sort((a, b) => b.rates[0]! - a.rates[0]!);
  const found = [...measured].sort((a, b) => b.rate - a.rate);
  const count = Math.max(byRate.length, found.length);
  return Array.from({ length: count }, (_, at) => pairOf(byRate[at], found[at], least));
}

function pairOf(
  predicted: PartitionOutcome | undefined,
  measured: MeasuredPartition | undefined,
  least: number,
): PartitionPair {
  const rate = { predicted: predicted?.rates[0] ?? 0, measured: measured?.rate ?? 0 };
  return {
    id: measured?.id ?? `(${predicted?.id ?? ""})`,
    from: measured?.from ?? predicted?.from ?? 0,
    to: measured?.to ?? predicted?.to ?? 0,
    rate,
    error: errorOf(rate, least),
    standardError: measured?.rateError ?? 0,
    bytes: { predicted: predicted?.bytes ?? 0, measured: measured?.bytes ?? 0 },
    throttledShare: measured?.throttledShare ?? 0,
  };
}

/** Cuts that lie so close are the same. */
const CUT_NEAR = 0.01;

function isSameMap(
  predicted: readonly PartitionOutcome[],
  measured: readonly MeasuredPartition[],
): boolean {
  return (
    predicted.length === measured.length &&
    predicted.every(({ to }, at) => Math.abs(to - measured[at]!.to) <= CUT_NEAR)
  );
}

/** A partition with less than this share of a mean one has as good as no load. */
const LEAST_SHARE = 0.05;

/**
 * Of what was measured, or of the least that counts; a number that should be nothing and is not is
 * all wrong.
 */
export function errorOf({ predicted, measured }: Pair, least = 0): number {
  if (predicted === measured) return 0;
  const base = Math.max(Math.abs(measured), least);
  return base === 0 ? 1 : Math.abs(predicted - measured) / base;
}

export function medianOf(amounts: readonly number[]): number {
  const sorted = [...amounts].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return 0;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function skewOf(rates: readonly number[]): number {
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / Math.max(1, rates.length);
  return mean === 0 ? 1 : Math.max(...rates) / mean;
}
