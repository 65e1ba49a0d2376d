/**
 * What the statistics of a container come to: the one value that the admin API gives out, the
 * command line prints, and alerts are decided on.
 *
 * A rank is called "top"; "hot" is a diagnosis, and left to alerts. A number that nobody has is
 * absent, never zero.
 */
import type { JsonValue } from "../json/value.ts";

export interface ContainerReport {
  readonly database: string;
  readonly container: string;
  readonly rid: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly partitionKeyPaths: readonly string[];
  readonly throughput: ThroughputReport;
  readonly limits: LimitsReport;
  /** In key order. */
  readonly partitions: readonly PartitionReport[];
  /** Logical partitions by bytes, largest first; exact. */
  readonly topBySize: readonly LogicalReport[];
  /** Logical partitions by load of the last five minutes, heaviest first; see `errorRu`. */
  readonly topByLoad: readonly LogicalReport[];
  readonly figures: Figures;
  /** Splits and merges under way or waiting. */
  readonly jobs: readonly JobReport[];
}

export interface ThroughputReport {
  readonly kind: "manual" | "autoscale" | "serverless";
  /** Whether it is the rate of the database, of which this container is one user. */
  readonly isShared: boolean;
  /** What may be spent each second; under autoscale the ceiling. */
  readonly ratePerSecond: number;
  /** Where autoscale is at the moment. */
  readonly rateNow?: number | undefined;
  /** What was asked for, while physical partitions are still being split for it. */
  readonly pendingRate?: number | undefined;
  /** False when nothing is ever throttled. */
  readonly isLimited: boolean;
}

export interface LimitsReport {
  readonly logicalPartitionBytesMax: number;
  readonly physicalPartitionBytesMax: number;
  readonly partitionRateMax: number;
}

export interface PartitionReport {
  /** The range id. */
  readonly id: string;
  readonly min: string;
  readonly max: string;
  readonly parents: readonly string[];
  readonly lsn: number;
  readonly itemCount: number;
  readonly itemBytes: number;
  readonly logicalPartitionCount: number;
  /** What it may spend each second. */
  readonly allottedRate: number;
  /** The second before the one that is running. */
  readonly lastSecond: Load;
  /** The sixty seconds before the one that is running. */
  readonly lastMinute: Load;
  readonly lastFiveMinutes: Load;
}

/** What was asked of something in a span of time. */
export interface Load {
  readonly seconds: number;
  /** Spent; a throttled request spends nothing. */
  readonly ru: number;
  readonly requestCount: number;
  /** Of those, the ones that were refused because the budget was empty. */
  readonly throttledCount: number;
  /** The busiest second of the span, spent over allotted, in percent; at most 100. */
  readonly normalizedPercent: number;
}

export interface LogicalReport {
  readonly epk: string;
  /** Absent when there is no item left to read it from. */
  readonly partitionKey?: readonly JsonValue[] | undefined;
  /** The range id of its physical partition. */
  readonly partitionId: string;
  readonly itemCount: number;
  readonly itemBytes: number;
  /** Of the last five minutes; absent when it is not among those whose load is followed. */
  readonly ru?: number | undefined;
  /** By how much `ru` may be too high: the price of following few out of many. */
  readonly errorRu?: number | undefined;
  readonly throttledCount?: number | undefined;
}

/** Over the whole container; loads and shares are those of the last five minutes. */
export interface Figures {
  readonly itemCount: number;
  readonly itemBytes: number;
  readonly logicalPartitionCount: number;
  readonly largestLogicalBytes: number;
  readonly averageLogicalBytes: number;
  readonly largestPhysicalBytes: number;
  readonly averagePhysicalBytes: number;
  /** Bytes that came in per day, over the time that statistics reach back, at least an hour. */
  readonly bytesPerDay?: number | undefined;
  readonly ru: number;
  readonly requestCount: number;
  readonly throttledCount: number;
  /** The largest `normalizedPercent` of any physical partition. */
  readonly normalizedPercent: number;
  /** Share of all RU that went to the busiest physical partition. */
  readonly busiestShare?: number | undefined;
  readonly throttledShare?: number | undefined;
  readonly queryCount: number;
  /** Queries that were about more than one physical partition. */
  readonly crossPartitionQueryCount: number;
  readonly crossPartitionShare?: number | undefined;
  /** Inequality of the bytes of logical partitions: 0 all alike, towards 1 all in one. */
  readonly giniOfBytes?: number | undefined;
  /** The same of the load of physical partitions. */
  readonly giniOfLoad?: number | undefined;
  /**
   * The busiest second of any physical partition in each of the last 24 hours, in percent of what
   * it was allotted, oldest first; hours in which nobody counted are left out.
   */
  readonly hourlyPeakPercents: readonly number[];
}

export interface JobReport {
  readonly kind: "split" | "merge";
  readonly reason: "storage" | "throughput" | "request";
  readonly state: "waiting" | "copying" | "catchingUp" | "switching";
  /** The range ids that are to be replaced. */
  readonly partitionIds: readonly string[];
  readonly copiedCount: number;
  /** Changes that are to be copied, as far as is known. */
  readonly totalCount: number;
}
