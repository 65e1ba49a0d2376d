/** All that a proof does before anything runs: the scale, the items, and the operations. */
import { seededRandom } from "../../base/world.ts";
import type { JsonObject } from "../../json/value.ts";
import type { Limits } from "../../model/limits.ts";
import type { Candidate } from "../candidate/candidate.ts";
import type { DataFacts } from "../data/facts.ts";
import { factsOf, withHours } from "../lab.ts";
import type { Profile } from "../profile/profile.ts";
import { type OperationModel, operationModels } from "../simulate/operationModel.ts";
import type { Simulation } from "../simulate/simulation.ts";
import type { Workload } from "../workload/workload.ts";
import { likeStored } from "./likeStored.ts";
import { type ProofCase, proofCaseOf } from "./proofCase.ts";
import { DECLARED_DATA, type ProofData, sampledData } from "./proofData.ts";
import { type ProofScale, scaleOf } from "./scale.ts";
import { evenlyChosen, keyOrder } from "./subjects.ts";
import { type TraceEvent, traceOf } from "./trace.ts";

interface ProofWish {
  readonly workload: Workload;
  /** What items are made from, and the advice was given on; undefined: what is declared. */
  readonly profile?: Profile | undefined;
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

interface ProofTraces {
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

/** Requests are not tried again: what is refused is what one attempt meets. */
const NO_RETRIES = { retriesMax: 0, waitMax: 0 } as const;

/** The real thing as the advice saw it, and what its items are made from. */
interface Grounded extends ProofWish {
  readonly facts: DataFacts;
  readonly data: ProofData;
}

function grounded(given: ProofWish): Grounded {
  const { profile } = given;
  const workload = withHours({ workload: given.workload, profile });
  const facts = factsOf({ workload, profile });
  const data = profile === undefined ? DECLARED_DATA : sampledData(profile, facts);
  return { ...given, workload, facts, data };
}

export function planOf(given: ProofWish): ProofPlan {
  const wish = grounded(given);
  const scale = scaleFor(wish);
  const { workload } = scale;
  const items = storedItems(scale, wish);
  const facts = wish.data.factsOf(workload, items);
  const models = operationModels(workload, facts);
  return {
    scale,
    models,
    nowMillis: PROOF_MILLIS,
    items,
    tracesOf: (proofCase) => tracesOf(proofCase, { wish, scale, models, items, facts }),
    caseOf: (candidate) =>
      proofCaseOf(candidate, {
        scale,
        data: wish.data,
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
  readonly wish: Grounded;
  readonly facts: DataFacts;
}

function tracesOf(
  proofCase: ProofCase,
  { wish, scale, models, items, facts }: Tracing,
): ProofTraces {
  const { workload } = scale;
  const { definition } = proofCase;
  const order = keyOrder(proofCase.items, definition);
  // Of real keys, those that are written are those that are stored, unless they are of a time.
  const isLikeStored = wish.data.sampledPaths.size > 0 && proofCase.shape.times.size === 0;
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
        const made = wish.data
          .created(workload, { count: CHOICE * count, after, nowMillis: PROOF_MILLIS, seed })
          .map(proofCase.keyed);
        after += made.length;
        const random = seededRandom(seed);
        const chosen = isLikeStored
          ? likeStored(proofCase.items, made, definition, { count, random })
          : evenlyChosen(keyOrder(made, definition), count, random);
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

function scaleFor(wish: Grounded): ProofScale {
  const { workload, simulations, serverLimits } = wish;
  const models = operationModels(workload, wish.facts);
  const scale = scaleOf(workload, models, {
    sampledPaths: wish.data.sampledPaths,
    factor: wish.factor,
    items: wish.items,
    rate: wish.rate,
    limits: wish.limits,
    provisioned: rateOf(simulations[0]) ?? wish.limits.manualRate.rateMin,
    partitionCount: Math.max(1, ...simulations.map(({ partitions }) => partitions.length)),
  });
  const remarks = [...wish.data.remarks(scale.items), ...scale.remarks];
  if (serverLimits === undefined) return { ...scale, remarks };
  const remark = "The limits are those of the server, not those of the scale.";
  return { ...scale, limits: serverLimits, remarks: [...remarks, remark] };
}

/** One for all subjects: what is declared, or what an even spread would take. */
function rateOf(simulation: Simulation | undefined): number | undefined {
  return simulation?.load.reference ?? simulation?.load.provisioned;
}

function storedItems(
  { workload, items: count, keptDays }: ProofScale,
  { data, seed }: Grounded,
): readonly JsonObject[] {
  return data.stored(workload, { seed, count, endMillis: PROOF_MILLIS, spanDays: keptDays });
}
