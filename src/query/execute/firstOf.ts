/**
 * Keeps the first few of many values, in an order: it has room for twice as many as are wanted, and
 * is cut back to those whenever it is full. Memory depends on how many are wanted, not on how many
 * there are.
 */
import type { Pause } from "../evaluate/sortInTurns.ts";
import { sortInTurns } from "../evaluate/sortInTurns.ts";

interface FirstOptions<T> {
  readonly countMax: number;
  /** Weight at which no further value is kept, though fewer than `countMax` are. */
  readonly weightMax: number;
  weightOf(one: T): number;
  onDropped(dropped: T): void;
  /** Called while the values are being sorted. */
  readonly pause: Pause;
}

export class FirstOf<T> {
  readonly #compare: (left: T, right: T) => number;
  readonly #options: FirstOptions<T>;
  #kept: T[] = [];
  #weight = 0;
  #isCut = false;
  /**
   * The last value that was kept by a cut: a value behind it cannot be among the first any more.
   */
  #worst: T | undefined;

  constructor(compare: (left: T, right: T) => number, options: FirstOptions<T>) {
    this.#compare = compare;
    this.#options = options;
  }

  /**
   * True when a value at this place in the order can still be among the first; if not, its content
   * need not be made.
   */
  isWanted(candidate: T): boolean {
    const isWanted = this.#worst === undefined || this.#compare(candidate, this.#worst) < 0;
    if (!isWanted) this.#isCut = true;
    return isWanted;
  }

  /**
   * Adds a value. Returns a promise when the values have to be cut back; the caller must await it.
   */
  add(candidate: T): Promise<void> | undefined {
    const { countMax, weightMax, weightOf } = this.#options;
    this.#kept.push(candidate);
    this.#weight += weightOf(candidate);
    const isFull = this.#kept.length >= 2 * countMax || this.#weight >= 2 * weightMax;
    return isFull ? this.#cut() : undefined;
  }

  /** Resolves with the kept values in order, and whether those are all that came. */
  async all(): Promise<{ readonly list: readonly T[]; readonly isAll: boolean }> {
    this.#kept = await sortInTurns(this.#kept, this.#compare, this.#options.pause);
    return { list: this.#kept, isAll: !this.#isCut };
  }

  async #cut(): Promise<void> {
    const { countMax, weightMax, weightOf, onDropped, pause } = this.#options;
    this.#kept = await sortInTurns(this.#kept, this.#compare, pause);
    let count = 0;
    let weight = 0;
    while (count < this.#kept.length && count < countMax && weight <= weightMax) {
      weight += weightOf(this.#kept[count++]!);
    }
    this.#weight = weight;
    const dropped = this.#kept.splice(count);
    if (dropped.length === 0) return;
    for (const one of dropped) onDropped(one);
    this.#isCut = true;
    this.#worst = this.#kept.at(-1);
  }
}
