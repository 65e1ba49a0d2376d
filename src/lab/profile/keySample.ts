/**
 * A fair sample of the different hashes, each with its exact count: those that end in so many zero
 * bits. When they become too many, one more bit has to be zero. Whatever is left then was counted
 * from its first time on, because it had belonged to every sample before.
 *
 * A hash is in it or not by its bits alone, not by how often it comes: so the counts in the sample
 * are distributed as the counts of all are.
 */
const ENTRY_COUNT_MAX = 4096;
const SLOT_COUNT: number = ENTRY_COUNT_MAX * 2;
const SHIFT: number = 32 - Math.log2(SLOT_COUNT);

export class KeySample {
  #hashes = new Int32Array(SLOT_COUNT);
  #counts = new Float64Array(SLOT_COUNT);
  #entryCount = 0;
  /** Its bits are zero in every hash of the sample. */
  #mask = 0;

  /** Each of the first `length` once. */
  addAll(hashes: Int32Array, length: number): void {
    let mask = this.#mask;
    for (let at = 0; at < length; at++) {
      if ((hashes[at]! & mask) !== 0) continue;
      this.add(hashes[at]!, 1);
      mask = this.#mask;
    }
  }

  add(hash: number, count: number): void {
    if ((hash & this.#mask) !== 0) return;
    const slot = this.#slotOf(hash);
    if (this.#hashes[slot] === hash) {
      this.#counts[slot]! += count;
      return;
    }
    if (this.#entryCount === ENTRY_COUNT_MAX) {
      this.#shrink();
      this.add(hash, count);
      return;
    }
    this.#hashes[slot] = hash;
    this.#counts[slot] = count;
    this.#entryCount++;
  }

  forEach(action: (hash: number, count: number) => void): void {
    for (let slot = 0; slot < SLOT_COUNT; slot++) {
      const hash = this.#hashes[slot]!;
      if (hash !== 0) action(hash, this.#counts[slot]!);
    }
  }

  #slotOf(hash: number): number {
    const hashes = this.#hashes;
    let slot = Math.imul(hash, 0x9e3779b1) >>> SHIFT;
    while (hashes[slot] !== hash && hashes[slot] !== 0) slot = (slot + 1) & (SLOT_COUNT - 1);
    return slot;
  }

  #shrink(): void {
    const [hashes, counts] = [this.#hashes, this.#counts];
    this.#hashes = new Int32Array(SLOT_COUNT);
    this.#counts = new Float64Array(SLOT_COUNT);
    this.#entryCount = 0;
    // Hashes are spread evenly, so the next bit leaves about half of them.
    this.#mask = (this.#mask << 1) | 1;
    for (let slot = 0; slot < SLOT_COUNT; slot++) {
      if (hashes[slot] !== 0) this.add(hashes[slot]!, counts[slot]!);
    }
  }
}
