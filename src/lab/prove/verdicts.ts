/**
 * What a proof says of a prediction: three verdicts, each with its own tolerance, because they rest
 * on different things. RU and the ranking follow from counters and do not depend on time, but on
 * how many operations were sent. What is refused does: it follows from the pace at which requests
 * came, and from chance, as a few dear ones more or less make a short run refuse many or none.
 */
import type { CaseComparison, Pair } from "./compare.ts";
import type { ProofRanking, SwappedPair } from "./ranking.ts";

/** `undecided`: what was measured says nothing about the prediction. */
export type ProofFinding = "held" | "failed" | "undecided";

export interface ProofVerdicts {
  readonly ru: RuVerdict;
  readonly ranking: RankingVerdict;
  readonly throttling: ThrottlingVerdict;
}

interface RuVerdict {
  readonly finding: ProofFinding;
  /** Of RU/s, over the partitions of all candidates. */
  readonly medianError: number;
  readonly worstError: number;
  readonly tolerance: number;
}

interface RankingVerdict {
  readonly finding: ProofFinding;
  /** Candidates that are within this share of each other have no order. */
  readonly tolerance: number;
  /** Pairs in the other order that this proof cannot tell apart, and those that it can. */
  readonly tooClose: readonly SwappedPair[];
  readonly inverted: readonly SwappedPair[];
}

interface ThrottlingVerdict {
  readonly finding: ProofFinding;
  /** The candidate that is furthest beyond what it may be apart; if none is, the one most apart. */
  readonly id: string | undefined;
  /** How far that one is apart, and may be: the tolerance, and what so short a run leaves open. */
  readonly points: number;
  readonly pointsAllowed: number;
  readonly tolerance: number;
  /** Candidates whose requests left too late to tell. */
  readonly late: readonly string[];
}

export interface Tolerance {
  /** Of RU/s of a partition. */
  readonly error: number;
  /** Of a share of 429s, in points. */
  readonly points: number;
  /** Of the ranking. */
  readonly alike: number;
}

export const TOLERANCE: Tolerance = { error: 0.05, points: 3, alike: 0.05 };

/** Of the requests, so many may leave late before what was refused says nothing. */
export const LATE_MAX = 0.02;

/** Within so many of them lie 95 of 100 runs. */
export const STANDARD_ERRORS = 2;

export function verdictsOf(
  cases: readonly CaseComparison[],
  found: { readonly medianError: number; readonly ranking: ProofRanking },
  tolerance: Tolerance,
): ProofVerdicts {
  const { medianError, ranking } = found;
  const [tooClose, inverted] = [true, false].map((isTooClose) =>
    ranking.swapped.filter((pair) => pair.isTooClose === isTooClose),
  ) as [SwappedPair[], SwappedPair[]];
  const errors = cases.flatMap(({ partitions }) => partitions.map(({ error }) => error));
  return {
    ru: {
      finding: isWithin(medianError, tolerance.error) ? "held" : "failed",
      medianError,
      worstError: Math.max(0, ...errors),
      tolerance: tolerance.error,
    },
    ranking: {
      finding: inverted.length === 0 ? "held" : "failed",
      tolerance: tolerance.alike,
      tooClose,
      inverted,
    },
    throttling: throttlingVerdict(cases, tolerance.points),
  };
}

/** Nothing that was measured speaks against the prediction. */
export function agrees({ ru, ranking, throttling }: ProofVerdicts): boolean {
  return [ru, ranking, throttling].every(({ finding }) => finding !== "failed");
}

function throttlingVerdict(cases: readonly CaseComparison[], tolerance: number): ThrottlingVerdict {
  const judged = cases
    .map((each) => {
      const { id, throttledShare, lateShare } = each;
      const points = pointsApart(throttledShare);
      const pointsAllowed = tolerance + openPoints(each);
      // What is written with one decimal is judged with one: nothing is 0.0 beyond a line.
      const isFine = tenths(points) <= tenths(pointsAllowed);
      return { id, points, pointsAllowed, isFine, isLate: lateShare > LATE_MAX };
    })
    .sort((a, b) => b.points - a.points);
  const beyond = judged
    .filter(({ isFine }) => !isFine)
    .sort((a, b) => b.points - b.pointsAllowed - (a.points - a.pointsAllowed));
  const told = beyond.find(({ isLate }) => !isLate) ?? beyond[0] ?? judged[0];
  return {
    finding:
      beyond.length === 0 ? "held" : beyond.some(({ isLate }) => !isLate) ? "failed" : "undecided",
    id: told?.id,
    points: told?.points ?? 0,
    pointsAllowed: told?.pointsAllowed ?? tolerance,
    tolerance,
    late: judged.filter(({ isLate }) => isLate).map(({ id }) => id),
  };
}

export function pointsApart({ predicted, measured }: Pair): number {
  return 100 * Math.abs(predicted - measured);
}

/**
 * Were each answer refused for itself, the error would be that of a count; by the larger share of
 * both, as nothing refused of a few hundred does not mean nothing ever is. But one dear request
 * makes a partition refuse all that follow for a while: how much runs differ by that is simulated.
 */
function openPoints({
  throttledShare: { predicted, measured },
  answerCount,
  throttledDeviation,
}: CaseComparison): number {
  const share = Math.min(0.5, Math.max(predicted, measured));
  const counted = Math.sqrt((share * (1 - share)) / Math.max(1, answerCount));
  return 100 * STANDARD_ERRORS * Math.max(counted, throttledDeviation);
}

function tenths(points: number): number {
  return Math.round(10 * points);
}

/** As they are written, in percent with one decimal. */
function isWithin(error: number, tolerance: number): boolean {
  return Math.round(1000 * error) <= Math.round(1000 * tolerance);
}
