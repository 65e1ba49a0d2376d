/**
 * A workload cut by the age of its items: what one container of several has to hold and to answer
 * when each has the items of some ages.
 *
 * In a container that has items from some age on, time is told from that age: its newest item is
 * the newest there is. So it is a container like any other, and is simulated like any other; only
 * the times that a query names are moved.
 *
 * Where the edges between containers move, as those of calendar years do, everything is the mean
 * over a whole round of them.
 */
import { DAYS_PER_MONTH } from "../../base/units.ts";
import { MATCHES_MAX } from "../simulate/operationModel.ts";
import { accessOf } from "../workload/access.ts";
import { growthFactor, itemsOnDay, itemsWritten, oldestDay } from "../workload/totalItems.ts";
import type { Growth, Operation, Workload } from "../workload/workload.ts";

/** Days since an item was written, from the youngest to the oldest. */
export interface Ages {
  readonly fromDays: number;
  readonly toDays: number;
}

/** What there is at the end of the horizon, by age. */
export interface AgedItems {
  /** The age of the oldest item. */
  readonly keptDays: number;
  readonly itemCount: number;
  readonly itemsPerDay: number;
  /** Factor by which rates have grown until then. */
  readonly rateFactor: number;
  between(ages: Ages): number;
}

export function agedItemsOf({ growth, horizonMonths }: Workload): AgedItems {
  const end = horizonMonths * DAYS_PER_MONTH;
  const factor = growthFactor(growth, end);
  return {
    keptDays: Math.max(1, end - oldestDay(growth, end)),
    itemCount: Math.max(1, itemsOnDay(growth, end)),
    itemsPerDay: growth.itemsPerDay * factor,
    rateFactor: factor,
    between: ({ fromDays, toDays }) => itemsWritten(growth, end - toDays, end - fromDays),
  };
}

/** A part of the items, where it is at different times of a round; one if it does not move. */
export type Slice = readonly Ages[];

interface SlicedWorkload {
  readonly workload: Workload;
  /** Mean, over the round. */
  readonly ages: Ages;
  readonly itemCount: number;
  /** Share of the round in which there is such a container at all. */
  readonly presence: number;
  /** By operation: the share of the operations that come to this container. */
  readonly chances: ReadonlyMap<string, number>;
}

/** What somebody asks for, by age; undefined: everything there is. */
type AskedAges = Ages | undefined;

export function slicedWorkload(
  workload: Workload,
  items: AgedItems,
  slice: Slice,
  /** Days that a query asks for, where its text does not say. */
  spanDaysOf: (operation: Operation) => number | undefined,
): SlicedWorkload {
  const chances = new Map<string, number>();
  const operations: Operation[] = [];
  for (const operation of workload.operations) {
    const part = partOf(operation, slice, items.keptDays, spanDaysOf(operation));
    chances.set(operation.id, part.chance);
    if (part.chance === 0) continue;
    operations.push({
      ...part.operation,
      ratePerSecond: operation.ratePerSecond * items.rateFactor * part.chance,
    });
  }
  const ages = {
    fromDays: mean(slice.map(({ fromDays }) => fromDays)),
    toDays: mean(slice.map(({ toDays }) => toDays)),
  };
  const itemCount = mean(slice.map((each) => items.between(each)));
  const growth: Growth = {
    ...workload.growth,
    itemsPerDay: items.itemsPerDay,
    initialItems: itemCount,
    retentionDays: Math.max(MIN_DAYS, ages.toDays - ages.fromDays),
    perMonth: 0,
  };
  const held: Workload = {
    ...workload,
    growth,
    operations,
    horizonMonths: 0,
    throughput: undefined,
  };
  const presence = share(slice, (each) => daysOf(each) > 0);
  return { workload: held, ages, itemCount, presence, chances };
}

const MIN_DAYS = 1e-3;

interface Part {
  readonly operation: Operation;
  readonly chance: number;
}

function partOf(
  operation: Operation,
  slice: Slice,
  keptDays: number,
  spanDays: number | undefined,
): Part {
  switch (operation.kind) {
    case "create":
    case "upsert":
      return { operation, chance: share(slice, ({ fromDays }) => fromDays === 0) };
    case "query":
      return queryPart(operation, slice, askedAgesOf(operation, keptDays, spanDays));
    default: {
      const asked = { fromDays: 0, toDays: Math.min(keptDays, operation.ageDays ?? keptDays) };
      const length = Math.max(asked.toDays, MIN_DAYS);
      return { operation, chance: mean(slice.map((ages) => overlap(ages, asked) / length)) };
    }
  }
}

/** Which ages the text of a query is about. */
function askedAgesOf(
  operation: Operation,
  keptDays: number,
  spanDays: number | undefined,
): AskedAges {
  if (spanDays === undefined) return undefined;
  const { ranges } = accessOf(operation);
  const range = ranges.find((each) => each.spanDays !== undefined) ?? ranges[0];
  const fromDays = Math.min(range?.endsDaysAgo ?? 0, keptDays);
  return { fromDays, toDays: Math.min(keptDays, fromDays + spanDays) };
}

function queryPart(operation: Operation, slice: Slice, asked: AskedAges): Part {
  if (asked === undefined) return { operation, chance: share(slice, (ages) => daysOf(ages) > 0) };
  const met = slice.filter((ages) => overlap(ages, asked) > 0);
  if (met.length === 0) return { operation, chance: 0 };
  const part = mean(met.map((ages) => overlap(ages, asked))) / Math.max(MIN_DAYS, daysOf(asked));
  return {
    chance: met.length / slice.length,
    operation: { ...movedInTime(operation, met), ...fewer(operation, Math.min(1, part)) },
  };
}

/** Ages of what a query names, told from the newest item of the container. */
function movedInTime(operation: Operation, met: Slice): Operation {
  const parameters = new Map(
    [...operation.parameters].map(([name, shape]) => {
      const { agoDays } = shape;
      if (agoDays === undefined) return [name, shape];
      const moved = met.map(({ fromDays, toDays }) =>
        Math.min(Math.max(0, agoDays - fromDays), toDays - fromDays),
      );
      return [name, { ...shape, agoDays: mean(moved) }];
    }),
  );
  return { ...operation, parameters };
}

/** What is found in a part of the time is a part of it, unless the query stops at a number. */
function fewer(operation: Operation, part: number): Pick<Operation, "matchesMax" | "resultItems"> {
  const { top } = accessOf(operation);
  const { resultItems, matchesMax = MATCHES_MAX } = operation;
  return {
    matchesMax: matchesMax * part,
    resultItems: resultItems === undefined || top !== undefined ? resultItems : resultItems * part,
  };
}

export function daysOf({ fromDays, toDays }: Ages): number {
  return Math.max(0, toDays - fromDays);
}

function overlap(one: Ages, other: Ages): number {
  return daysOf({
    fromDays: Math.max(one.fromDays, other.fromDays),
    toDays: Math.min(one.toDays, other.toDays),
  });
}

function share(slice: Slice, isMeant: (ages: Ages) => boolean): number {
  return slice.filter(isMeant).length / slice.length;
}

function mean(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0) / Math.max(1, amounts.length);
}
