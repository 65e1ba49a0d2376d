/**
 * Throughput buckets: shares of a container's rate that some of its requests must not exceed
 * together. A bucket is a bound and reserves nothing.
 */
import type { Limits } from "./limits.ts";

export interface ThroughputBucket {
  readonly id: number;
  /** The largest share of the rate that its requests may use. */
  readonly percent: number;
  /** True when requests that name no bucket belong to this one. */
  readonly isDefault?: boolean | undefined;
}

/** Returns the bucket of a request; undefined when it belongs to none and so has the whole rate. */
export function bucketOf(
  buckets: readonly ThroughputBucket[] | undefined,
  id: number | undefined,
): ThroughputBucket | undefined {
  return buckets?.find((bucket) => (id === undefined ? bucket.isDefault : bucket.id === id));
}

export function bucketsProblem(
  buckets: readonly ThroughputBucket[],
  { throughputBucketsMax: idMax }: Limits,
): string | undefined {
  const ids = new Set(buckets.map(({ id }) => id));
  if (ids.size < buckets.length) return "No two throughput buckets may have the same id.";
  if (buckets.filter(({ isDefault }) => isDefault).length > 1) {
    return "Only one throughput bucket can be the default.";
  }
  for (const { id, percent } of buckets) {
    if (!isWithin(id, idMax)) {
      return `The id of a throughput bucket must be an integer from 1 to ${idMax}, not ${id}.`;
    }
    if (!isWithin(percent, 100)) {
      return `Throughput bucket ${id} must have an integer from 1 to 100 percent, not ${percent}.`;
    }
  }
  return undefined;
}

function isWithin(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= max;
}
