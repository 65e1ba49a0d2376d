/** The operations that a physical partition can be asked to do on an item, and their outcomes. */
import type { Lsn, Ru } from "../../base/units.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { WriteTerms } from "../../model/request/writeRequest.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { ItemDraft } from "./itemBody.ts";
import type { Patch } from "./patch.ts";

/**
 * A write of one item. `id` is the id of the stored item; a replace whose draft has another id
 * renames the item. `key` tells the items of one logical partition from those of another one with
 * the same EPK.
 */
export type WriteCommand = {
  readonly epk: Epk;
  readonly key: PartitionKey;
  readonly id: string;
} & WriteTerms &
  (
    | { readonly kind: "create" | "upsert"; readonly draft: ItemDraft }
    /** A job that replaces an item may say which stamps the new version has. */
    | {
        readonly kind: "replace";
        readonly draft: ItemDraft;
        readonly original?: Original | undefined;
      }
    | { readonly kind: "patch"; readonly patch: Patch }
    | { readonly kind: "delete" }
    /**
     * Makes the item a copy of one in another container, with the stamps of that one. Whatever
     * else has its id and its key is in the way, or gives way if the copy takes its place.
     */
    | {
        readonly kind: "copy";
        readonly draft: ItemDraft;
        readonly original: Original;
        readonly takesPlace?: true | undefined;
      }
  );

/** What a copy has in common with its original, besides its contents. */
export interface Original {
  /** The number of the copy: no item of the container but a former version of it has the same. */
  readonly number: number;
  /** Without its quotes. */
  readonly etag: string;
  /** Seconds since 1970. */
  readonly ts: number;
}

/** An operation of a transactional batch. */
export type BatchOperation =
  | WriteCommand
  | {
      readonly kind: "read";
      readonly epk: Epk;
      readonly id: string;
      readonly ifNoneMatch?: string | undefined;
    };

/** Fields that every answer of a physical partition has. */
interface Answer {
  readonly charge: Ru;
  /** The latest LSN of the physical partition, which the caller's session has now seen. */
  readonly lsn: Lsn;
  readonly rangeId: string;
}

export interface ItemReceipt extends Answer {
  readonly kind: "created" | "replaced" | "found" | "unchanged" | "deleted";
  /** The version after the operation; absent when the item is gone. */
  readonly body?: Buffer | undefined;
  readonly etag?: string | undefined;
  /** The LSN under which the version in `body` was committed. */
  readonly itemLsn?: Lsn | undefined;
}

/** A refusal that the physical partition gave: sessions count its LSN, and it is charged. */
interface RefusedItem extends Answer {
  readonly kind: "refused";
  readonly refusal: Refusal;
}

export type ItemOutcome = ItemReceipt | RefusedItem;

/** The outcome of one operation of a batch. */
export type BatchResult =
  | {
      readonly kind: ItemReceipt["kind"];
      readonly charge: Ru;
      readonly body?: Buffer | undefined;
      readonly etag?: string | undefined;
    }
  | { readonly kind: "refused"; readonly refusal: Refusal; readonly charge: Ru }
  /** The operation had no effect because another operation of the batch was refused. */
  | { readonly kind: "undone"; readonly charge: Ru };

/** The outcome of a batch, with results in the order of its operations. */
export type BatchOutcome =
  | (Answer & {
      readonly kind: "committed" | "rolledBack";
      readonly results: readonly BatchResult[];
    })
  | RefusedItem;
