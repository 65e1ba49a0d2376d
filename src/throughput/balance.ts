/**
 * An amount of request units that grows at a rate up to a capacity and may be in debt. A budget is
 * made of such balances.
 *
 * Invariants
 * - The amount never exceeds the capacity. It has no lower end.
 * - Only time, `spend` and `refund` change the amount. Time that was credited is not credited
 *   again, so an instant before the last one adds nothing.
 */
import { assert } from "../base/assert.ts";
import type { Millis } from "../base/units.ts";

const MILLIS_PER_SECOND = 1000;

/**
 * An amount that counts as nothing. Charges are hundredths of a request unit; a ten-thousandth of
 * that is an error of additions, not a balance. Without this tolerance, a caller that waited as
 * told could miss zero by the last bit.
 */
const DUST = 1e-6;

interface BalanceOptions {
  readonly ratePerSecond: number;
  readonly capacity: number;
  readonly amount: number;
  readonly now: Millis;
}

export class Balance {
  readonly ratePerSecond: number;
  readonly capacity: number;
  #amount: number;
  #earnedUntil: number;

  constructor({ ratePerSecond, capacity, amount, now }: BalanceOptions) {
    assert(ratePerSecond > 0 && Number.isFinite(ratePerSecond), `rate ${ratePerSecond}`);
    assert(capacity > 0 && !Number.isNaN(amount), `capacity ${capacity}, amount ${amount}`);
    this.ratePerSecond = ratePerSecond;
    this.capacity = capacity;
    this.#amount = Math.min(amount, capacity);
    this.#earnedUntil = now;
  }

  /** The amount as of the last call of `earn`. */
  get amount(): number {
    return this.#amount;
  }

  /** Credits the time since the last call, and returns what there was no room for. */
  earn(now: Millis): number {
    const elapsed = now - this.#earnedUntil;
    if (elapsed <= 0) return 0;
    this.#earnedUntil = now;
    const amount = this.#amount + (this.ratePerSecond * elapsed) / MILLIS_PER_SECOND;
    if (amount <= this.capacity) {
      this.#amount = amount;
      return 0;
    }
    this.#amount = this.capacity;
    return amount - this.capacity;
  }

  spend(charge: number): void {
    this.#amount -= charge;
  }

  /** Gives back part of what was spent. */
  refund(amount: number): void {
    this.#amount = Math.min(this.#amount + amount, this.capacity);
  }

  /**
   * Returns the whole milliseconds until there is more than `floor`, if nobody spends; 0 when there
   * is already. `beside` is an amount that counts as well.
   */
  waitFor(floor: number, beside = 0): number {
    const missing = floor + DUST - this.#amount - beside;
    if (missing < 0) return 0;
    // One millisecond is added, because exactly the floor is not enough.
    return Math.floor((missing * MILLIS_PER_SECOND) / this.ratePerSecond) + 1;
  }
}
