/** Reports for the tests of this page: as many physical partitions and keys as a test names. */
import type {
  ContainerReport,
  Load,
  LogicalReport,
  PartitionReport,
} from "../../statistics/report.ts";

export const GB: number = 1024 ** 3;
const SECONDS = 300;

export function load(more: Partial<Load> = {}): Load {
  return {
    seconds: SECONDS,
    ru: 0,
    requestCount: 0,
    throttledCount: 0,
    normalizedPercent: 0,
    ...more,
  };
}

/** A partition with `index` of `count`, of equal stretches of the key space. */
export function partition(
  index: number,
  count: number,
  more: Partial<PartitionReport> = {},
): PartitionReport {
  const bound = (at: number): string =>
    Math.floor((at / count) * 2 ** 30)
      .toString(16)
      .toUpperCase()
      .padStart(8, "0");
  return {
    id: String(index),
    min: index === 0 ? "" : bound(index),
    max: index === count - 1 ? "FF" : bound(index + 1),
    parents: [],
    lsn: 1,
    itemCount: 100,
    itemBytes: GB,
    logicalPartitionCount: 10,
    allottedRate: 1000,
    lastSecond: load(),
    lastMinute: load(),
    lastFiveMinutes: load(),
    ...more,
  };
}

export function logical(
  name: string,
  partitionId: string,
  more: Partial<LogicalReport> = {},
): LogicalReport {
  return {
    epk: `00${name}`,
    partitionKey: [name],
    partitionId,
    itemCount: 10,
    itemBytes: GB / 10,
    ...more,
  };
}

export function report(
  partitions: readonly PartitionReport[],
  more: Partial<ContainerReport["figures"]> = {},
): ContainerReport {
  const sum = (amountOf: (each: PartitionReport) => number): number =>
    partitions.reduce((total, each) => total + amountOf(each), 0);
  return {
    database: "shop",
    container: "orders",
    rid: "r",
    at: Date.UTC(2026, 4, 15),
    partitionKeyPaths: ["/tenant"],
    throughput: { kind: "manual", isShared: false, ratePerSecond: 2000, isLimited: true },
    limits: {
      logicalPartitionBytesMax: 20 * GB,
      physicalPartitionBytesMax: 50 * GB,
      partitionRateMax: 10_000,
    },
    partitions,
    topBySize: [],
    topByLoad: [],
    figures: {
      itemCount: sum(({ itemCount }) => itemCount),
      itemBytes: sum(({ itemBytes }) => itemBytes),
      logicalPartitionCount: sum(({ logicalPartitionCount }) => logicalPartitionCount),
      largestLogicalBytes: 0,
      averageLogicalBytes: 0,
      largestPhysicalBytes: 0,
      averagePhysicalBytes: 0,
      ru: sum(({ lastFiveMinutes }) => lastFiveMinutes.ru),
      requestCount: sum(({ lastFiveMinutes }) => lastFiveMinutes.requestCount),
      throttledCount: sum(({ lastFiveMinutes }) => lastFiveMinutes.throttledCount),
      normalizedPercent: 0,
      queryCount: 0,
      crossPartitionQueryCount: 0,
      hourlyPeakPercents: [],
      ...more,
    },
    jobs: [],
  };
}
