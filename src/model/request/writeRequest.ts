/**
 * A request that writes one item, and one operation of several that were sent together, as the
 * engine takes them: decoded, and not yet routed to the physical partition that owns the item.
 */
import type { JsonValue } from "../../json/value.ts";
import type { IndexingDirective } from "../indexingDirective.ts";
import type { PartitionKey } from "../partitionKey.ts";

/** The condition of a request on the version it finds; etags as clients send them. */
export interface Condition {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

/** What a request says beside what is to be written. */
export interface WriteTerms extends Condition {
  /** When it is absent, the indexing policy decides. */
  readonly indexing?: IndexingDirective | undefined;
}

/** What a client sent: as bytes, or already read as a part of something larger. */
type WriteBody = Buffer | JsonValue;

export type WriteRequest = WriteTerms & {
  /** What the request says its partition key is; absent when it says nothing. */
  readonly key: PartitionKey | undefined;
  /** May a replace not give the item another id? */
  readonly isNameFixed?: boolean | undefined;
} & (
    | { readonly kind: "create" | "upsert"; readonly body: WriteBody }
    | { readonly kind: "replace" | "patch"; readonly id: string; readonly body: WriteBody }
    | { readonly kind: "delete"; readonly id: string }
  );

/** One of several operations that were sent together. */
export type BatchRequest = WriteTerms &
  (
    | { readonly kind: "create" | "upsert"; readonly resource: JsonValue }
    | { readonly kind: "replace" | "patch"; readonly id: string; readonly resource: JsonValue }
    | { readonly kind: "read" | "delete"; readonly id: string }
  );
