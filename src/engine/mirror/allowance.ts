/**
 * How much mirroring may spend on one side: a share of the rate of the container, saved up for a
 * few seconds at most. A run begins while something is left, and may end in debt. Where rates are
 * not enforced there is nothing to share.
 */
import type { Clock } from "../../base/world.ts";
import type { Container } from "../partition/container.ts";

/** Share of the rate. */
const SHARE = 0.2;
/** Seconds whose share is saved up. */
const SAVED_SECONDS = 10;

export class Allowance {
  readonly #clock: Clock;
  readonly #container: Container;
  #balance: number;
  #earnedAt: number;

  constructor(clock: Clock, container: Container) {
    this.#clock = clock;
    this.#container = container;
    this.#balance = SAVED_SECONDS * this.#rate();
    this.#earnedAt = clock.now();
  }

  /** True when another run may begin: it takes nothing from callers. */
  hasLeft(): boolean {
    const partitions = [...this.#container.partitions.values()];
    if (!partitions.every(({ spending }) => spending.hasLeftOver())) return false;
    if (!isLimited(this.#container)) return true;
    const now = this.#clock.now();
    const rate = this.#rate();
    const earned = (rate * (now - this.#earnedAt)) / 1000;
    this.#balance = Math.min(SAVED_SECONDS * rate, this.#balance + earned);
    this.#earnedAt = now;
    return this.#balance > 0;
  }

  spend(ru: number): void {
    this.#balance -= ru;
  }

  #rate(): number {
    // Physical partitions of a database that shares its rate may pay from one purse.
    const purses = new Set(
      [...this.#container.partitions.values()].map(({ spending }) => spending.purse),
    );
    return SHARE * [...purses].reduce((sum, { ratePerSecond }) => sum + ratePerSecond, 0);
  }
}

function isLimited({ partitions }: Container): boolean {
  return [...partitions.values()].some(({ spending }) => spending.purse.budget.isLimited);
}
