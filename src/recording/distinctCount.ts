/**
 * Estimates how many different values there were, in two thousand bytes however many there are: a
 * HyperLogLog. Its standard error is 2.3 percent; below a few thousand values it is smaller.
 */
const INDEX_BITS = 11;
const REGISTER_COUNT = 2 ** INDEX_BITS;
/** The constant of this estimator: 0.7213 / (1 + 1.079 / m). */
const ALPHA = 0.7213 / (1 + 1.079 / REGISTER_COUNT);

export const DISTINCT_ERROR: number = 1.04 / Math.sqrt(REGISTER_COUNT);

export class DistinctCount {
  readonly #registers = new Uint8Array(REGISTER_COUNT);

  /** Adds a value by its hash of 53 bits. */
  add(hash: number): void {
    const low = hash >>> 0;
    const index = low & (REGISTER_COUNT - 1);
    // The rank is taken from the other bits: those above the index, then those above 2^32.
    const rank = Math.clz32((low & ~(REGISTER_COUNT - 1)) | 0);
    const isBeyond = rank >= 32 - INDEX_BITS;
    const high = Math.floor(hash / 2 ** 32);
    const zeros = isBeyond ? 32 - INDEX_BITS + Math.clz32(high) - 11 : rank;
    if (zeros + 1 > this.#registers[index]!) this.#registers[index] = zeros + 1;
  }

  get count(): number {
    let sum = 0;
    let emptyCount = 0;
    for (const register of this.#registers) {
      sum += 2 ** -register;
      if (register === 0) emptyCount += 1;
    }
    const estimate = (ALPHA * REGISTER_COUNT ** 2) / sum;
    // While registers are empty, their number gives the better estimate.
    const isSmall = estimate <= 2.5 * REGISTER_COUNT && emptyCount > 0;
    return Math.round(isSmall ? REGISTER_COUNT * Math.log(REGISTER_COUNT / emptyCount) : estimate);
  }
}
