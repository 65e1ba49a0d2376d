/**
 * Finds the values that have most of a load with a bounded number of counters (Misra and Gries, by
 * weight).
 *
 * What always holds: the share of a value is too low by at most `errorShare`, which is below the
 * inverse of the number of counters, and never too high; so shares add up to at most 1.
 */
import { seededRandom } from "../../base/world.ts";
import { DistinctCount } from "../../recording/distinctCount.ts";
import { SaltedHash } from "../../recording/saltedHash.ts";

const COUNTER_COUNT = 1024;

export class KeyShares {
  readonly #loads = new Map<string, number>();
  readonly #distinct = new DistinctCount();
  // Any salt will do, because the hashes are not given out.
  readonly #hash = new SaltedHash(seededRandom(1));
  #total = 0;
  #error = 0;

  add(value: string, load: number): void {
    this.#total += load;
    const known = this.#loads.get(value);
    if (known === undefined) this.#distinct.add(this.#hash.numberOf(value));
    this.#loads.set(value, (known ?? 0) + load);
    if (this.#loads.size > 2 * COUNTER_COUNT) this.#cut();
  }

  get total(): number {
    return this.#total;
  }

  get errorShare(): number {
    return this.#total === 0 ? 0 : this.#error / this.#total;
  }

  /** Number of different values; exact as long as no counter was given up. */
  get distinct(): number {
    return this.#error === 0 ? this.#loads.size : Math.max(this.#distinct.count, this.#loads.size);
  }

  /** The shares of the heaviest values, heaviest first. */
  heaviest(count: number): ReadonlyMap<string, number> {
    const sorted = [...this.#loads].sort(([, a], [, b]) => b - a).slice(0, count);
    return new Map(sorted.map(([value, load]) => [value, load / this.#total]));
  }

  /** Subtracts the same amount from all counters, so that at most `COUNTER_COUNT` are left. */
  #cut(): void {
    const loads = [...this.#loads.values()].sort((a, b) => b - a);
    const taken = loads[COUNTER_COUNT]!;
    this.#error += taken;
    for (const [value, load] of this.#loads) {
      if (load > taken) this.#loads.set(value, load - taken);
      else this.#loads.delete(value);
    }
  }
}
