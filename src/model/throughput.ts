/**
 * Provisioned throughput: a fixed rate, or a ceiling below which the rate follows the load; what is
 * remembered of it, what it may become by itself, and between which bounds it may be set.
 *
 * Invariants
 * - A rate that the physical partitions cannot serve yet is pending and does not count: what is in
 *   force is what was before.
 *
 * Not here: whose throughput it is, and how a change of it is decided (`engine/provisioning.ts`).
 */
import { assert } from "../base/assert.ts";
import type { Limits, RateLimits } from "./limits.ts";
import type { ThroughputBucket } from "./throughputBucket.ts";

export interface ManualThroughput {
  readonly kind: "manual";
  readonly ratePerSecond: number;
}

export interface AutoscaleThroughput {
  readonly kind: "autoscale";
  readonly rateMax: number;
  /** By how much the ceiling rises when all of it was used. */
  readonly incrementPercent?: number | undefined;
}

export type Throughput = ManualThroughput | AutoscaleThroughput;

/** How an account treats rates: the same for all its containers. */
export interface RateSetting {
  /** Whether requests beyond the rate are refused. */
  readonly isLimited: boolean;
  /** No rates are provisioned; each physical partition serves what serverless ones do. */
  readonly isServerless: boolean;
  /** Whether physical partitions with a low rate save up what they do not spend. */
  readonly hasBurst: boolean;
  /** A new container with a manual rate gets a physical partition for each of this many RU/s. */
  readonly manualRatePerPartition: number;
}

/** What decides which throughput there may be. Without a setting nothing is out of the ordinary. */
export interface RateRules {
  readonly limits: Limits;
  readonly rates?: RateSetting | undefined;
}

/** Throughput as a database or a container has it. */
export type ProvisionedThroughput = Throughput & {
  /** The highest rate it ever had, under either kind: what it may fall to depends on it. */
  readonly rateMaxEver: number;
  /** The most that was ever seen stored under it; nothing if absent. */
  readonly storedBytesMaxEver?: number | undefined;
  /** What it will be once there are physical partitions enough; until then no other change. */
  readonly pending?: Throughput | undefined;
  /** Of a container only; none if absent. */
  readonly buckets?: readonly ThroughputBucket[] | undefined;
  readonly etag: string;
  readonly ts: number;
};

export interface ThroughputStamp {
  readonly etag: string;
  readonly ts: number;
}

/** What is to become of throughput. A change of kind leaves no choice of the rate. */
export type ThroughputChange = (
  | { readonly kind: "set"; readonly throughput: Throughput }
  | { readonly kind: "toManual" | "toAutoscale" }
  | { readonly kind: "keep" }
) & {
  /** Instead of those there are; they stay if absent. */
  readonly buckets?: readonly ThroughputBucket[] | undefined;
};

/** In the words that applications for serverless accounts look for. */
export const SERVERLESS_PROBLEM =
  "Setting throughput, manual or autoscale, is not supported for serverless accounts.";

/** The highest rate it can reach, in RU per second. */
export function rateMaxOf(throughput: Throughput): number {
  return throughput.kind === "manual" ? throughput.ratePerSecond : throughput.rateMax;
}

/** What a container has that neither asks for a rate nor shares one. Documented: 400 RU/s. */
export function defaultThroughput(limits: Limits): Throughput {
  return { kind: "manual", ratePerSecond: limits.manualRate.rateMin };
}

/** The fewest physical partitions that can serve it. */
export function partitionCountNeeded(throughput: Throughput, limits: Limits): number {
  return Math.max(1, Math.ceil(rateMaxOf(throughput) / limits.partitionRateMax));
}

/** In force from now on; what was pending is not any more. */
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

/** In force as soon as there are physical partitions enough, see `finished`. */
export function awaiting(
  pending: Throughput,
  before: ProvisionedThroughput,
  { etag, ts }: ThroughputStamp,
): ProvisionedThroughput {
  return { ...before, pending, etag, ts };
}

/** The physical partitions are there: what was pending is in force. */
export function finished(
  before: ProvisionedThroughput,
  stamp: ThroughputStamp,
): ProvisionedThroughput {
  assert(before.pending !== undefined, "only throughput that is pending can be finished");
  return provisioned(before.pending, before, stamp);
}

/** There will never be physical partitions enough: what is in force stays. */
export function withdrawn(
  { pending: _pending, ...before }: ProvisionedThroughput,
  { etag, ts }: ThroughputStamp,
): ProvisionedThroughput {
  return { ...before, etag, ts };
}

/** Remembers how much is stored if it never was more. */
export function remembering(
  throughput: ProvisionedThroughput,
  storedBytes: number,
): ProvisionedThroughput {
  const isMore = storedBytes > (throughput.storedBytesMaxEver ?? 0);
  return isMore ? { ...throughput, storedBytesMaxEver: storedBytes } : throughput;
}

/** A ceiling allows for so much data; with more of it the ceiling rises. */
export function autoscaleForStorage(
  throughput: AutoscaleThroughput,
  storedBytes: number,
  limits: Limits,
): AutoscaleThroughput | undefined {
  return raised(throughput, gbOf(storedBytes) * limits.autoscaleRate.ratePerGb, limits);
}

/** What the ceiling becomes after all of it was used, if it is to rise then. */
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

/** What must not be undercut: the lowest rate that may be set. */
export function rateMinOf(
  kind: Throughput["kind"],
  held: {
    readonly rateMaxEver: number;
    readonly storedBytes: number;
    /** How many containers share the rate, if it is for sharing. */
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

/** `rateMin` is given where more than the limits has to be kept to. */
export function rateProblem(
  throughput: Throughput,
  limits: Limits,
  rateMin: number = rateLimitsOf(throughput.kind, limits).rateMin,
): string | undefined {
  const rate = rateMaxOf(throughput);
  const { rateStep } = rateLimitsOf(throughput.kind, limits);
  const isFine = rate >= rateMin && rate <= limits.rateMax && rate % rateStep === 0;
  if (isFine) return undefined;
  // The service's words, which programs look for.
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
