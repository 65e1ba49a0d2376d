/**
 * Effort: what it takes to evaluate the expressions of one item. An item is evaluated in one go,
 * and no other request has a turn until it is done. A query can ask for any amount of work there
 * (products of arrays inside subqueries, a pattern tried thousands of times on the longest string,
 * strings made and kept). So the steps, the size of the values made and the time are all bounded:
 * the query fails with a message, instead of a server that no longer answers.
 */
import { millis } from "../../base/units.ts";
import type { Clock } from "../../base/world.ts";
import { QueryFailure } from "./run.ts";

const STEPS_PER_ITEM_MAX = 1_000_000;
/**
 * Size of the strings and arrays made for one item, about in bytes: a unit for each character and
 * eight for each element.
 */
export const MADE_PER_ITEM_MAX: number = 64 * 1024 * 1024;
/**
 * Milliseconds that may pass between two turns; far more than any sensible item needs, on a busy
 * machine too.
 */
export const GO_MS_MAX = 500;

/** Number of units that are spent between two looks at the clock. */
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

  /** Units spent so far by all items: a measure of time that is the same on every machine. */
  get spent(): number {
    return this.#spent + this.#units;
  }

  /** Called at the beginning of each item. */
  begin(): void {
    this.#stepCount = 0;
    this.goOn();
  }

  /** Called in the middle of an item, after other requests had a turn. */
  goOn(): void {
    this.#made = 0;
    this.#spent += this.#units;
    this.#units = 0;
    this.#since = this.#clock.now();
  }

  /**
   * Allows more steps than one item has, for evaluating rows that have been collected already: they
   * are many, but their number is bounded.
   */
  allow(stepCount: number): void {
    this.#stepCount = -stepCount;
    this.goOn();
  }

  /** Counts one step of a loop. */
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

  /** Counts work that takes about as long as `units` steps. */
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

  /** Counts a value of `units` that was made, and that may be kept until the item is done. */
  make(units: number): void {
    this.#made += units;
    if (this.#made <= MADE_PER_ITEM_MAX) return;
    throw new QueryFailure(
      `The query makes more than ${MADE_PER_ITEM_MAX / 1024 / 1024} MB of strings and arrays of ` +
        "a single item.",
    );
  }
}

/**
 * A clock for where none is passed in: time goes by the units spent, so the result depends on those
 * alone.
 */
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
