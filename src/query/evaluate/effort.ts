/**
 * What it takes to evaluate the expressions of one item. That happens in one go: nobody else has a
 * turn until it is done. A text can ask for as much as it likes there (products of arrays inside
 * subqueries, a pattern tried thousands of times on the longest string, strings made and kept), so
 * steps, what is made and the time it takes all have an end, and a message instead of a server that
 * no longer answers.
 */
import { millis } from "../../base/units.ts";
import type { Clock } from "../../base/world.ts";
import { QueryFailure } from "./run.ts";

export const STEPS_PER_ITEM_MAX = 1_000_000;
/** Units of strings and eight for each element, about bytes. */
export const MADE_PER_ITEM_MAX: number = 64 * 1024 * 1024;
/** Milliseconds. Far more than any sensible item needs, on a busy machine too. */
export const GO_MS_MAX = 500;

/** How much is done between two looks at the clock. */
const UNITS_PER_LOOK = 1024;

export class Effort {
  readonly #clock: Pick<Clock, "now">;
  #stepCount = 0;
  #made = 0;
  #units = 0;
  #spent = 0;
  #since: number;

  constructor(clock: Pick<Clock, "now"> = countedTime()) {
    this.#clock = clock;
    this.#since = clock.now();
  }

  /** Units of everything so far: a measure of time that is the same on every machine. */
  get spent(): number {
    return this.#spent + this.#units;
  }

  /** At the beginning of each item. */
  begin(): void {
    this.#stepCount = 0;
    this.goOn();
  }

  /** In the middle of an item, after others had a turn. */
  goOn(): void {
    this.#made = 0;
    this.#spent += this.#units;
    this.#units = 0;
    this.#since = this.#clock.now();
  }

  /**
   * Rows that have been collected already are many, and few enough: they take steps of their own.
   */
  allow(stepCount: number): void {
    this.#stepCount = -stepCount;
    this.goOn();
  }

  /** Counts a step of a loop. */
  step(): void {
    this.#stepCount++;
    if (this.#stepCount > STEPS_PER_ITEM_MAX) {
      throw new QueryFailure(
        `The query takes more than ${STEPS_PER_ITEM_MAX} steps on a single item. Make its ` +
          "JOINs or subqueries run over fewer elements.",
      );
    }
    this.spend(1);
  }

  /** Something was done that takes as long as so many steps, about. */
  spend(units: number): void {
    this.#units += units;
    if (this.#units < UNITS_PER_LOOK) return;
    this.#spent += this.#units;
    this.#units = 0;
    if (this.#clock.now() - this.#since <= GO_MS_MAX) return;
    throw new QueryFailure(
      `The query takes more than ${GO_MS_MAX} ms on a single item. Make its subqueries run over ` +
        "fewer elements, or look at long strings less often.",
    );
  }

  /** A value of so many units was made, and may be kept until the item is done. */
  make(units: number): void {
    this.#made += units;
    if (this.#made <= MADE_PER_ITEM_MAX) return;
    throw new QueryFailure(
      `The query makes more than ${MADE_PER_ITEM_MAX / 1024 / 1024} MB of strings and arrays of ` +
        "a single item.",
    );
  }
}

/** For where no clock is: so many units take about as long, and the answer depends on them only. */
function countedTime(): Pick<Clock, "now"> {
  let now = 0;
  return {
    now: () => {
      now += MS_PER_LOOK;
      return millis(now);
    },
  };
}

const MS_PER_LOOK = 0.25;
