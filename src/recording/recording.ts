/**
 * What was seen of the requests to one container: the value that the admin API gives out and that
 * the lab makes a workload of.
 *
 * Everything in it has a bound, so the length of a recording is limited however long it ran. Values
 * of secret paths appear as "secret-1", "secret-2" and so on: the same name is the same value, and
 * nothing else can be told from it. Instants are milliseconds since 1970; a share is from 0 to 1.
 *
 * Not here: how a recording is made (`recorder.ts`), and what is made of it (the lab).
 */
import type { JsonValue } from "../json/value.ts";

export interface Recording extends RecordingProgress {
  readonly formatVersion: 1;
  readonly partitionKeyPaths: readonly string[];
  /** The secret paths as the user gave them; "*" stands for all values. */
  readonly secretPaths: readonly string[];
  /** The consistency of reads that the account promises. */
  readonly consistency: string;
  /** Absent where the throughput is not known. */
  readonly throughput?: RecordedThroughput | undefined;
  /** Number of items of the container when the recording began. */
  readonly itemCountAtStart: number;
  /** Number of physical partitions when the recording began. */
  readonly partitionCountAtStart?: number | undefined;
  /** Seconds after which items expire by default, if they do. */
  readonly ttlSeconds?: number | undefined;
  /** Number of answers by status; operations of a bulk request count one by one. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly series: LoadSeries;
  /** The shapes of operations, the most frequent first. */
  readonly operations: readonly OperationRecord[];
  /** Operations whose shapes had no room; they are in all totals. */
  readonly others: OtherOperations;
  /** The items that were written whole: by create, upsert and replace. */
  readonly items: ItemsRecord;
}

/** How far the recording is, for a display that asks every second. */
export interface RecordingProgress {
  readonly database: string;
  readonly container: string;
  readonly startedAt: number;
  /** When the progress was asked for, or when the recording ended. */
  readonly at: number;
  /** Seconds from the beginning to now, or to the end. */
  readonly seconds: number;
  /** When the recording ends by itself. */
  readonly endsAt: number;
  readonly state: RecordingState;
  /** Why the recording ended early; only when `state` is "failed". */
  readonly reason?: string | undefined;
  /** Number of all requests that were answered, whatever the answer. */
  readonly requestCount: number;
  readonly operationCount: number;
  readonly throttledCount: number;
  readonly failedCount: number;
  readonly ru: number;
  /** Mean number of operations in each of the last ten whole seconds. */
  readonly ratePerSecond: number;
  readonly shapeCount: number;
  /** The most frequent shapes, at most ten. */
  readonly top: readonly ShapeProgress[];
}

type RecordingState = "running" | "ended" | "failed";

export interface ShapeProgress {
  readonly id: string;
  readonly kind: RecordedKind;
  readonly text?: string | undefined;
  readonly count: number;
  readonly ruMean: number;
}

export interface RecordedThroughput {
  readonly kind: "manual" | "autoscale" | "serverless";
  readonly ratePerSecond: number;
  readonly isShared: boolean;
  /** False when requests beyond the rate are not refused; absent means that they are. */
  readonly isLimited?: boolean | undefined;
  /**
   * True when the rate is the one that containers get which ask for none; absent means that it is
   * not.
   */
  readonly isDefault?: boolean | undefined;
}

export type RecordedKind =
  | "create"
  | "upsert"
  | "replace"
  | "patch"
  | "delete"
  | "pointRead"
  | "query"
  | "readFeed";

/** Operations over time. */
export interface LoadSeries {
  /** Operations in each of the last sixty seconds, the oldest first, without the running one. */
  readonly lastSeconds: readonly number[];
  /** Operations in each minute since the beginning; the first and the last may be incomplete. */
  readonly minutes: readonly number[];
  readonly busiestSecond: number;
  readonly busiestMinute: number;
  /** Operations by hour of the day, UTC: 24 numbers. */
  readonly hours: readonly number[];
  /** How many seconds of each hour of the day were recorded. */
  readonly hourSeconds: readonly number[];
}

export interface OperationRecord {
  /**
   * The id of the shape, unique within the recording, such as "pointRead", "query-1", "patch-2".
   */
  readonly id: string;
  readonly kind: RecordedKind;
  /**
   * The text of a query, in which secret literals have become parameters; for a patch the places
   * that it changes.
   */
  readonly text?: string | undefined;
  /**
   * Number of operations answered with success, or with a status that applications expect: 404,
   * 409, 412.
   */
  readonly count: number;
  /** Number of requests answered with 429; clients send them again, so they are no operations. */
  readonly throttledCount: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** RU of one operation: all pages of a query together. */
  readonly ru: RecordedSpread;
  readonly busiestSecond: number;
  readonly busiestMinute: number;
  readonly hours: readonly number[];
  /** Rows of a query or a feed, all pages together. */
  readonly rows?: RecordedSpread | undefined;
  readonly pageSize?: number | undefined;
  /** Mean number of pages of a query or feed, all ranges together. */
  readonly pagesMean?: number | undefined;
  /** Bytes of items as they were sent. */
  readonly bytes?: BytesRecord | undefined;
  /** Share of the operations that named a full partition key. */
  readonly keyedShare: number;
  /** Partition keys that were named: values, or lists where the definition has several paths. */
  readonly keys: ValuesRecord;
  /** The components of the keys, by path of the definition; empty where it has only one path. */
  readonly keyComponents: readonly ValuesRecord[];
  /** The ids of point reads. */
  readonly ids?: ValuesRecord | undefined;
  /** Days since the items that were read had last been written. */
  readonly ageDays?: RecordedSpread | undefined;
  readonly parameters: readonly ParameterRecord[];
  /** What updates changed. */
  readonly changes?: ChangesRecord | undefined;
}

/** Quantiles are right to within three percent; mean and maximum are exact. */
interface RecordedSpread {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

interface BytesRecord extends RecordedSpread {
  /** Number of values with at most `bytesMax` bytes, and more than the entry before. */
  readonly histogram: readonly { readonly bytesMax: number; readonly count: number }[];
}

export interface OtherOperations {
  readonly count: number;
  readonly ru: number;
  /** Number of shapes that were given up for more frequent ones. */
  readonly shapeCount: number;
}

/** How often values occurred. */
export interface ValuesRecord {
  readonly count: number;
  readonly distinct: number;
  /** Standard error of `distinct`, as a share of it; 0 when `distinct` is exact. */
  readonly distinctError: number;
  /** The most frequent values first. */
  readonly heaviest: readonly HeavyValue[];
}

export interface HeavyValue {
  /** The value; "secret-1" and so on where it is secret. A long text ends in an ellipsis. */
  readonly value: JsonValue;
  /** Upper bound of the number of occurrences. */
  readonly count: number;
  /** The amount by which `count` may be too high. */
  readonly errorCount: number;
}

export type ParameterComparison = "equal" | "in" | "range" | "other";

export interface ParameterRecord {
  /** The name with its "@". */
  readonly name: string;
  readonly isSecret: boolean;
  /** The paths of the item that the parameter is compared with. */
  readonly compared: readonly { readonly path: string; readonly comparison: ParameterComparison }[];
  /** Absent where there was no room for the values. */
  readonly values?: ValuesRecord | undefined;
  /** For values that are instants: days before the moment of the request. */
  readonly agoDays?: RecordedSpread | undefined;
}

export interface ChangesRecord {
  /** Number of updates of which the changes are known. */
  readonly comparedCount: number;
  /**
   * How changes are known: a patch says them, other updates are compared with an earlier version.
   */
  readonly evidence: "patch" | "sample";
  /** The places that changed, the most frequent first. */
  readonly paths: readonly { readonly path: string; readonly count: number }[];
}

export interface ItemsRecord {
  readonly count: number;
  /** Number of items that were not there before. */
  readonly createdCount: number;
  readonly bytes: BytesRecord;
  /** Mean number of scalars of an item, without `id` and system properties. */
  readonly leafCountMean: number;
  /** The places in the order in which they were first seen. */
  readonly paths: readonly PathRecord[];
  /** Number of values on paths that had no room. */
  readonly otherPathValueCount: number;
}

export type JsonType = "string" | "number" | "boolean" | "null" | "array" | "object";

export interface PathRecord {
  /** The path, such as "/address/city"; "[]" stands for the elements of an array. */
  readonly path: string;
  readonly isSecret: boolean;
  /** Number of items that have the place. */
  readonly presentCount: number;
  /** Number of values by type; more than the number of items only below arrays. */
  readonly types: Readonly<Partial<Record<JsonType, number>>>;
  /** Mean length of a value as JSON text. */
  readonly bytesMean: number;
  /**
   * Counts of scalars that are not below an array, and of secrets; absent where there was no room.
   */
  readonly values?: ValuesRecord | undefined;
  /** For instants: days before the moment of the write, and the precision. */
  readonly time?: { readonly agoDays: RecordedSpread; readonly grain: RecordedGrain } | undefined;
}

/** The finest precision that any value of a path needs. */
export type RecordedGrain = "second" | "minute" | "hour" | "day" | "month" | "year";
