/**
 * What an approach comes to under a workload: each of its containers simulated with the server's
 * own hash, ranges, splits, prices and budgets, and what all of them cost together. Bytes are
 * stored bytes; money is US dollars a month.
 */
import type { Limits } from "../../model/limits.ts";
import type { Candidate } from "../candidate/candidate.ts";
import { declaredFacts } from "../data/declaredFacts.ts";
import type { DataFacts } from "../data/facts.ts";
import { settingOf } from "../lab.ts";
import { storedBytesOf } from "../price/itemPrice.ts";
import { soldRate } from "../simulate/money.ts";
import { simulate } from "../simulate/simulate.ts";
import type { Simulation } from "../simulate/simulation.ts";
import type { Workload } from "../workload/workload.ts";
import type { AgedItems, Ages } from "./ages.ts";
import { type Approach, type ApproachId, approachOf } from "./approach.ts";
import { type AgeingSettings, containersOf, MOVING, type PlannedContainer } from "./containers.ts";

export interface ContainerOutcome {
  readonly name: string;
  readonly ages: Ages;
  readonly itemCount: number;
  readonly bytes: number;
  /** Share of the time in which there is such a container at all. */
  readonly presence: number;
  readonly partitionCount: number;
  /** RU/s at the peak, and those that the busiest physical partition makes necessary. */
  readonly peakRate: number;
  readonly neededRate: number | undefined;
  readonly meanRate: number;
  /** What has to be provisioned; undefined: no rate is enough. */
  readonly manual: Provisioned | undefined;
  readonly autoscale: Provisioned | undefined;
  readonly storageCost: number;
  /** The cheaper of the two and the storage, for the time that it is there. */
  readonly cost: number;
  readonly busiestShare: number;
  /** The busiest physical partition over an even share. */
  readonly busiestOverMean: number;
  readonly throttledShare: number;
  readonly largestKeyBytes: number;
  readonly simulation: Simulation;
  readonly planned: PlannedContainer;
}

interface Provisioned {
  /** RU/s; of autoscale the ceiling. */
  readonly ratePerSecond: number;
  /** Without storage. */
  readonly cost: number;
}

/** One pattern of the workload, over all containers that it comes to. */
export interface PatternOutcome {
  readonly id: string;
  readonly kind: string;
  readonly ratePerSecond: number;
  readonly ruEach: number;
  readonly containersVisited: number;
  readonly partitionsVisited: number;
}

export interface ApproachOutcome {
  readonly approach: Approach;
  readonly containers: readonly ContainerOutcome[];
  readonly patterns: readonly PatternOutcome[];
  /** All containers; undefined: no rate is enough for one of them. */
  readonly cost: number | undefined;
  readonly storageCost: number;
  /** RU/s to be provisioned by hand, all containers together. */
  readonly manualRate: number | undefined;
  /** RU that moving takes in a day, and for each item that is moved. */
  readonly movingRuPerDay: number;
  readonly movingRuPerItem: number;
  readonly upkeep: Upkeep;
  /** The largest logical partition of all containers, of what one may hold. */
  readonly keyFill: number;
}

/** What somebody has to look after. */
interface Upkeep {
  readonly containerCount: number;
  /** Each in a few words. */
  readonly jobs: readonly string[];
}

export interface OutcomeInput {
  readonly workload: Workload;
  readonly items: AgedItems;
  readonly agePath: string;
  readonly settings: AgeingSettings;
  readonly candidate: Candidate;
  readonly limits: Limits;
  readonly startMillis: number;
  readonly seed: number;
  readonly dayOfYear?: number | undefined;
  readonly spanDaysOf: Parameters<typeof containersOf>[1]["spanDaysOf"];
}

export function outcomeOf(id: ApproachId, input: OutcomeInput): ApproachOutcome {
  const planned = containersOf(id, input);
  const containers = planned.map((container) => containerOutcome(container, input));
  const costs = containers.map(({ cost }) => cost);
  const rates = containers.map(({ manual }) => manual?.ratePerSecond);
  const { itemsPerDay } = input.items;
  const movingRuPerDay = movingRate(containers) * DAY;
  return {
    approach: approachOf(id),
    containers,
    patterns: patternsOf(input.workload, planned, containers),
    cost: costs.every(Number.isFinite) ? sum(costs) : undefined,
    storageCost: sum(containers.map(({ storageCost, presence }) => storageCost * presence)),
    manualRate: rates.every((rate) => rate !== undefined) ? sum(rates as number[]) : undefined,
    movingRuPerDay,
    movingRuPerItem: movingRuPerDay === 0 ? 0 : movingRuPerDay / itemsPerDay,
    upkeep: { containerCount: containers.length, jobs: containers.length === 1 ? [] : JOBS[id] },
    keyFill: Math.max(
      ...containers.map((each) => each.largestKeyBytes / input.limits.logicalPartitionBytesMax),
    ),
  };
}

const DAY = 86_400;
const GIB: number = 1024 ** 3;

const JOBS: Readonly<Record<ApproachId, readonly string[]>> = {
  hotWarm: ["a mover that runs at an interval", "a router for reads"],
  nearRealTime: ["a mover that never rests", "a router for reads"],
  single: [],
  perYear: [
    "a new container and a switch every January",
    "a router for reads",
    "old years dropped",
  ],
};

function containerOutcome(planned: PlannedContainer, input: OutcomeInput): ContainerOutcome {
  const { limits } = input;
  const { workload, presence } = planned;
  const facts: DataFacts = declaredFacts(workload);
  const simulation = simulate(settingOf(input, workload, facts), input.candidate);
  const { load, cost, keys, throttling } = simulation;
  const bytes = planned.itemCount * storedBytesOf(facts.itemBytes);
  const gib = bytes / GIB;
  const storageCost = cost.storage;
  const provisioned = (
    whole: number | undefined,
    kind: "manualRate" | "autoscaleRate",
  ): Provisioned | undefined =>
    whole === undefined || load.neededRate === undefined
      ? undefined
      : {
          ratePerSecond: soldRate(load.neededRate, gib, limits[kind]),
          cost: whole - storageCost,
        };
  const manual = provisioned(cost.manual, "manualRate");
  const autoscale = provisioned(cost.autoscale, "autoscaleRate");
  const cheapest = Math.min(manual?.cost ?? Infinity, autoscale?.cost ?? Infinity);
  return {
    name: planned.name,
    ages: planned.ages,
    itemCount: planned.itemCount,
    bytes,
    presence,
    partitionCount: simulation.partitions.length,
    peakRate: load.peakRate,
    neededRate: load.neededRate,
    meanRate: load.meanRate,
    manual,
    autoscale,
    storageCost,
    cost: presence * (cheapest + storageCost),
    busiestShare: load.hottestPartition.share,
    busiestOverMean: load.hottestPartition.overMean,
    throttledShare: throttling.share,
    largestKeyBytes: keys.largest.bytesAtEnd.value,
    simulation,
    planned,
  };
}

function patternsOf(
  { operations }: Workload,
  planned: readonly PlannedContainer[],
  containers: readonly ContainerOutcome[],
): readonly PatternOutcome[] {
  return operations.map(({ id, kind, ratePerSecond }) => {
    const visits = planned.flatMap(({ chances }, at) => {
      const chance = chances.get(id) ?? 0;
      const found = containers[at]!.simulation.operations.find((each) => each.id === id);
      return chance === 0 || found === undefined ? [] : [{ chance, ...found }];
    });
    return {
      id,
      kind,
      ratePerSecond,
      ruEach: sum(visits.map(({ chance, ruEach }) => chance * ruEach)),
      containersVisited: sum(visits.map(({ chance }) => chance)),
      partitionsVisited: sum(visits.map((each) => each.chance * each.partitionsVisited)),
    };
  });
}

const MOVES: ReadonlySet<string> = new Set(Object.values(MOVING));

/** RU a second, of the mover's own operations. */
function movingRate(containers: readonly ContainerOutcome[]): number {
  const moves = containers.flatMap(({ simulation }) =>
    simulation.operations.filter(({ id }) => MOVES.has(id)),
  );
  return sum(moves.map(({ ratePerSecond, ruEach }) => ratePerSecond * ruEach));
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
