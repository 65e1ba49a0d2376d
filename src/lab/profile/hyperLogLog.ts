/**
 * HyperLogLog: how many different hashes were added, in a few kilobytes however many they are.
 *
 * Every hash has a register, and a rank: how many zeros its remaining bits begin with, and one. A
 * register keeps the highest rank it has seen. How many registers there are of which rank says how
 * many hashes there were: the estimate here is the one of Otmar Ertl ("New cardinality estimation
 * algorithms for HyperLogLog sketches", 2017), which needs no tables of bias for small counts and
 * no correction for large ones. Its standard error is 1.04 / √registers.
 */

const INDEX_BITS = 13;
const REGISTER_COUNT: number = 1 << INDEX_BITS;
const RANK_MAX: number = 32 - INDEX_BITS + 1;

/** One standard error, as a share of the estimate. */
export const HYPER_LOG_LOG_ERROR: number = 1.04 / Math.sqrt(REGISTER_COUNT);

export class HyperLogLog {
  readonly #registers = new Uint8Array(REGISTER_COUNT);
  /** No register is below it, so that lower ranks need not be looked at. */
  #floor = 0;
  /** How many registers are at the floor. */
  #atFloor = REGISTER_COUNT;

  /** The first `length` of them. */
  addAll(hashes: Int32Array, length: number): void {
    const registers = this.#registers;
    let floor = this.#floor;
    for (let at = 0; at < length; at++) {
      const hash = hashes[at]!;
      // The bit behind the last keeps the rank of all zeros in bounds.
      const rank = Math.clz32((hash << INDEX_BITS) | (1 << (INDEX_BITS - 1))) + 1;
      if (rank <= floor) continue;
      const index = hash >>> (32 - INDEX_BITS);
      const known = registers[index]!;
      if (rank <= known) continue;
      registers[index] = rank;
      if (known === floor && --this.#atFloor === 0) {
        this.#raiseFloor();
        floor = this.#floor;
      }
    }
  }

  estimate(): number {
    const counts = new Float64Array(RANK_MAX + 1);
    for (const rank of this.#registers) counts[rank]!++;
    let sum = REGISTER_COUNT * tau(1 - counts[RANK_MAX]! / REGISTER_COUNT);
    for (let rank = RANK_MAX - 1; rank >= 1; rank--) sum = 0.5 * (sum + counts[rank]!);
    sum += REGISTER_COUNT * sigma(counts[0]! / REGISTER_COUNT);
    return REGISTER_COUNT ** 2 / (2 * Math.LN2 * sum);
  }

  #raiseFloor(): void {
    while (this.#atFloor === 0 && this.#floor < RANK_MAX) {
      this.#floor++;
      for (const rank of this.#registers) if (rank === this.#floor) this.#atFloor++;
    }
  }
}

/** What empty registers count for: x + Σ x^(2^k) · 2^(k-1). */
function sigma(x: number): number {
  if (x === 1) return Number.POSITIVE_INFINITY;
  let power = x;
  let weight = 1;
  let sum = x;
  for (let before = -1; sum !== before; weight *= 2) {
    before = sum;
    power *= power;
    sum += power * weight;
  }
  return sum;
}

/** What full registers count for: (1 - x - Σ (1 - x^(2^-k))² · 2^-k) / 3. */
function tau(x: number): number {
  if (x === 0 || x === 1) return 0;
  let root = x;
  let weight = 1;
  let sum = 1 - x;
  for (let before = -1; sum !== before; ) {
    before = sum;
    root = Math.sqrt(root);
    weight *= 0.5;
    sum -= (1 - root) ** 2 * weight;
  }
  return sum / 3;
}
