/**
 * Everything that is counted for one key, which is a path, a combination of paths or an expression:
 * how many items every value of the key has, their bytes, and the heaviest values.
 *
 * While there is room every value is counted, and all figures are exact. When there is none, a fair
 * sample of the values is counted (`keyTable.ts`), beside those that were pinned because they came
 * twice in the survey: every value with a share worth mentioning is pinned. The number of different
 * values is then estimated from a table of bits.
 *
 * What is kept depends on the items, never on the order in which they come.
 */
import type { KeyComponent } from "../../model/partitionKey.ts";
import type { Estimate } from "./estimate.ts";
import { exactly } from "./estimate.ts";
import { KeyTable, pinOf } from "./keyTable.ts";
import { LinearCounter } from "./linearCounter.ts";

/**
 * Number of keys whose values are kept, about: all that have as many items as the lightest of
 * these.
 */
const NAMES_MAX = 2048;
const COUNTS_LOOKED_AT = 4096;
/** A megabyte of bits. */
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
  /** The values of keys with at least this many items are kept. */
  #namedFrom = 1;
  /** Number of keys that have at least `#namedFrom` items. */
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

  /** Number of entries that count towards the shared bound. */
  get entryCount(): number {
    return this.#table.fairCount;
  }

  get isSample(): boolean {
    return this.#bits !== undefined;
  }

  /** Number of different keys. */
  distinct(): Estimate {
    return this.#bits?.estimate() ?? exactly(this.#table.entryCount);
  }

  /**
   * Counts an item. Returns true when `keepValues` is to be called with the values of this key now.
   */
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

  /** Returns undefined where the values were not kept: the key is one of very many similar ones. */
  valuesOf(low: number, high: number): readonly KeyComponent[] | undefined {
    const pin = pinOf(low, high);
    return this.isSample ? this.#pins.get(pin) : this.#names.get(pin)?.values;
  }

  /** Makes the tally count at most about `countMax` different keys from now on. */
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

  /** Raises `#namedFrom` to the least number of items that at most `NAMES_MAX` keys have. */
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

/** The last bits of the high half hold the absence of components, so both halves choose the bit. */
function bitOf(low: number, high: number): number {
  return high ^ Math.imul(low, 0x9e3779b1);
}
