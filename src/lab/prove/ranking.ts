/**
 * Candidates in an order, the best first: as predicted, as measured, and where the two differ.
 *
 * Only so many operations were sent, so a measured rate has an error. Two candidates that are
 * measured nearer to each other than that cannot be told apart by this proof; that they were
 * measured the other way round says nothing. Those further apart do.
 */
import type { CaseComparison, Pair } from "./compare.ts";
import { STANDARD_ERRORS, type Tolerance } from "./verdicts.ts";

export interface ProofRanking {
  /** Ids, the best first. */
  readonly predicted: readonly string[];
  readonly measured: readonly string[];
  /** All pairs that stand the other way round. */
  readonly swapped: readonly SwappedPair[];
}

/** Two candidates that were measured in the other order than predicted. */
export interface SwappedPair {
  /** As predicted. */
  readonly better: string;
  readonly worse: string;
  /** How far apart the rates are that they call for, as shares of the larger. */
  readonly apart: Pair;
  /** How far apart they may be measured by the chance of what was sent, as such a share. */
  readonly open: number;
  /** They are too close to be told apart. */
  readonly isTooClose: boolean;
}

type Pick = (pair: Pair) => number;
const PREDICTED: Pick = ({ predicted }) => predicted;
const MEASURED: Pick = ({ measured }) => measured;

export function rankingOf(cases: readonly CaseComparison[], { alike }: Tolerance): ProofRanking {
  const [predicted, measured] = [ranked(cases, PREDICTED), ranked(cases, MEASURED)];
  const swapped = predicted.flatMap((better, at) =>
    predicted
      .slice(at + 1)
      .filter((worse) => measured.indexOf(worse) < measured.indexOf(better))
      .map((worse) => swappedPair(better, worse, alike)),
  );
  const ids = (list: readonly CaseComparison[]): readonly string[] => list.map(({ id }) => id);
  return { predicted: ids(predicted), measured: ids(measured), swapped };
}

function swappedPair(better: CaseComparison, worse: CaseComparison, alike: number): SwappedPair {
  const apart = {
    predicted: apartBy(better, worse, PREDICTED),
    measured: apartBy(better, worse, MEASURED),
  };
  const larger = Math.max(neededOf(better, MEASURED), neededOf(worse, MEASURED));
  const error = Math.hypot(neededErrorOf(better), neededErrorOf(worse));
  const open = larger === 0 ? 0 : (STANDARD_ERRORS * error) / larger;
  // What does not fit is worse whatever rate it calls for, and chance has no part in that.
  const isByLimit = [PREDICTED, MEASURED].some(
    (pick) => isFull(better, pick) !== isFull(worse, pick),
  );
  const isNear = apart.predicted <= alike || apart.measured <= Math.max(alike, open);
  return { better: better.id, worse: worse.id, apart, open, isTooClose: isNear && !isByLimit };
}

function apartBy(one: CaseComparison, other: CaseComparison, pick: Pick): number {
  const [a, b] = [neededOf(one, pick), neededOf(other, pick)];
  return Math.abs(a - b) / Math.max(a, b, Number.MIN_VALUE);
}

/** What has to be provisioned for the hottest partition: low is good, whatever is provisioned. */
function neededOf(each: CaseComparison, pick: Pick): number {
  const rates = each.partitions.map(({ rate }) => pick(rate));
  return Math.max(0, ...rates) * pick(each.partitionCount);
}

/** One standard error of it, as measured. */
function neededErrorOf({ partitions, partitionCount }: CaseComparison): number {
  const hottest = partitions.reduce<CaseComparison["partitions"][number] | undefined>(
    (most, each) => (most === undefined || each.rate.measured > most.rate.measured ? each : most),
    undefined,
  );
  return (hottest?.standardError ?? 0) * partitionCount.measured;
}

function isFull({ overLimitShare }: CaseComparison, pick: Pick): boolean {
  return pick(overLimitShare) > 0;
}

function ranked(cases: readonly CaseComparison[], pick: Pick): readonly CaseComparison[] {
  return [...cases].sort(
    (a, b) =>
      Number(isFull(a, pick)) - Number(isFull(b, pick)) || neededOf(a, pick) - neededOf(b, pick),
  );
}
