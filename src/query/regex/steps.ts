/**
 * How much work one call may do, counted rather than timed: a step is one instruction looked at or
 * one character read. Tests compare the count with the length of the text.
 */
import { PatternProblem } from "./problem.ts";

/**
 * Number of steps, by rule of thumb: about a second of the slowest kind. Simple patterns take one
 * step for each character, and no item is larger than two million characters.
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
