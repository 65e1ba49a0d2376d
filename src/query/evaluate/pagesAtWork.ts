/**
 * What the pages at work have to share: the one thread, and memory.
 *
 * Between two turns of one page everything else that has arrived is dealt with, and of the pages
 * that wait only the next goes on: hundreds of them make one another wait, not those who ask for
 * something small. A page that has just come gets its first turn before the others get another, so
 * a quick one is done before the slow ones are; but of those that come all at once only as many
 * begin at once as fit into one turn.
 *
 * When all pages together hold too much, only the one that has been holding for longest goes on;
 * so there is always one that comes to its end. A page that is suspended is not that one.
 */
import type { Clock, Timer } from "../../base/world.ts";

/** Bytes, by the same rough count as that of one page. */
const HELD_BY_ALL_MAX = 64 * 1024 * 1024;

/** How long others wait at most while a page is at work. */
export const TURN_MS = 8;

type Start = () => void;

export class PagesAtWork {
  readonly #timer: Pick<Timer, "soon">;
  readonly #clock: Pick<Clock, "now">;
  readonly #newcomers: Start[] = [];
  readonly #waiting: Start[] = [];
  readonly #holders = new Map<object, number>();
  /** Of pages that are suspended. */
  readonly #asleep = new Set<object>();
  #isBusy = false;
  #heldBytes = 0;
  /** When the first page began since others last had a turn. */
  #begunAt: number | undefined;

  constructor(timer: Pick<Timer, "soon">, clock: Pick<Clock, "now">) {
    this.#timer = timer;
    this.#clock = clock;
  }

  /** By all of them, those that are suspended included. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Before the first turn; undefined when it can begin at once. */
  enter(): Promise<void> | undefined {
    const now = this.#clock.now();
    if (this.#begunAt === undefined) {
      this.#begunAt = now;
      void this.#timer.soon().then(() => {
        this.#begunAt = undefined;
      });
    }
    return now - this.#begunAt < TURN_MS ? undefined : this.#inLine(this.#newcomers);
  }

  /**
   * Between two turns. A page that is about to leave does not wait until there is memory for it,
   * and is told whether there is.
   */
  async next(page: object, isLeaving: () => boolean = () => false): Promise<boolean> {
    for (;;) {
      await this.#inLine(this.#waiting);
      if (this.#mayGoOn(page)) return true;
      if (isLeaving()) return false;
    }
  }

  /** Nothing is done for this page until it is woken up. */
  sleep(page: object): void {
    this.#asleep.add(page);
  }

  wake(page: object): void {
    this.#asleep.delete(page);
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
    this.#asleep.delete(page);
  }

  #mayGoOn(page: object): boolean {
    if (this.#heldBytes <= HELD_BY_ALL_MAX || !this.#holders.has(page)) return true;
    for (const holder of this.#holders.keys())
      if (!this.#asleep.has(holder)) return holder === page;
    return true;
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
