/** What a router says no to. Every message says what to do instead. */

/** A router or a query that cannot be: thrown before anything is asked. */
export class BadRoute extends Error {
  override readonly name = "BadRoute";
}

/**
 * A query over hot and warm that took longer than marked items stay in hot. From then on an item
 * could have left hot before hot was read and come into warm after warm was read, so the rows that
 * were given are right and the rest is not given.
 */
export class RouteTooSlow extends Error {
  override readonly name = "RouteTooSlow";
}
