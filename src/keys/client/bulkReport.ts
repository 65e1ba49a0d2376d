/** What a bulk writer is told, and what it tells. */
import type { KeyComponent } from "../component.ts";
import type { KeyStrategy } from "../strategy.ts";
import type { ClientWorld } from "./container.ts";
import type { KeyCount } from "./keyTally.ts";
import type { Key } from "./partitionKey.ts";

export interface BulkWriterOptions<T extends object = object> {
  /** A strategy, whose keys are put into the items; or what key an item bears already. */
  readonly key: KeyStrategy | ((item: T) => Key);
  /** `create` unless told. */
  readonly operation?: "create" | "upsert";
  readonly world: ClientWorld;
  /** Requests under way at a time; 8 unless told. Under throttling there are fewer. */
  readonly concurrency?: number;
  /** Items that are read and not yet written; 5,000 unless told, and 64 MB at most. */
  readonly bufferCount?: number;
  /** Requests in a row without anything of a key getting through, until it is given up; 30. */
  readonly patience?: number;
  /** After the first failure nothing new is sent. */
  readonly stopOnError?: boolean;
  /** How many failures are kept with their items; 1,000 unless told. All are counted. */
  readonly failureLimit?: number;
  /** How many of the largest keys are told; 10 unless told. */
  readonly topCount?: number;
  /** Called after every request. */
  readonly onProgress?: (progress: BulkProgress) => void;
  /** Called for every failure, kept or not. */
  readonly onFailure?: (failure: BulkFailure<T>) => void;
  /** An `AbortSignal`: when it is aborted nothing new is sent. */
  readonly signal?: { readonly aborted: boolean };
}

export interface BulkProgress {
  readonly readCount: number;
  readonly writtenCount: number;
  readonly failureCount: number;
  /** Operations that were sent again. */
  readonly retryCount: number;
  /** Read, and neither written nor given up. */
  readonly waitingCount: number;
  readonly ru: number;
}

export interface BulkFailure<T extends object = object> {
  readonly item: T;
  readonly id: string | undefined;
  readonly key: readonly KeyComponent[] | undefined;
  /** `undefined`: the service was not reached, or the item could not be sent. */
  readonly status: number | undefined;
  readonly substatus: number | undefined;
  readonly message: string;
}

export interface BulkResult<T extends object = object> {
  /** Items that were written. */
  readonly count: number;
  /** Of all answers but those that came back for lack of budget. */
  readonly ru: number;
  readonly failures: readonly BulkFailure<T>[];
  readonly failureCount: number;
  readonly retries: number;
  readonly requestCount: number;
  /** Given a clock: milliseconds from the first item to the last answer. */
  readonly elapsed: number | undefined;
  readonly byKey: {
    readonly top: readonly KeyCount[];
    /** Otherwise there were so many keys that the counts say "at least". */
    readonly isExact: boolean;
  };
  /** By `stopOnError` or the signal; items that were read and not sent are not counted anywhere. */
  readonly isStopped: boolean;
}
