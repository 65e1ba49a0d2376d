/**
 * The first few of many, in an order: room for twice as many as are wanted, cut back to them
 * whenever it is full. Memory depends on how many are wanted, not on how many there are.
 */

export interface FirstOptions<T> {
  readonly countMax: number;
  /** The first few need not be more than this together. */
  readonly weightMax: number;
  weightOf(one: T): number;
  onDropped(dropped: T): void;
}

export class FirstOf<T> {
  readonly #compare: (left: T, right: T) => number;
  readonly #options: FirstOptions<T>;
  #kept: T[] = [];
  #weight = 0;
  #isCut = false;
  /** Nothing from here on can be among the first any more. */
  #worst: T | undefined;

  constructor(compare: (left: T, right: T) => number, options: FirstOptions<T>) {
    this.#compare = compare;
    this.#options = options;
  }

  /** Whether one that comes here in the order is worth making. */
  isWanted(candidate: T): boolean {
    const isWanted = this.#worst === undefined || this.#compare(candidate, this.#worst) < 0;
    if (!isWanted) this.#isCut = true;
    return isWanted;
  }

  add(candidate: T): void {
    const { countMax, weightMax, weightOf } = this.#options;
    this.#kept.push(candidate);
    this.#weight += weightOf(candidate);
    if (this.#kept.length >= 2 * countMax || this.#weight >= 2 * weightMax) this.#cut();
  }

  /** In order, and whether that is all there were. */
  all(): { readonly list: readonly T[]; readonly isAll: boolean } {
    this.#kept.sort(this.#compare);
    return { list: this.#kept, isAll: !this.#isCut };
  }

  #cut(): void {
    const { countMax, weightMax, weightOf, onDropped } = this.#options;
    this.#kept.sort(this.#compare);
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
