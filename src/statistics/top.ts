/** The greatest of many values, found in one pass that holds no more than are wanted. */
import { assert } from "../base/assert.ts";

/** Collects values one by one, so that they may come in several pages. */
export class Top<T> {
  readonly #countMax: number;
  readonly #weightOf: (thing: T) => number;
  /** A binary heap, the least value first. */
  readonly #heap: T[] = [];

  constructor(countMax: number, weightOf: (thing: T) => number) {
    assert(countMax >= 0, "there is no top of fewer than none");
    this.#countMax = countMax;
    this.#weightOf = weightOf;
  }

  add(thing: T): void {
    const heap = this.#heap;
    if (heap.length < this.#countMax) {
      heap.push(thing);
      this.#rise(heap.length - 1);
    } else if (heap.length > 0 && this.#weightOf(thing) > this.#weightOf(heap[0]!)) {
      heap[0] = thing;
      this.#sink();
    }
  }

  /** Returns the values, greatest first. */
  sorted(): readonly T[] {
    return this.#heap.toSorted((one, other) => this.#weightOf(other) - this.#weightOf(one));
  }

  #rise(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (!this.#isLess(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#heap.length) return;
      if (child + 1 < this.#heap.length && this.#isLess(child + 1, child)) child++;
      if (!this.#isLess(child, at)) return;
      this.#swap(at, child);
      at = child;
    }
  }

  #isLess(one: number, other: number): boolean {
    return this.#weightOf(this.#heap[one]!) < this.#weightOf(this.#heap[other]!);
  }

  #swap(one: number, other: number): void {
    const thing = this.#heap[one]!;
    this.#heap[one] = this.#heap[other]!;
    this.#heap[other] = thing;
  }
}

export function topOf<T>(
  things: Iterable<T>,
  count: number,
  weightOf: (thing: T) => number,
): readonly T[] {
  const top = new Top(count, weightOf);
  for (const thing of things) top.add(thing);
  return top.sorted();
}
