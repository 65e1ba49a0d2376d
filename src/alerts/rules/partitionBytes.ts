/** The bytes of partitions: which holds the most, and what helps one that is nearly full. */
import { strictBytesText } from "../../base/wording.ts";
import type { ContainerReport, LogicalReport, PartitionReport } from "../../statistics/report.ts";
import { keyText, percentOf, percentText } from "./wording.ts";

export function fullKeyAdvice(report: ContainerReport, logical: LogicalReport): readonly string[] {
  const { partitionKeyPaths } = report;
  const paths = partitionKeyPaths.join(", ");
  const isHierarchical = partitionKeyPaths.length > 1;
  return [
    "A logical partition can never be split, and no rate makes it larger. At its limit, writes " +
      "that would make it grow are refused with 403 (substatus 1014); deletes and replaces that " +
      "make it smaller still work.",
    isHierarchical
      ? `Use a finer last level than that of ${paths}: only items that agree in all levels are ` +
        "one logical partition. That needs a new container."
      : `Use a hierarchical partition key that begins with ${paths}: only items that agree in ` +
        "all levels are one logical partition. That needs a new container.",
    `Without a new container: instead of ${keyText(logical)} give new items a value with a ` +
      "suffix, and read both.",
    "Delete what is not needed any more, or let it expire with a time to live.",
  ];
}

/** `top` is the largest logical partition of the physical partition, if that is known. */
export function splitAdvice(
  report: ContainerReport,
  partition: PartitionReport,
  top: LogicalReport | undefined,
): readonly string[] {
  const limit = strictBytesText(report.limits.physicalPartitionBytesMax);
  const topPercent = percentOf(top?.itemBytes ?? 0, partition.itemBytes);
  const uneven =
    top !== undefined && topPercent > 50
      ? [
          `A split leaves one child with most of it: the logical partition ${keyText(top)} has ` +
            `${percentText(topPercent)} of the bytes, and is never divided.`,
        ]
      : [];
  const share =
    report.throughput.kind === "serverless"
      ? []
      : ["Each split leaves every physical partition a smaller share of the same rate."];
  return [
    `At ${limit} a physical partition is split by itself, while reads and writes go on; it can ` +
      "be split by hand at a quiet hour before that.",
    ...uneven,
    ...share,
  ];
}

export function largestOf(partitions: readonly PartitionReport[]): PartitionReport | undefined {
  return partitions.reduce<PartitionReport | undefined>(
    (largest, partition) =>
      largest === undefined || partition.itemBytes > largest.itemBytes ? partition : largest,
    undefined,
  );
}
