/**
 * Burst capacity: what a physical partition with a low rate did not spend, and may spend later,
 * faster than it earns. Documented: "Burst capacity".
 *
 * Invariants
 * - At most `savedSeconds` of the rate are saved.
 * - While there are savings, RU are spent no faster than `rateMax` in all. The `pace` is a balance
 *   of its own that sees to this: every charge is taken from it as well.
 *
 * Without savings the pace never delays a caller: it earns faster than the rate and holds more.
 */
import type { Millis } from "../base/units.ts";
import type { Limits } from "../model/limits.ts";
import { Balance } from "./balance.ts";

export interface BurstOptions {
  /** RU per second. Only lower rates save, and savings are spent no faster than this. */
  readonly rateMax: number;
  readonly savedSeconds: number;
}

export function burstOf(limits: Limits): BurstOptions {
  return { rateMax: limits.burstRateMax, savedSeconds: limits.burstSecondsMax };
}

export class Savings {
  readonly #amountMax: number;
  readonly pace: Balance;
  #amount: number;

  constructor(
    ratePerSecond: number,
    { rateMax, savedSeconds }: BurstOptions,
    held: { readonly savings: number; readonly pace?: number | undefined; readonly now: Millis },
  ) {
    this.#amountMax = ratePerSecond * savedSeconds;
    this.#amount = Math.min(held.savings, this.#amountMax);
    this.pace = new Balance({
      ratePerSecond: rateMax,
      capacity: rateMax,
      amount: held.pace ?? rateMax,
      now: held.now,
    });
  }

  get amount(): number {
    return this.#amount;
  }

  keep(unspent: number): void {
    this.#amount = Math.min(this.#amount + unspent, this.#amountMax);
  }

  /** Takes out as much of `wanted` as there is, and returns it. */
  draw(wanted: number): number {
    const drawn = Math.min(wanted, this.#amount);
    this.#amount -= drawn;
    return drawn;
  }
}
