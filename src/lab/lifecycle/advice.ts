/**
 * Which way of keeping ageing data is for whom: the guides' framework with the user's own figures,
 * the four approaches simulated, and what would change the verdict. A pure function of what is
 * given; the text and the JSON of it are in `adviceText.ts` and `adviceJson.ts`.
 */
import type { Limits } from "../../model/limits.ts";
import type { Candidate } from "../candidate/candidate.ts";
import { declaredFacts } from "../data/declaredFacts.ts";
import { storedBytesOf } from "../price/itemPrice.ts";
import { soldRate } from "../simulate/money.ts";
import { operationModels } from "../simulate/operationModel.ts";
import { accessOf } from "../workload/access.ts";
import type { Operation, Workload } from "../workload/workload.ts";
import { type AgedItems, agedItemsOf } from "./ages.ts";
import { APPROACHES, type ApproachId, SINGLE_BYTES_MAX } from "./approach.ts";
import type { AgeingSettings } from "./containers.ts";
import { APPROACH_OF, type Decision, type DecisionFigures, decide } from "./decision.ts";
import { type ApproachOutcome, type OutcomeInput, outcomeOf } from "./outcome.ts";
import { type VerdictChange, verdictChanges } from "./verdictChanges.ts";

export interface LifecycleInput {
  readonly workload: Workload;
  /** The property that has the age of an item. */
  readonly agePath: string;
  readonly candidate: Candidate;
  readonly settings: AgeingSettings;
  readonly wishes: Wishes;
  readonly limits: Limits;
  readonly startMillis: number;
  readonly seed: number;
  readonly onProgress?: ((done: number, total: number, what: string) => void) | undefined;
}

/** What the user says outright; undefined: it follows from the workload. */
export interface Wishes {
  /** RU/s. */
  readonly highLoad: number | undefined;
  readonly needsAnalytics: boolean | undefined;
  readonly needsRealTime: boolean | undefined;
  readonly isSimple: boolean | undefined;
  readonly hasIndependentPeriods: boolean | undefined;
}

export interface LifecycleAdvice {
  readonly workload: Workload;
  readonly key: string;
  readonly agePath: string;
  readonly settings: AgeingSettings;
  readonly figures: DecisionFigures;
  /** Reads a second, at the mean. */
  readonly readsPerSecond: number;
  readonly itemsPerDay: number;
  readonly itemCount: number;
  readonly keptDays: number;
  /** True when the threshold was not the user's own. */
  readonly isHighLoadComputed: boolean;
  readonly decision: Decision;
  /** What the framework comes to; where it only says to reconsider, the cheaper that is left. */
  readonly recommended: ApproachId;
  readonly outcomes: readonly ApproachOutcome[];
  /** Every approach if items were kept twice as long. */
  readonly grown: readonly ApproachOutcome[];
  readonly cheapest: ApproachId | undefined;
  readonly changes: readonly VerdictChange[];
  readonly remarks: readonly string[];
}

export function lifecycleAdvice(input: LifecycleInput): LifecycleAdvice {
  const { workload, settings, limits, wishes } = input;
  const total = 2 * APPROACHES.length;
  let done = 0;
  const simulated = (given: Workload): readonly ApproachOutcome[] =>
    APPROACHES.map(({ id, title }) => {
      input.onProgress?.(done++, total, title);
      return outcomeOf(id, outcomeInput(input, given));
    });
  const outcomes = simulated(workload);
  const grown = simulated(keptTwiceAsLong(workload));
  const items = agedItemsOf(workload);
  const single = outcomes.find(({ approach }) => approach.id === "single")!;
  const volumeBytes = items.itemCount * storedBytesOf(declaredFacts(workload).itemBytes);
  const reads = readsOf(workload, settings.hotDays);
  const queryLoad = queryLoadOf(single, workload, items);
  const highLoad = wishes.highLoad ?? soldRate(0, volumeBytes / GIB, limits.manualRate);
  const figures = figuresOf({ volumeBytes, queryLoad, highLoad, reads }, wishes);
  const decision = decide(figures);
  const cheapest = cheapestOf(outcomes);
  return {
    workload,
    key: input.candidate.id,
    agePath: input.agePath,
    settings,
    figures,
    readsPerSecond: reads.ratePerSecond,
    itemsPerDay: items.itemsPerDay,
    itemCount: items.itemCount,
    keptDays: items.keptDays,
    isHighLoadComputed: wishes.highLoad === undefined,
    decision,
    recommended:
      decision.branch === "reconsider"
        ? reconsidered(outcomes, volumeBytes)
        : APPROACH_OF[decision.branch],
    outcomes,
    grown,
    cheapest,
    changes: verdictChanges(figures, reads.ratePerSecond),
    remarks: remarksOf(input, outcomes, items),
  };
}

const GIB: number = 1024 ** 3;

/** For one approach, whoever asks: the advice, or somebody who runs it. */
export function outcomeInput(
  input: Omit<LifecycleInput, "wishes" | "onProgress">,
  workload: Workload,
): OutcomeInput {
  const models = operationModels(workload, declaredFacts(workload));
  const spans = new Map(models.map(({ operation, spanDays }) => [operation.id, spanDays]));
  return {
    ...input,
    workload,
    items: agedItemsOf(workload),
    spanDaysOf: ({ id }) => spans.get(id),
  };
}

/** As when nobody deletes: the same rates, and a history of twice the length. */
function keptTwiceAsLong(workload: Workload): Workload {
  const { keptDays, itemCount, itemsPerDay, rateFactor } = agedItemsOf(workload);
  return {
    ...workload,
    growth: {
      ...workload.growth,
      itemsPerDay,
      initialItems: 2 * itemCount,
      retentionDays: 2 * keptDays,
      perMonth: 0,
    },
    operations: workload.operations.map((operation) => ({
      ...operation,
      ratePerSecond: operation.ratePerSecond * rateFactor,
    })),
    horizonMonths: 0,
  };
}

interface Reads {
  readonly ratePerSecond: number;
  readonly recentShare: number;
  /** Whether a query adds up over more than the hot data. */
  readonly hasAnalytics: boolean;
}

function readsOf(workload: Workload, hotDays: number): Reads {
  const models = operationModels(workload, declaredFacts(workload)).filter(
    ({ isWrite }) => !isWrite,
  );
  const isRecent = (ageDays: number | undefined): boolean =>
    ageDays !== undefined && ageDays <= hotDays;
  const rateOf = (chosen: typeof models): number =>
    chosen.reduce((sum, { operation }) => sum + operation.ratePerSecond, 0);
  const ratePerSecond = rateOf(models);
  const recent = models.filter(({ ageDays }) => isRecent(ageDays));
  return {
    ratePerSecond,
    recentShare: ratePerSecond === 0 ? 0 : rateOf(recent) / ratePerSecond,
    hasAnalytics: models.some(
      ({ operation, ageDays }) => accessOf(operation).isAggregate && !isRecent(ageDays),
    ),
  };
}

/** RU/s of all reads at the peak, with everything in one container. */
function queryLoadOf(
  { patterns }: ApproachOutcome,
  { operations, growth }: Workload,
  { rateFactor }: AgedItems,
): number {
  const peakOf = ({ peakFactor, hours }: Operation): number =>
    hours === undefined && growth.hours === undefined
      ? (peakFactor ?? growth.peakFactor)
      : Math.max(...(hours ?? growth.hours!)) / meanOf(hours ?? growth.hours!);
  return operations
    .filter(({ kind }) => kind === "query" || kind === "pointRead")
    .reduce((sum, operation) => {
      const { ruEach } = patterns.find(({ id }) => id === operation.id)!;
      return sum + operation.ratePerSecond * rateFactor * ruEach * peakOf(operation);
    }, 0);
}

function meanOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0) / amounts.length;
}

/** Recent reads have to be quick where they are most of all reads. */
const REAL_TIME_SHARE = 0.5;

function figuresOf(
  {
    reads,
    ...known
  }: Pick<DecisionFigures, "volumeBytes" | "queryLoad" | "highLoad"> & { readonly reads: Reads },
  wishes: Wishes,
): DecisionFigures {
  const needsAnalytics = wishes.needsAnalytics ?? reads.hasAnalytics;
  const hasIndependentPeriods = wishes.hasIndependentPeriods ?? false;
  return {
    ...known,
    recentShare: reads.recentShare,
    needsAnalytics,
    needsRealTime: wishes.needsRealTime ?? reads.recentShare >= REAL_TIME_SHARE,
    isSimple:
      wishes.isSimple ??
      (!needsAnalytics && !hasIndependentPeriods && known.queryLoad <= known.highLoad),
    hasIndependentPeriods,
  };
}

function cheapestOf(outcomes: readonly ApproachOutcome[]): ApproachId | undefined {
  const possible = outcomes.filter(({ cost }) => cost !== undefined);
  const [best] = possible.toSorted((a, b) => a.cost! - b.cost!);
  return best?.approach.id;
}

/** A single container or hot and warm: what costs less, as long as one container is of a size. */
function reconsidered(outcomes: readonly ApproachOutcome[], volumeBytes: number): ApproachId {
  const left = outcomes.filter(({ approach: { id } }) =>
    volumeBytes < SINGLE_BYTES_MAX ? id !== "perYear" : id === "hotWarm" || id === "nearRealTime",
  );
  return cheapestOf(left) ?? "hotWarm";
}

function remarksOf(
  { settings, workload, limits }: LifecycleInput,
  outcomes: readonly ApproachOutcome[],
  { keptDays }: AgedItems,
): readonly string[] {
  const models = operationModels(workload, declaredFacts(workload));
  const remarks = [...workload.remarks, ...models.flatMap((model) => model.remarks)];
  if (keptDays <= settings.hotDays) {
    remarks.push(
      "Items are gone before they are old enough to be moved: the warm container stays empty, " +
        "and hot and warm are a single container.",
    );
  }
  for (const { approach, keyFill } of outcomes) {
    if (keyFill <= 1) continue;
    remarks.push(
      `With ${approach.title} the largest key holds ${keyFill.toFixed(1)} times the ` +
        `${limits.logicalPartitionBytesMax / GIB} GB that a logical partition may: another key ` +
        "is needed (--key), such as one with a day in it.",
    );
  }
  return remarks;
}
