/**
 * Waits between the steps and the rounds of work in the background. Ending them lets everybody go
 * on at once, now and later: a server that closes waits for nobody who only waits.
 */
import type { Millis } from "../../base/units.ts";
import { millis } from "../../base/units.ts";
import type { Timer } from "../../base/world.ts";

const DELAY_MIN = 100;
const DELAY_MAX = 30_000;

export class Pauses {
  readonly #timer: Timer;
  readonly #waiting = new Set<() => void>();
  #isEnded = false;

  constructor(timer: Timer) {
    this.#timer = timer;
  }

  /** A tenth of a second, twice as long for each failure in a row, up to half a minute. */
  wait(failureCount: number): Promise<void> {
    return this.waitFor(millis(Math.min(DELAY_MIN * 2 ** failureCount, DELAY_MAX)));
  }

  waitFor(delay: Millis): Promise<void> {
    if (this.#isEnded) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#timer.after(delay, () => wake());
      const wake = (): void => {
        cancel();
        this.#waiting.delete(wake);
        resolve();
      };
      this.#waiting.add(wake);
    });
  }

  end(): void {
    this.#isEnded = true;
    for (const wake of this.#waiting) wake();
  }
}
