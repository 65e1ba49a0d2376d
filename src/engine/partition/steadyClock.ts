/**
 * The time of the database, by which items are stamped and expire.
 *
 * The steady clock follows the wall clock forward and never goes back. When the wall clock is set
 * back, the steady clock goes on from where it was, at half the pace, until the wall clock has
 * caught up. So stamps grow with LSNs, and expired items stay expired. A wall clock that is set
 * forward is believed, because that is what happens when a machine wakes up.
 */
import type { Millis } from "../../base/units.ts";
import type { Clock } from "../../base/world.ts";

const CATCHING_UP_PACE = 0.5;

export class SteadyClock implements Clock {
  readonly #clock: Clock;
  #latest: number;
  #latestAt: Millis;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#latest = clock.wallNow();
    this.#latestAt = clock.now();
  }

  now(): Millis {
    return this.#clock.now();
  }

  /** Whole milliseconds since 1970, like a wall clock. */
  wallNow(): number {
    const now = this.#clock.now();
    const crept = this.#latest + (now - this.#latestAt) * CATCHING_UP_PACE;
    const wall = this.#clock.wallNow();
    this.#latest = Math.max(wall, crept);
    this.#latestAt = now;
    return Math.floor(this.#latest);
  }

  /**
   * Moves the clock forward to a time that it has shown before, in an earlier run of the server.
   */
  advanceTo(time: number): void {
    if (time > this.wallNow()) this.#latest = time;
  }
}
