/**
 * The guides' validator for one named key: is it fine enough, are items evenly distributed over it,
 * and do queries name it. Three figures, three thresholds, a sentence each; a score that is just
 * the threshold passes. What they do not ask is in `checkRisks.ts`.
 *
 * The distribution is scored by its evenness: Shannon entropy of the keys' shares over that of as
 * many equal ones, 1 when all are alike. Not by one minus the Gini coefficient: with millions of
 * keys that is small for every ordinary long tail, however harmless its largest key is, and the
 * guides' own alert (Gini above 0.7) would contradict a score of 0.7.
 */
import { printKeyLevels } from "../../keys/expressionText.ts";
import type { Limits } from "../../model/limits.ts";
import type { Candidate } from "../candidate/candidate.ts";
import { keyShapeOf } from "../candidate/keyShape.ts";
import type { DataFacts, Population } from "../data/facts.ts";
import type { KeyOutcome, OperationOutcome, Simulation } from "../simulate/simulation.ts";
import { numberText, percentText, plural } from "../wording/plain.ts";
import type { Workload } from "../workload/workload.ts";
import { riskFindings } from "./checkRisks.ts";
import { rateOf, ratio, readsOf } from "./ground.ts";
import { ALIGNMENT_MIN, CARDINALITY_MIN, DISTRIBUTION_MIN, KEYS_ASKED_FEW } from "./thresholds.ts";

interface KeyCheckInput {
  readonly workload: Workload | undefined;
  readonly facts: DataFacts;
  readonly simulation: Simulation | undefined;
  readonly candidate: Candidate;
  /** Those the simulation ran with, and when it begins. */
  readonly limits: Limits;
  readonly startMillis: number;
}

export interface KeyCheck {
  readonly candidate: string;
  readonly expression: string;
  readonly findings: readonly CheckFinding[];
  /** None of them is a warning. */
  readonly isPassed: boolean;
}

export interface CheckFinding {
  readonly check:
    | "cardinality"
    | "distribution"
    | "alignment"
    | "no-value"
    | "immutability"
    | "current-writes"
    | "growth"
    | "hottest-key";
  /** `unknown`: what it takes was not there, and the sentence says what. */
  readonly outcome: "passed" | "warning" | "unknown";
  readonly score: number | undefined;
  readonly threshold: number;
  /** The score may not be more than the threshold; otherwise it may not be less. */
  readonly isAtMost?: boolean | undefined;
  readonly sentence: string;
}

export function checkKey(input: KeyCheckInput): KeyCheck {
  const { workload, facts, simulation, candidate } = input;
  const findings = [
    cardinality(candidate, facts, simulation),
    distribution(candidate, facts, simulation),
    alignment(workload, simulation),
    ...riskFindings(input),
  ];
  return {
    candidate: candidate.id,
    expression: printKeyLevels(candidate.levels),
    findings,
    isPassed: findings.every(({ outcome }) => outcome !== "warning"),
  };
}

function cardinality(
  candidate: Candidate,
  facts: DataFacts,
  simulation: Simulation | undefined,
): CheckFinding {
  const shape = keyShapeOf(candidate, facts);
  const isTimed = shape.times.size > 0;
  const count = simulation?.keys.count.value ?? staticPopulation(candidate, facts)?.distinct.value;
  const common = { check: "cardinality", score: count, threshold: CARDINALITY_MIN } as const;
  if (count === undefined || (isTimed && simulation === undefined && count < CARDINALITY_MIN)) {
    return {
      ...common,
      outcome: "unknown",
      sentence:
        "The key has a time in it: how many keys there are depends on how long items are kept. A " +
        "workload would say.",
    };
  }
  const keys = plural(Math.round(count), "key");
  return count < CARDINALITY_MIN
    ? {
        ...common,
        outcome: "warning",
        sentence:
          `Only ${keys}: fewer than ${CARDINALITY_MIN} cannot spread data and load. ` +
          "Consider a second property in the key.",
      }
    : { ...common, outcome: "passed", sentence: `${keys}, at least ${CARDINALITY_MIN}.` };
}

function distribution(
  candidate: Candidate,
  facts: DataFacts,
  simulation: Simulation | undefined,
): CheckFinding {
  const population = staticPopulation(candidate, facts);
  const isStated = candidate.stated?.largestKeyStorageShare !== undefined;
  const score =
    population !== undefined && !isStated && isPlain(candidate, facts)
      ? populationEvenness(population)
      : simulation && lorenzEvenness(simulation.keys);
  const common = { check: "distribution", score, threshold: DISTRIBUTION_MIN } as const;
  if (score === undefined) {
    return {
      ...common,
      outcome: "unknown",
      sentence:
        "How items are distributed over the key depends on time or on what is calculated: a " +
        "workload would say.",
    };
  }
  const largest = simulation
    ? ` The largest, ${simulation.keys.largest.label}, has ` +
      `${percentText(simulation.keys.largest.share)} of the bytes.`
    : "";
  const says = `Evenness is ${numberText(score)} (entropy of the keys' bytes, 1 is even)`;
  return score < DISTRIBUTION_MIN
    ? {
        ...common,
        outcome: "warning",
        sentence: `${says}, below ${DISTRIBUTION_MIN}: a few keys have most items.${largest}`,
      }
    : {
        ...common,
        outcome: "passed",
        sentence: `${says}, at least ${DISTRIBUTION_MIN}.${largest}`,
      };
}

function alignment(
  workload: Workload | undefined,
  simulation: Simulation | undefined,
): CheckFinding {
  const reads = simulation === undefined ? [] : readsOf(simulation);
  const rate = rateOf(reads);
  if (workload === undefined || rate === 0) {
    return {
      check: "alignment",
      outcome: "unknown",
      score: undefined,
      threshold: ALIGNMENT_MIN,
      sentence:
        "No reads are known. A workload, or a recording of one, would say whether queries name " +
        "the key.",
    };
  }
  const score = ratio(rateOf(reads.filter(isAligned)), rate);
  const common = { check: "alignment", score, threshold: ALIGNMENT_MIN } as const;
  const others = reads.filter((one) => !isAligned(one)).map(({ id }) => id);
  const says = `${percentText(score)} of the reads name one key or a few`;
  const except = others.length > 0 ? ` Not so: ${others.join(", ")}.` : "";
  return score < ALIGNMENT_MIN
    ? {
        ...common,
        outcome: "warning",
        sentence: `${says}, fewer than ${percentText(ALIGNMENT_MIN)}.${except}`,
      }
    : {
        ...common,
        outcome: "passed",
        sentence: `${says}, at least ${percentText(ALIGNMENT_MIN)}.${except}`,
      };
}

/** One key or a few; a prefix is as good when it lies on a few physical partitions. */
function isAligned({ routing, partitionsVisited }: OperationOutcome): boolean {
  switch (routing.kind) {
    case "key":
      return true;
    case "keys":
      return routing.count <= KEYS_ASKED_FEW;
    case "prefix":
      return partitionsVisited <= KEYS_ASKED_FEW;
    case "everywhere":
      return false;
  }
}

/** Of the paths that are no times; undefined when there are none. */
function staticPopulation(candidate: Candidate, facts: DataFacts): Population | undefined {
  const { staticPaths, hashCounts } = keyShapeOf(candidate, facts);
  const plain = staticPaths.filter((path) => !hashCounts.has(path));
  return plain.length === 0 ? undefined : facts.populationOf(plain);
}

/** The key is its paths and nothing else, so that its values are those of the population. */
function isPlain(candidate: Candidate, facts: DataFacts): boolean {
  const { times, hashCounts, spreadCount, hasChoice } = keyShapeOf(candidate, facts);
  return times.size === 0 && hashCounts.size === 0 && spreadCount === 1 && !hasChoice;
}

/** 1 for a single key: there is nothing to be uneven with. */
export function populationEvenness({ rows }: Population): number {
  const count = rows.reduce((sum, { keyCount }) => sum + keyCount, 0);
  return evenness(
    rows.map(({ keyCount, byteShare }) => ({ keys: keyCount, share: byteShare })),
    count,
  );
}

/** Between two points of the curve keys are alike. */
export function lorenzEvenness({ lorenz, count }: Pick<KeyOutcome, "lorenz" | "count">): number {
  let [keysBefore, bytesBefore] = [0, 0];
  const classes = lorenz.map(([keys, bytes]) => {
    const step = { keys: (keys - keysBefore) * count.value, share: bytes - bytesBefore };
    [keysBefore, bytesBefore] = [keys, bytes];
    return step;
  });
  return evenness(classes, count.value);
}

function evenness(
  classes: readonly { readonly keys: number; readonly share: number }[],
  keyCount: number,
): number {
  if (keyCount <= 1) return 1;
  const entropy = classes.reduce(
    (sum, { keys, share }) => (share > 0 && keys > 0 ? sum - share * Math.log(share / keys) : sum),
    0,
  );
  return Math.min(1, Math.max(0, entropy / Math.log(keyCount)));
}
