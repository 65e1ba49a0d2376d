/** A range of terms: what a lookup becomes, and what a source scans. */

/** The terms `t` with `min <= t < max`. */
export interface TermBounds {
  readonly min: string;
  readonly max: string;
  /** True when the range holds one possible term only. */
  readonly isTerm?: true;
}
