/** A range of the keys under which an index is read: what a lookup comes to, and a source scans. */

/** The keys `t` with `min <= t < max`. */
export interface TermBounds {
  readonly min: string;
  readonly max: string;
  /** One term and no other lies between them. */
  readonly isTerm?: true;
}
