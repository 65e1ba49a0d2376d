/**
 * How unequal amounts are: the Gini coefficient, exactly for a list, and from a distribution that
 * takes little space however many amounts there are.
 *
 * It is half the mean difference of all pairs of amounts, over the mean: 0 when all are alike, and
 * 1 - 1/n when one of n has everything. There is none when there is nothing to share.
 */
import { assert } from "../base/assert.ts";

/** Of amounts that are not negative. A million of them take a sort. */
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

/** So many buckets from one power of two to the next: what shares one differs by 2.2 %. */
const BUCKETS_PER_DOUBLING = 32;
/** Zero has a bucket of its own; then from 1 to the largest safe integer. */
const BUCKET_COUNT = 2 + BUCKETS_PER_DOUBLING * 53;

/**
 * Amounts (natural numbers) by how many there are of which magnitude. Amounts may come and go, so
 * it can be kept up while they change. Counts and sums are exact, which makes averages exact too.
 * Differences inside a bucket do not count, by which the Gini coefficient may be too low, never too
 * high, and by no more than 0.006.
 */
export class Distribution {
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

  /** Zero when there is nothing. */
  get average(): number {
    return this.#count === 0 ? 0 : this.#total / this.#count;
  }

  add(amount: number): void {
    this.#change(amount, 1);
  }

  /** One that was added before. */
  remove(amount: number): void {
    this.#change(amount, -1);
  }

  /** Adds everything that is in another distribution. */
  addAll(other: Distribution): void {
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
      // The ranks of a bucket's amounts follow each other; its sum counts with their middle.
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
