/**
 * What is known of one hash that came often: how often, of how large items, and what it stands
 * for.
 */
import type { KeyComponent } from "../../model/partitionKey.ts";

export interface HeavyCount {
  readonly hash: number;
  /** It came so often at least, */
  readonly count: number;
  /** and so many times more at most. */
  readonly error: number;
  /** Mean over the items that were measured, or not a number when none was. */
  readonly bytesMean: number;
  /** Undefined where nobody was asked for it: it came few times. */
  readonly values: readonly KeyComponent[] | undefined;
}

/** Hashes that come one after the other, and the bytes of their items. */
export interface Added {
  readonly hashes: Int32Array;
  readonly bytes: Float64Array;
  readonly length: number;
}

/** One item in so many is measured: what is counted for every item should lie in one place. */
export const MEASURED_ONE_IN = 8;
