/**
 * Runs beside live reads: a few at a time, a few more waiting, each begun after the requests that
 * have already arrived. A run whose two answers differ is run once more after a while, without
 * holding a place meanwhile.
 */
import type { Millis } from "../../base/units.ts";
import { millis } from "../../base/units.ts";
import type { Timer } from "../../base/world.ts";
import { Pauses } from "../jobs/pauses.ts";

const AT_ONCE_MAX = 4;
const WAITING_MAX = 32;
const PUT_OFF_MAX = 64;
const PUT_OFF: Millis = millis(2_000);

/** Does its work; never rejects. Resolves with a run that has to follow after a while, if any. */
export type QueuedRun = () => Promise<QueuedRun | undefined>;

export class RunQueue {
  readonly #timer: Timer;
  readonly #pauses: Pauses;
  readonly #waiting: QueuedRun[] = [];
  readonly #atWork = new Set<Promise<void>>();
  readonly #givingUp = new Set<() => void>();
  #putOffCount = 0;
  #isEnded = false;

  constructor(timer: Timer) {
    this.#timer = timer;
    this.#pauses = new Pauses(timer);
  }

  /** Returns at once; false if too many are waiting. */
  add(run: QueuedRun): boolean {
    if (this.#isEnded || this.#waiting.length >= WAITING_MAX) return false;
    this.#waiting.push(run);
    this.#begin();
    return true;
  }

  /** True if one more run may be put off. */
  get mayPutOff(): boolean {
    return this.#putOffCount < PUT_OFF_MAX;
  }

  /** Resolves like `promise`, but with false after this time, or when the end comes. */
  within(promise: Promise<boolean>, timeMax: Millis): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => settle(() => resolve(false));
      const cancel = this.#timer.after(timeMax, giveUp);
      const settle = (tell: () => void): void => {
        cancel();
        this.#givingUp.delete(giveUp);
        tell();
      };
      this.#givingUp.add(giveUp);
      promise.then(
        (value) => settle(() => resolve(value)),
        (failure: unknown) => settle(() => reject(failure as Error)),
      );
    });
  }

  /** Begins nothing more; resolves when nothing is at work. */
  async end(): Promise<void> {
    this.#isEnded = true;
    this.#waiting.length = 0;
    this.#pauses.end();
    for (const giveUp of this.#givingUp) giveUp();
    while (this.#atWork.size > 0) await Promise.all(this.#atWork);
  }

  #begin(): void {
    while (this.#atWork.size < AT_ONCE_MAX) {
      const run = this.#waiting.shift();
      if (run === undefined) return;
      const work: Promise<void> = this.#take(run).finally(() => {
        this.#atWork.delete(work);
        this.#begin();
      });
      this.#atWork.add(work);
    }
  }

  async #take(run: QueuedRun): Promise<void> {
    await this.#timer.soon();
    const next = this.#isEnded ? undefined : await run();
    if (next !== undefined && !this.#isEnded) this.#putOff(next);
  }

  #putOff(run: QueuedRun): void {
    this.#putOffCount += 1;
    void this.#pauses.waitFor(PUT_OFF).then(() => {
      this.#putOffCount -= 1;
      if (this.#isEnded) return;
      this.#waiting.unshift(run);
      this.#begin();
    });
  }
}
