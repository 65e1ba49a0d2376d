/**
 * The time of the database: what items are stamped with and expire by.
 *
 * It follows the wall clock forward and never goes back. When the wall clock is set back it goes on
 * from where it was, at half its pace, until the wall clock has caught up. So stamps grow with
 * LSNs, and what has expired stays expired. A clock that is set forward is believed: machines that
 * slept wake up like that.
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

  /** Whole milliseconds, as wall clocks show them. */
  wallNow(): number {
    const now = this.#clock.now();
    const crept = this.#latest + (now - this.#latestAt) * CATCHING_UP_PACE;
    const wall = this.#clock.wallNow();
    this.#latest = Math.max(wall, crept);
    this.#latestAt = now;
    return Math.floor(this.#latest);
  }

  /** It has been that late before. */
  advanceTo(time: number): void {
    if (time > this.wallNow()) this.#latest = time;
  }
}
