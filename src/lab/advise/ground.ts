/**
 * What a candidate is judged against besides its own simulation, and the few figures that several
 * rules take from one.
 */
import type { Limits } from "../../model/limits.ts";
import type { DataFacts } from "../data/facts.ts";
import type { OperationOutcome, Simulation } from "../simulate/simulation.ts";
import type { Workload } from "../workload/workload.ts";

export interface Ground {
  readonly workload: Workload;
  readonly facts: DataFacts;
  readonly limits: Limits;
  /** Operations that go everywhere whatever the key: no candidate is to blame for them. */
  readonly unavoidable: ReadonlySet<string>;
}

/** Operations that no candidate confines. Of a single candidate nobody can tell. */
export function unavoidableOperations(simulations: readonly Simulation[]): ReadonlySet<string> {
  const found = new Set<string>();
  if (simulations.length < 2) return found;
  for (const { operations } of simulations) {
    for (const { id, routing } of operations) if (routing.kind === "everywhere") found.add(id);
  }
  for (const { operations } of simulations) {
    for (const { id, routing } of operations) if (routing.kind !== "everywhere") found.delete(id);
  }
  return found;
}

export function isRead({ kind }: { readonly kind: string }): boolean {
  return kind === "pointRead" || kind === "query";
}

export function readsOf({ operations }: Simulation): readonly OperationOutcome[] {
  return operations.filter(isRead);
}

export function rateOf(operations: readonly { readonly ratePerSecond: number }[]): number {
  return operations.reduce((sum, { ratePerSecond }) => sum + ratePerSecond, 0);
}

/** RU/s at the mean of all operations, if one visit each were enough. */
export function usefulRate(operations: readonly OperationOutcome[]): number {
  return operations.reduce((sum, one) => sum + one.ratePerSecond * one.usefulRuEach, 0);
}

/** RU/s at the mean for further visits. */
export function surchargeOf(one: OperationOutcome): number {
  return one.ratePerSecond * Math.max(0, one.ruEach - one.usefulRuEach);
}

/** Visits a second to physical partitions beyond the first of each operation. */
export function idleVisits({ ratePerSecond, partitionsVisited }: OperationOutcome): number {
  return ratePerSecond * Math.max(0, partitionsVisited - 1);
}

/** Physical partitions at the end. */
export function partitionCount({ months, partitions }: Simulation): number {
  return Math.max(1, months.at(-1)?.partitionCount ?? partitions.length);
}

/** The most that there are within the horizon. */
export function partitionCountMax(simulation: Simulation): number {
  const counts = simulation.months.map((month) => month.partitionCount);
  return counts.reduce((most, count) => Math.max(most, count), partitionCount(simulation));
}

export function totalBytes({ months, partitions }: Simulation): number {
  return months.at(-1)?.totalBytes ?? partitions.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** What the hottest physical partition may spend a second. */
export function hottestAllotment(simulation: Simulation): number {
  const { load, partitions } = simulation;
  const hottest = partitions.find(({ id }) => id === load.hottestPartition.id);
  return hottest?.allotment ?? load.provisioned / partitionCount(simulation);
}

/** Nothing of nothing is nothing. */
export function ratio(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}
