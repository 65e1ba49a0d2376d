/**
 * One request and what came of it, as the recorder is told of it: no sockets, no headers. Whoever
 * tells leaves to the recorder what to keep of it.
 */
import type { JsonValue } from "../json/value.ts";
import type { PartitionKey } from "../model/partitionKey.ts";

export type Observation = Answered &
  (
    | PointRead
    | ItemWrite
    | PatchWrite
    | { readonly kind: "delete"; readonly id: string; readonly key: PartitionKey | undefined }
    | QueryPage
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
  /** What was found, read only when somebody wants to know. */
  readonly item: (() => JsonValue | undefined) | undefined;
  /** When that was written last, in seconds since 1970. */
  readonly writtenAt: number | undefined;
}

export interface ItemWrite {
  readonly kind: "create" | "upsert" | "replace";
  readonly key: PartitionKey | undefined;
  /** Undefined for one that was not accepted: nobody looks at what it was. */
  readonly item: JsonValue | undefined;
  readonly bytes: number;
}

export interface PatchWrite {
  readonly kind: "patch";
  readonly id: string;
  readonly key: PartitionKey | undefined;
  /** The places it changes, as names from the item down. */
  readonly pointers: readonly (readonly string[])[];
}

interface Page {
  readonly key: PartitionKey | undefined;
  readonly rows: number;
  readonly pageSize: number;
  /** Goes on where an earlier page ended. */
  readonly isContinued: boolean;
}

export interface QueryPage extends Page {
  readonly kind: "query";
  readonly text: string;
  readonly parameters: ReadonlyMap<string, JsonValue>;
  /** The same for all requests that a client makes of one query. */
  readonly queryId: string | undefined;
}

export interface FeedPage extends Page {
  readonly kind: "readFeed";
}
