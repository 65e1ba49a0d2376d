/**
 * What a run of the four approaches has measured, and what that comes to at the rates and the size
 * of the real thing: the rate that each container's busiest physical partition makes necessary, and
 * its price. RU of one operation are taken as they were measured.
 */
import { DAY_SECONDS } from "../../base/units.ts";
import type { Limits } from "../../model/limits.ts";
import { declaredFacts } from "../data/declaredFacts.ts";
import { autoscaleCost, manualCost, soldRate, storageCost } from "../simulate/money.ts";
import { type OperationModel, operationModels } from "../simulate/operationModel.ts";
import type { ApproachId } from "./approach.ts";
import { looksPerSecond } from "./containers.ts";
import type { RunApproach, RunPlan } from "./runPlan.ts";

export interface ApproachMeasurement {
  readonly id: ApproachId;
  readonly patterns: readonly PatternMeasurement[];
  readonly containers: readonly ContainerMeasurement[];
  /** Undefined: nothing is moved. */
  readonly moving: MovingMeasurement | undefined;
  /** At the pace and with the rates of the real thing, or a part of both; undefined: not run. */
  readonly paced: PacedMeasurement | undefined;
  /** Items that a reader of all containers finds, each once; and those that there are. */
  readonly foundCount: number;
  readonly itemCount: number;
}

export interface PatternMeasurement {
  readonly id: string;
  readonly count: number;
  readonly ruEach: number;
  readonly containersVisited: number;
  readonly partitionsVisited: number;
}

export interface ContainerMeasurement {
  readonly name: string;
  /** Marked items of the hot container among them. */
  readonly itemCount: number;
  readonly bytes: number;
  /**
   * RU of one operation on each physical partition, by the id of the operation; `MOVE_ITEM` and
   * `MOVE_LOOK` are those of the mover.
   */
  readonly ruByPartition: ReadonlyMap<string, readonly number[]>;
}

export const MOVE_ITEM = "moving an item";
export const MOVE_LOOK = "looking for items";

export interface MovingMeasurement {
  readonly stepCount: number;
  readonly movedCount: number;
  /** The most items of one step. */
  readonly stepItemsMax: number;
  readonly ru: number;
  /** A step that finds nothing, and what each item takes beyond that. */
  readonly lookRu: number;
  readonly itemRu: number;
  /** What every item adds to each look that was moved and waits for its time to live. */
  readonly waitingRu: number;
}

export interface PacedMeasurement {
  readonly seconds: number;
  readonly answerCount: number;
  readonly throttledCount: number;
  /** Of the real rates, of requests and of what is provisioned. */
  readonly rateFactor: number;
  /** Share of what was sent or answered too late to tell anything. */
  readonly lateShare: number;
}

/** What was measured, at the size and the rates of the real thing. */
export interface MeasuredOutcome {
  readonly measured: ApproachMeasurement;
  readonly containers: readonly MeasuredContainer[];
  readonly cost: number;
  readonly manualRate: number;
  /** RU/s of all reads at the mean. */
  readonly readLoad: number;
  readonly movingRuPerDay: number;
}

interface MeasuredContainer {
  readonly name: string;
  readonly neededRate: number;
  readonly manualRate: number;
  readonly cost: number;
  /** What the busiest physical partition has of all RU of the container; and over an even share. */
  readonly busiestShare: number;
  readonly busiestOverMean: number;
}

const GIB: number = 1024 ** 3;

export function measuredOutcome(
  plan: RunPlan,
  approach: RunApproach,
  measured: ApproachMeasurement,
): MeasuredOutcome {
  const { workload, limits } = plan.input;
  const models = operationModels(workload, declaredFacts(workload));
  const frequencies = frequenciesOf(plan, approach, models);
  const containers = measured.containers.map((container, at) => {
    const { real } = approach.containers[at]!;
    return containerOf(container, { models, frequencies, bytes: real.bytes, limits });
  });
  const presences = approach.containers.map(({ real }) => real.presence);
  const reads = models.filter(({ isWrite }) => !isWrite).map(({ operation }) => operation.id);
  const { moving } = measured;
  const looksPerDay = frequencies.get(MOVE_LOOK)! * DAY_SECONDS;
  return {
    measured,
    containers,
    cost: sum(containers.map(({ cost }, at) => cost * presences[at]!)),
    manualRate: sum(containers.map(({ manualRate }) => manualRate)),
    readLoad: sum(
      measured.patterns
        .filter(({ id }) => reads.includes(id))
        .map(({ id, ruEach }) => ruEach * frequencies.get(id)!),
    ),
    movingRuPerDay:
      moving === undefined
        ? 0
        : looksPerDay * moving.lookRu + plan.aged.itemsPerDay * moving.itemRu,
  };
}

/** Operations a second, those of the mover among them. */
function frequenciesOf(
  { aged, input }: RunPlan,
  { moveEveryDays }: RunApproach,
  models: readonly OperationModel[],
): ReadonlyMap<string, number> {
  const { settings } = input;
  const rates = models.map(
    ({ operation }) => [operation.id, operation.ratePerSecond * aged.rateFactor] as const,
  );
  if (moveEveryDays === undefined) return new Map([...rates, [MOVE_ITEM, 0], [MOVE_LOOK, 0]]);
  const everyDays = moveEveryDays === 0 ? settings.stepDays : moveEveryDays;
  return new Map([
    ...rates,
    [MOVE_ITEM, aged.itemsPerDay / DAY_SECONDS],
    [MOVE_LOOK, looksPerSecond(aged.itemsPerDay, everyDays, settings.batch)],
  ]);
}

const HOURS = 24;

function containerOf(
  { name, ruByPartition }: ContainerMeasurement,
  {
    models,
    frequencies,
    bytes,
    limits,
  }: {
    readonly models: readonly OperationModel[];
    readonly frequencies: ReadonlyMap<string, number>;
    readonly bytes: number;
    readonly limits: Limits;
  },
): MeasuredContainer {
  const factorsOf = new Map(models.map((model) => [model.operation.id, model]));
  const count = Math.max(1, ...[...ruByPartition.values()].map(({ length }) => length));
  /** RU/s of each physical partition, with each operation so many times its mean. */
  const ratesWith = (factor: (model: OperationModel) => number): readonly number[] =>
    Array.from({ length: count }, (_, partition) =>
      sum(
        [...ruByPartition].map(([id, rus]) => {
          const model = factorsOf.get(id);
          const often = (frequencies.get(id) ?? 0) * (model === undefined ? 1 : factor(model));
          return often * (rus[partition] ?? 0);
        }),
      ),
    );
  const hours = Array.from({ length: HOURS }, (_, hour) =>
    ratesWith(({ hours: factors }) => factors[hour]!),
  );
  const peaks = ratesWith(({ hours: factors, innerPeak }) => Math.max(...factors) * innerPeak);
  const total = sum(peaks);
  const busiest = Math.max(...peaks);
  const neededRate = Math.max(limits.manualRate.rateMin, busiest * count);
  const gib = bytes / GIB;
  const perHour = hours.map((rates) => Math.min(neededRate, Math.max(...rates) * count));
  const peakHour = perHour.indexOf(Math.max(...perHour));
  const autoscale = autoscaleCost(perHour.with(peakHour, neededRate), gib, limits);
  return {
    name,
    neededRate,
    manualRate: soldRate(neededRate, gib, limits.manualRate),
    cost: Math.min(manualCost(neededRate, gib, limits), autoscale) + storageCost(bytes),
    busiestShare: total === 0 ? 0 : busiest / total,
    busiestOverMean: total === 0 ? 1 : (busiest / total) * count,
  };
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
