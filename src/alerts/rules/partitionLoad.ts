/**
 * The load of physical partitions: which one has the most, and trouble with one of them put into
 * words, with the verdict on the logical partition that leads it.
 */
import type { ContainerReport, Load, PartitionReport } from "../../statistics/report.ts";
import { guidance, type RuleFinding, type Severity, type Threshold } from "./alertRule.ts";
import { leadingKeyOf, leadingKeyText, loadAdvice } from "./leadingKey.ts";
import { keysOf, rateText } from "./wording.ts";

export const KEY_PERCENT: Threshold = guidance(
  50,
  "percent",
  "share of its physical partition's RUs from which one logical partition makes the load",
);

/** Trouble of one physical partition, with the verdict on its leading logical partition. */
export function loadTrouble(
  report: ContainerReport,
  partition: PartitionReport,
  mostPercent: number,
  found: {
    readonly severity: Severity;
    readonly says: string;
    readonly figures: Readonly<Record<string, number>>;
  },
): RuleFinding {
  const leading = leadingKeyOf(report, partition, mostPercent);
  const isKnown = leading.kind !== "unknown";
  const shares = isKnown
    ? { keySharePercentMin: leading.sharePercentMin, keySharePercentMax: leading.sharePercentMax }
    : {};
  return {
    kind: "trouble",
    severity: found.severity,
    says: `${found.says} ${leadingKeyText(leading, partition.id)}`,
    todo: loadAdvice(report, partition, leading),
    evidence: {
      figures: { ...found.figures, ...shares },
      partitionIds: [partition.id],
      partitionKeys: isKnown ? keysOf([leading.logical]) : [],
    },
  };
}

export function loadFiguresOf(
  partition: PartitionReport,
  load: Load,
): Readonly<Record<string, number>> {
  return {
    spentRu: load.ru,
    spentPerSecond: perSecond(load),
    allottedPerSecond: partition.allottedRate,
    normalizedPercent: load.normalizedPercent,
    requestCount: load.requestCount,
    throttledCount: load.throttledCount,
    windowSeconds: load.seconds,
  };
}

/** Advice for load that is spread over all physical partitions. */
export function raiseAdvice(report: ContainerReport): readonly string[] {
  const { throughput, limits, partitions } = report;
  const spendLess =
    "Spend less: smaller items, fewer indexed paths, point reads instead of queries, queries " +
    "confined to one partition key.";
  if (throughput.kind === "serverless") {
    return [spendLess, "A serverless container has no rate that could be raised."];
  }
  const ceiling = partitions.length * limits.partitionRateMax;
  const what = throughput.kind === "autoscale" ? "the highest rate of autoscale" : "the rate";
  const whose = throughput.isShared ? "the database" : "the container";
  const room =
    throughput.ratePerSecond < ceiling
      ? `Up to ${rateText(ceiling)} takes effect at once; beyond that physical partitions are ` +
        "split first."
      : "Physical partitions are split for it first.";
  return [`Raise ${what} of ${whose}. ${room}`, spendLess];
}

export const perSecond = ({ ru, seconds }: Load): number => (seconds > 0 ? ru / seconds : 0);

export const sumOf = <T>(entries: readonly T[], amountOf: (entry: T) => number): number =>
  entries.reduce((total, entry) => total + amountOf(entry), 0);

export function busiestOf(
  partitions: readonly PartitionReport[],
  loadOf: (partition: PartitionReport) => number,
): PartitionReport | undefined {
  return partitions.reduce<PartitionReport | undefined>(
    (busiest, partition) =>
      busiest === undefined || loadOf(partition) > loadOf(busiest) ? partition : busiest,
    undefined,
  );
}
