/**
 * The lengths of items: counts by length, in steps of 3 %, in bounded memory. Mean and maximum are
 * exact.
 */
import type { Spread } from "./profile.ts";

/** Bits that divide the range from one power of two to the next into steps. */
const STEP_BITS = 5;

export class ByteSpread {
  readonly #counts = new Float64Array(32 << STEP_BITS);
  #count = 0;
  #total = 0;
  #max = 0;

  get total(): number {
    return this.#total;
  }

  add(bytes: number): void {
    const leading = Math.clz32(bytes);
    const step = leading === 31 ? 0 : (bytes << (leading + 1)) >>> (32 - STEP_BITS);
    this.#counts[((31 - leading) << STEP_BITS) | step]!++;
    this.#count++;
    this.#total += bytes;
    if (bytes > this.#max) this.#max = bytes;
  }

  /** Returns the spread, with every length multiplied by `scale`. */
  result(scale: number): Spread {
    const scaled = (bytes: number): number => Math.round(bytes * scale);
    return {
      mean: this.#count === 0 ? 0 : (this.#total / this.#count) * scale,
      p50: scaled(this.#quantile(0.5)),
      p99: scaled(this.#quantile(0.99)),
      max: scaled(this.#max),
    };
  }

  #quantile(share: number): number {
    let below = 0;
    for (let index = 0; index < this.#counts.length; index++) {
      below += this.#counts[index]!;
      if (below < share * this.#count || below === 0) continue;
      const power = 2 ** (index >>> STEP_BITS);
      const within = (index & ((1 << STEP_BITS) - 1)) + 0.5;
      return Math.min(this.#max, power * (1 + within / (1 << STEP_BITS)));
    }
    return 0;
  }
}
