/**
 * How a rate is divided: over the physical partitions of a container, or over the budgets that the
 * containers of a database share. Evenly, and what one does not spend no other may. Documented:
 * "Partitioning and scaling".
 *
 * Whatever splits and merges did, each physical partition is allotted the same: after them there
 * are more or fewer to divide by. What a budget has left or owes then is in `holding.ts`.
 */
import { assert } from "../base/assert.ts";
import type { Limits } from "../model/limits.ts";
import { type RateSetting, rateMaxOf, type Throughput } from "../model/throughput.ts";
import type { ThroughputBucket } from "../model/throughputBucket.ts";
import type { BudgetOptions } from "./budget.ts";
import { burstOf } from "./burst.ts";

/** What one of `count` may spend each second. More than one can serve is paid for in vain. */
export function allotmentOf(ratePerSecond: number, count: number, limits: Limits): number {
  assert(Number.isInteger(count) && count > 0, `a rate is divided by ${count}`);
  return Math.min(ratePerSecond / count, limits.partitionRateMax);
}

/** What is divided; `throughput` is absent in a serverless account. */
export interface Provision {
  readonly throughput?: Throughput | undefined;
  /** Physical partitions of the container, or shared budgets of the database. */
  readonly count: number;
  readonly buckets?: readonly ThroughputBucket[] | undefined;
}

/**
 * The budget that each of `count` gets. Under autoscale it is made for the ceiling, which may be
 * spent at any moment.
 */
export function budgetOptionsOf(
  { throughput, count, buckets }: Provision,
  setting: RateSetting,
  limits: Limits,
): BudgetOptions {
  if (!setting.isLimited) return { ratePerSecond: "unlimited" };
  if (setting.isServerless || throughput === undefined) {
    return { ratePerSecond: limits.serverlessPartitionRateMax };
  }
  const ratePerSecond = allotmentOf(rateMaxOf(throughput), count, limits);
  return { ratePerSecond, burst: setting.hasBurst ? burstOf(limits) : undefined, buckets };
}

/**
 * Which of the budgets of its database a physical partition draws on: the one of the range that its
 * middle falls into. By its middle, because the boundaries of ranges are rounded. `ends` are those
 * of the ranges that have a budget each, in order, as fractions of the key space like `middle`.
 */
export function sharedBudgetIndex(middle: number, ends: readonly number[]): number {
  assert(ends.length > 0, "there is no budget to share");
  const index = ends.findIndex((end) => middle < end);
  return index === -1 ? ends.length - 1 : index;
}
