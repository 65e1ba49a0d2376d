/**
 * Counts how many different hashes were added: exactly while they are few, then by a table of bits.
 */
import { type Estimate, exactly } from "./estimate.ts";
import { pinOf } from "./keyTable.ts";
import { LinearCounter } from "./linearCounter.ts";

const EXACT_COUNT_MAX = 4096;
/** 128 kB of bits: up to eight million hashes are counted to within 1 %. */
const BIT_EXPONENT = 20;

export class DistinctCounter {
  #exact: Set<number> | undefined = new Set();
  #bits: LinearCounter | undefined;

  add(low: number, high: number): void {
    if (this.#exact === undefined) {
      this.#bits!.add(high);
      return;
    }
    this.#exact.add(pinOf(low, high));
    if (this.#exact.size > EXACT_COUNT_MAX) this.#beginBits(this.#exact);
  }

  estimate(): Estimate {
    return this.#exact === undefined ? this.#bits!.estimate() : exactly(this.#exact.size);
  }

  #beginBits(known: ReadonlySet<number>): void {
    this.#bits = new LinearCounter(BIT_EXPONENT);
    for (const pin of known) this.#bits.add(highOf(pin));
    this.#exact = undefined;
  }
}

/** The upper bits of the high half, which choose the bit in the table. */
function highOf(pin: number): number {
  return Math.floor(pin / 0x100000000) << 11;
}
