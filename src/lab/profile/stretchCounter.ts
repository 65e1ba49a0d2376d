/**
 * Counts for all keys together within one stretch of time, of which only the highest for each key
 * is asked for in the end. It is one small table that grows, because stretches come and go.
 *
 * When there are too many, the lightest are given up: a count may then be too low, never too high.
 */
const SLOT_COUNT_MIN = 256;
const ENTRY_COUNT_MAX = 4096;
const PROBE_COUNT = 127;
/** Bits of an entry that say which key it belongs to; the others are of its hash. */
const KEY_BITS = 7;
const KEY_MASK: number = (1 << KEY_BITS) - 1;

/** As many keys as an entry can tell apart. */
export const STRETCH_KEYS_MAX: number = 1 << KEY_BITS;

export class StretchCounter {
  /** An entry and its count side by side, for every slot; 0 where it is free. */
  #table = new Int32Array(SLOT_COUNT_MIN * 2);
  #shift = 32 - Math.log2(SLOT_COUNT_MIN);
  #entryCount = 0;

  add(key: number, hash: number, count: number): void {
    // No entry is 0: the rest of the hash would have to be, and one in millions is no loss.
    const entry = (hash & ~KEY_MASK) | key;
    if (entry === 0) return;
    const table = this.#table;
    const last = table.length - 1;
    let place = (Math.imul(entry, 0x9e3779b1) >>> this.#shift) << 1;
    let known = table[place]!;
    while (known !== entry && known !== 0) {
      place = (place + 2) & last;
      known = table[place]!;
    }
    if (known === entry) table[place + 1]! += count;
    else this.#insert(entry, place, count);
  }

  /** The highest count of each key, by key; 1 where there is none. */
  tops(keyCount: number): Float64Array {
    const tops = new Float64Array(keyCount).fill(1);
    for (let place = 0; place < this.#table.length; place += 2) {
      const key = this.#table[place]! & KEY_MASK;
      if (this.#table[place] !== 0) tops[key] = Math.max(tops[key]!, this.#table[place + 1]!);
    }
    return tops;
  }

  #insert(entry: number, place: number, count: number): void {
    this.#table[place] = entry;
    this.#table[place + 1] = count;
    this.#entryCount++;
    if (this.#entryCount === ENTRY_COUNT_MAX)
      this.#rebuild(this.#table.length / 2, this.#lightCount());
    else if (this.#entryCount * 4 > this.#table.length) this.#rebuild(this.#table.length, 0);
  }

  /** About three in four counts are no higher, going by some of them. */
  #lightCount(): number {
    const probes = new Int32Array(PROBE_COUNT);
    for (let place = 0, found = 0; found < PROBE_COUNT; place += 2) {
      if (this.#table[place] !== 0) probes[found++] = this.#table[place + 1]!;
    }
    return probes.sort()[Math.floor(PROBE_COUNT * 0.75)]!;
  }

  /** Without what has no more than `countMin`. */
  #rebuild(slotCount: number, countMin: number): void {
    const before = this.#table;
    this.#table = new Int32Array(slotCount * 2);
    this.#shift = 32 - Math.log2(slotCount);
    this.#entryCount = 0;
    const last = this.#table.length - 1;
    for (let from = 0; from < before.length; from += 2) {
      if (before[from] === 0 || before[from + 1]! <= countMin) continue;
      let place = (Math.imul(before[from]!, 0x9e3779b1) >>> this.#shift) << 1;
      while (this.#table[place] !== 0) place = (place + 2) & last;
      this.#table[place] = before[from]!;
      this.#table[place + 1] = before[from + 1]!;
      this.#entryCount++;
    }
  }
}
