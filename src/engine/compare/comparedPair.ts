/**
 * What a comparison has to know of a container and its copy: how a copy follows from its original,
 * which items have none, and when the copy has caught up.
 *
 * A copy has the number of its original plus `numberShift`, so an original and its copy are found
 * by number, whatever their keys are.
 */
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { StoredItem } from "../../store/partitionStore.ts";
import type { Container } from "../partition/container.ts";

/** The copy that an item should have. */
export interface ExpectedCopy {
  readonly epk: Epk;
  readonly key: PartitionKey;
  readonly id: string;
  /** Compact JSON without system properties, ending in a brace. */
  readonly text: Buffer;
  /** With or without its quotes. */
  readonly etag: string;
  /** Seconds since 1970. */
  readonly ts: number;
}

export interface ComparedPair {
  readonly source: Container;
  readonly target: Container;
  /** Number of the copy minus number of the original. */
  readonly numberShift: number;
  /** False when copies have a `_ts` and an `_etag` of their own, which are then not compared. */
  readonly keepsStamps: boolean;
  /** Undefined when the item has no copy, because a filter leaves it out. */
  copyOf(item: StoredItem): ExpectedCopy | undefined;
  /** True of items that were set aside: everybody knows that they have no copy. */
  isExempt(sourceNumber: number): boolean;
  /**
   * True of items of the target that are no copies of this source: they were there before, or they
   * come from another source. Without it every item of the target has to be a copy.
   */
  isOfOthers?(targetNumber: number): boolean;
  /**
   * Resolves with true when the target has everything that the source had when this was called,
   * with false when that will not come to be.
   */
  caughtUp(): Promise<boolean>;
}

/** What a run is subject to while it reads. */
export interface RunTerms {
  isStopped(): boolean;
  /** Reads everything, whatever was compared before. */
  readonly isWhole?: boolean;
  /** Called after every page with its price; resolves when the next page may be read. */
  pace(ru: number): Promise<void>;
}
