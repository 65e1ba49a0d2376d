/**
 * Finds the values that have most of a load with a bounded number of counters
 * (`base/spaceSaving.ts`).
 *
 * What always holds: the share of a value is too low by at most `errorShare`, which is below the
 * inverse of the number of counters, and never too high; so shares add up to at most 1.
 */
import { SpaceSaving } from "../../base/spaceSaving.ts";
import { seededRandom } from "../../base/world.ts";
import { DistinctCount } from "../../recording/distinctCount.ts";
import { SaltedHash } from "../../recording/saltedHash.ts";

const COUNTER_COUNT = 2048;

export class KeyShares {
  // Any salt will do: what is counted stays here.
  readonly #hash = new SaltedHash(seededRandom(1));
  readonly #distinct = new DistinctCount();
  readonly #loads = new SpaceSaving<string>({
    counterCount: COUNTER_COUNT,
    digestOf: (value) => this.#hash.numberOf(value),
  });

  add(value: string, load: number): void {
    if (this.#loads.counterOf(value) === undefined) {
      this.#distinct.add(this.#hash.numberOf(value));
    }
    this.#loads.add(value, load);
  }

  get total(): number {
    return this.#loads.total;
  }

  /** No value has more than the share that is told of it (or none) and this: the least counter. */
  get errorShare(): number {
    if (!this.#loads.isShared) return 0;
    return this.#loads.heaviest().at(-1)!.weight / this.total;
  }

  /** Exact as long as every value has a counter. */
  get distinct(): number {
    const counted = this.#loads.keys.length;
    return this.#loads.isShared ? Math.max(this.#distinct.count, counted) : counted;
  }

  /** The heaviest first, each with the share that it has at least. */
  heaviest(count: number): ReadonlyMap<string, number> {
    const loads = this.#loads.heaviest().map(({ key, weight, error }) => [key, weight - error]);
    const sorted = (loads as [string, number][]).sort(([, a], [, b]) => b - a).slice(0, count);
    return new Map(sorted.map(([value, load]) => [value, load / this.total]));
  }
}
