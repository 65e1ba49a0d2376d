/**
 * The report of a container: the one value that the admin API gives out, the command line prints,
 * and alerts are decided on.
 *
 * A rank is called "top"; "hot" is a diagnosis, which is left to alerts. A number that is not known
 * is absent, never zero.
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
  /** The physical partitions in key order. */
  readonly partitions: readonly PartitionReport[];
  /** Logical partitions by bytes, largest first; exact. */
  readonly topBySize: readonly LogicalReport[];
  /** Logical partitions by load of the last five minutes, heaviest first; see `errorRu`. */
  readonly topByLoad: readonly LogicalReport[];
  readonly figures: Figures;
  /** Splits and merges under way or waiting. */
  readonly jobs: readonly JobReport[];
  /** Copy jobs that read from the container or write to it; absent where nobody looked. */
  readonly copies?: readonly CopyReport[] | undefined;
  /** Absent where the rate is what it was when the server started, or the container was made. */
  readonly rateChanges?: readonly RateChange[] | undefined;
  /** Present when the container is a view of another one. */
  readonly view?: ViewReport | undefined;
  /** Present when the container is one of a lifecycle. */
  readonly lifecycle?: LifecycleReport | undefined;
}

/** A change of the rate that the container lives on; under autoscale of the ceiling. */
export interface RateChange {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** RU that may be spent each second. */
  readonly from: number;
  readonly to: number;
}

/** How a view follows its source. */
export interface ViewReport {
  /** The name of the source, in the same database. */
  readonly source: string;
  readonly status: "Initializing" | "InitialBuildAfterCreate" | "Active";
  /** Changes of the source that the view does not have yet, at most. */
  readonly lagCount: number;
  /** Seconds since the view had everything that its source had; 0 while it has. */
  readonly lagSeconds: number;
  /** Items of the source that cannot be rows of the view. */
  readonly setAsideCount: number;
  /** Why the view stands still, if it does. */
  readonly blockedFor?: string | undefined;
}

export interface ThroughputReport {
  readonly kind: "manual" | "autoscale" | "serverless";
  /** True when the rate is that of the database, which the container shares with others. */
  readonly isShared: boolean;
  /** RU that may be spent each second; under autoscale the ceiling. */
  readonly ratePerSecond: number;
  /** The present level of autoscale. */
  readonly rateNow?: number | undefined;
  /** The rate that was asked for, while physical partitions are still being split for it. */
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
  /** RU that the physical partition may spend each second. */
  readonly allottedRate: number;
  /** The second before the running one. */
  readonly lastSecond: Load;
  /** The sixty seconds before the running one. */
  readonly lastMinute: Load;
  readonly lastFiveMinutes: Load;
}

/** What was asked of something in a span of time. */
export interface Load {
  readonly seconds: number;
  /** RU spent; a throttled request spends nothing. */
  readonly ru: number;
  readonly requestCount: number;
  /** Number of requests, among `requestCount`, that were refused because the budget was empty. */
  readonly throttledCount: number;
  /** The busiest second of the span, spent over allotted, in percent; at most 100. */
  readonly normalizedPercent: number;
}

export interface LogicalReport {
  readonly epk: string;
  /** Absent when no item is left from which the key could be read. */
  readonly partitionKey?: readonly JsonValue[] | undefined;
  /** The range id of the physical partition that has this logical partition. */
  readonly partitionId: string;
  readonly itemCount: number;
  readonly itemBytes: number;
  /**
   * RU of the last five minutes; absent when the load of this logical partition is not followed.
   */
  readonly ru?: number | undefined;
  /** The amount by which `ru` may be too high, because only few of many keys have counters. */
  readonly errorRu?: number | undefined;
  readonly throttledCount?: number | undefined;
}

/** Figures over the whole container; loads and shares are those of the last five minutes. */
export interface Figures {
  readonly itemCount: number;
  readonly itemBytes: number;
  readonly logicalPartitionCount: number;
  readonly largestLogicalBytes: number;
  readonly averageLogicalBytes: number;
  readonly largestPhysicalBytes: number;
  readonly averagePhysicalBytes: number;
  /** Growth in bytes per day over the time that statistics reach back, at least an hour. */
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
  /** Inequality of the load of physical partitions, on the same scale. */
  readonly giniOfLoad?: number | undefined;
  /**
   * The busiest second of any physical partition in each of the last 24 hours, in percent of its
   * allotment, oldest first; hours that are gaps are left out.
   */
  readonly hourlyPeakPercents: readonly number[];
}

export interface JobReport {
  readonly kind: "split" | "merge" | "move";
  /** The endpoint of the store to which a move goes. */
  readonly to?: string | undefined;
  readonly reason: "storage" | "throughput" | "request";
  readonly state: "waiting" | "copying" | "catchingUp" | "switching";
  /** The range ids of the physical partitions that are to be replaced. */
  readonly partitionIds: readonly string[];
  readonly copiedCount: number;
  /** Number of changes that are to be copied, as far as is known. */
  readonly totalCount: number;
}

/** A copy job, as far as it concerns one of its containers. */
/** A lifecycle, as far as alerts look at it. */
export interface LifecycleReport {
  readonly id: string;
  /** Which of its containers is reported on. */
  readonly role: "hot" | "warm";
  readonly isPaused: boolean;
  /** Why it stands still by itself. */
  readonly blockedFor?: string | undefined;
  readonly intervalSeconds: number;
  readonly ageSeconds: number;
  /** When it last ended a round, looked at a change, or was started with its server. */
  readonly progressedAt: number;
  /** How much longer than they have to be the oldest items of hot have been there unmoved. */
  readonly behindSeconds: number;
  readonly setAsideCount: number;
  readonly archiveAfterSeconds?: number | undefined;
  readonly warmOldestAt?: number | undefined;
}

export interface CopyReport {
  readonly id: string;
  /** Milliseconds since 1970: when it last did something, or had nothing to do. */
  readonly movedAt: number;
  /** True when somebody paused it. */
  readonly isPaused: boolean;
  /** Why it stopped by itself, if it did. */
  readonly stoppedFor?: string | undefined;
  /** Changes that it has not applied yet, at most. */
  readonly lagCount: number;
}
