/** All that a proof does before anything runs: the scale, the items, and the operations. */
import { seededRandom } from "../../base/world.ts";
import type { JsonObject } from "../../json/value.ts";
import type { Limits } from "../../model/limits.ts";
import type { Candidate } from "../candidate/candidate.ts";
import { declaredFacts } from "../data/declaredFacts.ts";
import type { DataFacts } from "../data/facts.ts";
import { itemsOf } from "../scenario/itemGenerator.ts";
import { type OperationModel, operationModels } from "../simulate/operationModel.ts";
import type { Simulation } from "../simulate/simulation.ts";
import type { Workload } from "../workload/workload.ts";
import { newItems } from "./newItems.ts";
import { type ProofCase, proofCaseOf } from "./proofCase.ts";
import { type ProofScale, scaleOf } from "./scale.ts";
import { evenlyChosen, keyOrder } from "./subjects.ts";
import { type TraceEvent, traceOf } from "./trace.ts";

export interface ProofWish {
  readonly workload: Workload;
  /** The candidates as they were simulated at the real scale. */
  readonly simulations: readonly Simulation[];
  /** Those of the real thing. */
  readonly limits: Limits;
  /** Of the server that the proof runs on, if it cannot be told other ones. */
  readonly serverLimits: Limits | undefined;
  readonly factor: number | undefined;
  readonly items: number;
  readonly rate: number;
  /** How long operations are sent at their pace. */
  readonly seconds: number;
  /** How many are sent to see what they ask for. */
  readonly operationCount: number;
  readonly seed: number;
}

export interface TimedTrace {
  readonly seconds: number;
  readonly events: readonly TraceEvent[];
}

export interface ProofPlan {
  readonly scale: ProofScale;
  readonly models: readonly OperationModel[];
  readonly nowMillis: number;
  readonly items: readonly JsonObject[];
  caseOf(candidate: Candidate): ProofCase;
  tracesOf(proofCase: ProofCase): ProofTraces;
}

export interface ProofTraces {
  /** To see what is asked for, whatever the rate: rare operations come more often than they do. */
  readonly demand: TimedTrace;
  /** To be sent at its pace. */
  readonly load: TimedTrace;
}

/**
 * When a proof takes place: in the middle of a month, a quarter, a week, a day and an hour, as the
 * simulator takes now to be anywhere in its period.
 */
export const PROOF_MILLIS: number = Date.UTC(2026, 7, 13, 12, 30);
const DAY_MILLIS = 86_400_000;

/** Requests are not tried again: what is refused is what one attempt meets. */
export const NO_RETRIES = { retriesMax: 0, waitMax: 0 } as const;

export function planOf(wish: ProofWish): ProofPlan {
  const scale = scaleFor(wish);
  const { workload } = scale;
  const facts = declaredFacts(workload);
  const models = operationModels(workload, facts);
  const items = storedItems(scale, wish.seed);
  return {
    scale,
    models,
    nowMillis: PROOF_MILLIS,
    items,
    tracesOf: (proofCase) => tracesOf(proofCase, { wish, scale, models, items, facts }),
    caseOf: (candidate) =>
      proofCaseOf(candidate, {
        scale,
        items,
        nowMillis: PROOF_MILLIS,
        seed: wish.seed,
        retries: NO_RETRIES,
        seconds: wish.seconds,
        createdMax: Math.max(batchSizeOf(items.length), createdIn(models, wish.seconds)),
        hasOwnLimits: wish.serverLimits !== undefined,
      }),
  };
}

/** Of items that are written, so many are made for one that is chosen. */
const CHOICE = 4;

interface Tracing extends Pick<ProofPlan, "scale" | "models" | "items"> {
  readonly wish: ProofWish;
  readonly facts: DataFacts;
}

function tracesOf(
  proofCase: ProofCase,
  { wish, scale, models, items, facts }: Tracing,
): ProofTraces {
  const { workload } = scale;
  const { definition } = proofCase;
  const order = keyOrder(proofCase.items, definition);
  let after = items.length;
  const traced = (seconds: number, seed: number, countMin: number): TimedTrace => ({
    seconds,
    events: traceOf({
      workload,
      models,
      stored: { facts, items, nowMillis: PROOF_MILLIS },
      order,
      seconds,
      seed,
      countMin,
      created: (count) => {
        const made = newItems(workload, {
          count: CHOICE * count,
          after,
          nowMillis: PROOF_MILLIS,
          seed,
        }).map(proofCase.keyed);
        after += made.length;
        const chosen = evenlyChosen(keyOrder(made, definition), count, seededRandom(seed));
        return chosen.map((at) => made[at]!);
      },
    }),
  });
  const demandSeconds = wish.operationCount / Math.max(scale.rate, Number.MIN_VALUE);
  const countMin = Math.ceil(RARE_SHARE * wish.operationCount);
  return {
    demand: traced(demandSeconds, wish.seed + 1, countMin),
    load: traced(wish.seconds, wish.seed + 2, 0),
  };
}

/**
 * Of the operations that show what is asked for, each has such a share at least: a handful of dear
 * ones would fall to this partition or that one by chance. They are counted by their rate.
 */
const RARE_SHARE = 0.05;

/** Share of the stored items that may be added before they are taken back. */
const BATCH_SHARE = 0.05;

/** How many operations that add or remove items are sent at a time, where the rate is no limit. */
export function batchSizeOf(itemCount: number): number {
  return Math.ceil(itemCount * BATCH_SHARE);
}

function createdIn(models: readonly OperationModel[], seconds: number): number {
  const rate = models
    .filter(({ operation }) => operation.kind === "create" || operation.kind === "upsert")
    .reduce((sum, { operation }) => sum + operation.ratePerSecond, 0);
  return Math.ceil(rate * seconds);
}

function scaleFor(wish: ProofWish): ProofScale {
  const { workload, simulations, serverLimits } = wish;
  const models = operationModels(workload, declaredFacts(workload));
  const scale = scaleOf(workload, models, {
    factor: wish.factor,
    items: wish.items,
    rate: wish.rate,
    limits: wish.limits,
    provisioned: simulations[0]?.load.provisioned ?? wish.limits.manualRate.rateMin,
    partitionCount: Math.max(1, ...simulations.map(({ partitions }) => partitions.length)),
  });
  if (serverLimits === undefined) return scale;
  const remark = "The limits are those of the server, not those of the scale.";
  return { ...scale, limits: serverLimits, remarks: [...scale.remarks, remark] };
}

function storedItems({ workload, items: count, keptDays }: ProofScale, seed: number): JsonObject[] {
  const startMillis = PROOF_MILLIS - keptDays * DAY_MILLIS;
  return [...itemsOf(workload, { seed, count, startMillis, spanDays: keptDays })];
}
