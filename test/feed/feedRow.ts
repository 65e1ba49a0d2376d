/**
 * Rows of the change feed as the official client hands them out, and the events they tell of. A row
 * that lacks what an application needs is an error here.
 */
import type { Operation } from "./feedCheck.ts";
import type { FeedEvent } from "./feedRecord.ts";
import type { FeedMode } from "./memoryFeed.ts";

interface Version {
  readonly id: string;
  readonly pk: string;
  /** The marker of the version. */
  readonly n: number;
  readonly _etag: string;
}

/** In the feed of latest versions. */
interface LatestRow extends Version {
  readonly _lsn: number;
}

/** In the feed of all versions and deletes. */
interface FullRow {
  readonly current?: Partial<Version>;
  readonly previous?: Partial<Version>;
  readonly metadata: {
    readonly operationType: Operation;
    readonly lsn: number;
    readonly crts: number;
    readonly previousImageLSN?: number;
    readonly timeToLiveExpired?: boolean;
    readonly id?: string;
    readonly partitionKey?: { readonly pk?: string };
  };
}

export type FeedRow = LatestRow | FullRow;

export function eventOf(row: FeedRow, mode: FeedMode): FeedEvent {
  if (mode === "latest") return latestEvent(row as LatestRow);
  return fullEvent(row as FullRow);
}

function latestEvent(row: LatestRow): FeedEvent {
  const { id, pk, n, _etag, _lsn } = row;
  demand(typeof id === "string" && typeof pk === "string", row, "names no item");
  demand(Number.isInteger(n) && typeof _etag === "string", row, "is no whole version");
  demand(Number.isInteger(_lsn), row, "has no LSN");
  return { key: pk, lsn: _lsn, id, marker: n, operation: undefined, etag: _etag };
}

function fullEvent(row: FullRow): FeedEvent {
  const { current, metadata } = row;
  const { operationType: operation, lsn, previousImageLSN, timeToLiveExpired } = metadata;
  demand(["create", "replace", "delete"].includes(operation), row, "has no operation");
  demand(Number.isInteger(lsn) && Number.isInteger(metadata.crts), row, "has no LSN or time");
  const isExpiry = timeToLiveExpired === true;
  const common = { lsn, operation, isExpiry, previousLsn: previousImageLSN };
  if (operation === "delete") {
    const { id, partitionKey } = metadata;
    demand(id !== undefined && partitionKey?.pk !== undefined, row, "names no item");
    demand(current?.n === undefined, row, "has a version where one ended");
    return { key: partitionKey.pk, id, marker: undefined, etag: undefined, ...common };
  }
  const { id, pk, n, _etag } = current ?? {};
  demand(id !== undefined && pk !== undefined, row, "names no item");
  demand(Number.isInteger(n) && typeof _etag === "string", row, "is no whole version");
  return { key: pk, id, marker: n, etag: _etag, ...common };
}

function demand(condition: boolean, row: FeedRow, problem: string): asserts condition {
  if (!condition) throw new Error(`a row of the feed ${problem}: ${JSON.stringify(row)}`);
}
