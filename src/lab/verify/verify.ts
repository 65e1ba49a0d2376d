/**
 * A prediction beside what a running container shows. Whether a key costs what was said does not
 * depend on how much is asked of it just now, so rates are compared at the rate that was seen: half
 * of the requests should cost half of the RU/s, on every physical partition.
 *
 * What too few requests show, or requests under other conditions than were predicted, is called
 * undecided and never failed.
 */
import {
  compared,
  type FigureCheck,
  type FigureFinding,
  REQUESTS_MIN,
  STANDARD_ERRORS,
} from "./check.ts";
import type { ObservedContainer } from "./observed.ts";
import { operationChecks } from "./operations.ts";
import type { Prediction } from "./prediction.ts";

export interface Verification {
  readonly container: string;
  readonly key: string;
  readonly seconds: number;
  /** Requests that came over those that were predicted. */
  readonly rateFactor: number;
  /** Failed if one check is; undecided if it is not known what a request costs. */
  readonly finding: Exclude<FigureFinding, "noted">;
  readonly checks: readonly FigureCheck[];
  readonly remarks: readonly string[];
}

/** Of RU, of the share of the hottest partition, of bytes, of counts; of 429s in points. */
const RU_TOLERANCE = 0.15;
const HOTTEST_TOLERANCE = 0.2;
const BYTES_TOLERANCE = 0.25;
const COUNT_TOLERANCE = 0.1;
const THROTTLED_POINTS = 3;
/** Rates that are so near are the same. */
const SAME_RATE = 0.1;

export function verifyPrediction(
  prediction: Prediction,
  observed: ObservedContainer,
): Verification {
  const { seconds, requestCount } = observed;
  const factor = seconds === 0 ? 0 : requestCount / seconds / prediction.now.requestsPerSecond;
  const rateFactor = Number.isFinite(factor) ? factor : 0;
  const openBecause = tooFew(prediction, observed);
  const setting: Setting = {
    prediction,
    observed,
    rateFactor,
    openBecause,
    // What was throttled has cost nothing, and would have cost as much as the rest.
    scale: openBecause === undefined ? rateFactor * servedShare(observed) : 1,
  };
  const ru = ruChecks(setting);
  const checks = [
    requestsCheck(setting),
    ...ru,
    hottestCheck(setting),
    throttledCheck(setting),
    ...layoutChecks(setting),
    ...operationChecks(prediction.now.operations, observed.operations, RU_TOLERANCE),
  ];
  const isFailed = checks.some(({ finding }) => finding === "failed");
  const isOpen = ru.some(({ finding }) => finding === "undecided");
  return {
    container: prediction.container,
    key: prediction.key,
    seconds,
    rateFactor,
    finding: isFailed ? "failed" : isOpen ? "undecided" : "held",
    checks,
    remarks: remarksOf(setting),
  };
}

interface Setting {
  readonly prediction: Prediction;
  readonly observed: ObservedContainer;
  readonly rateFactor: number;
  /** By which predicted RU/s are multiplied, to be those of the requests that came. */
  readonly scale: number;
  readonly openBecause: string | undefined;
}

function servedShare({ requestCount, throttledCount }: ObservedContainer): number {
  return requestCount === 0 ? 0 : (requestCount - throttledCount) / requestCount;
}

function tooFew({ now }: Prediction, { requestCount }: ObservedContainer): string | undefined {
  if (now.requestsPerSecond === 0) return "The workload predicts no requests.";
  if (requestCount >= REQUESTS_MIN) return undefined;
  return `${requestCount} requests are too few to tell; it takes ${REQUESTS_MIN}.`;
}

function requestsCheck({ prediction, observed, rateFactor }: Setting): FigureCheck {
  return {
    name: "requestsPerSecond",
    title: "requests/s",
    unit: "requests/s",
    predicted: prediction.now.requestsPerSecond,
    measured: observed.seconds === 0 ? 0 : observed.requestCount / observed.seconds,
    difference: rateFactor - 1,
    tolerance: undefined,
    finding: "noted",
  };
}

function ruChecks({ prediction, observed, scale, openBecause }: Setting): FigureCheck[] {
  const { ruPerSecond, requestsPerSecond } = prediction.now;
  const served = observed.requestCount - observed.throttledCount;
  const each = requestsPerSecond === 0 ? 0 : ruPerSecond / requestsPerSecond;
  const open = openBecause ?? (served < REQUESTS_MIN ? "Nearly all was throttled." : undefined);
  const tolerance = RU_TOLERANCE + STANDARD_ERRORS * chargeError(prediction, served);
  return [
    compared({
      name: "ruPerRequest",
      title: "RU of a request",
      unit: "RU",
      predicted: each,
      measured: served === 0 ? 0 : observed.ru / served,
      tolerance,
      openBecause: open,
    }),
    compared({
      name: "ruPerSecond",
      title: "RU/s in total",
      unit: "RU/s",
      predicted: ruPerSecond * scale,
      measured: observed.seconds === 0 ? 0 : observed.ru / observed.seconds,
      tolerance,
      openBecause: open,
      note: scaledNote(scale, ruPerSecond),
    }),
  ];
}

/** One standard error of the mean charge of so many requests, as a share of it. */
function chargeError({ now }: Prediction, served: number): number {
  const { ruPerSecond, requestsPerSecond, requestRuDeviation } = now;
  if (ruPerSecond === 0 || served === 0) return 0;
  return (requestRuDeviation * requestsPerSecond) / ruPerSecond / Math.sqrt(served);
}

function scaledNote(scale: number, predicted: number): string | undefined {
  if (Math.abs(scale - 1) <= SAME_RATE) return undefined;
  const [whole, factor] = [predicted, scale].map((amount) => Number(amount.toPrecision(3)));
  return `${whole} RU/s were predicted, here times ${factor} for the requests that were served.`;
}

function hottestCheck({ prediction, observed, scale, openBecause }: Setting): FigureCheck {
  const { hottestPartition, physicalPartitions, ruPerSecond } = prediction.now;
  const { requestsPerSecond, requestRuDeviation } = prediction.now;
  const total = observed.partitions.reduce((sum, { ru }) => sum + ru, 0);
  const hottest = Math.max(0, ...observed.partitions.map(({ ru }) => ru));
  const share = total === 0 ? 0 : hottest / total;
  const isOtherLayout = observed.partitions.length !== physicalPartitions;
  const each = requestsPerSecond === 0 ? 0 : ruPerSecond / requestsPerSecond;
  // Dear requests among cheap ones weigh like fewer that are alike.
  const alike = observed.requestCount / (1 + (each === 0 ? 0 : (requestRuDeviation / each) ** 2));
  const error = alike === 0 ? 0 : Math.sqrt((share * (1 - share)) / alike);
  const measuredRate = observed.seconds === 0 ? 0 : observed.ru / observed.seconds;
  return compared({
    name: "hottestPartition",
    title: "RU/s of the hottest partition",
    unit: "RU/s",
    predicted: hottestPartition.ruPerSecond * scale,
    measured: measuredRate * share,
    // What the partition gets of all requests is left to chance, and what they cost is, too.
    tolerance:
      HOTTEST_TOLERANCE +
      STANDARD_ERRORS *
        Math.hypot(share === 0 ? 0 : error / share, chargeError(prediction, observed.requestCount)),
    openBecause:
      openBecause ??
      (isOtherLayout
        ? `There are ${observed.partitions.length} physical partitions, and ` +
          `${physicalPartitions} were predicted.`
        : undefined),
    note: scaledNote(scale, hottestPartition.ruPerSecond),
  });
}

/** Fewer than were predicted are welcome: the prediction is for the busiest hour. */
function throttledCheck({ prediction, observed, rateFactor, openBecause }: Setting): FigureCheck {
  const { requestCount, throttledCount, isLimited, ratePerSecond } = observed;
  const predicted = prediction.now.throttledShare;
  const measured = requestCount === 0 ? 0 : throttledCount / requestCount;
  const larger = Math.min(0.5, Math.max(predicted, measured));
  const error = Math.sqrt((larger * (1 - larger)) / Math.max(1, requestCount));
  const tolerance = THROTTLED_POINTS + 100 * STANDARD_ERRORS * error;
  const difference = 100 * (measured - predicted);
  const isHeld = difference <= tolerance;
  const asked = prediction.throughput?.ratePerSecond ?? 0;
  const open = isLimited
    ? (openBecause ?? (isHeld ? undefined : harderThanPredicted(rateFactor, ratePerSecond, asked)))
    : "The server throttles nobody.";
  return {
    name: "throttledShare",
    title: "429s",
    unit: "share",
    predicted,
    measured,
    difference,
    tolerance,
    finding: open !== undefined ? "undecided" : isHeld ? "held" : "failed",
    note: open,
  };
}

function harderThanPredicted(factor: number, rate: number, asked: number): string | undefined {
  if (factor > 1 + SAME_RATE) return "More is asked than was predicted.";
  return rate < asked ? `It has ${rate} RU/s, and ${asked} were predicted.` : undefined;
}

function layoutChecks({ prediction, observed }: Setting): readonly FigureCheck[] {
  const { now, items } = prediction;
  const { physicalPartitions, logicalPartitions, largestLogicalBytes } = now;
  const growth = items.count === 0 ? undefined : observed.itemCount / items.count;
  const open = growth === undefined ? "The container was empty when it was predicted." : undefined;
  const drift = Math.abs((growth ?? 1) - 1);
  const isOther = observed.partitions.length !== physicalPartitions;
  const larger = items.bytes === 0 ? 1 : observed.itemBytes / items.bytes;
  const itemBytes = observed.itemBytes / Math.max(1, observed.itemCount);
  const itemsOfLargest = observed.largestLogicalBytes / Math.max(1, itemBytes);
  return [
    compared({
      name: "physicalPartitions",
      title: "physical partitions",
      unit: "count",
      predicted: physicalPartitions,
      measured: observed.partitions.length,
      tolerance: 0,
      openBecause: isOther && drift > COUNT_TOLERANCE ? grown(growth!) : open,
    }),
    compared({
      name: "logicalPartitions",
      title: "logical partitions",
      unit: "count",
      predicted: logicalPartitions.value,
      measured: observed.logicalPartitionCount,
      tolerance: COUNT_TOLERANCE + spreadOf(logicalPartitions) + drift,
      openBecause: open,
    }),
    compared({
      name: "largestLogicalBytes",
      title: "largest logical partition",
      unit: "bytes",
      predicted: largestLogicalBytes.value * larger,
      measured: observed.largestLogicalBytes,
      tolerance:
        BYTES_TOLERANCE +
        spreadOf(largestLogicalBytes) +
        STANDARD_ERRORS / Math.sqrt(Math.max(1, itemsOfLargest)),
      openBecause: open,
      note: drift > COUNT_TOLERANCE ? grown(growth!) : undefined,
    }),
  ];
}

function grown(growth: number): string {
  return `It has ${Number(growth.toPrecision(3))} times the items that it had then.`;
}

/** How far an estimate may be off by its own account, as a share of it. */
function spreadOf({ value, low, high }: { value: number; low: number; high: number }): number {
  return value === 0 ? 0 : Math.max(value - low, high - value) / value;
}

function remarksOf({ observed, rateFactor, openBecause }: Setting): readonly string[] {
  const remarks: string[] = [];
  if (openBecause === undefined && Math.abs(rateFactor - 1) > SAME_RATE) {
    remarks.push(
      `The container got ${Number(rateFactor.toPrecision(2))} times the requests that were ` +
        "predicted: what was predicted of RU/s is scaled by that, and what decides is the charge " +
        "of a request.",
    );
  }
  if (observed.operations === undefined) {
    remarks.push(
      "RU of single operations are compared when they are recorded: `orrery record`, then again " +
        "while it runs, or with --recording <file>.",
    );
  }
  return remarks;
}
