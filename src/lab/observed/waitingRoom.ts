/**
 * Values that wait, by name and in bounded number, for something that may never come: when
 * newcomers take half of the room, all values that came before them are removed.
 */
export class WaitingRoom<T> {
  readonly #countMax: number;
  #newcomers = new Map<string, T>();
  #others = new Map<string, T>();

  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  get(name: string): T | undefined {
    return this.#newcomers.get(name) ?? this.#others.get(name);
  }

  /** Adds a value; returns the values that were removed for it. */
  set(name: string, value: T): Iterable<T> {
    this.#others.delete(name);
    this.#newcomers.set(name, value);
    if (this.#newcomers.size <= this.#countMax / 2) return [];
    const leaving = this.#others;
    this.#others = this.#newcomers;
    this.#newcomers = new Map();
    return leaving.values();
  }

  delete(name: string): void {
    this.#newcomers.delete(name);
    this.#others.delete(name);
  }

  /** Removes and returns all values. */
  clear(): Iterable<T> {
    const leaving = [...this.#others.values(), ...this.#newcomers.values()];
    this.#others = new Map();
    this.#newcomers = new Map();
    return leaving;
  }
}
