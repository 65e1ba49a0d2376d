/** A container in one line, and what to make of it in one sentence. */
import type { OverviewRow } from "../../protocol/admin.ts";
import type { ContainerReport, PartitionReport } from "../../statistics/report.ts";

/** Percent of its share from which a physical partition counts as full, and as having room. */
const FULL_PERCENT = 90;
const ROOM_PERCENT = 50;
const LARGE_SHARE = 0.75;
const THROTTLED_SHARE = 0.01;

export function overviewRow(report: ContainerReport): OverviewRow {
  const { database, container, figures, limits, partitions, throughput } = report;
  const percents = partitions.map(percentOf);
  const spent = partitions.reduce((sum, { lastMinute }) => sum + lastMinute.ru, 0);
  const allotted = partitions.reduce(
    (sum, { allottedRate, lastMinute }) => sum + allottedRate * lastMinute.seconds,
    0,
  );
  const requestCount = partitions.reduce((sum, { lastMinute }) => sum + lastMinute.requestCount, 0);
  const throttled = partitions.reduce((sum, { lastMinute }) => sum + lastMinute.throttledCount, 0);
  const throttledShare = requestCount === 0 ? undefined : throttled / requestCount;
  const busiestPercent = Math.max(0, ...percents);
  return {
    database,
    container,
    partitionKeyPaths: report.partitionKeyPaths,
    itemCount: figures.itemCount,
    itemBytes: figures.itemBytes,
    partitionCount: partitions.length,
    ratePerSecond: throughput.ratePerSecond,
    busiestPercent,
    wholePercent: allotted === 0 ? 0 : (100 * spent) / allotted,
    throttledShare,
    largestLogicalBytes: figures.largestLogicalBytes,
    logicalPartitionBytesMax: limits.logicalPartitionBytesMax,
    health: healthOf(report, busiestPercent, throttledShare),
  };
}

/** Spent over allotted in the last minute, as a whole: one busy second is no news. */
function percentOf({ lastMinute, allottedRate }: PartitionReport): number {
  const allotted = allottedRate * lastMinute.seconds;
  return allotted === 0 ? 0 : (100 * lastMinute.ru) / allotted;
}

function healthOf(
  { partitions, figures, limits, throughput }: ContainerReport,
  busiestPercent: number,
  throttledShare: number | undefined,
): string {
  const largestShare = figures.largestLogicalBytes / limits.logicalPartitionBytesMax;
  if (largestShare >= LARGE_SHARE) {
    const percent = Math.round(100 * largestShare);
    return `A logical partition has ${percent} % of the most that one may hold.`;
  }
  const hasRoom = partitions.some((partition) => percentOf(partition) < ROOM_PERCENT);
  const isFull = throughput.isLimited && busiestPercent >= FULL_PERCENT;
  if (isFull && hasRoom) return "One physical partition spends all it may while others have room.";
  if (isFull) return "The whole rate is used.";
  if (throttledShare !== undefined && throttledShare > THROTTLED_SHARE) {
    return `${Math.round(100 * throttledShare)} % of the requests are throttled.`;
  }
  return throttledShare === undefined ? "Nothing was asked in the last minute." : "Fine.";
}
