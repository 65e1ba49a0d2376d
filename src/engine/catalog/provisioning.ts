/**
 * How throughput changes: what becomes of it when somebody asks, and by itself as data and load
 * grow. Pure: facts in, the throughput to record out.
 *
 * Invariants
 * - A rate in force never exceeds what the physical partitions that share it can serve. A higher
 *   one is pending until they have been split, and while one is pending nothing else changes.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Limits } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type {
  AutoscaleThroughput,
  ProvisionedThroughput,
  Throughput,
  ThroughputChange,
  ThroughputStamp,
} from "../../model/throughput.ts";
import {
  autoscaleForDemand,
  autoscaleForStorage,
  awaiting,
  provisioned,
  rateMaxOf,
  rateMinOf,
  rateProblem,
  remembering,
} from "../../model/throughput.ts";
import { bucketsProblem } from "../../model/throughputBucket.ts";
import { instantRateMax } from "../../throughput/partitionCount.ts";

/** Throughput, and what there is to know when it is to change. */
export interface Provisioning {
  readonly throughput: ProvisionedThroughput;
  /** What all containers that live on this throughput hold now. */
  readonly storedBytes: number;
  /** How many physical partitions the rate is divided over. */
  readonly partitionCount: number;
  /** How many containers share the throughput; absent if it is that of one container. */
  readonly sharingCount: number | undefined;
}

/** How much more than remembered has to be stored to be worth a commit of its own. */
const NOTABLE_GROWTH = 1.1;
export const UNSHARED_BUCKETS =
  "Throughput buckets are for containers that have throughput of their own.";

export function changedThroughput(
  held: Provisioning,
  change: ThroughputChange,
  limits: Limits,
  stamp: ThroughputStamp,
): Result<ProvisionedThroughput, Refusal> {
  const { throughput, sharingCount } = held;
  const { pending } = throughput;
  if (pending !== undefined) return no({ kind: "replacePending", pendingRate: rateMaxOf(pending) });
  const listed = change.buckets ?? throughput.buckets;
  const buckets = listed?.length === 0 ? undefined : listed;
  const isShared = sharingCount !== undefined;
  const unfit = buckets && (isShared ? UNSHARED_BUCKETS : bucketsProblem(buckets, limits));
  if (unfit !== undefined) return no(badRequest(unfit));
  const before = { ...throughput, buckets };
  if (change.kind === "keep") return ok({ ...before, ...stamp });
  const wanted = wantedOf(held, change, limits);
  const problem = rateProblem(wanted, limits, lowestRate(wanted.kind, held, limits));
  if (problem !== undefined) return no(badRequest(problem));
  return become({ ...held, throughput: before }, wanted, limits, stamp);
}

/**
 * What becomes of throughput that nobody changes; nothing if it may stay as it is. `isExhausted`
 * tells that all of the rate was used since this was last asked.
 */
export function grownThroughput(
  held: Provisioning,
  isExhausted: boolean,
  limits: Limits,
  stamp: ThroughputStamp,
): ProvisionedThroughput | undefined {
  const { throughput, storedBytes } = held;
  if (throughput.pending !== undefined) return undefined;
  const ceiling = risenCeiling(throughput, storedBytes, isExhausted, limits);
  const risen = ceiling && become(held, ceiling, limits, stamp);
  if (risen?.ok) return risen.value;
  const isNotable = storedBytes > NOTABLE_GROWTH * (throughput.storedBytesMaxEver ?? 0);
  return isNotable ? remembering(throughput, storedBytes) : undefined;
}

function risenCeiling(
  throughput: Throughput,
  storedBytes: number,
  isExhausted: boolean,
  limits: Limits,
): AutoscaleThroughput | undefined {
  if (throughput.kind === "manual") return undefined;
  const forDemand = isExhausted ? autoscaleForDemand(throughput, limits) : undefined;
  return autoscaleForStorage(forDemand ?? throughput, storedBytes, limits) ?? forDemand;
}

/** The lowest rate that may be set. */
export function lowestRate(
  kind: Throughput["kind"],
  { throughput: { rateMaxEver }, storedBytes, sharingCount }: Provisioning,
  limits: Limits,
): number {
  return rateMinOf(kind, { rateMaxEver, storedBytes, sharingCount }, limits);
}

/** Puts a rate in force at once, or leaves it pending until there are partitions enough. */
function become(
  { throughput, storedBytes, partitionCount, sharingCount }: Provisioning,
  wanted: Throughput,
  limits: Limits,
  stamp: ThroughputStamp,
): Result<ProvisionedThroughput, Refusal> {
  const before = remembering(throughput, storedBytes);
  const ceiling = instantRateMax(partitionCount, limits);
  if (rateMaxOf(wanted) <= ceiling) return ok(provisioned(wanted, before, stamp));
  if (sharingCount !== 0) return ok(awaiting(wanted, before, stamp));
  return no(
    badRequest(
      `Without a container that shares the throughput of this database it cannot exceed ` +
        `${ceiling} RU/s. Create one, and raise it then.`,
    ),
  );
}

/** A migration keeps the highest rate, rounded up to a rate that autoscale can have. */
function wantedOf(
  held: Provisioning,
  change: Exclude<ThroughputChange, { kind: "keep" }>,
  limits: Limits,
): Throughput {
  if (change.kind === "set") return change.throughput;
  const rateMax = rateMaxOf(held.throughput);
  if (change.kind === "toManual") return { kind: "manual", ratePerSecond: rateMax };
  const { rateStep } = limits.autoscaleRate;
  const rateMin = lowestRate("autoscale", held, limits);
  const rounded = Math.ceil(rateMax / rateStep) * rateStep;
  return { kind: "autoscale", rateMax: Math.max(rateMin, rounded) };
}
