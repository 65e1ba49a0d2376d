/**
 * Finds the values that occur most with a fixed number of counters: a filtered space-saving sketch.
 *
 * The first values have a counter each. When all counters are taken, other values share cells,
 * chosen by the hash of the value; a cell holds an upper bound for every single value in it. A
 * value whose bound exceeds the smallest counter takes over that counter, and its bound at that
 * moment is its error.
 *
 * What always holds: the true count lies between the count minus its error and the count. No bound
 * and no error exceeds the total divided by the number of counters, so a value with a greater share
 * than that has a counter.
 */
export interface HeavyCount {
  readonly key: string;
  readonly count: number;
  readonly errorCount: number;
}

const CELL_COUNT = 1_024;

export class HeavyValues {
  readonly #slotByKey = new Map<string, number>();
  readonly #keys: string[] = [];
  readonly #counts: number[] = [];
  readonly #errors: number[] = [];
  readonly #slotCount: number;
  readonly #hashOf: (key: string) => number;
  #cells: Uint32Array | undefined;
  #total = 0;
  /** A lower bound of all counters. */
  #smallest = 0;
  /** The slot at which the search for the smallest counter goes on. */
  #hand = 0;

  constructor(slotCount: number, hashOf: (key: string) => number) {
    this.#slotCount = slotCount;
    this.#hashOf = hashOf;
  }

  get total(): number {
    return this.#total;
  }

  /** The values that have a counter. */
  keys(): readonly string[] {
    return this.#keys;
  }

  /** True when the value has a counter, or a counter is free. */
  hasRoomFor(key: string): boolean {
    return this.#keys.length < this.#slotCount || this.#slotByKey.has(key);
  }

  /** Counts a value. Returns its hash if it has no counter and none is free, else undefined. */
  add(key: string): number | undefined {
    this.#total += 1;
    const known = this.#slotByKey.get(key);
    if (known !== undefined) {
      this.#counts[known]! += 1;
      return undefined;
    }
    if (this.#keys.length < this.#slotCount) {
      this.#slotByKey.set(key, this.#keys.length);
      this.#keys.push(key);
      this.#counts.push(1);
      this.#errors.push(0);
      return undefined;
    }
    const hash = this.#hashOf(key);
    this.#addToCell(key, hash % CELL_COUNT);
    return hash;
  }

  /** The most frequent values first; of equally frequent ones the one that came first. */
  heaviest(): readonly HeavyCount[] {
    return this.#keys
      .map((key, slot) => ({
        key,
        count: this.#counts[slot]!,
        errorCount: this.#errors[slot]!,
      }))
      .sort((a, b) => b.count - a.count);
  }

  #addToCell(key: string, cell: number): void {
    this.#cells ??= new Uint32Array(CELL_COUNT);
    const bound = this.#cells[cell]!;
    if (bound < this.#smallest) {
      this.#cells[cell] = bound + 1;
      return;
    }
    const slot = this.#smallestSlot();
    if (bound < this.#smallest) {
      this.#cells[cell] = bound + 1;
      return;
    }
    const former = this.#keys[slot]!;
    const formerCell = this.#hashOf(former) % CELL_COUNT;
    this.#cells[formerCell] = Math.max(this.#cells[formerCell]!, this.#counts[slot]!);
    this.#slotByKey.delete(former);
    this.#slotByKey.set(key, slot);
    this.#keys[slot] = key;
    this.#errors[slot] = bound;
    this.#counts[slot] = bound + 1;
  }

  /**
   * Goes round the slots. When a full round finds none at the lower bound, all counters have grown,
   * and the bound is raised.
   */
  #smallestSlot(): number {
    for (let step = 0; step < this.#slotCount; step++) {
      const slot = this.#hand;
      this.#hand = (this.#hand + 1) % this.#slotCount;
      if (this.#counts[slot]! <= this.#smallest) return slot;
    }
    this.#smallest = Math.min(...this.#counts);
    return this.#counts.indexOf(this.#smallest);
  }
}
