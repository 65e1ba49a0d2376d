/**
 * The first few of many, in an order, each kept once: room for twice as many as are wanted, cut
 * back to them whenever it is full. Memory depends on how many are wanted, not on how many there
 * are.
 */

export class FirstOf<T> {
  readonly #compare: (left: T, right: T) => number;
  readonly #onDropped: (dropped: T) => void;
  readonly #countMax: number;
  #kept: T[] = [];
  /** Nothing from here on can be among the first any more. */
  #worst: T | undefined;

  constructor(
    countMax: number,
    compare: (left: T, right: T) => number,
    onDropped: (dropped: T) => void = () => undefined,
  ) {
    this.#countMax = countMax;
    this.#compare = compare;
    this.#onDropped = onDropped;
  }

  /** Whether one that comes here in the order is worth making. */
  isWanted(candidate: T): boolean {
    return this.#worst === undefined || this.#compare(candidate, this.#worst) < 0;
  }

  add(candidate: T): void {
    this.#kept.push(candidate);
    if (this.#kept.length >= 2 * this.#countMax) this.#cut();
  }

  /** In order. */
  all(): readonly T[] {
    this.#kept.sort(this.#compare);
    return this.#kept.slice(0, this.#countMax);
  }

  #cut(): void {
    this.#kept.sort(this.#compare);
    for (const dropped of this.#kept.splice(this.#countMax)) this.#onDropped(dropped);
    this.#worst = this.#kept[this.#countMax - 1];
  }
}
