/**
 * Counts of hashes: how often each came, and the bytes of its items. The table grows; when there
 * are too many hashes, it keeps a fair sample: the hashes that end in a number of zero bits. Each
 * has its exact count, because it belonged to all larger samples before.
 *
 * Which hashes are kept depends on the hashes and on how many are allowed, never on the order in
 * which they come. _Pinned_ hashes are kept whatever their bits are.
 */
import { assert } from "../../base/assert.ts";

const SLOT_COUNT_MIN = 64;
/** Share of slots in use above which the table grows. */
const LOAD_MAX = 0.8;

export class KeyTable {
  #lows = new Int32Array(SLOT_COUNT_MIN);
  #highs = new Int32Array(SLOT_COUNT_MIN);
  #counts = new Uint32Array(SLOT_COUNT_MIN);
  #bytes = new Float64Array(SLOT_COUNT_MIN);
  #shift = 32 - Math.log2(SLOT_COUNT_MIN);
  #entryCount = 0;
  /** Number of entries that belong to the sample by their bits. */
  #fairCount = 0;
  /** The bits of this mask are zero in the low half of every hash of the sample. */
  #mask = 0;
  readonly #pinned: ReadonlySet<number>;

  /** `pinned` holds hashes as `pinOf` writes them. */
  constructor(pinned: ReadonlySet<number> = new Set()) {
    this.#pinned = pinned;
  }

  get entryCount(): number {
    return this.#entryCount;
  }

  get fairCount(): number {
    return this.#fairCount;
  }

  /** True when some hashes were left out. */
  get isSample(): boolean {
    return this.#mask !== 0;
  }

  /** Counts one item. Returns the count of its hash so far, or 0 when the hash is left out. */
  add(low: number, high: number, bytes: number): number {
    let slot = this.#slotOf(low, high);
    if (this.#counts[slot] === 0) {
      const isFair = (low & this.#mask) === 0;
      if (!isFair && !this.#pinned.has(pinOf(low, high))) return 0;
      if (this.#entryCount >= LOAD_MAX * this.#lows.length) {
        this.#rebuild(this.#lows.length * 2);
        slot = this.#slotOf(low, high);
      }
      this.#lows[slot] = low;
      this.#highs[slot] = high;
      this.#entryCount++;
      if (isFair) this.#fairCount++;
    }
    this.#bytes[slot]! += bytes;
    return ++this.#counts[slot]!;
  }

  countOf(low: number, high: number): number {
    return this.#counts[this.#slotOf(low, high)]!;
  }

  /** Leaves out every other hash until at most `countMax` are left. */
  thin(countMax: number): void {
    assert(countMax > 0, "a sample of none is none");
    while (this.#fairCount > countMax) {
      this.#mask = (this.#mask << 1) | 1;
      this.#fairCount = this.#countFair();
    }
    let slotCount = SLOT_COUNT_MIN;
    while (this.#fairCount + this.#pinned.size > LOAD_MAX * slotCount) slotCount *= 2;
    this.#rebuild(Math.min(slotCount * 2, this.#lows.length));
  }

  forEach(
    action: (entry: {
      readonly low: number;
      readonly high: number;
      readonly count: number;
      readonly bytes: number;
      readonly isPinned: boolean;
    }) => void,
  ): void {
    for (let slot = 0; slot < this.#lows.length; slot++) {
      const count = this.#counts[slot]!;
      if (count === 0) continue;
      const low = this.#lows[slot]!;
      const high = this.#highs[slot]!;
      const isPinned = this.isSample && this.#pinned.has(pinOf(low, high));
      action({ low, high, count, bytes: this.#bytes[slot]!, isPinned });
    }
  }

  /**
   * For each count from `first` on: how many hashes have that count or more. The last element also
   * covers all higher counts.
   */
  countsFrom(first: number, length: number): Uint32Array {
    const histogram = new Uint32Array(length);
    for (const count of this.#counts) {
      if (count >= first) histogram[Math.min(count - first, length - 1)]!++;
    }
    for (let at = length - 2; at >= 0; at--) histogram[at]! += histogram[at + 1]!;
    return histogram;
  }

  #countFair(): number {
    let count = 0;
    for (let slot = 0; slot < this.#lows.length; slot++) {
      if (this.#counts[slot] !== 0 && (this.#lows[slot]! & this.#mask) === 0) count++;
    }
    return count;
  }

  /** Returns the slot of a hash, or the free slot where it belongs. */
  #slotOf(low: number, high: number): number {
    const last = this.#lows.length - 1;
    // The high half chooses the slot, because in a sample the low halves have bits in common.
    let slot = Math.imul(high, 0x9e3779b1) >>> this.#shift;
    while (this.#counts[slot] !== 0 && (this.#lows[slot] !== low || this.#highs[slot] !== high)) {
      slot = (slot + 1) & last;
    }
    return slot;
  }

  #rebuild(slotCount: number): void {
    const [lows, highs, counts, bytes] = [this.#lows, this.#highs, this.#counts, this.#bytes];
    this.#lows = new Int32Array(slotCount);
    this.#highs = new Int32Array(slotCount);
    this.#counts = new Uint32Array(slotCount);
    this.#bytes = new Float64Array(slotCount);
    this.#shift = 32 - Math.log2(slotCount);
    this.#entryCount = 0;
    for (let from = 0; from < lows.length; from++) {
      if (counts[from] === 0) continue;
      const low = lows[from]!;
      const high = highs[from]!;
      const isKept = (low & this.#mask) === 0 || this.#pinned.has(pinOf(low, high));
      if (!isKept) continue;
      const slot = this.#slotOf(low, high);
      this.#lows[slot] = low;
      this.#highs[slot] = high;
      this.#counts[slot] = counts[from]!;
      this.#bytes[slot] = bytes[from]!;
      this.#entryCount++;
    }
  }
}

/** 53 bits of a hash as one number. */
export function pinOf(low: number, high: number): number {
  return (high >>> 11) * 0x100000000 + (low >>> 0);
}
