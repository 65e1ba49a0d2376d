/**
 * What the query engine reads from: one physical partition, or the part of it that a query is
 * about. The engine implements `Source` over the store, tests over a list. A source never shows
 * items that have expired or lie outside its scope.
 *
 * One call sees one state. Between two calls anything may have changed, so a caller that got an
 * item number from a term still has to check that the item is what the term said.
 */
import type { MaybePromise } from "../../base/result.ts";
import type { JsonObject } from "../../json/value.ts";
import type { Epk, EpkRange } from "../../partition/epkRange.ts";
import type { Metric } from "../functions/vector.ts";
import type { VectorPlace } from "../plan/indexView.ts";
import type { TermBounds } from "../plan/termBounds.ts";

export interface SourceItem {
  /** Grows in order of creation within a source. */
  readonly number: number;
  /** The item as it is stored, which is how `SELECT *` gives it out. */
  readonly body: Buffer;
}

export interface SourceTerm {
  readonly term: string;
  readonly number: number;
}

export interface SourceScan {
  readonly bounds: TermBounds;
  /** The scan begins strictly after this entry, in its direction. */
  readonly after?: SourceTerm | undefined;
  readonly isReverse: boolean;
  readonly countMax: number;
}

/** The question which items come first in an order by distance. */
export interface VectorQuestion {
  readonly place: VectorPlace;
  readonly metric: Metric;
  /** The vector to compare with; as long as the vectors of the place. */
  readonly query: Float32Array;
  readonly isDescending: boolean;
  /** The only items that are asked about: sorted, each once. Undefined means all items. */
  readonly within: readonly number[] | undefined;
  /** How many items the caller will most likely take. */
  readonly countWanted: number;
  readonly mayBeApproximate: boolean;
  /** How thoroughly an approximate search looks; 1 is the usual. */
  readonly thoroughness: number;
  /** Called between steps, to let other requests have a turn. */
  pause(): Promise<void> | undefined;
}

/**
 * Items in the order of their distances. Items without a distance are part of it, as the lowest.
 */
export interface VectorRanking {
  /** Resolves with the numbers of the next items; empty when all have been given. */
  next(countMax: number): Promise<readonly number[]>;
}

/**
 * What the partition key that a source is confined to says about its items, as terms of the index:
 * every item in scope has one of the terms of each level.
 */
export interface KeyTerms {
  readonly levels: readonly ReadonlySet<string>[];
  /**
   * True when every item that has, at each level, one of the values behind the terms is in scope.
   */
  readonly isWhole: boolean;
  /** True when no item in scope has other values: keys of this kind never share an EPK. */
  readonly isOnly: boolean;
}

export interface Source {
  /**
   * The range of the physical partition, as far as the query is about it. The sources of a query
   * are sorted by it.
   */
  readonly range: EpkRange;
  /**
   * The placement terms of what is in scope; absent when the source is a whole physical partition.
   */
  readonly placement: readonly TermBounds[] | undefined;
  /** Absent when the scope is not a partition key, or nothing is known of its values. */
  readonly keyTerms?: KeyTerms | undefined;
  /** Number of items in the whole physical partition, whatever the scope. */
  readonly itemCount: number;
  /**
   * True when every term in scope belongs to an item that the query may see: no item here expires,
   * and none was left out of the index.
   */
  isEveryTermLive(): MaybePromise<boolean>;
  /**
   * Resolves with the number of items in scope, from counters; items that have expired and are
   * still there count. Absent where nobody has counted.
   */
  readonly countInScope?: (() => MaybePromise<number>) | undefined;
  /**
   * Returns the LSN if all items that the physical partition has at present are in scope, by
   * counters; undefined if others are there, too.
   */
  wholeAt?(): number | undefined;
  /** True when the item is known to lie outside the scope, so that it need not be loaded. */
  readonly isOutside?: ((number: number) => boolean) | undefined;
  /**
   * Reads items in order of number. The scan walks the whole physical partition and gives the items
   * in scope.
   */
  scanItems(
    afterNumber: number,
    countMax: number,
  ): MaybePromise<{
    readonly items: readonly SourceItem[];
    readonly lastNumber: number;
    readonly isLast: boolean;
  }>;
  scanTerms(
    scan: SourceScan,
  ): MaybePromise<{ readonly entries: readonly SourceTerm[]; readonly isLast: boolean }>;
  /**
   * Ranks items by their vectors. Undefined, or absent, when the items have to be looked at to
   * know.
   */
  readonly rankVectors?:
    | ((question: VectorQuestion) => MaybePromise<VectorRanking | undefined>)
    | undefined;
  /** Loads the items that exist, in the order of their numbers. */
  load(numbers: readonly number[]): MaybePromise<readonly SourceItem[]>;
  valueOf(item: SourceItem): JsonObject;
  /** Returns the place of the item in the key space. */
  epkOf(item: SourceItem): Epk;
}

/** True when every term of the physical partition belongs to an item that the query sees. */
export function isPlain(source: Source): MaybePromise<boolean> {
  return source.placement === undefined && source.isEveryTermLive();
}
