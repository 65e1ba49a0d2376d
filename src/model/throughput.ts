/**
 * Provisioned throughput: a fixed rate, or a ceiling below which the rate follows the load; what is
 * remembered of it, and between which bounds it may be changed.
 *
 * Not here: whose throughput it is, and how many physical partitions a rate needs.
 */
import type { Limits, RateLimits } from "./limits.ts";

export type Throughput =
  | { readonly kind: "manual"; readonly ratePerSecond: number }
  | {
      readonly kind: "autoscale";
      readonly rateMax: number;
      /** By how much the ceiling is to rise with the data; kept, and without effect yet. */
      readonly incrementPercent?: number | undefined;
    };

/** Throughput as a database or a container has it. */
export type ProvisionedThroughput = Throughput & {
  /** The highest rate it ever had, under either kind: what it may fall to depends on it. */
  readonly rateMaxEver: number;
  readonly etag: string;
  readonly ts: number;
};

/** What is to become of throughput. A change of kind leaves no choice of the rate. */
export type ThroughputChange =
  | { readonly kind: "set"; readonly throughput: Throughput }
  | { readonly kind: "toManual" | "toAutoscale" };

/** The highest rate it can reach, in RU per second. */
export function rateMaxOf(throughput: Throughput): number {
  return throughput.kind === "manual" ? throughput.ratePerSecond : throughput.rateMax;
}

/** What a container has that neither asks for a rate nor shares one. Documented: 400 RU/s. */
export function defaultThroughput(limits: Limits): Throughput {
  return { kind: "manual", ratePerSecond: limits.manualRate.rateMin };
}

export function provisioned(
  throughput: Throughput,
  before: ProvisionedThroughput | undefined,
  { etag, ts }: { readonly etag: string; readonly ts: number },
): ProvisionedThroughput {
  const rateMaxEver = Math.max(rateMaxOf(throughput), before?.rateMaxEver ?? 0);
  return { ...throughput, rateMaxEver, etag, ts };
}

/** What must not be undercut: the lowest rate that may be set. */
export function rateMinOf(
  kind: Throughput["kind"],
  held: { readonly rateMaxEver: number; readonly storedBytes: number },
  limits: Limits,
): number {
  const { rateMin, rateStep, ratePerGb, fallMax } = rateLimitsOf(kind, limits);
  const storedGb = held.storedBytes / 1024 ** 3;
  const rate = Math.max(rateMin, storedGb * ratePerGb, held.rateMaxEver / fallMax);
  return Math.ceil(rate / rateStep) * rateStep;
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
  return (
    `The ${throughput.kind} throughput ${rate} is not valid: it must be a multiple of ` +
    `${rateStep} from ${rateMin} to ${limits.rateMax} RU/s.`
  );
}

function rateLimitsOf(kind: Throughput["kind"], limits: Limits): RateLimits {
  return kind === "manual" ? limits.manualRate : limits.autoscaleRate;
}
