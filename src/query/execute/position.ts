/**
 * Where a page ended. A position names values, ranges of the key space and numbers of items, never
 * offsets: writes between two pages move nothing, and neither does a split, a restart, or another
 * choice of index. What was skipped and what is still to be given is part of it.
 */

import type { OrderValues } from "../evaluate/orderKey.ts";
import type { Coordinates } from "../evaluate/product.ts";
import type { Value } from "../functions/builtIn.ts";
import type { Progress } from "./marks.ts";

export interface Remaining {
  /** Rows of OFFSET that have still to be passed over. */
  readonly skip: number;
  /** Rows of TOP or LIMIT that are still to come; absent when there is no limit. */
  readonly take: number | undefined;
  /** Rows that all pages together have given or passed over; absent when that is none. */
  readonly given?: number | undefined;
  /** What the page had given when it was cut off before it was full; the next one fills it up. */
  readonly cut?: Cut | undefined;
  /** The page that begins here was suspended, and is kept under this name. */
  readonly suspended?: string | undefined;
}

/** Of a page that was cut off. */
export interface Cut {
  readonly rowCount: number;
  readonly rowBytes: number;
  /** What it had come to, for whoever charges for it. */
  readonly ru?: number | undefined;
}

export type Position = Place & Remaining;

/** Without what is still to be passed over and to be given. */
export type Place =
  | ({
      readonly kind: "items";
      /** The row of that item after which to go on; absent when all of it is done. */
      readonly coordinates?: Coordinates | undefined;
    } & Progress)
  /** Progress is about the items that have these very values; those before them are done. */
  | ({
      readonly kind: "order";
      readonly values: OrderValues;
      readonly coordinates?: Coordinates | undefined;
    } & Progress)
  /** Groups and distinct rows come in the order of their values. */
  | { readonly kind: "values"; readonly after: readonly Value[] }
  /**
   * So many rows are done. For rows made from rows that have no place of their own, and where
   * values are too large to be handed to a client.
   */
  | { readonly kind: "ordinal"; readonly done: number }
  /** The beginning of the query, where a page has been suspended that gave nothing yet. */
  | { readonly kind: "start" };
