/**
 * Counts of every hash that came, up to a number of different ones: a table that grows. Whoever
 * adds looks that there is room.
 */
import { assert } from "../../base/assert.ts";
import type { KeyComponent } from "../../model/partitionKey.ts";
import { type Added, type HeavyCount, MEASURED_ONE_IN } from "./heavyCount.ts";
import { BATCH_COUNT_MAX } from "./pathTree.ts";

/** Different hashes that are counted. One batch of items less than that is what there may be. */
const EXACT_COUNT_MAX: number = 2048 + BATCH_COUNT_MAX;
const SLOT_COUNT_MIN = 64;

export class ExactCounts {
  /** A hash and its count side by side, for every slot; hash 0 where it is free. */
  #table = new Int32Array(SLOT_COUNT_MIN * 2);
  #shift = 32 - Math.log2(SLOT_COUNT_MIN);
  #entryCount = 0;
  #bytes = new Float64Array(SLOT_COUNT_MIN);
  #measured = new Int32Array(SLOT_COUNT_MIN);
  #values: (readonly KeyComponent[] | undefined)[] = new Array(SLOT_COUNT_MIN).fill(undefined);

  get entryCount(): number {
    return this.#entryCount;
  }

  /** Whether all of them can be new. */
  hasRoomFor(count: number): boolean {
    return this.#entryCount + count <= EXACT_COUNT_MAX;
  }

  /**
   * Adds each of them once. Puts the places of those for which `keepValues` is to be called now
   * into `wanted`, and returns how many.
   */
  addAll(added: Added, wanted: Int32Array): number {
    const { hashes, bytes, length } = added;
    let table = this.#table;
    let shift = this.#shift;
    let last = table.length - 1;
    let wantedCount = 0;
    for (let at = 0; at < length; at++) {
      const hash = hashes[at]!;
      let place = (Math.imul(hash, 0x9e3779b1) >>> shift) << 1;
      let known = table[place]!;
      while (known !== hash && known !== 0) {
        place = (place + 2) & last;
        known = table[place]!;
      }
      if (known === hash) {
        table[place + 1]!++;
        if (at % MEASURED_ONE_IN === 0) this.#measure(place >> 1, bytes[at]!);
      } else {
        this.insert(hash, 1, bytes[at]!);
        wanted[wantedCount++] = at;
        table = this.#table;
        shift = this.#shift;
        last = table.length - 1;
      }
    }
    return wantedCount;
  }

  /** A hash that is not here yet. `bytes`: the mean of its items. */
  insert(hash: number, count: number, bytes: number): void {
    assert(this.#entryCount < EXACT_COUNT_MAX, "there is room for one more");
    if (this.#entryCount * 4 >= this.#table.length) this.#grow();
    const slot = this.#slotOf(hash);
    this.#table[slot * 2] = hash;
    this.#table[slot * 2 + 1] = count;
    this.#bytes[slot] = bytes;
    this.#measured[slot] = 1;
    this.#entryCount++;
  }

  /** What a hash stands for that is here. */
  keepValues(hash: number, values: readonly KeyComponent[]): void {
    this.#values[this.#slotOf(hash)] = values;
  }

  /** In no particular order. */
  counts(): readonly HeavyCount[] {
    const found: HeavyCount[] = [];
    for (let slot = 0; slot * 2 < this.#table.length; slot++) {
      const hash = this.#table[slot * 2]!;
      if (hash === 0) continue;
      const count = this.#table[slot * 2 + 1]!;
      const bytesMean = this.#bytes[slot]! / this.#measured[slot]!;
      found.push({ hash, count, error: 0, bytesMean, values: this.#values[slot] });
    }
    return found;
  }

  #measure(slot: number, bytes: number): void {
    this.#bytes[slot]! += bytes;
    this.#measured[slot]!++;
  }

  /** Where the hash is, or the free slot where it would be. */
  #slotOf(hash: number): number {
    const table = this.#table;
    const last = table.length - 1;
    let place = (Math.imul(hash, 0x9e3779b1) >>> this.#shift) << 1;
    while (table[place] !== hash && table[place] !== 0) place = (place + 2) & last;
    return place >> 1;
  }

  #grow(): void {
    const [table, bytes, measured, values] = [
      this.#table,
      this.#bytes,
      this.#measured,
      this.#values,
    ];
    this.#table = new Int32Array(table.length * 2);
    this.#shift--;
    this.#bytes = new Float64Array(table.length);
    this.#measured = new Int32Array(table.length);
    this.#values = new Array(table.length).fill(undefined);
    for (let from = 0; from < bytes.length; from++) {
      if (table[from * 2] === 0) continue;
      const slot = this.#slotOf(table[from * 2]!);
      this.#table[slot * 2] = table[from * 2]!;
      this.#table[slot * 2 + 1] = table[from * 2 + 1]!;
      this.#bytes[slot] = bytes[from]!;
      this.#measured[slot] = measured[from]!;
      this.#values[slot] = values[from];
    }
  }
}
