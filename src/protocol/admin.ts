/**
 * The admin API as types: what can be asked under `/_orrery/v1/` and what comes back. The server
 * answers with these, the command line reads them, and so can any other front end: nothing but
 * types is imported here.
 *
 * Instants are milliseconds since 1970. A share is from 0 to 1, a percentage says so. A number that
 * nobody has is absent, or null in a list; it is never zero instead.
 */
import type { AlertsReport } from "../alerts/alertBoard.ts";
import type { ArchiveJobEntry } from "../model/archiveJob.ts";
import type { CopyJobEntry } from "../model/copyJob.ts";
import type { LifecycleEntry, LifecyclePlan, UnmovedItem } from "../model/lifecycle.ts";
import type { Limits } from "../model/limits.ts";
import type { HeatMetric } from "../statistics/heatRow.ts";
import type { JobReport, LogicalReport } from "../statistics/report.ts";

/** Every path that is not part of the imitated service begins with it. */
export const ADMIN_ROOT = "/_orrery/";
export const ADMIN_API = "/_orrery/v1/";
/** The path of the metrics for Prometheus, which are text and not JSON. */
export const METRICS_PATH = "/_orrery/metrics";

/** Where the web page is; what lies below it is the page, too, except what is named below. */
export const PAGE_ROOT = "/_explorer/";
export const PAGE_SESSION_PATH = "/_explorer/session";
export const CERTIFICATE_PATH = "/_explorer/emulator.pem";

/** `POST /_explorer/session`: opens a session, or tells of the one there is. A DELETE ends it. */
export interface PageSessionQuestion {
  /** An account key. Not needed on the server's own machine while its key is the well-known one. */
  readonly key?: string | undefined;
}

export interface PageSessionAnswer {
  readonly isReadOnly: boolean;
  /** True when nobody had to show a key. */
  readonly isFree: boolean;
  /** Seconds until the session ends. */
  readonly secondsLeft: number;
  readonly version: string;
  /** The address that clients are to use, where it is not the one of the page. */
  readonly publicEndpoint?: string | undefined;
}

/** The body of every answer of 400 and above. */
export interface AdminError {
  readonly code: string;
  readonly message: string;
  /** The routes that exist, where something was asked for that does not. */
  readonly routes?: readonly RouteEntry[] | undefined;
}

/** A request of the imitated service that has been answered. */
export interface RequestEntry {
  readonly at: number;
  readonly method: string;
  /** With the query, as it came; cut off where it is very long. */
  readonly path: string;
  readonly status: number;
  readonly substatus?: number | undefined;
  /** In RU; absent where nothing was charged or told. */
  readonly charge?: number | undefined;
  /** Milliseconds from when it was begun until its answer was written. */
  readonly ms: number;
  readonly activityId: string;
  /** Why it was refused. */
  readonly reason?: string | undefined;
}

export interface RequestsAnswer {
  /** Newest first. */
  readonly requests: readonly RequestEntry[];
}

export interface RouteEntry {
  readonly method: "GET" | "POST" | "DELETE";
  /** The path, with names in braces where something is to be filled in. */
  readonly path: string;
  readonly about: string;
  /** Parameters of the query, or members of the body of a POST. */
  readonly parameters: readonly string[];
}

/** `GET /_orrery/v1/` */
export interface IndexAnswer {
  readonly routes: readonly RouteEntry[];
}

export type AccountKeyName = "primary" | "secondary" | "primaryReadOnly" | "secondaryReadOnly";

export const KEY_NAMES: readonly AccountKeyName[] = [
  "primary",
  "secondary",
  "primaryReadOnly",
  "secondaryReadOnly",
];

/** Where a key comes from; `none` when there is no key of that name. */
export type KeyOrigin = "option" | "wellKnown" | "generated" | "none";

export interface AccountKeyEntry {
  readonly name: AccountKeyName;
  readonly isReadOnly: boolean;
  readonly origin: KeyOrigin;
  /** The key in base64. */
  readonly key?: string | undefined;
}

/** `GET keys`; `POST keys/{name}/regenerate` answers with the new one alone. */
export interface KeysAnswer {
  readonly keys: readonly AccountKeyEntry[];
}

/** `GET containers` */
export interface ContainersAnswer {
  readonly containers: readonly ContainerEntry[];
}

export interface ContainerEntry {
  readonly database: string;
  readonly container: string;
  readonly rid: string;
}

/** `GET overview` */
export interface OverviewAnswer {
  readonly at: number;
  readonly containers: readonly OverviewRow[];
}

/** A container in one line. Loads are those of the last minute. */
export interface OverviewRow {
  readonly database: string;
  readonly container: string;
  readonly partitionKeyPaths: readonly string[];
  readonly itemCount: number;
  readonly itemBytes: number;
  /** The number of physical partitions. */
  readonly partitionCount: number;
  readonly ratePerSecond: number;
  /** Spent over allotted in percent: of the busiest physical partition, and of all together. */
  readonly busiestPercent: number;
  readonly wholePercent: number;
  /** The share of requests that were throttled; absent when there were no requests. */
  readonly throttledShare?: number | undefined;
  readonly largestLogicalBytes: number;
  readonly logicalPartitionBytesMax: number;
  /** One sentence, for people. */
  readonly health: string;
}

/** `GET containers/{database}/{container}/heat` */
export interface HeatChartQuestion {
  readonly from: number;
  readonly to: number;
  readonly metric: HeatMetric;
  /** The most rows and columns; the server merges what it has down to them. */
  readonly rows: number;
  readonly columns: number;
}

/** Load over keys and time. */
export interface HeatReport {
  readonly metric: HeatMetric;
  /** When each row begins, and when the last one ends: one more than there are rows. */
  readonly times: readonly number[];
  /** EPKs between which each column lies, in order: one more than there are columns. */
  readonly bounds: readonly string[];
  /** By row, then by column: RU spent or requests throttled there; null where nobody counted. */
  readonly cells: readonly (readonly (number | null)[])[];
}

/** `GET containers/{database}/{container}/history` */
export interface HistoryQuestion {
  readonly from: number;
  readonly to: number;
  /** Seconds of a slot, or the next more that is kept; the finest that reaches back if absent. */
  readonly slotSeconds?: number | undefined;
}

export interface HistoryReport {
  readonly slotSeconds: number;
  /** When each slot begins. */
  readonly times: readonly number[];
  /** One for each of the times, here and below; null where nobody counted. */
  readonly total: readonly (HistorySlot | null)[];
  /** The physical partitions there are; what others did before they were split is in the total. */
  readonly partitions: readonly PartitionHistory[];
}

interface PartitionHistory {
  /** The range id. */
  readonly id: string;
  readonly min: string;
  readonly max: string;
  readonly slots: readonly (HistorySlot | null)[];
}

export interface HistorySlot {
  readonly ru: number;
  readonly requestCount: number;
  readonly throttledCount: number;
  /**
   * The load of the busiest second, of the busiest physical partition where the slot is about all.
   */
  readonly normalizedPercent: number;
  /** The bytes at the end of the slot; absent if nobody measured them in it. */
  readonly itemBytes?: number | undefined;
}

/** `GET containers/{database}/{container}/topKeys` */
export interface TopKeysQuestion {
  readonly by: "size" | "load";
  readonly count: number;
}

export interface TopKeysAnswer {
  readonly by: "size" | "load";
  readonly keys: readonly LogicalReport[];
}

/** `GET containers/{database}/{container}/locate` */
export interface LocateReport {
  readonly epk: string;
  /** The range id of the physical partition that owns it. */
  readonly partitionId: string;
  readonly itemCount: number;
  readonly itemBytes: number;
  /** The share of what one logical partition may hold. */
  readonly limitShare: number;
}

/** `POST containers/{database}/{container}/split` */
export interface SplitQuestion {
  /** The range id; without it the one that holds `at`, or else the one with most bytes. */
  readonly partitionId?: string | undefined;
  /** The middle of the hashes, the middle of the data (the default), or an EPK. */
  readonly at?: string | undefined;
}

/** `POST containers/{database}/{container}/merge` */
export interface MergeQuestion {
  readonly partitionIds: readonly [string, string];
}

/** `POST containers/{database}/{container}/move` */
export interface MoveQuestion {
  readonly partitionId: string;
  /** The database that is to have it: its name, or as much of it as no other one has. */
  readonly to: string;
}

/** `GET placement`: no endpoints where all data is in one place. */
export interface EndpointsAnswer {
  readonly endpoints: readonly PlacedEndpoint[];
}

export interface PlacedEndpoint {
  readonly name: string;
  readonly isReachable: boolean;
  readonly partitions: readonly HeldPartition[];
}

export interface HeldPartition {
  readonly database: string;
  readonly container: string;
  /** The range id. */
  readonly id: string;
  readonly itemCount: number;
  readonly itemBytes: number;
}

/** What a POST that starts a job is answered with: status 202, when the job is on disk. */
export interface JobAnswer {
  readonly job: JobEntry;
}

/** `POST copies`, `GET jobs/{id}` and `POST jobs/{id}/{step}` */
export interface CopyJobAnswer {
  readonly job: CopyJobEntry;
}

/** `GET jobs`, those under way first. */
export interface JobsAnswer {
  /** Splits, merges and moves. */
  readonly jobs: readonly JobEntry[];
  readonly copies: readonly CopyJobEntry[];
  readonly lifecycles: readonly LifecycleEntry[];
  /** Archives that are made, and restores. */
  readonly archives: readonly ArchiveJobEntry[];
}

/** `POST lifecycles`, `GET lifecycles/{id}` and `POST lifecycles/{id}/{step}` */
export interface LifecycleAnswer {
  readonly lifecycle: LifecycleEntry;
}

/** `POST lifecycles` with `dryRun` */
export interface LifecyclePlanAnswer {
  readonly plan: LifecyclePlan;
}

/** `GET lifecycles`, those at work first. */
export interface LifecyclesAnswer {
  readonly lifecycles: readonly LifecycleEntry[];
}

/** `GET lifecycles/{id}/setAside` */
export interface UnmovedAnswer {
  readonly items: readonly UnmovedItem[];
}

/** A split, a merge or a move. Once it has an outcome, the rest is as it was at the end. */
export interface JobEntry extends JobReport {
  /** No id is given twice, not even after a restart. */
  readonly id: string;
  readonly database: string;
  readonly container: string;
  readonly startedAt: number;
  readonly outcome?: JobOutcome | undefined;
}

type JobOutcome =
  | {
      readonly state: "done";
      readonly newPartitionIds: readonly string[];
      readonly seconds: number;
    }
  | { readonly state: "failed" | "cancelled"; readonly reason: string; readonly seconds: number };

/** `GET containers/{database}/{container}/mergeSuggestions` */
export interface MergeSuggestionsAnswer {
  readonly suggestions: readonly SuggestedMerge[];
}

/** A merge that would be worth it; none of them shares a physical partition with another. */
export interface SuggestedMerge {
  readonly partitionIds: readonly [string, string];
  /** What the merged one would hold, and be allotted each second. */
  readonly itemBytes: number;
  readonly allottedRate: number;
  /** One sentence, for people. */
  readonly reason: string;
}

/** `POST containers/{database}/{container}/buckets`; replaces all there were. */
export interface BucketsQuestion {
  readonly buckets: readonly BucketSetting[];
}

export interface BucketSetting {
  /** The number by which requests name the bucket, from 1 to 5. */
  readonly id: number;
  /** The share of the container's rate that all requests of this bucket may spend together. */
  readonly percent: number;
}

/**
 * `POST containers/{database}/{container}/recordings`. What it answers with, and what a GET and a
 * DELETE of it do, is described in `src/recording/recording.ts`.
 */
export interface RecordingQuestion {
  /** The recording ends by itself after so many seconds; a day at most, and by default. */
  readonly seconds?: number | undefined;
  /** Paths such as "/customer/email" whose values are not to be kept; "*" means all values. */
  readonly secretPaths?: readonly string[] | undefined;
}

/** `GET alerts`: states, history and rules, as the alerts themselves define them. */
export interface AlertsAnswer {
  readonly alerts: AlertsReport;
}

/** `GET limits` */
export interface LimitsAnswer {
  /** The limits that this server keeps to. */
  readonly limits: Limits;
  /** The limits that the imitated service keeps to. */
  readonly service: Limits;
  /** The names of the limits that differ. */
  readonly changed: readonly string[];
}
