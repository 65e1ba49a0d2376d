/**
 * One request and its outcome, in the form in which the recorder gets it: without sockets and
 * headers. The recorder decides what to keep of it.
 */
import type { JsonValue } from "../json/value.ts";
import type { PartitionKey } from "../model/partitionKey.ts";

export type Observation = Answered &
  (
    | PointRead
    | ObservedWrite
    | PatchWrite
    | { readonly kind: "delete"; readonly id: string; readonly key: PartitionKey | undefined }
    | ObservedQueryPage
    | FeedPage
  );

export interface Answered {
  readonly status: number;
  readonly ru: number;
}

export interface PointRead {
  readonly kind: "pointRead";
  readonly id: string;
  readonly key: PartitionKey | undefined;
  /** Returns the item that was found; called only when the item is needed. */
  readonly item: (() => JsonValue | undefined) | undefined;
  /** When the item was last written, in seconds since 1970. */
  readonly writtenAt: number | undefined;
}

export interface ObservedWrite {
  readonly kind: "create" | "upsert" | "replace";
  readonly key: PartitionKey | undefined;
  /** The item; undefined if the write was not accepted, because such items are not looked at. */
  readonly item: JsonValue | undefined;
  readonly bytes: number;
}

export interface PatchWrite {
  readonly kind: "patch";
  readonly id: string;
  readonly key: PartitionKey | undefined;
  /** The places that the patch changes, as names from the item down. */
  readonly pointers: readonly (readonly string[])[];
}

interface Page {
  readonly key: PartitionKey | undefined;
  readonly rows: number;
  readonly pageSize: number;
  /** True when the page continues an earlier one. */
  readonly isContinued: boolean;
}

export interface ObservedQueryPage extends Page {
  readonly kind: "query";
  readonly text: string;
  readonly parameters: ReadonlyMap<string, JsonValue>;
  /** The id that all requests of a client for one query have in common. */
  readonly queryId: string | undefined;
}

interface FeedPage extends Page {
  readonly kind: "readFeed";
}
