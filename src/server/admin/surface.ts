/**
 * What the admin API needs of the engine, and nothing more. Whoever implements it answers from
 * what is at hand: no call reads items or waits for the disk longer than one lookup.
 *
 * A refusal `notFound` or `ownerNotFound` means that there is no such database or container;
 * anything else that cannot be, such as a range id nobody has, is a `badRequest` that says so.
 *
 * Counters of `counters()` only ever grow while a physical partition lives. They may start again
 * at zero with the process or with a new range id; whoever reads them knows how to take that.
 */
import type { AlertsReport } from "../../alerts/alertBoard.ts";
import type { MaybePromise, Result } from "../../base/result.ts";
import type { Limits } from "../../model/limits.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Refusal } from "../../model/refusal.ts";
import type {
  BucketSetting,
  ContainerEntry,
  HeatChartQuestion,
  HeatReport,
  HistoryQuestion,
  HistoryReport,
  JobEntry,
  LocateReport,
  MergeQuestion,
  MoveQuestion,
  OverviewRow,
  PlacedEndpoint,
  RequestEntry,
  SplitQuestion,
  SuggestedMerge,
  TopKeysQuestion,
} from "../../protocol/admin.ts";
import type {
  DeletePriceAnswer,
  EstimateReply,
  QueryWordsAnswer,
} from "../../protocol/adminQuery.ts";
import type { RequestKind } from "../../statistics/partitionMeter.ts";
import type { ContainerReport, LogicalReport, ViewReport } from "../../statistics/report.ts";
import type { LabDesk } from "../lab/labDesk.ts";
import type { ArchiveSurface } from "./jobs/archiveRoutes.ts";
import type { CopySurface } from "./jobs/copySurface.ts";
import type { LifecycleSurface } from "./jobs/lifecycleSurface.ts";
import type { AskedEstimate } from "./queryHelp.ts";
import type { RecordingSurface } from "./recordings.ts";

export interface AdminSurface {
  readonly limits: Limits;
  containers(): readonly ContainerEntry[];
  overview(): MaybePromise<readonly OverviewRow[]>;
  report(database: string, container: string): Answer<ContainerReport>;
  heat(database: string, container: string, question: HeatChartQuestion): Answer<HeatReport>;
  history(database: string, container: string, question: HistoryQuestion): Answer<HistoryReport>;
  topKeys(
    database: string,
    container: string,
    question: TopKeysQuestion,
  ): Answer<readonly LogicalReport[]>;
  queryWords(database: string, container: string): Answer<QueryWordsAnswer>;
  deletePrice(database: string, container: string): Answer<DeletePriceAnswer>;
  /** Of a query that is not run for it. */
  estimate(database: string, container: string, asked: AskedEstimate): Answer<EstimateReply>;
  /** The key has been read, but not yet held against the definition of the container. */
  locate(database: string, container: string, key: PartitionKey): Answer<LocateReport>;
  /** Starts a job; `at` is a word or an EPK in its one spelling. */
  split(database: string, container: string, question: SplitQuestion): Answer<JobEntry>;
  merge(database: string, container: string, question: MergeQuestion): Answer<JobEntry>;
  move(database: string, container: string, question: MoveQuestion): Answer<JobEntry>;
  /** Which database has which physical partitions; nothing where there is one place only. */
  placement(): readonly PlacedEndpoint[];
  suggestMerges(database: string, container: string): Answer<readonly SuggestedMerge[]>;
  /** Ids differ, from 1 to 5; percentages are whole, from 1 to 100. Answers what holds now. */
  setBuckets(
    database: string,
    container: string,
    buckets: readonly BucketSetting[],
  ): Answer<readonly BucketSetting[]>;
  readonly copies: CopySurface;
  readonly lab: LabDesk;
  readonly lifecycles: LifecycleSurface;
  readonly archives: ArchiveSurface;
  /** Splits and merges: those under way first; then, for a while, those that ended. */
  jobs(): readonly JobEntry[];
  alerts(): AlertsReport;
  /** The last ones of the imitated service, newest first. */
  requests(): readonly RequestEntry[];
  readonly recordings: RecordingSurface;
  counters(): MaybePromise<readonly ContainerCounters[]>;
}

type Answer<T> = MaybePromise<Result<T, Refusal>>;

/** What is counted of one container, and how it is now. */
export interface ContainerCounters {
  readonly database: string;
  readonly container: string;
  readonly ratePerSecond: number;
  readonly logicalPartitionCount: number;
  readonly largestLogicalBytes: number;
  readonly giniOfBytes?: number | undefined;
  readonly giniOfLoad?: number | undefined;
  /** Counters. */
  readonly queryCount: number;
  readonly crossPartitionQueryCount: number;
  readonly partitions: readonly PartitionCounters[];
  /** Present of a view. */
  readonly view?: ViewReport | undefined;
}

export interface PartitionCounters {
  /** The range id. */
  readonly id: string;
  readonly itemCount: number;
  readonly itemBytes: number;
  readonly allottedRate: number;
  /** The load of the sixty seconds before the one that is running. */
  readonly normalizedPercent: number;
  /** Counters. The throttled requests are among those of their kind. */
  readonly ru: number;
  readonly requestCounts: Readonly<Record<RequestKind, number>>;
  readonly throttledCount: number;
}
