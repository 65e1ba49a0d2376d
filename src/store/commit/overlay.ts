/** Changes on top of a map that stays as it is: a state that may yet come to nothing. */
export class Overlay<K, V> {
  readonly #below: ReadonlyMap<K, V>;
  readonly #changes = new Map<K, V | undefined>();

  constructor(below: ReadonlyMap<K, V>) {
    this.#below = below;
  }

  get(key: K): V | undefined {
    return this.#changes.has(key) ? this.#changes.get(key) : this.#below.get(key);
  }

  set(key: K, value: V): void {
    this.#changes.set(key, value);
  }

  /** True when there was something to take away. */
  delete(key: K): boolean {
    const wasThere = this.get(key) !== undefined;
    this.#changes.set(key, undefined);
    return wasThere;
  }
}
