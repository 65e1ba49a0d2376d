/**
 * What the pages at work have to share: the one thread, and memory.
 *
 * Between two turns of one page everything else that has arrived is dealt with, and of the pages
 * that wait only the next goes on: hundreds of them make one another wait, not those who ask for
 * something small. A page that has just come gets its first turn before the others get another, so
 * a quick one is done before the slow ones are.
 *
 * When all pages together hold too much, only the one that has been holding for longest goes on;
 * so there is always one that comes to its end.
 */
import type { Timer } from "../../base/world.ts";

/** Bytes, by the same rough count as that of one page. */
const HELD_BY_ALL_MAX = 64 * 1024 * 1024;

type Start = () => void;

export class PagesAtWork {
  readonly #timer: Pick<Timer, "soon">;
  readonly #newcomers: Start[] = [];
  readonly #waiting: Start[] = [];
  readonly #holders = new Map<object, number>();
  #isBusy = false;
  #heldBytes = 0;

  constructor(timer: Pick<Timer, "soon">) {
    this.#timer = timer;
  }

  /** Before the first turn; undefined when nobody is at work. */
  enter(): Promise<void> | undefined {
    return this.#isBusy ? this.#inLine(this.#newcomers) : undefined;
  }

  /** Between two turns. */
  async next(page: object): Promise<void> {
    do await this.#inLine(this.#waiting);
    while (!this.#mayGoOn(page));
  }

  /** Less than nothing when something was let go. */
  hold(page: object, bytes: number): void {
    this.#heldBytes += bytes;
    this.#holders.set(page, (this.#holders.get(page) ?? 0) + bytes);
  }

  /** At its end a page holds nothing. */
  leave(page: object): void {
    this.#heldBytes -= this.#holders.get(page) ?? 0;
    this.#holders.delete(page);
  }

  #mayGoOn(page: object): boolean {
    if (this.#heldBytes <= HELD_BY_ALL_MAX || !this.#holders.has(page)) return true;
    const [longest] = this.#holders.keys();
    return longest === page;
  }

  #inLine(line: Start[]): Promise<void> {
    return new Promise((resolve) => {
      line.push(resolve);
      if (!this.#isBusy) void this.#giveTurns();
    });
  }

  async #giveTurns(): Promise<void> {
    this.#isBusy = true;
    while (this.#newcomers.length + this.#waiting.length > 0) {
      await this.#timer.soon();
      this.#newcomers.shift()?.();
      this.#waiting.shift()?.();
    }
    this.#isBusy = false;
  }
}
