/**
 * All that is counted for one key, that is for one path, a combination of paths or an expression:
 * how many items every key has, their bytes, and the values of the heaviest.
 *
 * Every key is counted while there is room, and all of it is exact. When there is none, a fair
 * sample of the keys is (`keyTable.ts`), beside those that were pinned because they came twice in
 * the survey: whatever has a share worth speaking of is among those. How many there are is then
 * known from a table of bits.
 *
 * Whatever is kept depends on what came, never on the order in which it came.
 */
import type { KeyComponent } from "../../model/partitionKey.ts";
import type { Estimate } from "./estimate.ts";
import { exactly } from "./estimate.ts";
import { KeyTable, pinOf } from "./keyTable.ts";
import { LinearCounter } from "./linearCounter.ts";

/** Keys whose values are kept: all that have as many items as the lightest of so many. */
const NAMES_MAX = 2048;
const COUNTS_LOOKED_AT = 4096;
/** A megabyte. */
const BIT_EXPONENT = 23;

export type Pins = ReadonlyMap<number, readonly KeyComponent[]>;

export class KeyTally {
  readonly #table: KeyTable;
  readonly #pins: Pins;
  #bits: LinearCounter | undefined;
  #itemCount = 0;
  readonly #names = new Map<
    number,
    { readonly low: number; readonly high: number; readonly values: readonly KeyComponent[] }
  >();
  /** Keys with so many items have their values kept. */
  #namedFrom = 1;
  /** How many keys have that many. */
  #namedCount = 0;

  constructor(pins: Pins = new Map()) {
    this.#pins = pins;
    this.#table = new KeyTable(new Set(pins.keys()));
  }

  get itemCount(): number {
    return this.#itemCount;
  }

  get table(): KeyTable {
    return this.#table;
  }

  /** Entries that count against the room there is. */
  get entryCount(): number {
    return this.#table.fairCount;
  }

  get isSample(): boolean {
    return this.#bits !== undefined;
  }

  /** Different keys. */
  distinct(): Estimate {
    return this.#bits?.estimate() ?? exactly(this.#table.entryCount);
  }

  /** Returns whether `keepValues` is to be called with the values of this key now. */
  add(low: number, high: number, bytes: number): boolean {
    this.#itemCount++;
    const count = this.#table.add(low, high, bytes);
    if (this.#bits !== undefined) {
      this.#bits.add(bitOf(low, high));
      return false;
    }
    return count === this.#namedFrom;
  }

  keepValues(low: number, high: number, values: readonly KeyComponent[]): void {
    this.#names.set(pinOf(low, high), { low, high, values });
    if (++this.#namedCount > NAMES_MAX) this.#nameFewer();
  }

  /** Undefined where they were not kept: it is one of very many that are alike. */
  valuesOf(low: number, high: number): readonly KeyComponent[] | undefined {
    const pin = pinOf(low, high);
    return this.isSample ? this.#pins.get(pin) : this.#names.get(pin)?.values;
  }

  /** Counts no more than about so many different keys from now on. */
  thin(countMax: number): void {
    if (this.#table.fairCount <= countMax) return;
    if (this.#bits === undefined) {
      this.#bits = new LinearCounter(BIT_EXPONENT);
      const bits = this.#bits;
      this.#table.forEach(({ low, high }) => {
        bits.add(bitOf(low, high));
      });
      this.#names.clear();
    }
    this.#table.thin(countMax);
  }

  /** The least number of items that no more than `NAMES_MAX` keys have. */
  #nameFewer(): void {
    let counts = this.#table.countsFrom(this.#namedFrom, COUNTS_LOOKED_AT);
    let at = counts.findIndex((count) => count <= NAMES_MAX);
    while (at < 0) {
      this.#namedFrom += COUNTS_LOOKED_AT - 1;
      counts = this.#table.countsFrom(this.#namedFrom, COUNTS_LOOKED_AT);
      at = counts.findIndex((count) => count <= NAMES_MAX);
    }
    this.#namedFrom += at;
    this.#namedCount = counts[at]!;
    for (const [pin, { low, high }] of this.#names) {
      if (this.#table.countOf(low, high) < this.#namedFrom) this.#names.delete(pin);
    }
  }
}

/** The last bits of the high half are no part of the hash: both halves have to say which bit. */
function bitOf(low: number, high: number): number {
  return high ^ Math.imul(low, 0x9e3779b1);
}
