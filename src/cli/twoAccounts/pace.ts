/** No more RU a second than these: whoever has spent waits until that much may have been spent. */
import type { Clock } from "../../base/world.ts";

export class RuPace {
  readonly #ruMax: number | undefined;
  readonly #clock: Pick<Clock, "now">;
  readonly #wait: (ms: number) => Promise<void>;
  #paidUntil = 0;

  /** Undefined: as many as there are. */
  constructor(
    ruMax: number | undefined,
    clock: Pick<Clock, "now">,
    wait: (ms: number) => Promise<void>,
  ) {
    this.#ruMax = ruMax;
    this.#clock = clock;
    this.#wait = wait;
  }

  async spent(ru: number): Promise<void> {
    if (this.#ruMax === undefined) return;
    const now = this.#clock.now();
    this.#paidUntil = Math.max(this.#paidUntil, now) + (ru / this.#ruMax) * 1000;
    if (this.#paidUntil > now) await this.#wait(this.#paidUntil - now);
  }
}
