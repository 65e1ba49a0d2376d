/**
 * Provisioned throughput: a fixed rate, or a ceiling below which the rate follows the load; what is
 * remembered of it, what it may become by itself, and between which bounds it may be set.
 *
 * Invariants
 * - A rate that the physical partitions cannot serve yet is pending: until they can, the former
 *   throughput stays in force.
 *
 * Not here: whose throughput it is, and how a change of it is decided
 * (`engine/catalog/provisioning.ts`).
 */
import { assert } from "../base/assert.ts";
import type { Limits, RateLimits } from "./limits.ts";
import type { ThroughputBucket } from "./throughputBucket.ts";

interface ManualThroughput {
  readonly kind: "manual";
  readonly ratePerSecond: number;
}

export interface AutoscaleThroughput {
  readonly kind: "autoscale";
  readonly rateMax: number;
  /** By how many percent the ceiling rises when all of it was used. */
  readonly incrementPercent?: number | undefined;
}

export type Throughput = ManualThroughput | AutoscaleThroughput;

/** How an account treats rates: the same for all its containers. */
export interface RateSetting {
  /** True when requests beyond the rate are refused. */
  readonly isLimited: boolean;
  /**
   * True when no rates are provisioned; each physical partition serves what a serverless one does.
   */
  readonly isServerless: boolean;
  /** True when physical partitions with a low rate save up what they do not spend. */
  readonly hasBurst: boolean;
  /** A new container with a manual rate gets one physical partition for each of this many RU/s. */
  readonly manualRatePerPartition: number;
}

/** What decides which throughput is allowed. Without `rates`, the account is an ordinary one. */
export interface RateRules {
  readonly limits: Limits;
  readonly rates?: RateSetting | undefined;
}

/** Throughput as a database or a container has it. */
export type ProvisionedThroughput = Throughput & {
  /** The highest rate ever, under either kind; it bounds how low the rate may become. */
  readonly rateMaxEver: number;
  /** The largest number of bytes ever seen stored under it; absent when none was seen. */
  readonly storedBytesMaxEver?: number | undefined;
  /**
   * The throughput once there are enough physical partitions; until then no other change is
   * accepted.
   */
  readonly pending?: Throughput | undefined;
  /** Throughput buckets, of a container only; absent when there are none. */
  readonly buckets?: readonly ThroughputBucket[] | undefined;
  readonly etag: string;
  readonly ts: number;
};

export interface ThroughputStamp {
  readonly etag: string;
  readonly ts: number;
}

/** A change of throughput. A change of kind leaves no choice of the rate. */
export type ThroughputChange = (
  | { readonly kind: "set"; readonly throughput: Throughput }
  | { readonly kind: "toManual" | "toAutoscale" }
  | { readonly kind: "keep" }
) & {
  /** The buckets that replace the present ones, which stay if this is absent. */
  readonly buckets?: readonly ThroughputBucket[] | undefined;
};

/** The message in the words that applications for serverless accounts look for. */
export const SERVERLESS_PROBLEM =
  "Setting throughput, manual or autoscale, is not supported for serverless accounts.";

/** Returns the highest rate that throughput can reach, in RU per second. */
export function rateMaxOf(throughput: Throughput): number {
  return throughput.kind === "manual" ? throughput.ratePerSecond : throughput.rateMax;
}

/**
 * Returns the throughput of a container that neither asks for a rate nor shares one. Documented:
 * 400 RU/s.
 */
export function defaultThroughput(limits: Limits): Throughput {
  return { kind: "manual", ratePerSecond: limits.manualRate.rateMin };
}

/** Returns the smallest number of physical partitions that can serve the throughput. */
export function partitionCountNeeded(throughput: Throughput, limits: Limits): number {
  return Math.max(1, Math.ceil(rateMaxOf(throughput) / limits.partitionRateMax));
}

/** Returns throughput that is in force from now on; nothing is pending any more. */
export function provisioned(
  throughput: Throughput,
  before: ProvisionedThroughput | undefined,
  { etag, ts }: ThroughputStamp,
): ProvisionedThroughput {
  return {
    ...throughput,
    rateMaxEver: Math.max(rateMaxOf(throughput), before?.rateMaxEver ?? 0),
    ...(before?.storedBytesMaxEver && { storedBytesMaxEver: before.storedBytesMaxEver }),
    ...(before?.buckets && { buckets: before.buckets }),
    etag,
    ts,
  };
}

/**
 * Returns throughput that comes into force as soon as there are enough physical partitions, see
 * `finished`.
 */
export function awaiting(
  pending: Throughput,
  before: ProvisionedThroughput,
  { etag, ts }: ThroughputStamp,
): ProvisionedThroughput {
  return { ...before, pending, etag, ts };
}

/** Returns the throughput once the physical partitions are there: what was pending is in force. */
export function finished(
  before: ProvisionedThroughput,
  stamp: ThroughputStamp,
): ProvisionedThroughput {
  assert(before.pending !== undefined, "only throughput that is pending can be finished");
  return provisioned(before.pending, before, stamp);
}

/**
 * Returns the throughput when there will never be enough physical partitions: what is in force
 * stays.
 */
export function withdrawn(
  { pending: _pending, ...before }: ProvisionedThroughput,
  { etag, ts }: ThroughputStamp,
): ProvisionedThroughput {
  return { ...before, etag, ts };
}

/** Remembers how many bytes are stored, if it is more than ever before. */
export function remembering(
  throughput: ProvisionedThroughput,
  storedBytes: number,
): ProvisionedThroughput {
  const isMore = storedBytes > (throughput.storedBytesMaxEver ?? 0);
  return isMore ? { ...throughput, storedBytesMaxEver: storedBytes } : throughput;
}

/**
 * Returns the higher ceiling that this much data needs; undefined when the present one is enough.
 */
export function autoscaleForStorage(
  throughput: AutoscaleThroughput,
  storedBytes: number,
  limits: Limits,
): AutoscaleThroughput | undefined {
  return raised(throughput, gbOf(storedBytes) * limits.autoscaleRate.ratePerGb, limits);
}

/** Returns what the ceiling becomes after all of it was used; undefined when it does not rise. */
export function autoscaleForDemand(
  throughput: AutoscaleThroughput,
  limits: Limits,
): AutoscaleThroughput | undefined {
  const { rateMax, incrementPercent = 0 } = throughput;
  return raised(throughput, rateMax + (rateMax * incrementPercent) / 100, limits);
}

function raised(
  { kind, incrementPercent, rateMax: before }: AutoscaleThroughput,
  rate: number,
  limits: Limits,
): AutoscaleThroughput | undefined {
  const rateMax = Math.min(onStep(rate, limits.autoscaleRate), limits.rateMax);
  if (rateMax <= before) return undefined;
  return { kind, rateMax, ...(incrementPercent && { incrementPercent }) };
}

/** Returns the lowest rate that may be set. */
export function rateMinOf(
  kind: Throughput["kind"],
  held: {
    readonly rateMaxEver: number;
    readonly storedBytes: number;
    /** How many containers share the rate; absent when it is not shared. */
    readonly sharingCount?: number | undefined;
  },
  limits: Limits,
): number {
  const rateLimits = rateLimitsOf(kind, limits);
  const { rateMin, rateStep, ratePerGb, fallMax } = rateLimits;
  const crowd = Math.max(0, (held.sharingCount ?? 0) - limits.sharingContainersMax);
  const rate = Math.max(
    // Each container beyond those that may share for nothing costs a step.
    rateMin + crowd * rateStep,
    gbOf(held.storedBytes) * ratePerGb,
    held.rateMaxEver / fallMax,
  );
  return onStep(rate, rateLimits);
}

/**
 * Returns what is wrong with a rate. `rateMin` is passed where the lowest rate depends on more than
 * the limits.
 */
export function rateProblem(
  throughput: Throughput,
  limits: Limits,
  rateMin: number = rateLimitsOf(throughput.kind, limits).rateMin,
): string | undefined {
  const rate = rateMaxOf(throughput);
  const { rateStep } = rateLimitsOf(throughput.kind, limits);
  const isFine = rate >= rateMin && rate <= limits.rateMax && rate % rateStep === 0;
  if (isFine) return undefined;
  // The message has the service's words, which programs look for.
  const least = `required minimum throughput ${rateMin}`;
  return (
    (rate < rateMin ? `Requested throughput ${rate} is less than ${least}. ` : "") +
    `The ${throughput.kind} throughput ${rate} is not valid: it must be a multiple of ` +
    `${rateStep} from ${rateMin} to ${limits.rateMax} RU/s.`
  );
}

function rateLimitsOf(kind: Throughput["kind"], limits: Limits): RateLimits {
  return kind === "manual" ? limits.manualRate : limits.autoscaleRate;
}

function onStep(rate: number, { rateStep }: RateLimits): number {
  return Math.ceil(rate / rateStep) * rateStep;
}

function gbOf(bytes: number): number {
  return bytes / 1024 ** 3;
}
