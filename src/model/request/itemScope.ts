/**
 * Which items of a container a query, a read feed or a reading of changes is about, as a request
 * says it (`AskedScope`) and as it comes out in the container of the moment (`ItemScope`).
 *
 * A range id and a key mean nothing without the container: its partition map knows the range of an
 * id, and its definition how a key is hashed. So a decoder makes the former, and whoever has looked
 * up the container makes the latter of it.
 */
import type { EpkRange } from "../../partition/epkRange.ts";
import type { PartitionKey } from "../partitionKey.ts";

export type AskedScope =
  /**
   * The request leaves it to its query, or means all items. A program from before there were
   * partition keys means the items without one, in a container of that time.
   */
  | { readonly kind: "container"; readonly isOfOldProgram: boolean }
  /**
   * The keys between two bounds. Bounds say most exactly what is meant, so that a partition key
   * beside them (`isOfKey`) need not even be one; `key` is absent then.
   */
  | {
      readonly kind: "bounds";
      readonly range: EpkRange;
      readonly isOfKey: boolean;
      readonly key?: PartitionKey | undefined;
      /** The range id beside the bounds. It says nothing more of what is meant. */
      readonly rangeId?: string | undefined;
    }
  /** The keys of the physical partition with that range id, be it retired or not. */
  | { readonly kind: "rangeId"; readonly rangeId: string; readonly range?: StatedRange }
  /** One logical partition, or all that begin with these components of a hierarchical key. */
  | { readonly kind: "key"; readonly key: PartitionKey }
  /** What a key and a range have in common: some clients ask every range for one key. */
  | {
      readonly kind: "keyInRange";
      readonly key: PartitionKey;
      readonly rangeId: string;
      readonly range?: StatedRange;
    };

/** What a range id stands for, where it is one of another container that had the name before. */
type StatedRange = EpkRange | undefined;

export type ItemScope =
  /** All items, or those that a query's own filter leaves. */
  | { readonly kind: "container" }
  /** The range of a range id: one of those that a client asks one after the other. */
  | { readonly kind: "range"; readonly range: EpkRange }
  /** The same between any two bounds, which need not be those of a physical partition. */
  | { readonly kind: "bounds"; readonly range: EpkRange }
  /** What a key or a prefix of keys stands for, or a part of that. */
  | { readonly kind: "key"; readonly range: EpkRange }
  /** No item: the key that was named does not lie in `range`, which was named beside it. */
  | { readonly kind: "nowhere"; readonly range: EpkRange };

/** For requests that do not say where. */
export const WHOLE_CONTAINER: ItemScope = { kind: "container" };

/** The range that a request names, be it in vain; `undefined` when it names none. */
export function rangeNamedBy(scope: ItemScope): EpkRange | undefined {
  return scope.kind === "container" ? undefined : scope.range;
}

/** Whether the client means more than this range, and asks for the rest by itself. */
export function isSlice({ kind }: ItemScope): boolean {
  return kind === "range" || kind === "bounds";
}
