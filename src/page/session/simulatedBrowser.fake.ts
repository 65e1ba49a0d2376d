/** A browser's timers and visibility in simulated time, for tests. */
import type { Timer } from "../../base/world.ts";
import type { Visibility } from "./browserWorld.ts";

interface Waiting {
  readonly at: number;
  readonly action: () => void;
}

export class SimulatedBrowser {
  now = 0;
  #isHidden = false;
  #listeners: (() => void)[] = [];
  #waiting: Waiting[] = [];

  readonly timer: Pick<Timer, "after"> = {
    after: (delay, action) => {
      const waiting = { at: this.now + delay, action };
      this.#waiting.push(waiting);
      return () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
      };
    },
  };

  readonly visibility: Visibility = {
    isHidden: () => this.#isHidden,
    onChange: (listener) => this.#listeners.push(listener),
  };

  /** Lets time pass, and what became due happen in its order. */
  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    await settled();
    for (;;) {
      const [next] = this.#waiting
        .filter(({ at }) => at <= end)
        .toSorted((one, other) => one.at - other.at);
      if (next === undefined) break;
      this.now = next.at;
      this.#waiting = this.#waiting.filter((other) => other !== next);
      next.action();
      await settled();
    }
    this.now = end;
  }

  hide(): Promise<void> {
    return this.#turn(true);
  }

  show(): Promise<void> {
    return this.#turn(false);
  }

  async #turn(isHidden: boolean): Promise<void> {
    this.#isHidden = isHidden;
    for (const listener of this.#listeners) listener();
    await settled();
  }
}

/** Lets promises that are settled tell those who wait for them. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}
