/**
 * The counts of all keys that are tracked: the place where nearly all the time goes that is not
 * spent on parsing. A batch of items is counted key by key, so that the counts of one key stay in
 * the processor's cache meanwhile, and nothing is allocated for an item.
 */
import { Buffer } from "node:buffer";
import { assert } from "../../base/assert.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { valueAt } from "../../keys/paths.ts";
import type { KeyComponent } from "../../model/partitionKey.ts";
import { BusiestKeys, type Stretch } from "./busiestKeys.ts";
import { keyFiguresOf } from "./keyProfile.ts";
import { KeyTally } from "./keyTally.ts";
import { BATCH_COUNT_MAX, type PathTree } from "./pathTree.ts";
import type { KeyProfile } from "./profile.ts";
import { STRETCH_KEYS_MAX } from "./stretchCounter.ts";
import { STRETCH_MILLIS } from "./timeline.ts";
import { mixed, NO_VALUE } from "./valueHash.ts";

/** Of a value that is kept; the rest is cut off. */
const UNITS_MAX = 256;

interface CountedKey {
  /** One to three. */
  readonly slots: readonly number[];
  /** Where their hashes are. */
  readonly columns: readonly number[];
  readonly tally: KeyTally;
  presentCount: number;
}

/** Items that were walked one after the other, and what belongs to them. */
export interface Batch {
  readonly items: readonly JsonObject[];
  readonly bytes: Float64Array;
  /** Their times, or not a number. */
  readonly millis: Float64Array;
}

export class KeyCounting {
  readonly #tree: PathTree;
  readonly #keys: CountedKey[] = [];
  /** Of the items of a batch, key after key. */
  readonly #hashes = new Int32Array(BATCH_COUNT_MAX * STRETCH_KEYS_MAX);
  /** Minutes, hours and days. */
  readonly #grains: readonly BusiestKeys[];
  readonly #wanted = new Int32Array(BATCH_COUNT_MAX);
  #itemCount = 0;
  #bytes = 0;

  constructor(tree: PathTree) {
    this.#tree = tree;
    const isNearlyUnique = (): readonly boolean[] =>
      this.#keys.map(({ tally }) => tally.isNearlyUnique);
    const { minute, hour, day } = STRETCH_MILLIS;
    this.#grains = [minute, hour, day].map((millis) => new BusiestKeys(millis, isNearlyUnique));
  }

  get keyCount(): number {
    return this.#keys.length;
  }

  /** Whether this path is counted as a key by itself. */
  isTracked(slot: number): boolean {
    return this.#keys.some(({ slots }) => slots.length === 1 && slots[0] === slot);
  }

  /** Combinations must be tracked from the beginning; a path from the first item that has it. */
  track(slots: readonly number[]): void {
    assert(this.#itemCount === 0 || slots.length === 1, "a combination is tracked too late");
    assert(this.#keys.length < STRETCH_KEYS_MAX, "as many keys as have numbers");
    const tally = new KeyTally();
    if (this.#itemCount > 0) {
      const mean = this.#bytes / this.#itemCount;
      tally.begin(HASH_OF_NONE, this.#itemCount, mean, [undefined]);
    }
    const columns = slots.map((slot) => this.#tree.columnAt(slot));
    this.#keys.push({ slots, columns, tally, presentCount: 0 });
  }

  /** All items of a batch that the tree has walked. */
  count({ items, bytes, millis }: Batch): void {
    const { length } = items;
    const stretches = this.#grains.flatMap((grain) =>
      grain.stretchesOf(millis, length, this.#itemCount),
    );
    this.#keys.forEach((key, at) => {
      const hashes = this.#hashes.subarray(at * BATCH_COUNT_MAX, (at + 1) * BATCH_COUNT_MAX);
      this.#hashKey(key, hashes, length);
      const wantedCount = key.tally.addAll({ hashes, bytes, length }, this.#wanted);
      for (let want = 0; want < wantedCount; want++) {
        const row = this.#wanted[want]!;
        key.tally.keepValues(hashes[row]!, this.#valuesOf(key, items[row]!));
      }
    });
    for (const stretch of stretches) this.#countIn(stretch);
    this.#itemCount += length;
    for (let row = 0; row < length; row++) this.#bytes += bytes[row]!;
  }

  /** `byteScale`: bytes of the items as JSON texts over the bytes that were counted. */
  results(byteScale: number): readonly KeyProfile[] {
    return this.#keys.map(({ slots, tally, presentCount }, at) => ({
      paths: slots.map((slot) => this.#tree.pathOf(slot)),
      presence: presentCount / Math.max(1, this.#itemCount),
      ...keyFiguresOf(tally, byteScale),
      hottestShare: this.#hottestOf(at),
    }));
  }

  #hottestOf(at: number): KeyProfile["hottestShare"] {
    const [minute, hour, day] = this.#grains.map((grain) => grain.shareOf(at));
    if (minute === undefined || hour === undefined || day === undefined) return null;
    return { minute, hour, day };
  }

  #countIn({ counter, keys, rows, rowCount, rowWeight }: Stretch): void {
    for (const key of keys) {
      const column = key * BATCH_COUNT_MAX;
      for (let at = 0; at < rowCount; at++) {
        counter.add(key, this.#hashes[column + rows[at]!]!, rowWeight);
      }
    }
  }

  /** Puts the hashes of a key, one for each item of the batch, into `all`. */
  #hashKey(key: CountedKey, all: Int32Array, length: number): void {
    const { hashes } = this.#tree;
    const [first, second, third] = key.columns;
    let presentCount = 0;
    for (let row = 0; row < length; row++) {
      let hash = hashes[first! + row]!;
      let isPresent = hash !== NO_VALUE;
      if (second === undefined) {
        if (!isPresent) hash = HASH_OF_NONE;
      } else {
        const next = hashes[second + row]!;
        isPresent &&= next !== NO_VALUE;
        hash = mixed(hash, next);
        if (third !== undefined) {
          const last = hashes[third + row]!;
          isPresent &&= last !== NO_VALUE;
          hash = mixed(hash, last);
        }
      }
      if (isPresent) presentCount++;
      all[row] = hash;
    }
    key.presentCount += presentCount;
  }

  #valuesOf({ slots }: CountedKey, item: JsonObject): readonly KeyComponent[] {
    return slots.map((slot) => {
      const value = valueAt(item, this.#tree.stepsOf(slot)) as JsonValue | undefined;
      if (typeof value === "string") return value.length > UNITS_MAX ? cut(value) : value;
      return typeof value === "object" && value !== null ? undefined : (value as KeyComponent);
    });
  }
}

/** What items without a value at the path share. */
const HASH_OF_NONE = 0x6a09e667;

/** A copy: a part of a text would keep the whole of it in memory. */
function cut(text: string): string {
  return `${Buffer.from(text.slice(0, UNITS_MAX - 1), "utf16le").toString("utf16le")}…`;
}
