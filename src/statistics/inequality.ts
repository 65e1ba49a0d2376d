/**
 * How unequal amounts are: the Gini coefficient, computed exactly from a list, or approximately
 * from a distribution that takes little space however many amounts there are.
 *
 * The coefficient is half the mean difference of all pairs of amounts, divided by the mean: 0 when
 * all are alike, and 1 - 1/n when one of n has everything. It is undefined when the total is zero.
 */
import { assert } from "../base/assert.ts";

/** The exact coefficient of amounts that are not negative. It takes a sort of all of them. */
export function gini(amounts: Iterable<number>): number | undefined {
  const sorted = Float64Array.from(amounts).sort();
  let rank = 0;
  let total = 0;
  let ranked = 0;
  for (const amount of sorted) {
    rank++;
    total += amount;
    ranked += amount * (2 * rank - sorted.length - 1);
  }
  return total > 0 ? ranked / (sorted.length * total) : undefined;
}

/** Number of buckets per power of two: amounts in one bucket differ by at most 2.2 %. */
const BUCKETS_PER_DOUBLING = 32;
/** Zero has a bucket of its own; the others reach from 1 to the largest safe integer. */
const BUCKET_COUNT = 2 + BUCKETS_PER_DOUBLING * 53;

/**
 * Natural numbers, counted by magnitude. Amounts can be added and removed, so a distribution can
 * follow amounts that change. Counts and sums are exact, and so are averages. Differences inside a
 * bucket are ignored, which makes the Gini coefficient too low by at most 0.006, and never too
 * high.
 */
export class AmountDistribution {
  readonly #counts = new Float64Array(BUCKET_COUNT);
  readonly #sums = new Float64Array(BUCKET_COUNT);
  #count = 0;
  #total = 0;

  get count(): number {
    return this.#count;
  }

  get total(): number {
    return this.#total;
  }

  /** The mean amount; zero when there are no amounts. */
  get average(): number {
    return this.#count === 0 ? 0 : this.#total / this.#count;
  }

  add(amount: number): void {
    this.#change(amount, 1);
  }

  /** Removes an amount that was added before. */
  remove(amount: number): void {
    this.#change(amount, -1);
  }

  /** Adds everything that is in another distribution. */
  addAll(other: AmountDistribution): void {
    for (let bucket = 0; bucket < BUCKET_COUNT; bucket++) {
      this.#counts[bucket]! += other.#counts[bucket]!;
      this.#sums[bucket]! += other.#sums[bucket]!;
    }
    this.#count += other.#count;
    this.#total += other.#total;
  }

  gini(): number | undefined {
    if (this.#total <= 0) return undefined;
    let below = 0;
    let ranked = 0;
    for (let bucket = 0; bucket < BUCKET_COUNT; bucket++) {
      const count = this.#counts[bucket]!;
      // The ranks of a bucket's amounts are consecutive, so its sum counts with the middle rank.
      ranked += this.#sums[bucket]! * (2 * below + count - this.#count);
      below += count;
    }
    return ranked / (this.#count * this.#total);
  }

  #change(amount: number, sign: 1 | -1): void {
    const bucket = bucketOf(amount);
    this.#counts[bucket]! += sign;
    this.#sums[bucket]! += sign * amount;
    this.#count += sign;
    this.#total += sign * amount;
    assert(this.#counts[bucket]! >= 0, "only amounts that were added can be removed");
  }
}

function bucketOf(amount: number): number {
  return amount < 1 ? 0 : 1 + Math.floor(Math.log2(amount) * BUCKETS_PER_DOUBLING);
}
