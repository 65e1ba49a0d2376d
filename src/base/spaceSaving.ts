/**
 * Which keys of a stream weigh most, told from a bounded number of counters: a filtered
 * space-saving sketch. Statistics count the load of logical partitions with it, recordings the
 * values of properties, and the lab the keys in logs.
 *
 * The followed keys have a counter each. All others share cells, chosen by a digest of the key; a
 * cell holds an upper bound for every single key in it. When a key's bound exceeds the smallest
 * counter it takes over that counter, and its bound at that moment is its error.
 *
 * What always holds
 * - The true weight of a followed key lies between its weight minus its error and its weight.
 * - The true weight of any other key is at most the bound of its cell.
 * - No bound and no error exceeds the smallest counter, and that is at most the total weight
 *   divided by the number of counters. So a key with a greater share than that is followed.
 *
 * Adding to a followed key is one lookup. The heap that finds the smallest counter is put right
 * only when one is to be taken over: counters only grow, so what the heap knows are lower bounds.
 */

/** More of them than counters, so that light keys seldom add up to more than a counter. */
const CELL_COUNT = 1024;

interface SpaceSavingOptions<Key extends string> {
  readonly counterCount: number;
  /** A whole number; only its rest by the number of cells matters. */
  readonly digestOf: (key: Key) => number;
  /** Called when a counter passes from one key to another. */
  readonly onTakeOver?: (counter: number) => void;
}

/** What is known about the weight of one key. */
interface WeightEstimate {
  /** At most this much. */
  readonly weight: number;
  /** By how much it may be too high. */
  readonly error: number;
}

export class SpaceSaving<Key extends string> {
  readonly #options: SpaceSavingOptions<Key>;
  readonly #counterCount: number;
  readonly #counterByKey = new Map<Key, number>();
  readonly #keys: Key[] = [];
  readonly #weights: number[] = [];
  readonly #errors: number[] = [];
  /** Counters as a binary heap by `#known`, the smallest first; empty until one is taken over. */
  readonly #heap: number[] = [];
  /** The weights as the heap knows them. */
  readonly #known: number[] = [];
  #cells: Float64Array | undefined;
  #total = 0;

  constructor(options: SpaceSavingOptions<Key>) {
    this.#options = options;
    this.#counterCount = options.counterCount;
  }

  get total(): number {
    return this.#total;
  }

  /** The followed keys, by counter. */
  get keys(): readonly Key[] {
    return this.#keys;
  }

  /** Whether some key had to share a cell, so that errors are possible. */
  get isShared(): boolean {
    return this.#cells !== undefined;
  }

  counterOf(key: Key): number | undefined {
    return this.#counterByKey.get(key);
  }

  /** Whether the key has a counter, or can have one that no other key has. */
  hasRoomFor(key: Key): boolean {
    return this.#keys.length < this.#counterCount || this.#counterByKey.has(key);
  }

  add(key: Key, weight: number): void {
    this.#total += weight;
    const counter = this.#counterByKey.get(key);
    if (counter !== undefined) this.#weights[counter]! += weight;
    else if (this.#keys.length < this.#counterCount) this.#follow(key, weight);
    else this.#addToCell(key, weight);
  }

  estimate(key: Key): WeightEstimate {
    const counter = this.#counterByKey.get(key);
    if (counter !== undefined) return this.#at(counter);
    const bound = this.#cells === undefined ? 0 : this.#cells[this.#cellOf(key)]!;
    return { weight: bound, error: bound };
  }

  /** The heaviest first; of equal ones the one whose counter was given out first. */
  heaviest(): readonly ({ readonly key: Key } & WeightEstimate)[] {
    return this.#keys
      .map((key, counter) => ({ key, ...this.#at(counter) }))
      .sort((one, other) => other.weight - one.weight);
  }

  clear(): void {
    this.#counterByKey.clear();
    for (const list of [this.#keys, this.#weights, this.#errors, this.#heap, this.#known]) {
      list.length = 0;
    }
    this.#cells = undefined;
    this.#total = 0;
  }

  #at(counter: number): WeightEstimate {
    return { weight: this.#weights[counter]!, error: this.#errors[counter]! };
  }

  #follow(key: Key, weight: number): void {
    this.#counterByKey.set(key, this.#keys.length);
    this.#keys.push(key);
    this.#weights.push(weight);
    this.#errors.push(0);
  }

  #addToCell(key: Key, weight: number): void {
    this.#cells ??= new Float64Array(CELL_COUNT);
    const cells = this.#cells;
    const cell = this.#cellOf(key);
    const bound = cells[cell]!;
    const sum = bound + weight;
    if (this.#heap.length === 0) this.#buildHeap();
    // The heap's own view first: it never says too much, and is there without any work.
    if (sum <= this.#known[this.#heap[0]!]! || sum <= this.#weights[this.#smallest()]!) {
      cells[cell] = sum;
      return;
    }
    const counter = this.#heap[0]!;
    const former = this.#keys[counter]!;
    cells[this.#cellOf(former)] = this.#weights[counter]!;
    this.#counterByKey.delete(former);
    this.#counterByKey.set(key, counter);
    this.#keys[counter] = key;
    this.#weights[counter] = sum;
    this.#errors[counter] = bound;
    this.#known[counter] = sum;
    this.#sink(0);
    this.#options.onTakeOver?.(counter);
  }

  #cellOf(key: Key): number {
    return this.#options.digestOf(key) % CELL_COUNT;
  }

  #buildHeap(): void {
    for (let counter = 0; counter < this.#counterCount; counter++) {
      this.#heap.push(counter);
      this.#known.push(this.#weights[counter]!);
    }
    for (let at = (this.#counterCount >>> 1) - 1; at >= 0; at--) this.#sink(at);
  }

  /** Puts the heap right as far as its top. Each step makes up for additions since the last. */
  #smallest(): number {
    for (;;) {
      const counter = this.#heap[0]!;
      if (this.#known[counter] === this.#weights[counter]) return counter;
      this.#known[counter] = this.#weights[counter]!;
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
