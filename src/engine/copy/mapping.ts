/**
 * What the copy of an item is to be. A mapping is a function of the item as it is now, and of
 * nothing else: copying an item twice gives the same copy, whatever happened in between.
 */
import type { JsonObject } from "../../json/value.ts";
import type { SetAsideCode } from "../../model/copyJob.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { StoredItem } from "../../store/partitionStore.ts";
import type { ItemDraft } from "../item/itemBody.ts";
import type { Original } from "../item/itemCommand.ts";

export interface Mapping {
  copyOf(item: StoredItem): Mapped;
  /** The number of an item's copy. */
  numberOf(sourceNumber: number): number;
  /** The number of the item that a copy is of; `undefined` if it is no copy by this mapping. */
  sourceNumberOf(number: number): number | undefined;
}

export interface ItemCopy {
  readonly kind: "copy";
  readonly key: PartitionKey;
  readonly epk: Epk;
  readonly draft: ItemDraft;
  readonly original: Original;
}

export type Mapped =
  | ItemCopy
  /** The item has no copy: a filter or a sample leaves it out. */
  | { readonly kind: "leftOut" }
  | Unfit;

/** The item cannot be copied as it is. */
export interface Unfit {
  readonly kind: "unfit";
  readonly code: SetAsideCode;
  readonly reason: string;
  readonly newKey?: PartitionKey | undefined;
}

/** A draft of text that was an item before; `object` is the text as doubles. */
export function draftOfText(id: string, object: JsonObject, text: Buffer): ItemDraft {
  // The etag of the original says how the numbers are to be read, and it stays.
  return { id, object, text, carriesDigits: false };
}
