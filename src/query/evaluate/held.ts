/**
 * What a page holds in memory while it collects rows, by a rough count of bytes. A query may make a
 * page hold any amount (a far OFFSET of a sorted query, a list of everything), so the amount is
 * bounded: the query fails with a message, instead of a process that runs out of memory.
 */
import type { PagesAtWork } from "./pagesAtWork.ts";
import { QueryFailure } from "./run.ts";

const HELD_BYTES_MAX = 64 * 1024 * 1024;

export interface MemoryHolding {
  hold(bytes: number): void;
  release(bytes: number): void;
}

export class Held implements MemoryHolding {
  readonly #pages: PagesAtWork;
  #bytes = 0;

  constructor(pages: PagesAtWork) {
    this.#pages = pages;
  }

  get bytes(): number {
    return this.#bytes;
  }

  hold(bytes: number): void {
    this.#bytes += bytes;
    this.#pages.hold(this, bytes);
    if (this.#bytes > HELD_BYTES_MAX) {
      throw new QueryFailure(
        `The query would have to hold more than ${HELD_BYTES_MAX / 1024 / 1024} MB of rows at ` +
          "once. Narrow it with a filter, select less, or take a smaller OFFSET.",
      );
    }
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
    this.#pages.hold(this, -bytes);
  }

  /** Called at the end of the page. */
  releaseAll(): void {
    this.#pages.leave(this);
  }
}
