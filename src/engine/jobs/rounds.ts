/**
 * Work that is done again and again, whether or not anybody asks: a while after one round has ended
 * the next one begins. A defect ends the rounds, and is told to whoever closes.
 */
import type { Millis } from "../../base/units.ts";
import type { Timer } from "../../base/world.ts";

export class Rounds {
  readonly #timer: Timer;
  readonly #interval: Millis;
  readonly #action: () => Promise<void>;
  #cancel: () => void;
  #round: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(timer: Timer, interval: Millis, action: () => Promise<void>) {
    this.#timer = timer;
    this.#interval = interval;
    this.#action = action;
    this.#cancel = this.#schedule();
  }

  /** A round under way should see to it that it ends soon. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves when the round under way has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#round;
  }

  #schedule(): () => void {
    return this.#timer.after(this.#interval, () => {
      this.#round = this.#action().then(() => {
        if (!this.#isClosed) this.#cancel = this.#schedule();
      });
      this.#round.catch(() => undefined);
    });
  }
}
