/**
 * What is predicted of a container after its move: the chosen key once more through the simulator,
 * with the items that the container has today and the rate and policy of the job. The report's own
 * simulation is of the end of its horizon, which nobody can measure tomorrow.
 */

import { DAYS_PER_MONTH } from "../../base/units.ts";
import { parseIndexingPolicy } from "../../index/policy.ts";
import type { CopyQuestion } from "../../model/copyJob.ts";
import type { Limits } from "../../model/limits.ts";
import type { CandidateAdvice } from "../advise/advice.ts";
import { factsOf, settingOf, withHours } from "../lab.ts";
import type { Profile } from "../profile/profile.ts";
import { foundWithin, type OperationModel } from "../simulate/operationModel.ts";
import { simulate } from "../simulate/simulate.ts";
import type { OperationOutcome, Simulation } from "../simulate/simulation.ts";
import {
  PREDICTION_VERSION,
  type PredictedLoad,
  type PredictedOperation,
  type Prediction,
} from "../verify/prediction.ts";
import { growthFactor } from "../workload/totalItems.ts";
import type { Workload } from "../workload/workload.ts";
import { containerText } from "./commandLine.ts";
import { keyPathsOf, type MigrationSource } from "./copyQuestion.ts";

interface PredictInput {
  readonly chosen: CandidateAdvice;
  readonly question: CopyQuestion;
  readonly source: MigrationSource;
  readonly workload: Workload;
  readonly profile: Profile | undefined;
  /** Those of the server on which it will be. */
  readonly limits: Limits;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly seed: number;
}

export function predictionOf(input: PredictInput): Prediction {
  const { chosen, question, source, now } = input;
  const { throughput } = question;
  const workload = withHours(input);
  const present = presentWorkload(workload, input);
  const rate = throughput === undefined || throughput.kind === "shared" ? null : throughput;
  return {
    formatVersion: PREDICTION_VERSION,
    madeAt: now,
    workload: workload.name,
    container: containerText(source.name),
    key: chosen.expression,
    keyPaths: keyPathsOf(question),
    items: { count: source.itemCount, bytes: source.itemBytes },
    throughput: rate,
    now: presentLoad(present, input),
    atEnd: endLoad(workload, input),
  };
}

/** An empty container is predicted with the items that the workload declares. */
function presentWorkload(
  workload: Workload,
  { question, source }: Pick<PredictInput, "question" | "source">,
): Workload {
  const { throughput, definition } = question;
  const policy = parseIndexingPolicy(definition?.["indexingPolicy"] ?? source.indexingPolicy);
  return {
    ...workload,
    indexing: policy.ok ? policy.value : workload.indexing,
    throughput:
      throughput === undefined || throughput.kind === "shared"
        ? workload.throughput
        : { mode: throughput.kind, ratePerSecond: throughput.ratePerSecond },
    growth:
      source.itemCount === 0
        ? workload.growth
        : { ...workload.growth, initialItems: source.itemCount, perMonth: 0 },
    horizonMonths: source.itemCount === 0 ? workload.horizonMonths : 0,
  };
}

function presentLoad(workload: Workload, input: PredictInput): PredictedLoad {
  const { chosen, profile, limits, now, seed } = input;
  const facts = factsOf({ workload, profile });
  const setting = settingOf({ limits, startMillis: now, seed }, workload, facts);
  const simulation = simulate({ ...setting, isInstant: true }, chosen.simulation.candidate);
  return loadOf(simulation, workload, setting.models);
}

function endLoad(workload: Workload, { chosen, profile, limits, now, seed }: PredictInput) {
  const facts = factsOf({ workload, profile });
  const { models } = settingOf({ limits, startMillis: now, seed }, workload, facts);
  return loadOf(chosen.simulation, workload, models);
}

function loadOf(
  simulation: Simulation,
  workload: Workload,
  models: readonly OperationModel[],
): PredictedLoad {
  const { load, keys, throttling, cost, partitions } = simulation;
  const end = workload.horizonMonths * DAYS_PER_MONTH;
  const growth = growthFactor(workload.growth, end);
  const operations = simulation.operations.map((outcome) =>
    operationOf(outcome, workload, models, growth),
  );
  const means = partitions.map(
    ({ rates }) => rates.reduce((sum, rate) => sum + rate, 0) / rates.length,
  );
  const total = means.reduce((sum, rate) => sum + rate, 0);
  const hottest = Math.max(0, ...means);
  const requests = operations.reduce((sum, one) => sum + one.ratePerSecond * one.requestsEach, 0);
  return {
    ruPerSecond: total,
    peakRuPerSecond: load.peakRate,
    requestsPerSecond: requests,
    requestRuDeviation: deviationOf(operations),
    hottestPartition: { ruPerSecond: hottest, share: total === 0 ? 0 : hottest / total },
    physicalPartitions: partitions.length,
    throttledShare: throttling.share,
    logicalPartitions: keys.count,
    largestLogicalBytes: keys.largest.bytesAtEnd,
    operations,
    neededRate: load.neededRate ?? null,
    cost: {
      manual: cost.manual ?? null,
      autoscale: cost.autoscale ?? null,
      serverless: cost.serverless ?? null,
      storage: cost.storage,
    },
  };
}

function operationOf(
  { id, kind, ratePerSecond, ruEach, partitionsVisited }: OperationOutcome,
  workload: Workload,
  models: readonly OperationModel[],
  growth: number,
): PredictedOperation {
  const model = models.find(({ operation }) => operation.id === id);
  const pages = model === undefined ? 1 : pagesOf(model, workload);
  return {
    id,
    kind,
    sql: model?.operation.sql ?? null,
    ratePerSecond: ratePerSecond * growth,
    ruEach,
    // Every page after the first is one more request to one of the partitions.
    requestsEach: Math.max(1, partitionsVisited) + pages - 1,
  };
}

function pagesOf(model: OperationModel, workload: Workload): number {
  if (model.operation.kind !== "query") return 1;
  const day = workload.horizonMonths * DAYS_PER_MONTH;
  const { rowCount } = foundWithin(model, workload, day, undefined);
  return Math.max(1, Math.ceil(rowCount / Math.max(1, model.operation.pageSize)));
}

/** Of the charges of single requests, by how often each comes. */
function deviationOf(operations: readonly PredictedOperation[]): number {
  const weights = operations.map((one) => one.ratePerSecond * one.requestsEach);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  if (all === 0) return 0;
  const charges = operations.map(({ ruEach, requestsEach }) => ruEach / requestsEach);
  const mean = charges.reduce((sum, ru, at) => sum + ru * weights[at]!, 0) / all;
  const squares = charges.reduce((sum, ru, at) => sum + weights[at]! * (ru - mean) ** 2, 0);
  return Math.sqrt(squares / all);
}
