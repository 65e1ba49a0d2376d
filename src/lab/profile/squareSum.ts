/**
 * Σ count² over all different hashes, which says how concentrated items are on few keys: the sketch
 * of Alon, Matias and Szegedy, with one of many sums for each hash.
 *
 * Every hash adds its count to one sum, or takes it off, by one of its bits: what different hashes
 * do to a sum cancels out on average when it is squared, what one hash does remains. Hashes that
 * are known can be taken out again, and the rest is as if they had never come. The standard error
 * is √(2 / sums) of the rest.
 */
const SUM_BITS = 10;
const SUM_COUNT: number = 1 << SUM_BITS;

export const SQUARE_SUM_ERROR: number = Math.sqrt(2 / SUM_COUNT);

export class SquareSum {
  readonly #sums = new Int32Array(SUM_COUNT);

  /** Each of the first `length` once. */
  addAll(hashes: Int32Array, length: number): void {
    const sums = this.#sums;
    for (let at = 0; at < length; at++) {
      const hash = hashes[at]!;
      const mixed = Math.imul(hash ^ (hash >>> 15), 0x735a2d97);
      sums[mixed >>> (32 - SUM_BITS)]! += 1 - ((mixed >>> 9) & 2);
    }
  }

  add(hash: number, count: number): void {
    const mixed = Math.imul(hash ^ (hash >>> 15), 0x735a2d97);
    this.#sums[mixed >>> (32 - SUM_BITS)]! += count * (1 - ((mixed >>> 9) & 2));
  }

  estimate(): number {
    let squares = 0;
    for (const sum of this.#sums) squares += sum * sum;
    return squares;
  }

  /** No hash has come more often than this, but for an error that is one in thousands. */
  rootMax(): number {
    return Math.ceil(Math.sqrt(this.estimate() * (1 + 4 * SQUARE_SUM_ERROR)));
  }

  /** As it would be without these. */
  without(known: readonly { readonly hash: number; readonly count: number }[]): SquareSum {
    const rest = new SquareSum();
    rest.#sums.set(this.#sums);
    for (const { hash, count } of known) rest.add(hash, -count);
    return rest;
  }
}
