/**
 * The distribution of numbers, in a fixed number of buckets that each are six percent wider than
 * the one before: quantiles are right to within three percent, from a hundredth to a thousand
 * million. Mean and maximum are exact. Numbers that are not above zero are in the first bucket.
 */
const RATIO_LOG = Math.log(1.06);
const SMALLEST_LOG = Math.log(0.01);
const BUCKET_COUNT = 440;

/** How numbers are spread. */
interface Spread {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** With the number of values between each two powers of two. */
interface PowerSpread extends Spread {
  readonly histogram: readonly { readonly bytesMax: number; readonly count: number }[];
}

export class LogHistogram {
  readonly #buckets = new Uint32Array(BUCKET_COUNT);
  #count = 0;
  #sum = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = 0;

  get count(): number {
    return this.#count;
  }

  get sum(): number {
    return this.#sum;
  }

  add(amount: number): void {
    this.#buckets[bucketOf(amount)]! += 1;
    this.#count += 1;
    this.#sum += amount;
    if (amount > this.#max) this.#max = amount;
    if (amount < this.#min) this.#min = amount;
  }

  /** Increases one of the numbers, which was `amount` so far. */
  grow(amount: number, increase: number): void {
    this.#buckets[bucketOf(amount)]! -= 1;
    this.#buckets[bucketOf(amount + increase)]! += 1;
    this.#sum += increase;
    if (amount + increase > this.#max) this.#max = amount + increase;
  }

  /** Increases one of the numbers, of which the amount is not known: only the mean follows. */
  extend(increase: number): void {
    this.#sum += increase;
  }

  spread(): Spread {
    const mean = this.#count === 0 ? 0 : this.#sum / this.#count;
    return {
      count: this.#count,
      mean,
      p50: this.quantile(0.5),
      p90: this.quantile(0.9),
      p99: this.quantile(0.99),
      max: this.#max,
    };
  }

  /** Like `spread`, with the number of values between each two powers of two. */
  byteSpread(): PowerSpread {
    const counts = new Map<number, number>();
    this.#buckets.forEach((count, bucket) => {
      if (count === 0) return;
      const bytesMax = 2 ** Math.ceil(Math.log2(middleOf(bucket)));
      counts.set(bytesMax, (counts.get(bytesMax) ?? 0) + count);
    });
    const histogram = [...counts].map(([bytesMax, count]) => ({ bytesMax, count }));
    return { ...this.spread(), histogram };
  }

  /** The number below which this share of all numbers is; 0 if there are none. */
  quantile(share: number): number {
    const wanted = share * this.#count;
    let passed = 0;
    for (let bucket = 0; bucket < BUCKET_COUNT; bucket++) {
      passed += this.#buckets[bucket]!;
      if (passed === 0 || passed < wanted) continue;
      // The middle of a bucket may lie beyond the numbers that occurred, but a quantile must not.
      return Math.min(Math.max(middleOf(bucket), this.#min), this.#max);
    }
    return this.#max;
  }
}

function bucketOf(amount: number): number {
  if (!(amount > 0)) return 0;
  const bucket = Math.ceil((Math.log(amount) - SMALLEST_LOG) / RATIO_LOG);
  return Math.min(Math.max(bucket, 0), BUCKET_COUNT - 1);
}

function middleOf(bucket: number): number {
  return bucket === 0 ? 0 : Math.exp(SMALLEST_LOG + (bucket - 0.5) * RATIO_LOG);
}
