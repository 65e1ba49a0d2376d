/**
 * What operations cost: the server's price list (`throughput/charge.ts`) over work that is worked
 * out instead of counted.
 */
import type { IndexingPolicy } from "../../index/policy.ts";
import type { JsonObject } from "../../json/value.ts";
import type { Consistency } from "../../model/consistency.ts";

/** What prices depend on, besides the operation. */
export interface PriceSetting {
  /** JSON text of an item, without system properties. */
  readonly itemBytes: number;
  readonly leafCount: number;
  readonly example: JsonObject | undefined;
  readonly consistency: Consistency;
  readonly policy: IndexingPolicy;
}

/**
 * A query in one physical partition costs what a visit costs that finds nothing, and more for what
 * it finds. Matches are items that the filter lets through, rows what is given out after TOP.
 */
export interface QueryPrice {
  /** The first visit, and each further one, with nothing found. */
  readonly visitRu: number;
  /** What is found in one partition: without the visit. `heldItems` are all that it holds. */
  foundRu(found: FoundItems): number;
  /**
   * One query over several physical partitions, all its pages: what each of them pays, the visits
   * included. They are given in the order of the key space, in which the server reads them: where
   * TOP is reached before the last, the others are not visited and pay nothing.
   */
  ruOfVisits(visits: readonly FoundItems[]): readonly number[];
  /** Paths whose different values are tried one by one, for `triedValueCount`. */
  readonly triedPaths: readonly string[];
  /** The path of the order, if there are conditions on it, for `orderedShare`. */
  readonly orderedPath: string | undefined;
  /** The index answers all of the filter: items are candidates only if they match. */
  readonly isAnswered: boolean;
}

export interface FoundItems {
  readonly matchCount: number;
  /** Rows of the answer; over several partitions they add up to it, groups that meet as well. */
  readonly rowCount: number;
  /** Items of the scope that is asked: of the logical partition, or the whole physical one. */
  readonly heldItems: number;
  /** Items of the whole physical partition, if a part of it is asked: of a key, or of a prefix. */
  readonly partitionItems?: number | undefined;
  /** Of one that is found, without system properties; undefined: as long as any item. */
  readonly itemBytes?: number | undefined;
  /** Rows of a page; undefined: as many as the server gives if the client does not say. */
  readonly pageSize?: number | undefined;
  /**
   * Items that pass those conditions that the index answers. Undefined: if others are left to be
   * tried, one in ten of these items matches.
   */
  readonly candidateCount?: number | undefined;
  /**
   * Share of the partition's items that pass the conditions on the path of the order. Undefined: of
   * a part of it as many as match, of the whole one in ten.
   */
  readonly orderedShare?: number | undefined;
  /**
   * The same of the items of the scope. Undefined: as of the partition. They differ where the key
   * is made of what is ordered by: all of this month may be asked for, of the partition a part.
   */
  readonly heldOrderedShare?: number | undefined;
  /** Different values, in the partition, at a path that is tried. Undefined: each item's own. */
  readonly triedValueCount?: number | undefined;
}
