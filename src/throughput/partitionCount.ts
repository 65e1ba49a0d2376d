/**
 * How many physical partitions a rate gets at creation, up to which rate the existing ones are
 * enough, and how to grow evenly. Documented: "Partitioning and scaling", "Best practices for
 * scaling provisioned throughput".
 *
 * Not here: how low a rate may be (`model/throughput.ts`), and where ranges are cut.
 */
import { assert } from "../base/assert.ts";
import type { Limits } from "../model/limits.ts";
import type { RateSetting, Throughput } from "../model/throughput.ts";
import { partitionCountNeeded, rateMaxOf } from "../model/throughput.ts";

/**
 * Returns the count for a container with a rate of its own; a setting decides about manual rates.
 */
export function partitionCountAtCreation(
  throughput: Throughput,
  { manualRatePerPartition }: RateSetting,
  limits: Limits,
): number {
  if (throughput.kind === "autoscale") return partitionCountNeeded(throughput, limits);
  const ratePerPartition = Math.min(manualRatePerPartition, limits.partitionRateMax);
  return Math.max(1, Math.ceil(rateMaxOf(throughput) / ratePerPartition));
}

/**
 * Returns the highest rate that `partitionCount` can serve; a rate up to it takes effect at once.
 */
export function instantRateMax(partitionCount: number, limits: Limits): number {
  return partitionCount * limits.partitionRateMax;
}

/**
 * Returns the rate to raise to first, and to come back from, so that all physical partitions are
 * split equally often and their ranges stay equal; the wanted rate itself when they can serve it
 * already.
 */
export function evenGrowthRate(wanted: number, partitionCount: number, limits: Limits): number {
  assert(partitionCount > 0, "no physical partition to grow from");
  const ceiling = instantRateMax(partitionCount, limits);
  if (wanted <= ceiling) return wanted;
  let rate = ceiling;
  while (rate < wanted) rate *= 2;
  return rate;
}
