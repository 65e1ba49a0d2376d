/**
 * The share of the busiest key within a stretch of time (a minute, an hour, a day), for every key:
 * of all items that come in one stretch, how many go to one place.
 *
 * All stretches are counted while items are few, later some of them: which ones is decided by a
 * hash of the stretch, so the order of items does not matter, and one that is picked stands for as
 * many as one in so many is picked. Of a stretch with very many items the first thousands are
 * counted, then one in sixteen. Every stretch counts by its items.
 */
import { BATCH_COUNT_MAX } from "./pathTree.ts";
import { StretchCounter } from "./stretchCounter.ts";

/** So many items are counted, and this share of those that follow. */
const ITEMS_COUNTED = 20_000;
const ITEMS_COUNTED_SHARE = 0.03;
/** And so many stretches, if they have fewer items. */
const STRETCHES_COUNTED = 300;
const STRETCHES_COUNTED_SHARE = 0.0003;
/** Stretches that are counted at the same time. */
const OPEN_COUNT_MAX = 32;
/** A stretch that waits for its next item so many times longer than it used to is over. */
const OVER_AFTER_GAPS = 20;
/** Of a stretch with more items than this, only some of the others are counted. */
const ITEMS_IN_FULL = 2048;
const ONE_IN_SO_MANY = 16;

export interface Stretch {
  readonly counter: StretchCounter;
  /** The keys that are counted: not those of which nearly every item has its own. */
  readonly keys: readonly number[];
  /** How many keys there were when it began. */
  readonly keyCount: number;
  /** The items of the batch that are to be counted in it, by their places, and how many. */
  readonly rows: Int32Array;
  rowCount: number;
  /** As so many items each of them counts. */
  rowWeight: number;
  itemCount: number;
  /** Of which were counted, or stand for others that were not. */
  countedItems: number;
  /** The batch of its first item, by the order of that batch's first. */
  readonly firstAt: number;
  /** The batch of its last item, likewise. */
  lastAt: number;
  /** It stands for so many stretches. */
  weight: number;
}

export class BusiestKeys {
  readonly #millis: number;
  readonly #isNearlyUnique: () => readonly boolean[];
  readonly #open = new Map<number, Stretch>();
  /** One in so many stretches is picked. */
  #oneIn = 1;
  #countedCount = 0;
  #stretchCount = 0;
  #current = Number.NaN;
  #currentStretch: Stretch | undefined;
  /** In the present batch. */
  readonly #met: Stretch[] = [];
  readonly #tops: number[] = [];
  readonly #items: number[] = [];

  /** `isNearlyUnique` tells of every key whether it is, whenever a stretch begins. */
  constructor(millis: number, isNearlyUnique: () => readonly boolean[]) {
    this.#millis = millis;
    this.#isNearlyUnique = isNearlyUnique;
  }

  /** The stretches in which items of a batch are to be counted. `order`: of the first of them. */
  stretchesOf(millis: Float64Array, length: number, order: number): readonly Stretch[] {
    this.#met.length = 0;
    for (let row = 0; row < length; row++) {
      if (!Number.isNaN(millis[row]))
        this.#place(Math.floor(millis[row]! / this.#millis), row, order);
    }
    return this.#met;
  }

  #place(number: number, row: number, order: number): void {
    if (number !== this.#current) {
      this.#current = number;
      this.#currentStretch = this.#open.get(number) ?? this.#beginning(number, order);
    }
    const stretch = this.#currentStretch;
    if (stretch === undefined) return;
    if (stretch.lastAt !== order) {
      stretch.lastAt = order;
      stretch.rowCount = 0;
      stretch.rowWeight = stretch.itemCount < ITEMS_IN_FULL ? 1 : ONE_IN_SO_MANY;
      this.#met.push(stretch);
    }
    stretch.itemCount++;
    if (stretch.itemCount % stretch.rowWeight !== 0) return;
    stretch.rows[stretch.rowCount++] = row;
    stretch.countedItems += stretch.rowWeight;
    this.#countedCount++;
  }

  /** For one key, over all stretches; undefined when there was none. */
  shareOf(key: number): number | undefined {
    for (const number of this.#open.keys()) this.#close(number);
    const items = this.#items[key];
    return items === undefined ? undefined : this.#tops[key]! / items;
  }

  #beginning(number: number, order: number): Stretch | undefined {
    const isEnough =
      this.#countedCount > ITEMS_COUNTED + ITEMS_COUNTED_SHARE * order ||
      this.#stretchCount > STRETCHES_COUNTED + STRETCHES_COUNTED_SHARE * order;
    if (isEnough) this.#oneIn *= 1.5;
    if (!this.#isPicked(number)) return undefined;
    if (this.#open.size === OPEN_COUNT_MAX) this.#makeRoom(order);
    if (this.#open.size === OPEN_COUNT_MAX || !this.#isPicked(number)) return undefined;
    const isNearlyUnique = this.#isNearlyUnique();
    const stretch: Stretch = {
      counter: new StretchCounter(),
      keys: isNearlyUnique.flatMap((isSo, key) => (isSo ? [] : [key])),
      keyCount: isNearlyUnique.length,
      rows: new Int32Array(BATCH_COUNT_MAX),
      rowCount: 0,
      rowWeight: 1,
      itemCount: 0,
      countedItems: 0,
      firstAt: order,
      lastAt: -1,
      weight: this.#oneIn,
    };
    this.#open.set(number, stretch);
    this.#stretchCount++;
    return stretch;
  }

  #isPicked(number: number): boolean {
    let hash = Math.imul(number ^ (number >>> 15), 0x2c1b3c6d);
    hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
    return ((hash ^ (hash >>> 15)) >>> 0) * this.#oneIn < 0x100000000;
  }

  /** Closes what is over. If nothing is, items come in no order: half of the picks are dropped. */
  #makeRoom(order: number): void {
    for (const [number, { firstAt, lastAt, itemCount }] of this.#open) {
      const gap = (lastAt + BATCH_COUNT_MAX - firstAt) / Math.max(1, itemCount);
      const isOver = order - lastAt > BATCH_COUNT_MAX + OVER_AFTER_GAPS * gap;
      if (isOver) this.#close(number);
    }
    while (this.#open.size === OPEN_COUNT_MAX) {
      this.#oneIn *= 2;
      for (const [number, stretch] of this.#open) {
        if (this.#isPicked(number)) stretch.weight = this.#oneIn;
        else this.#open.delete(number);
      }
    }
  }

  #close(number: number): void {
    const { counter, keyCount, countedItems, weight } = this.#open.get(number)!;
    this.#open.delete(number);
    if (this.#current === number) this.#currentStretch = undefined;
    counter.tops(keyCount).forEach((top, key) => {
      this.#tops[key] = (this.#tops[key] ?? 0) + top * weight;
      this.#items[key] = (this.#items[key] ?? 0) + countedItems * weight;
    });
  }
}
