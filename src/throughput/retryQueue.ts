/**
 * A caller that is refused is told when to come back; a retry queue spreads those instants.
 *
 * If all callers were told the first instant at which any is admitted, all would come then, one
 * would be served and the others refused again, until their clients give up. So each caller is told
 * a later instant than the one before, as if they stood in a queue. Nothing is kept for them: a
 * caller that comes while there is something to spend is served.
 *
 * Invariants
 * - No caller is told an instant at which it could not be served if it were alone.
 * - A caller that is refused when every promised instant has passed is told the very first possible
 *   one.
 * - No caller is told to come more than `QUEUE_MAX` after the first possible instant.
 */

/**
 * Milliseconds, by rule of thumb: official clients give up after 30 s of waiting, and should ask
 * again before.
 */
const QUEUE_MAX = 10_000;

export class RetryQueue {
  #lastAt = Number.NEGATIVE_INFINITY;

  /** The latest promised instant; in the past when no caller is expected. */
  get lastAt(): number {
    return this.#lastAt;
  }

  /**
   * Returns how long the next caller that is refused at `now` is told to wait, where `wait` is how
   * long it would have to if it were alone; the result is whole if `wait` is. All times are in
   * milliseconds.
   */
  promise(now: number, wait: number, spacing: number): number {
    if (this.#lastAt <= now) {
      this.#lastAt = now + wait;
      return wait;
    }
    const firstAt = now + wait;
    const lastAt = Math.min(firstAt + QUEUE_MAX, Math.max(firstAt, this.#lastAt + spacing));
    this.#lastAt = Math.max(this.#lastAt, lastAt);
    // The instants may be less than a millisecond apart; a caller is told whole milliseconds.
    return Math.min(wait + QUEUE_MAX, Math.max(wait, Math.ceil(lastAt - now)));
  }
}
