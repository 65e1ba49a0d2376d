/**
 * Finds the logical partitions with the most load with a bounded number of counters: a filtered
 * space-saving sketch.
 *
 * Each followed key has a counter. All other keys share cells, chosen by a digest of the key; a
 * cell holds an upper bound for every single key in it. When the bound of a key exceeds the
 * smallest counter, the key takes over that counter, and its bound at that moment is its error.
 *
 * What always holds:
 *
 * - The true load of a followed key lies between its count minus its error and its count.
 * - The true load of any other key is at most the bound of its cell.
 * - No bound and no error exceeds the smallest counter, which is at most the total load divided by
 *   the number of counters. So a key with a greater share than that is followed.
 * - Throttled requests of a key count only while the key is followed, so their number is a lower
 *   bound.
 *
 * Adding to a followed key is one lookup. The heap that finds the smallest counter is repaired only
 * when a counter is to be taken over: counters only grow, so the values in the heap are lower
 * bounds.
 */
import type { Epk } from "../partition/epkRange.ts";

const COUNTER_COUNT = 256;
/** More cells than counters, so that keys of little load seldom add up to more than a counter. */
const CELL_COUNT = 1024;

/** What is known about the load of one logical partition. */
export interface KeyEstimate {
  /** Upper bound of the load. */
  readonly ru: number;
  /** The amount by which `ru` may be too high. */
  readonly errorRu: number;
  /** Lower bound of the number of throttled requests. */
  readonly throttledCount: number;
}

const NOTHING: KeyEstimate = { ru: 0, errorRu: 0, throttledCount: 0 };

export class HeavyKeys {
  readonly #counterCount: number;
  readonly #counterByKey = new Map<Epk, number>();
  readonly #keys: Epk[] = [];
  readonly #counts: Float64Array;
  readonly #errors: Float64Array;
  readonly #throttled: Float64Array;
  /** Counters as a binary heap by `#known`, smallest first; empty until one is taken over. */
  readonly #heap: number[] = [];
  /** By counter: its count when the heap was last repaired. */
  readonly #known: Float64Array;
  #cells: Float64Array | undefined;

  constructor(counterCount: number = COUNTER_COUNT) {
    this.#counterCount = counterCount;
    this.#counts = new Float64Array(counterCount);
    this.#errors = new Float64Array(counterCount);
    this.#throttled = new Float64Array(counterCount);
    this.#known = new Float64Array(counterCount);
  }

  add(epk: Epk, ru: number): void {
    const counter = this.#counterByKey.get(epk);
    if (counter !== undefined) this.#counts[counter]! += ru;
    else if (this.#keys.length < this.#counterCount) this.#follow(epk, ru);
    else this.#addToCell(epk, ru);
  }

  addThrottled(epk: Epk): void {
    let counter = this.#counterByKey.get(epk);
    if (counter === undefined && this.#keys.length < this.#counterCount) {
      counter = this.#follow(epk, 0);
    }
    if (counter !== undefined) this.#throttled[counter]! += 1;
  }

  estimate(epk: Epk): KeyEstimate {
    const counter = this.#counterByKey.get(epk);
    if (counter !== undefined) {
      return {
        ru: this.#counts[counter]!,
        errorRu: this.#errors[counter]!,
        throttledCount: this.#throttled[counter]!,
      };
    }
    if (this.#cells === undefined) return NOTHING;
    const bound = this.#cells[cellOf(epk)]!;
    return { ru: bound, errorRu: bound, throttledCount: 0 };
  }

  isFollowed(epk: Epk): boolean {
    return this.#counterByKey.has(epk);
  }

  followed(): Iterable<Epk> {
    return this.#keys;
  }

  clear(): void {
    this.#counterByKey.clear();
    this.#keys.length = 0;
    this.#heap.length = 0;
    this.#throttled.fill(0);
    this.#errors.fill(0);
    this.#cells?.fill(0);
  }

  #follow(epk: Epk, ru: number): number {
    const counter = this.#keys.length;
    this.#keys.push(epk);
    this.#counterByKey.set(epk, counter);
    this.#counts[counter] = ru;
    return counter;
  }

  #addToCell(epk: Epk, ru: number): void {
    this.#cells ??= new Float64Array(CELL_COUNT);
    const cells = this.#cells;
    const cell = cellOf(epk);
    const bound = cells[cell]!;
    if (this.#heap.length === 0) this.#buildHeap();
    // The heap's value is tried first: it is a lower bound of the smallest counter and costs no
    // work.
    const isSmall = bound + ru <= this.#known[this.#heap[0]!]!;
    if (isSmall || bound + ru <= this.#counts[this.#smallest()]!) {
      cells[cell] = bound + ru;
      return;
    }
    const counter = this.#heap[0]!;
    const former = this.#keys[counter]!;
    cells[cellOf(former)] = this.#counts[counter]!;
    this.#counterByKey.delete(former);
    this.#counterByKey.set(epk, counter);
    this.#keys[counter] = epk;
    this.#counts[counter] = bound + ru;
    this.#errors[counter] = bound;
    this.#throttled[counter] = 0;
    this.#known[counter] = bound + ru;
    this.#sink(0);
  }

  #buildHeap(): void {
    for (let counter = 0; counter < this.#counterCount; counter++) {
      this.#heap.push(counter);
      this.#known[counter] = this.#counts[counter]!;
    }
    for (let at = (this.#counterCount >>> 1) - 1; at >= 0; at--) this.#sink(at);
  }

  /**
   * Repairs the heap until its top is right. Each step makes up for additions since the last
   * repair.
   */
  #smallest(): number {
    for (;;) {
      const counter = this.#heap[0]!;
      if (this.#known[counter] === this.#counts[counter]) return counter;
      this.#known[counter] = this.#counts[counter]!;
      this.#sink(0);
    }
  }

  #sink(from: number): void {
    const heap = this.#heap;
    const known = this.#known;
    const sinking = heap[from]!;
    const weight = known[sinking]!;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && known[heap[child + 1]!]! < known[heap[child]!]!) child++;
      if (known[heap[child]!]! >= weight) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = sinking;
  }
}

/**
 * Digests some digits near the start, where an EPK of version 1 has its hash, and the last digits,
 * where the levels of a hierarchical key differ most.
 */
function cellOf(epk: Epk): number {
  let digest = epk.length;
  const headEnd = Math.min(epk.length, 14);
  for (let at = 4; at < headEnd; at++) digest = Math.imul(digest ^ epk.charCodeAt(at), 0x01000193);
  for (let at = Math.max(headEnd, epk.length - 8); at < epk.length; at++) {
    digest = Math.imul(digest ^ epk.charCodeAt(at), 0x01000193);
  }
  return ((digest ^ (digest >>> 15)) >>> 0) % CELL_COUNT;
}
