/**
 * What the query engine reads from: one physical partition, or the part of it that a query is
 * about. The engine implements it over the store; tests over a list. Items that have expired, or
 * lie outside the scope, are never seen through it.
 *
 * A call sees one state. Between two calls anything may have changed, so whoever got a number from
 * a term still has to look whether the item is what the term said.
 */
import type { MaybePromise } from "../../base/result.ts";
import type { JsonObject } from "../../json/value.ts";
import type { Epk, EpkRange } from "../../partition/epkRange.ts";
import type { Metric } from "../functions/vector.ts";
import type { VectorPlace } from "../plan/indexView.ts";
import type { TermBounds } from "../plan/termBounds.ts";

export interface SourceItem {
  /** Grows in order of creation. */
  readonly number: number;
  /** As it is stored, which is how `SELECT *` gives it out. */
  readonly body: Buffer;
}

export interface TermEntry {
  readonly term: string;
  readonly number: number;
}

export interface TermScan {
  readonly bounds: TermBounds;
  /** Strictly after this entry, in the direction of the scan. */
  readonly after?: TermEntry | undefined;
  readonly isReverse: boolean;
  readonly countMax: number;
}

/** Which items come first in an order by distance. */
export interface VectorQuestion {
  readonly place: VectorPlace;
  readonly metric: Metric;
  /** As long as the vectors of the place. */
  readonly query: Float32Array;
  readonly isDescending: boolean;
  /** Only these are asked about: sorted, each once. */
  readonly within: readonly number[] | undefined;
  /** So many will do, most likely; and may the answer be approximate? */
  readonly countWanted: number;
  readonly mayBeApproximate: boolean;
  /** How thoroughly to look then, 1 being the usual. */
  readonly thoroughness: number;
  /** Called between steps, to let others in. */
  pause(): Promise<void> | undefined;
}

/** Items without a distance are part of it, as the lowest. */
export interface VectorRanking {
  /** The numbers of the next items; none when all have been given. */
  next(countMax: number): Promise<readonly number[]>;
}

/**
 * What the partition key that a source is confined to says about its items, as terms of the index:
 * every item in scope has one of the terms of each level.
 */
export interface KeyTerms {
  readonly levels: readonly ReadonlySet<string>[];
  /** Whoever has one of the values behind the terms at each level is in scope. */
  readonly isWhole: boolean;
}

export interface Source {
  /** Of the physical partition, as far as the query is about it; those of one query are sorted. */
  readonly range: EpkRange;
  /** Absent when the source is a whole physical partition; else the terms of what is in scope. */
  readonly placement: readonly TermBounds[] | undefined;
  /** Absent when the scope is no key, or nothing is known of its values. */
  readonly keyTerms?: KeyTerms | undefined;
  /** In the whole physical partition. */
  readonly itemCount: number;
  /**
   * Whether every term in scope belongs to an item that can be seen: no item here expires, and none
   * was left out of the index.
   */
  isEveryTermLive(): MaybePromise<boolean>;
  /** In order of number. The whole physical partition is walked, and the scope given. */
  scanItems(
    afterNumber: number,
    countMax: number,
  ): MaybePromise<{
    readonly items: readonly SourceItem[];
    readonly lastNumber: number;
    readonly isLast: boolean;
  }>;
  scanTerms(
    scan: TermScan,
  ): MaybePromise<{ readonly entries: readonly TermEntry[]; readonly isLast: boolean }>;
  /** Undefined, or absent, when items have to be looked at to know. */
  rankVectors?(question: VectorQuestion): MaybePromise<VectorRanking | undefined>;
  /** Those that there are, in the order asked for. */
  load(numbers: readonly number[]): MaybePromise<readonly SourceItem[]>;
  valueOf(item: SourceItem): JsonObject;
  /** Where in the key space it is. */
  epkOf(item: SourceItem): Epk;
}

/** Is every term of the physical partition about an item that the query sees? */
export function isPlain(source: Source): MaybePromise<boolean> {
  return source.placement === undefined && source.isEveryTermLive();
}
