/** How many different hashes were added: exactly while they are few, then by a sketch. */
import { type Estimate, exactly, within } from "../estimate.ts";
import { HYPER_LOG_LOG_ERROR, HyperLogLog } from "./hyperLogLog.ts";

const EXACT_COUNT_MAX = 512;
const SLOT_COUNT: number = EXACT_COUNT_MAX * 2;
const SHIFT: number = 32 - Math.log2(SLOT_COUNT);

/** Standard errors in 95 %. */
const CONFIDENCE = 1.96;

export class DistinctCounter {
  #hashes: Int32Array | undefined = new Int32Array(SLOT_COUNT);
  #count = 0;
  #sketch: HyperLogLog | undefined;

  /** The first `length` of them. */
  addAll(hashes: Int32Array, length: number): void {
    for (let at = 0; at < length; at++) {
      if (this.#sketch !== undefined) {
        this.#sketch.addAll(at === 0 ? hashes : hashes.subarray(at), length - at);
        return;
      }
      this.#addExactly(hashes[at]!);
    }
  }

  #addExactly(hash: number): void {
    const hashes = this.#hashes!;
    let slot = Math.imul(hash, 0x9e3779b1) >>> SHIFT;
    while (hashes[slot] !== 0) {
      if (hashes[slot] === hash) return;
      slot = (slot + 1) & (SLOT_COUNT - 1);
    }
    hashes[slot] = hash;
    if (++this.#count > EXACT_COUNT_MAX) this.#beginSketch(hashes);
  }

  estimate(): Estimate {
    if (this.#sketch === undefined) return exactly(this.#count);
    return within(Math.round(this.#sketch.estimate()), CONFIDENCE * HYPER_LOG_LOG_ERROR);
  }

  #beginSketch(hashes: Int32Array): void {
    this.#sketch = new HyperLogLog();
    const known = hashes.filter((hash) => hash !== 0);
    this.#sketch.addAll(known, known.length);
    this.#hashes = undefined;
  }
}
