/**
 * What was seen of the requests about one container: a value, as the admin API gives it out and the
 * lab makes a workload of it.
 *
 * Everything in it has a bound, so a recording is of limited length however long it ran. Values of
 * secret paths are in it as "secret-1", "secret-2" and so on: the same name is the same value, and
 * nothing else can be told from it. Instants are milliseconds since 1970; a share is from 0 to 1.
 *
 * Not here: how it comes about (`recorder.ts`), and what is made of it (the lab).
 */
import type { JsonValue } from "../json/value.ts";

export interface Recording extends RecordingProgress {
  readonly formatVersion: 1;
  readonly partitionKeyPaths: readonly string[];
  /** As the user gave them; "*" stands for all values. */
  readonly secretPaths: readonly string[];
  /** Of the account: what reads are promised. */
  readonly consistency: string;
  /** Undefined where nobody could tell. */
  readonly throughput?: RecordedThroughput | undefined;
  /** Of the container, when the recording began. */
  readonly itemCountAtStart: number;
  /** Physical partitions, likewise. */
  readonly partitionCountAtStart?: number | undefined;
  /** Seconds after which items expire by themselves, if they do. */
  readonly ttlSeconds?: number | undefined;
  /** How many answers had which status; operations of a bulk request each for itself. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly series: LoadSeries;
  /** Those seen most often first. */
  readonly operations: readonly OperationRecord[];
  /** Operations whose shape there was no room for; they are in all totals. */
  readonly others: OtherOperations;
  /** Of the items that were written whole: by create, upsert and replace. */
  readonly items: ItemsRecord;
}

/** How far it is: what a display needs that asks every second. */
export interface RecordingProgress {
  readonly database: string;
  readonly container: string;
  readonly startedAt: number;
  /** When this was said, or when it ended. */
  readonly at: number;
  /** From the beginning to now, or to the end. */
  readonly seconds: number;
  /** When it ends of its own accord. */
  readonly endsAt: number;
  readonly state: RecordingState;
  /** Why it ended before its time; only when `state` is "failed". */
  readonly reason?: string | undefined;
  /** All requests that were answered, whatever the answer. */
  readonly requestCount: number;
  readonly operationCount: number;
  readonly throttledCount: number;
  readonly failedCount: number;
  readonly ru: number;
  /** Operations in each of the last ten whole seconds, on average. */
  readonly ratePerSecond: number;
  readonly shapeCount: number;
  /** The most frequent shapes, at most ten. */
  readonly top: readonly ShapeProgress[];
}

export type RecordingState = "running" | "ended" | "failed";

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
  /** Whether who asks for more is refused; absent: it is. */
  readonly isLimited?: boolean | undefined;
  /** The rate that containers have which ask for none; absent: it is not. */
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
  /** Each of the last sixty seconds, the oldest first; the one that is running is not there. */
  readonly lastSeconds: readonly number[];
  /** Each minute since the beginning, the first and the last perhaps in part. */
  readonly minutes: readonly number[];
  readonly busiestSecond: number;
  readonly busiestMinute: number;
  /** By hour of the day, UTC: 24 numbers. */
  readonly hours: readonly number[];
  /** How many seconds of each hour of the day were recorded. */
  readonly hourSeconds: readonly number[];
}

export interface OperationRecord {
  /** Unique within the recording, such as "pointRead", "query-1", "patch-2". */
  readonly id: string;
  readonly kind: RecordedKind;
  /**
   * Of a query, in which secret literals have become parameters; of a patch the places it changes.
   */
  readonly text?: string | undefined;
  /** Answered with success, or with a "no" that an application expects: 404, 409, 412. */
  readonly count: number;
  /** Requests answered with 429; clients send them again, so they are no operations. */
  readonly throttledCount: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Of one operation: all pages of a query together. */
  readonly ru: Spread;
  readonly busiestSecond: number;
  readonly busiestMinute: number;
  readonly hours: readonly number[];
  /** Rows of a query or a feed, of all pages together. */
  readonly rows?: Spread | undefined;
  readonly pageSize?: number | undefined;
  /** How many pages, of all ranges together, one of them took. */
  readonly pagesMean?: number | undefined;
  /** Of items as they were sent. */
  readonly bytes?: BytesRecord | undefined;
  /** Which share of them named a full partition key. */
  readonly keyedShare: number;
  /** Partition keys that were named: values, or lists where the definition has several paths. */
  readonly keys: ValuesRecord;
  /** By path of the definition; only where it has more than one. */
  readonly keyComponents: readonly ValuesRecord[];
  /** Of point reads. */
  readonly ids?: ValuesRecord | undefined;
  /** How long ago the items that were read had been written last, in days. */
  readonly ageDays?: Spread | undefined;
  readonly parameters: readonly ParameterRecord[];
  /** Of updates. */
  readonly changes?: ChangesRecord | undefined;
}

/** Quantiles are told to within three percent; mean and maximum are exact. */
export interface Spread {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

export interface BytesRecord extends Spread {
  /** How many had at most so many bytes, and more than the entry before. */
  readonly histogram: readonly { readonly bytesMax: number; readonly count: number }[];
}

export interface OtherOperations {
  readonly count: number;
  readonly ru: number;
  /** How many shapes were given up for more frequent ones. */
  readonly shapeCount: number;
}

/** How often values occurred. */
export interface ValuesRecord {
  readonly count: number;
  readonly distinct: number;
  /** Standard error of `distinct`, as a share of it; 0 when it is exact. */
  readonly distinctError: number;
  /** The most frequent first. */
  readonly heaviest: readonly HeavyValue[];
}

export interface HeavyValue {
  /** "secret-1" and so on where it is secret; a long text ends in an ellipsis. */
  readonly value: JsonValue;
  /** At most so often. */
  readonly count: number;
  /** By how much that may be too high. */
  readonly errorCount: number;
}

export type Comparison = "equal" | "in" | "range" | "other";

export interface ParameterRecord {
  /** With its "@". */
  readonly name: string;
  readonly isSecret: boolean;
  /** What it is compared with, where that is a path of the item. */
  readonly compared: readonly { readonly path: string; readonly comparison: Comparison }[];
  /** Undefined where there was no room for it. */
  readonly values?: ValuesRecord | undefined;
  /** Values that are instants: how far back from the moment of the request, in days. */
  readonly agoDays?: Spread | undefined;
}

export interface ChangesRecord {
  /** Updates of which it is known what they changed. */
  readonly comparedCount: number;
  /** How that is known: a patch says it, other updates are compared with an earlier version. */
  readonly evidence: "patch" | "sample";
  /** The most frequent first. */
  readonly paths: readonly { readonly path: string; readonly count: number }[];
}

export interface ItemsRecord {
  readonly count: number;
  /** Items that were not there before. */
  readonly createdCount: number;
  readonly bytes: BytesRecord;
  /** Scalars of an item, `id` and what the system adds not counted. */
  readonly leafCountMean: number;
  /** In the order in which they were first seen. */
  readonly paths: readonly PathRecord[];
  /** Values that lie on paths there was no room for. */
  readonly otherPathValueCount: number;
}

export type JsonType = "string" | "number" | "boolean" | "null" | "array" | "object";

export interface PathRecord {
  /** Such as "/address/city"; "[]" stands for the elements of an array. */
  readonly path: string;
  readonly isSecret: boolean;
  /** Items that have it. */
  readonly presentCount: number;
  /** How many values of which type were there; more than items only below arrays. */
  readonly types: Readonly<Partial<Record<JsonType, number>>>;
  /** Of a value as JSON text. */
  readonly bytesMean: number;
  /** Of scalars that are not below an array, and of secrets; undefined: there was no room. */
  readonly values?: ValuesRecord | undefined;
  /** For instants: how far back from the moment of the write, in days, and how precise. */
  readonly time?: { readonly agoDays: Spread; readonly grain: TimeGrain } | undefined;
}

/** The finest that any value of a path needs. */
export type TimeGrain = "second" | "minute" | "hour" | "day" | "month" | "year";
