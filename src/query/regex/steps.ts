/**
 * How much work one call may do, counted rather than timed: a step is one instruction looked at or
 * one character read. The count is what tests hold against the length of the text.
 */
import { PatternProblem } from "./problem.ts";

/**
 * Heuristic: about a second of the slowest kind. Simple patterns read one step a character, and no
 * item is larger than two million.
 */
export const STEPS_MAX = 20_000_000;

export class Steps {
  readonly #max: number;
  #taken = 0;

  constructor(max: number = STEPS_MAX) {
    this.#max = max;
  }

  get taken(): number {
    return this.#taken;
  }

  spend(count: number): void {
    this.#taken += count;
    if (this.#taken > this.#max) {
      throw new PatternProblem("The regular expression needs too much work on this text.");
    }
  }
}
