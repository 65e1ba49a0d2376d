/**
 * What the pages at work have to share: the one thread, and memory.
 *
 * Between two turns of one page every other request that has arrived is dealt with, and of the
 * waiting pages only the next one goes on: hundreds of pages make one another wait, but not the
 * small requests. A new page gets its first turn before the waiting pages get another one, so a
 * quick page is done before the slow ones; but of pages that come all at once only as many begin at
 * once as fit into one turn.
 *
 * When all pages together hold too much memory, only the page that has been holding some for
 * longest goes on, so there is always one page that comes to its end. A suspended page is not that
 * one.
 */
import type { Clock, Timer } from "../../base/world.ts";

/** Bytes that all pages may hold together, by the same rough count as for one page. */
const HELD_BY_ALL_MAX = 64 * 1024 * 1024;

/** Milliseconds that other requests wait at most while a page is at work. */
export const TURN_MS = 8;

type Start = () => void;

export class PagesAtWork {
  readonly #timer: Pick<Timer, "soon">;
  readonly #clock: Pick<Clock, "now">;
  readonly #newcomers: Start[] = [];
  readonly #waiting: Start[] = [];
  readonly #holders = new Map<object, number>();
  /** The pages that are suspended. */
  readonly #asleep = new Set<object>();
  #isBusy = false;
  #heldBytes = 0;
  /** When the first page began since other requests last had a turn. */
  #begunAt: number | undefined;

  constructor(timer: Pick<Timer, "soon">, clock: Pick<Clock, "now">) {
    this.#timer = timer;
    this.#clock = clock;
  }

  /** Bytes that all pages hold, suspended ones included. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Called before a page's first turn; returns undefined when the page can begin at once. */
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
   * Resolves when the page has its next turn: with true when there is memory for it. A page that is
   * about to leave does not wait for memory; it gets false.
   */
  async next(page: object, isLeaving: () => boolean = () => false): Promise<boolean> {
    for (;;) {
      await this.#inLine(this.#waiting);
      if (this.#mayGoOn(page)) return true;
      if (isLeaving()) return false;
    }
  }

  /** Marks a page as suspended: nothing is done for it until `wake`. */
  sleep(page: object): void {
    this.#asleep.add(page);
  }

  wake(page: object): void {
    this.#asleep.delete(page);
  }

  /** Counts bytes that a page holds; a negative number for bytes that it released. */
  hold(page: object, bytes: number): void {
    this.#heldBytes += bytes;
    this.#holders.set(page, (this.#holders.get(page) ?? 0) + bytes);
  }

  /** Called at the end of a page, which then holds nothing. */
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
