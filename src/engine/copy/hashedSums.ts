/**
 * Numbers by 53-bit hash, in sixteen bytes for each: what a look at millions of items can hold in
 * memory. Different texts may share a hash, about once in ten thousand times of a million texts.
 */
import { createHash } from "node:crypto";

const FIRST_CAPACITY = 1024;
const LOAD_MAX = 0.6;

export class HashedSums {
  #hashes = new Float64Array(FIRST_CAPACITY);
  #sums = new Float64Array(FIRST_CAPACITY);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The number under the hash; `undefined` if there is none. */
  get(hash: number): number | undefined {
    const at = this.#placeOf(hash);
    return this.#hashes[at] === 0 ? undefined : this.#sums[at];
  }

  /** Adds to the number under the hash, and returns what it is then. */
  add(hash: number, amount: number): number {
    if (this.#count + 1 > this.#hashes.length * LOAD_MAX) this.#grow();
    const at = this.#placeOf(hash);
    if (this.#hashes[at] === 0) {
      this.#hashes[at] = hash;
      this.#count++;
    }
    this.#sums[at]! += amount;
    return this.#sums[at]!;
  }

  #placeOf(hash: number): number {
    const mask = this.#hashes.length - 1;
    let at = hash % this.#hashes.length;
    while (this.#hashes[at] !== 0 && this.#hashes[at] !== hash) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const [hashes, sums] = [this.#hashes, this.#sums];
    this.#hashes = new Float64Array(hashes.length * 2);
    this.#sums = new Float64Array(hashes.length * 2);
    for (const [index, hash] of hashes.entries()) {
      if (hash === 0) continue;
      const at = this.#placeOf(hash);
      this.#hashes[at] = hash;
      this.#sums[at] = sums[index]!;
    }
  }
}

/** From 1 to 2^53 - 1. */
export function hashOf(text: string): number {
  const digest = createHash("sha1").update(text).digest();
  return digest.readUInt32LE(0) * 2 ** 21 + (digest.readUInt32LE(4) % 2 ** 21) || 1;
}
