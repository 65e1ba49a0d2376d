/** What variants change of a workload: each makes another and leaves the one there is. */
import { DAYS_PER_MONTH } from "../../base/units.ts";
import type {
  Growth,
  NamedCandidate,
  Operation,
  PropertyShape,
  Workload,
} from "../workload/workload.ts";

/** So many times the items and the requests, and the throughput that was provisioned for them. */
export function scaled(workload: Workload, factor: number): Workload {
  const { growth, operations, throughput } = workload;
  return {
    ...workload,
    growth: {
      ...growth,
      itemsPerDay: growth.itemsPerDay * factor,
      initialItems: growth.initialItems * factor,
    },
    operations: operations.map((one) => ({ ...one, ratePerSecond: one.ratePerSecond * factor })),
    throughput:
      throughput === undefined
        ? undefined
        : { ...throughput, ratePerSecond: throughput.ratePerSecond * factor },
  };
}

/** Items are kept for so long; the horizon reaches as far. */
export function keptFor(workload: Workload, days: number): Workload {
  const months = Math.max(workload.horizonMonths, Math.ceil(days / DAYS_PER_MONTH));
  return withGrowth({ ...workload, horizonMonths: months }, { retentionDays: days });
}

export function withGrowth(workload: Workload, change: Partial<Growth>): Workload {
  return { ...workload, growth: { ...workload.growth, ...change } };
}

export function withProperty(
  workload: Workload,
  path: string,
  change: Partial<PropertyShape>,
): Workload {
  const shape = workload.properties.get(path);
  if (shape === undefined) return workload;
  const properties = new Map(workload.properties).set(path, { ...shape, ...change });
  return { ...workload, properties };
}

/** Rates of operations by id; those that are not named stay. */
export function withRates(workload: Workload, rates: Readonly<Record<string, number>>): Workload {
  return withOperations(workload, (one) => {
    const rate = Object.hasOwn(rates, one.id) ? rates[one.id] : undefined;
    return rate === undefined ? one : { ...one, ratePerSecond: rate };
  });
}

function withOperations(workload: Workload, change: (operation: Operation) => Operation): Workload {
  return { ...workload, operations: workload.operations.map(change) };
}

/** One key more to be judged. */
export function withCandidate(
  workload: Workload,
  candidate: Pick<NamedCandidate, "id" | "levels">,
): Workload {
  const named: NamedCandidate = { ...candidate, facts: undefined, place: candidate.id };
  return { ...workload, candidates: [...workload.candidates, named] };
}
