/**
 * On whose behalf a request spends: what a client may say about itself to be treated apart.
 *
 * There are few callers and they never change, so they are made once here. All requests share them,
 * except those with many operations.
 */
import { assert } from "../base/assert.ts";

export interface Caller {
  /** When request units run short, low callers are throttled first. */
  readonly priority: "high" | "low";
  /** The id of a throughput bucket. An id that is not configured has no effect. */
  readonly bucket?: number | undefined;
  /** True for one of many operations in a request, which its client retries one after the other. */
  readonly isOfMany?: boolean | undefined;
  /** True for whoever runs the server: nothing is paid, and nothing is counted as load. */
  readonly isOwner?: boolean | undefined;
}

/** The ids that throughput buckets may have. Documented: "Throughput buckets". */
const BUCKET_ID_MIN = 1;
export const BUCKET_ID_MAX = 5;

export const HIGH_CALLER: Caller = { priority: "high" };
export const LOW_CALLER: Caller = { priority: "low" };
/** Fills a server before, or between, what its clients do. */
export const OWNER_CALLER: Caller = { priority: "high", isOwner: true };

const HIGH_CALLERS = callersOf("high");
const LOW_CALLERS = callersOf("low");

/** Returns the caller of a priority and a bucket; `bucket` must be an id that a bucket can have. */
export function callerOf(priority: Caller["priority"], bucket?: number): Caller {
  if (bucket === undefined) return priority === "high" ? HIGH_CALLER : LOW_CALLER;
  assert(isBucketId(bucket), `no bucket can have the id ${bucket}`);
  return (priority === "high" ? HIGH_CALLERS : LOW_CALLERS)[bucket - BUCKET_ID_MIN]!;
}

export function isBucketId(id: number): boolean {
  return Number.isInteger(id) && id >= BUCKET_ID_MIN && id <= BUCKET_ID_MAX;
}

function callersOf(priority: Caller["priority"]): readonly Caller[] {
  const count = BUCKET_ID_MAX - BUCKET_ID_MIN + 1;
  return Array.from({ length: count }, (_, index) => ({
    priority,
    bucket: BUCKET_ID_MIN + index,
  }));
}
