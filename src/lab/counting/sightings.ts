/**
 * When the keys of a sample were seen first and last: whether new keys keep coming, and whether old
 * keys stay. Hashes decide which keys belong to the sample, so the order in which items are read
 * does not matter, only their times do.
 *
 * Not here: what follows from the sightings (`populationGrowth.ts`).
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

  /** True when the hash belongs to the sample; called before more is computed. */
  wants(low: number): boolean {
    return (low & this.#mask) === 0;
  }

  /** All sightings, in no particular order. */
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
