/**
 * Rules about rates that are exhausted: one physical partition is at its limit while others have
 * room, or all are at it. The remedies differ: the first case asks for another key or a split, the
 * second for a higher rate.
 *
 * "At its limit" is about both the busiest second and the mean: a single expensive query can fill
 * one second of a small rate, and says nothing about a minute.
 */
import { counted, countText } from "../../base/wording.ts";
import type { ContainerReport, PartitionReport } from "../../statistics/report.ts";
import {
  absent,
  type ContainerRule,
  containerRule,
  fine,
  guidance,
  type RuleFinding,
} from "./alertRule.ts";
import { DOCS_PAGES } from "./docsPages.ts";
import {
  busiestOf,
  KEY_PERCENT,
  loadFiguresOf,
  loadTrouble,
  perSecond,
  raiseAdvice,
  sumOf,
} from "./partitionLoad.ts";
import { listText, percentOf, percentText, rateText } from "./wording.ts";

const PEAK_PERCENT = guidance(
  90,
  "percent",
  "busiest second over what may be spent in a second",
  DOCS_PAGES.normalizedRu,
);
const MEAN_PERCENT = guidance(70, "percent", "mean use of the minute: one dear second is no limit");

const saturatedPartition = containerRule({
  id: "saturatedPartition",
  title: "A physical partition is at its limit while others have room",
  fires:
    "In each minute the busiest second of a physical partition was above `peakPercent` and its " +
    "mean use at least `meanPercent`, while the mean use of another was below " +
    "`headroomPercent`. Critical if more than `throttledPercent` of its requests were throttled.",
  severities: ["warning", "critical"],
  window: "lastMinute",
  forSeconds: 300,
  thresholds: {
    peakPercent: PEAK_PERCENT,
    meanPercent: MEAN_PERCENT,
    headroomPercent: guidance(50, "percent", "mean use below which there is room"),
    throttledPercent: guidance(5, "percent", "of its requests", DOCS_PAGES.throttling),
    keyPercent: KEY_PERCENT,
  },
  docs: [DOCS_PAGES.normalizedRu, DOCS_PAGES.partitioning, DOCS_PAGES.syntheticKeys],
  find({ report }, values) {
    const { partitions } = report;
    const missing = missingLoad(report);
    if (missing !== undefined) return missing;
    const hot = busiestOf(partitions, meanPercentOf);
    if (hot === undefined || !isSaturated(hot, values)) return fine(usePeakText(report));
    const idle = partitions.filter((other) => meanPercentOf(other) < values.headroomPercent);
    if (idle.length === 0) return fine(`${usePeakText(report)} The others have no room either.`);
    const load = hot.lastMinute;
    const throttledPercent = percentOf(load.throttledCount, load.requestCount);
    const count = idle.length;
    return loadTrouble(report, hot, values.keyPercent, {
      severity: throttledPercent > values.throttledPercent ? "critical" : "warning",
      says:
        `Physical partition ${hot.id} is at its limit: it spent ` +
        `${percentText(meanPercentOf(hot))} of its ${rateText(hot.allottedRate)} in the last ` +
        `minute, and ${percentText(load.normalizedPercent)} in its busiest second. ` +
        `${counted(count, "other", "others")} of ${countText(partitions.length)} ` +
        `${count === 1 ? "has" : "have"} room (${listText(idle.map(useText))}), which ` +
        `${hot.id} cannot borrow.`,
      figures: { throttledPercent, ...loadFiguresOf(hot, load) },
    });
  },
});

const uniformSaturation = containerRule({
  id: "uniformSaturation",
  title: "All physical partitions are at their limit",
  fires:
    "In each minute the busiest second of every physical partition was above `peakPercent` and " +
    "its mean use at least `meanPercent`. Critical if more than `throttledPercent` of the " +
    "container's requests were throttled.",
  severities: ["warning", "critical"],
  window: "lastMinute",
  forSeconds: 300,
  thresholds: {
    peakPercent: PEAK_PERCENT,
    meanPercent: MEAN_PERCENT,
    throttledPercent: guidance(5, "percent", "of all requests", DOCS_PAGES.throttling),
  },
  docs: [DOCS_PAGES.throttling, DOCS_PAGES.scaling],
  find({ report }, values) {
    const { partitions } = report;
    const missing = missingLoad(report);
    if (missing !== undefined) return missing;
    if (!partitions.every((partition) => isSaturated(partition, values))) {
      return fine(usePeakText(report));
    }
    const requestCount = sumOf(partitions, ({ lastMinute }) => lastMinute.requestCount);
    const throttledCount = sumOf(partitions, ({ lastMinute }) => lastMinute.throttledCount);
    const throttledPercent = percentOf(throttledCount, requestCount);
    const spentPerSecond = sumOf(partitions, ({ lastMinute }) => perSecond(lastMinute));
    const many = partitions.length > 1;
    const who = many
      ? `All ${countText(partitions.length)} physical partitions are`
      : "The only physical partition is";
    return {
      kind: "trouble",
      severity: throttledPercent > values.throttledPercent ? "critical" : "warning",
      says:
        `${who} at the limit: ${rateText(spentPerSecond)} were spent in the last minute, of ` +
        `${rateText(report.throughput.ratePerSecond)}, and ${percentText(throttledPercent)} of ` +
        "the requests were throttled.",
      todo: [
        ...raiseAdvice(report),
        ...(many ? ["The load is spread evenly: the partition key is not the problem."] : []),
      ],
      evidence: {
        figures: {
          spentPerSecond,
          ratePerSecond: report.throughput.ratePerSecond,
          requestCount,
          throttledCount,
          throttledPercent,
        },
        partitionIds: partitions.map(({ id }) => id),
        partitionKeys: [],
      },
    };
  },
});

export const SATURATION_RULES: readonly ContainerRule[] = [saturatedPartition, uniformSaturation];

function missingLoad(report: ContainerReport): RuleFinding | undefined {
  if (!report.throughput.isLimited) {
    return absent("This server does not limit rates, so there is no limit to come near to.");
  }
  const requestCount = sumOf(report.partitions, ({ lastMinute }) => lastMinute.requestCount);
  return requestCount === 0 ? absent("There were no requests in the last minute.") : undefined;
}

function isSaturated(
  partition: PartitionReport,
  values: { readonly peakPercent: number; readonly meanPercent: number },
): boolean {
  return (
    partition.lastMinute.normalizedPercent > values.peakPercent &&
    meanPercentOf(partition) >= values.meanPercent
  );
}

/** RU spent in the last minute over RU allotted for it, in percent. */
function meanPercentOf({ lastMinute, allottedRate }: PartitionReport): number {
  return percentOf(lastMinute.ru, allottedRate * lastMinute.seconds);
}

function useText(partition: PartitionReport): string {
  return `${partition.id} at ${percentText(meanPercentOf(partition))}`;
}

function usePeakText({ partitions }: ContainerReport): string {
  const busiest = busiestOf(partitions, meanPercentOf);
  if (busiest === undefined) return "There are no physical partitions.";
  return (
    `The busiest physical partition, ${busiest.id}, spent ${percentText(meanPercentOf(busiest))} ` +
    "of its rate in the last minute, and " +
    `${percentText(busiest.lastMinute.normalizedPercent)} in its busiest second.`
  );
}
