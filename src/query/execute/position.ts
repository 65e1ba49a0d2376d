/**
 * Where a page ended. A position names values, ranges of the key space and numbers of items, never
 * offsets: it stays right when items are written between two pages, and over a split, a restart, or
 * another choice of index. How many rows are still to be skipped and to be given is part of it.
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
  /** Rows that all pages together have given or passed over; absent when there are none. */
  readonly given?: number | undefined;
  /** What the page had given when it was cut off before it was full; the next page fills it up. */
  readonly cut?: Cut | undefined;
  /** The name under which the page that begins here is kept; absent unless it was suspended. */
  readonly suspended?: string | undefined;
}

/** What a page that was cut off had given. */
export interface Cut {
  readonly rowCount: number;
  readonly rowBytes: number;
  /** What the page had cost at the cut, in RU before rounding; the engine fills it in. */
  readonly ru?: number | undefined;
}

export type Position = Place & Remaining;

/** A position without the counts of `Remaining`. */
export type Place =
  | ({
      readonly kind: "items";
      /** The row of the item after which to go on; absent when the whole item is done. */
      readonly coordinates?: Coordinates | undefined;
    } & Progress)
  /**
   * Items before these values are done; progress is about the items that have these very values.
   */
  | ({
      readonly kind: "order";
      readonly values: OrderValues;
      readonly coordinates?: Coordinates | undefined;
    } & Progress)
  /** Groups and distinct rows come in the order of their values. */
  | { readonly kind: "values"; readonly after: readonly Value[] }
  /**
   * `done` rows are done. Used for rows made from other rows, which have no place of their own, and
   * where values are too large to be handed to a client.
   */
  | { readonly kind: "ordinal"; readonly done: number }
  /** The beginning of the query, for a page that was suspended before it gave a row. */
  | { readonly kind: "start" };
