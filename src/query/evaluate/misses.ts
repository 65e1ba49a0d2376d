/**
 * What happens to an expression whose user-defined functions have not been called yet: it *misses*
 * their results, and is evaluated again when they are known (`functionCalls.ts`).
 *
 * A walk through rows goes on after a miss, to find out what the other rows will call; but it gives
 * out no row from there on, and misses itself at its end. So what it gives out is always a true
 * beginning of the rows, and no function is called with a value made from incomplete rows.
 */
import type { Run, Slots } from "./run.ts";

/** Thrown where a result is missing. A symbol is no error: it is made once and needs no stack. */
export const MISS: unique symbol = Symbol("a result is missing");

/** The misses of one walk through rows. */
export class Misses {
  #hasAny = false;

  get hasAny(): boolean {
    return this.#hasAny;
  }

  /** Evaluates; returns undefined when a result is missing. */
  tried<T>(evaluate: (slots: Slots, run: Run) => T, slots: Slots, run: Run): T | undefined {
    try {
      return evaluate(slots, run);
    } catch (thrown) {
      this.note(thrown);
      return undefined;
    }
  }

  /** Notes a miss; throws anything else on. */
  note(thrown: unknown): void {
    if (thrown !== MISS) throw thrown;
    this.#hasAny = true;
  }

  /** Called when the walk is over; throws `MISS` if any result was missing. */
  end(): void {
    if (this.#hasAny) throw MISS;
  }
}
