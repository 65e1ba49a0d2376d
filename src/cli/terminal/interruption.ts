/** The first Ctrl-C, as something to wait for beside other things; a second one kills. */
import { millis } from "../../base/units.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";

export class Interruption {
  /** Aborted at the first Ctrl-C. */
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #came: Promise<undefined>;
  readonly #onSignal = (): void => this.#controller.abort();

  constructor() {
    this.signal = this.#controller.signal;
    this.#came = new Promise((resolve) => {
      this.signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    process.once("SIGINT", this.#onSignal);
    process.once("SIGTERM", this.#onSignal);
  }

  get isOver(): boolean {
    return this.signal.aborted;
  }

  /** Waits, or for less when it comes. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.isOver) resolve();
      const end = (): void => {
        cancel();
        this.signal.removeEventListener("abort", end);
        resolve();
      };
      const cancel = realTimer.after(millis(ms), end);
      this.signal.addEventListener("abort", end);
    });
  }

  /** What was asked for; undefined when it came first, and the answer is of no interest then. */
  async unless<T>(asked: Promise<T>): Promise<T | undefined> {
    const first = await Promise.race([asked, this.#came]);
    if (this.isOver) asked.catch(() => undefined);
    return first;
  }

  close(): void {
    process.off("SIGINT", this.#onSignal);
    process.off("SIGTERM", this.#onSignal);
  }
}
