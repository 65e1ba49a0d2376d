/**
 * What happens to an expression whose user-defined functions have not been called yet: it *misses*
 * their results, and is evaluated again when they are known (`functionCalls.ts`).
 *
 * Whoever walks through rows goes on after a miss, to find out what the other rows will call; but
 * it gives out no row from there on, and misses itself at its end. So nobody ever sees anything but
 * a true beginning of the rows, and no function is called with what was made of less.
 */
import type { Run, Slots } from "./run.ts";

/** Thrown where a result is missing. It is no error, is made once and has no stack to take. */
export const MISS: unique symbol = Symbol("a result is missing");

/** The misses of one walk through rows. */
export class Misses {
  #hasAny = false;

  get hasAny(): boolean {
    return this.#hasAny;
  }

  /** Undefined when something is missing. */
  tried<T>(evaluate: (slots: Slots, run: Run) => T, slots: Slots, run: Run): T | undefined {
    try {
      return evaluate(slots, run);
    } catch (thrown) {
      this.note(thrown);
      return undefined;
    }
  }

  /** Anything else that was thrown is thrown on. */
  note(thrown: unknown): void {
    if (thrown !== MISS) throw thrown;
    this.#hasAny = true;
  }

  /** When the walk is over. */
  end(): void {
    if (this.#hasAny) throw MISS;
  }
}
