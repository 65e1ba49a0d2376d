/**
 * How a rate is divided: over the physical partitions of a container, or over the budgets that the
 * containers of a database share. The shares are equal, and what one does not spend no other may.
 * Documented: "Partitioning and scaling".
 *
 * After a split or a merge, each physical partition is again allotted the same: there are just more
 * or fewer to divide by. What becomes of the budget that a parent has left or owes is in
 * `holding.ts`.
 */
import { assert } from "../base/assert.ts";
import type { Limits } from "../model/limits.ts";
import { type RateSetting, rateMaxOf, type Throughput } from "../model/throughput.ts";
import type { ThroughputBucket } from "../model/throughputBucket.ts";
import type { BudgetOptions } from "./budget.ts";
import { burstOf } from "./burst.ts";

/**
 * Returns what one of `count` may spend each second, at most what a physical partition can serve: a
 * higher rate is paid for in vain.
 */
export function allotmentOf(ratePerSecond: number, count: number, limits: Limits): number {
  assert(Number.isInteger(count) && count > 0, `a rate is divided by ${count}`);
  return Math.min(ratePerSecond / count, limits.partitionRateMax);
}

/** The throughput that is divided; `throughput` is absent in a serverless account. */
interface Provision {
  readonly throughput?: Throughput | undefined;
  /** Number of physical partitions of the container, or of shared budgets of the database. */
  readonly count: number;
  readonly buckets?: readonly ThroughputBucket[] | undefined;
}

/**
 * Returns the options of the budget that each of `count` gets. Under autoscale the budget is made
 * for the ceiling, which may be spent at any moment.
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
 * Returns which of the shared budgets of its database a physical partition draws on: that of the
 * range its middle falls into. The middle decides, because the boundaries of ranges are rounded.
 * `ends` are the ends of the ranges that have a budget each, in order, as fractions of the key
 * space like `middle`.
 */
export function sharedBudgetIndex(middle: number, ends: readonly number[]): number {
  assert(ends.length > 0, "there is no budget to share");
  const index = ends.findIndex((end) => middle < end);
  return index === -1 ? ends.length - 1 : index;
}
