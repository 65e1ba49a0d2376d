/**
 * When the keys of a sample were seen first and last: whether new ones keep coming, and whether old
 * ones stay. Which keys belong to the sample is decided by their hashes, so the order in which
 * items are read does not matter, only their times do.
 *
 * Not here: what follows from it, which is `populationGrowth.ts`.
 */
const ENTRY_COUNT_MAX = 2048;

export interface Sighting {
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

interface Seen {
  readonly low: number;
  first: number;
  last: number;
  count: number;
}

export class Sightings {
  readonly #seen = new Map<number, Seen>();
  #mask = 0;

  add(low: number, pin: number, millis: number): void {
    if ((low & this.#mask) !== 0) return;
    const known = this.#seen.get(pin);
    if (known === undefined) {
      this.#seen.set(pin, { low, first: millis, last: millis, count: 1 });
      while (this.#seen.size > ENTRY_COUNT_MAX) this.#shrink();
      return;
    }
    known.count++;
    if (millis < known.first) known.first = millis;
    if (millis > known.last) known.last = millis;
  }

  /** Whether the hash belongs to the sample; asked before more is worked out. */
  wants(low: number): boolean {
    return (low & this.#mask) === 0;
  }

  /** In no particular order. */
  get all(): readonly Sighting[] {
    return [...this.#seen.values()];
  }

  #shrink(): void {
    this.#mask = (this.#mask << 1) | 1;
    for (const [pin, { low }] of this.#seen) {
      if ((low & this.#mask) !== 0) this.#seen.delete(pin);
    }
  }
}
