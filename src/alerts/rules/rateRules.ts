/**
 * Rules about throughput that is paid for in vain: a rate that is too high, the wrong kind of
 * throughput, and more physical partitions than are needed. These alerts save money and repair
 * nothing, so they are mild, and they look at hours, not minutes.
 */

import { counted, countText, strictBytesText } from "../../base/wording.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { ContainerReport } from "../../statistics/report.ts";
import {
  absent,
  type ContainerRule,
  containerRule,
  fine,
  guidance,
  platformLimit,
  type RuleFinding,
} from "./alertRule.ts";
import { DOCS_PAGES } from "./docsPages.ts";
import { percentText, rateText } from "./wording.ts";

/** Documented: autoscale costs 1.5 times as much per RU/s, and at least a tenth of its ceiling. */
const AUTOSCALE_PRICE = 1.5;
const AUTOSCALE_FLOOR_PERCENT = 10;

const HOUR_COUNT_MIN = guidance(24, "hours", "of history; less tells nothing about a day");
const BREAK_EVEN = guidance(
  66,
  "percent",
  "mean of the hourly peaks at which manual and autoscale cost the same",
  DOCS_PAGES.manualOrAutoscale,
);

const MANUAL_RATE_MIN = platformLimit(
  SERVICE_LIMITS.manualRate.rateMin,
  "RU/s",
  "the lowest manual rate",
  DOCS_PAGES.quotas,
);
const AUTOSCALE_RATE_MIN = platformLimit(
  SERVICE_LIMITS.autoscaleRate.rateMin,
  "RU/s",
  "the lowest ceiling of autoscale",
  DOCS_PAGES.quotas,
);

const overProvisioned = containerRule({
  id: "overProvisioned",
  title: "The rate is higher than needed",
  fires:
    "In no hour of the last day did any physical partition spend `peakPercent` of what it may, " +
    "in any second. Warning if the rate is above what one physical partition serves.",
  severities: ["info", "warning"],
  window: "lastDay",
  forSeconds: 600,
  clearSeconds: 600,
  thresholds: {
    peakPercent: guidance(30, "percent", "busiest second over what may be spent in a second"),
    manualRateMin: MANUAL_RATE_MIN,
    autoscaleRateMin: AUTOSCALE_RATE_MIN,
    hourCountMin: HOUR_COUNT_MIN,
  },
  docs: [DOCS_PAGES.scaling, DOCS_PAGES.manualOrAutoscale],
  find({ report }, values) {
    const day = dayOf(report, values.hourCountMin);
    if (day.kind === "missing") return day.finding;
    const { kind, ratePerSecond } = report.throughput;
    const says =
      `The busiest second of the last ${counted(day.hourCount, "hour", "hours")} was at ` +
      `${percentText(day.peakPercent)} of the rate of ${rateText(ratePerSecond)}.`;
    const rateMin = kind === "autoscale" ? values.autoscaleRateMin : values.manualRateMin;
    const isLowest = ratePerSecond <= rateMin;
    if (day.peakPercent >= values.peakPercent || isLowest) return fine(says);
    return {
      kind: "trouble",
      severity: ratePerSecond > report.limits.partitionRateMax ? "warning" : "info",
      says,
      todo: [
        kind === "autoscale"
          ? "Lower the highest rate: a tenth of it is paid for even while nothing is spent."
          : "Lower the rate; it can be raised again at once.",
        "Keep it if a peak is expected that the last day did not have.",
      ],
      evidence: dayEvidence(report, day),
    };
  },
});

const autoscaleWouldFit = containerRule({
  id: "autoscaleWouldFit",
  title: "Autoscale would cost less than a manual rate",
  fires:
    "Under a manual rate, the mean of the hourly peaks is below `breakEvenPercent`, although the " +
    "highest is above `peakPercent`, so the rate cannot just be lowered.",
  severities: ["info"],
  window: "lastDay",
  forSeconds: 600,
  clearSeconds: 600,
  thresholds: {
    breakEvenPercent: BREAK_EVEN,
    peakPercent: guidance(70, "percent", "of the rate, in the busiest second of the day"),
    autoscaleRateMin: AUTOSCALE_RATE_MIN,
    hourCountMin: HOUR_COUNT_MIN,
  },
  docs: [DOCS_PAGES.manualOrAutoscale],
  find({ report }, values) {
    const { kind, ratePerSecond } = report.throughput;
    if (kind !== "manual") return fine("The rate is not a manual one.");
    const day = dayOf(report, values.hourCountMin);
    if (day.kind === "missing") return day.finding;
    const costPercent = AUTOSCALE_PRICE * day.billedPercent;
    const says =
      `The mean of the hourly peaks is ${percentText(day.meanPercent)} of the rate, the highest ` +
      `${percentText(day.peakPercent)}.`;
    const isSpiky = day.peakPercent > values.peakPercent;
    const isCheaper = day.meanPercent < values.breakEvenPercent;
    if (!isSpiky || !isCheaper || ratePerSecond < values.autoscaleRateMin) return fine(says);
    return {
      kind: "trouble",
      severity: "info",
      says: `${says} Autoscale up to the same rate would cost ${percentText(costPercent)} of it.`,
      todo: [`Change to autoscale with a highest rate of ${rateText(ratePerSecond)}.`],
      evidence: dayEvidence(report, day),
    };
  },
});

const manualWouldFit = containerRule({
  id: "manualWouldFit",
  title: "A manual rate would cost less than autoscale",
  fires: "Under autoscale, the mean of the hourly peaks is above `breakEvenPercent`.",
  severities: ["info"],
  window: "lastDay",
  forSeconds: 600,
  clearSeconds: 600,
  thresholds: { breakEvenPercent: BREAK_EVEN, hourCountMin: HOUR_COUNT_MIN },
  docs: [DOCS_PAGES.manualOrAutoscale],
  find({ report }, values) {
    const { kind, ratePerSecond } = report.throughput;
    if (kind !== "autoscale") return fine("The rate does not follow the load.");
    const day = dayOf(report, values.hourCountMin);
    if (day.kind === "missing") return day.finding;
    const mean = percentText(day.meanPercent);
    const says = `The mean of the hourly peaks is ${mean} of the highest rate.`;
    if (day.meanPercent <= values.breakEvenPercent) return fine(says);
    const costPercent = 100 / ((AUTOSCALE_PRICE * day.billedPercent) / 100);
    return {
      kind: "trouble",
      severity: "info",
      says:
        `${says} A manual rate of as much would cost ${percentText(costPercent)} of what ` +
        "autoscale does.",
      todo: [
        `Change to a manual rate of ${rateText(ratePerSecond)}, or of what the peaks really need.`,
      ],
      evidence: dayEvidence(report, day),
    };
  },
});

const mergeCandidates = containerRule({
  id: "mergeCandidates",
  title: "Physical partitions could be merged",
  fires:
    "Each physical partition has less than `ratePercent` of the rate that one can serve (3,000 " +
    "RU/s) and on average less than `fillPercent` of the bytes that one can hold (20 GB), and " +
    "fewer would be enough.",
  severities: ["info"],
  window: "now",
  forSeconds: 3600,
  clearSeconds: 600,
  thresholds: {
    ratePercent: guidance(30, "percent", "of the limit: 3,000 RU/s of 10,000", DOCS_PAGES.merge),
    fillPercent: guidance(40, "percent", "of the limit: 20 GB of 50", DOCS_PAGES.merge),
  },
  docs: [DOCS_PAGES.merge],
  find({ report }, values) {
    const { partitions, throughput, limits, figures, jobs } = report;
    const count = partitions.length;
    if (throughput.kind === "serverless") return fine("Serverless containers are not merged.");
    const neededCount = Math.max(
      Math.ceil(throughput.ratePerSecond / limits.partitionRateMax),
      Math.ceil(figures.itemBytes / limits.physicalPartitionBytesMax),
      1,
    );
    const ratePerPartition = throughput.ratePerSecond / count;
    const says =
      `${counted(count, "physical partition has", "physical partitions have")} ` +
      `${rateText(ratePerPartition)} and on average ` +
      `${strictBytesText(figures.averagePhysicalBytes)} each; ` +
      `${countText(neededCount)} would be enough.`;
    const isSlow = ratePerPartition < (values.ratePercent / 100) * limits.partitionRateMax;
    const isEmpty =
      figures.averagePhysicalBytes < (values.fillPercent / 100) * limits.physicalPartitionBytesMax;
    if (count <= neededCount || !isSlow || !isEmpty) return fine(says);
    if (jobs.length > 0) return fine(`${says} Splits or merges are under way.`);
    return {
      kind: "trouble",
      severity: "info",
      says,
      todo: [
        "Merge them: each would have a larger share of the rate, and queries would visit fewer.",
        "Leave them if the rate is to rise again soon: it would only be split anew.",
      ],
      evidence: {
        figures: {
          physicalPartitionCount: count,
          neededCount,
          ratePerPartition,
          averageBytes: figures.averagePhysicalBytes,
        },
        partitionIds: partitions.map(({ id }) => id),
        partitionKeys: [],
      },
    };
  },
});

export const RATE_RULES: readonly ContainerRule[] = [
  overProvisioned,
  autoscaleWouldFit,
  manualWouldFit,
  mergeCandidates,
];

interface Day {
  readonly kind: "day";
  readonly hourCount: number;
  readonly peakPercent: number;
  readonly meanPercent: number;
  /** The mean of what autoscale would have billed, in which no hour is below the floor. */
  readonly billedPercent: number;
}

function dayOf(
  { figures, throughput }: ContainerReport,
  hourCountMin: number,
): Day | { readonly kind: "missing"; readonly finding: RuleFinding } {
  const missing = (says: string) => ({ kind: "missing", finding: absent(says) }) as const;
  if (throughput.kind === "serverless") return missing("Serverless has no rate that is paid for.");
  if (throughput.isShared) {
    return missing("The rate is that of the database; one container cannot tell about it.");
  }
  if (!throughput.isLimited) return missing("This server does not limit rates.");
  const peaks = figures.hourlyPeakPercents;
  if (peaks.length < Math.max(hourCountMin, 1)) {
    return missing(`Peaks of ${counted(peaks.length, "hour", "hours")} are known, too few.`);
  }
  const meanOf = (values: readonly number[]) =>
    values.reduce((total, value) => total + value, 0) / values.length;
  return {
    kind: "day",
    hourCount: peaks.length,
    peakPercent: Math.max(...peaks),
    meanPercent: meanOf(peaks),
    billedPercent: meanOf(peaks.map((peak) => Math.max(peak, AUTOSCALE_FLOOR_PERCENT))),
  };
}

function dayEvidence(
  { throughput }: ContainerReport,
  day: Day,
): {
  readonly figures: Readonly<Record<string, number>>;
  readonly partitionIds: readonly [];
  readonly partitionKeys: readonly [];
} {
  return {
    figures: {
      ratePerSecond: throughput.ratePerSecond,
      hourCount: day.hourCount,
      peakPercent: day.peakPercent,
      meanOfHourlyPeaksPercent: day.meanPercent,
    },
    partitionIds: [],
    partitionKeys: [],
  };
}
