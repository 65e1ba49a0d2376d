/**
 * Throughput buckets: some callers of a container may together spend only a part of its rate. A
 * bucket is a cap, not a reservation: what its callers leave is there for all, and all may exhaust
 * the rate before them. Documented: "Throughput buckets".
 */
import type { Millis } from "../base/units.ts";
import type { ThroughputBucket } from "../model/throughputBucket.ts";
import { Balance } from "./balance.ts";
import { RetryQueue } from "./retryQueue.ts";

export interface BucketBudget {
  readonly balance: Balance;
  readonly queue: RetryQueue;
}

/**
 * Returns budgets indexed by bucket id; `held` says what buckets that were there before have left.
 */
export function bucketBudgets(
  buckets: readonly ThroughputBucket[],
  ratePerSecond: number,
  held: { readonly amounts: ReadonlyMap<number, number>; readonly now: Millis },
): readonly (BucketBudget | undefined)[] {
  const budgets: (BucketBudget | undefined)[] = [];
  for (const { id, percent } of buckets) {
    const capped = (ratePerSecond * percent) / 100;
    const amount = held.amounts.get(id) ?? capped;
    const balance = new Balance({ ratePerSecond: capped, capacity: capped, amount, now: held.now });
    budgets[id] = { balance, queue: new RetryQueue() };
  }
  return budgets;
}
