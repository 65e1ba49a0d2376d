/** What can be asked of one item, and what comes of it. */
import type { Lsn, Ru } from "../../base/units.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { WriteTerms } from "../../model/request/writeRequest.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { ItemDraft } from "./itemBody.ts";
import type { Patch } from "./patch.ts";

/**
 * `id` is that of the item as it is found; a replace whose draft has another one renames it. `key`
 * tells the items of one logical partition from those of another that has the same EPK.
 */
export type WriteCommand = {
  readonly epk: Epk;
  readonly key: PartitionKey;
  readonly id: string;
} & WriteTerms &
  (
    | { readonly kind: "create" | "upsert" | "replace"; readonly draft: ItemDraft }
    | { readonly kind: "patch"; readonly patch: Patch }
    | { readonly kind: "delete" }
  );

/** One of several that happen together or not at all. */
export type BatchOperation =
  | WriteCommand
  | {
      readonly kind: "read";
      readonly epk: Epk;
      readonly id: string;
      readonly ifNoneMatch?: string | undefined;
    };

/** Common to every answer of a physical partition. */
interface Answer {
  readonly charge: Ru;
  /** The latest LSN of the physical partition: what a session has now seen. */
  readonly lsn: Lsn;
  readonly rangeId: string;
}

export interface ItemReceipt extends Answer {
  readonly kind: "created" | "replaced" | "found" | "unchanged" | "deleted";
  /** The version after the operation; absent when the item is gone. */
  readonly body?: Buffer | undefined;
  readonly etag?: string | undefined;
  /** When that version was committed. */
  readonly itemLsn?: Lsn | undefined;
}

/** A "no" that reached the physical partition: it counts in sessions and is charged. */
export interface RefusedItem extends Answer {
  readonly kind: "refused";
  readonly refusal: Refusal;
}

export type ItemOutcome = ItemReceipt | RefusedItem;

/** What came of one operation of a batch. */
export type BatchResult =
  | {
      readonly kind: ItemReceipt["kind"];
      readonly charge: Ru;
      readonly body?: Buffer | undefined;
      readonly etag?: string | undefined;
    }
  | { readonly kind: "refused"; readonly refusal: Refusal; readonly charge: Ru }
  /** Another one was refused, and with it all. */
  | { readonly kind: "undone"; readonly charge: Ru };

/** Results are in the order of the operations. */
export type BatchOutcome =
  | (Answer & {
      readonly kind: "committed" | "rolledBack";
      readonly results: readonly BatchResult[];
    })
  | RefusedItem;
