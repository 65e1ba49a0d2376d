/**
 * The share of the busiest value of every key within a stretch of time (a minute, an hour, a day):
 * of all items that come in one stretch, how many go to one place.
 *
 * All items are counted while they are few. Of more items, only some stretches are counted, picked
 * by a hash of the stretch; and where a stretch has very many items, only some of its items, picked
 * by content. Both shares are fixed beforehand, so the order of items does not matter. Every
 * stretch counts by its items.
 */
import { mixedHigh, mixedLow } from "./valueHash.ts";

/** Number of items that are counted, about. */
const ITEMS_COUNTED = 8192;
/** Number of stretches that are counted at least, if there are as many. */
const STRETCHES_COUNTED = 48;
const SLOT_COUNT_MIN = 1024;
const LOAD_MAX = 0.6;

/** The number of items and the time that they span, as far as the survey knows them. */
export interface SurveyScope {
  readonly itemCount: number;
  readonly spanMillis: number;
  /** Number of items of the survey's sample, picked by content. */
  readonly surveyCount: number;
}

export class BusiestKeys {
  readonly #millis: number;
  readonly #stretchShare: number;
  readonly #itemShare: number;
  /** By number of the stretch: how many of its items were counted. */
  readonly #stretches = new Map<number, { readonly index: number; items: number }>();
  #lows = new Int32Array(SLOT_COUNT_MIN);
  #highs = new Int32Array(SLOT_COUNT_MIN);
  /** By slot: the key and the stretch that the count is for. */
  #groups = new Int32Array(SLOT_COUNT_MIN);
  #counts = new Uint32Array(SLOT_COUNT_MIN);
  #entryCount = 0;
  readonly #keysMax: number;

  constructor(millis: number, { itemCount, spanMillis }: SurveyScope, keysMax: number) {
    this.#millis = millis;
    this.#keysMax = keysMax;
    const share = Math.min(1, ITEMS_COUNTED / Math.max(1, itemCount));
    const stretchCount = Math.max(1, spanMillis / millis);
    this.#stretchShare = Math.min(1, Math.max(share, STRETCHES_COUNTED / stretchCount));
    this.#itemShare = share / this.#stretchShare;
  }

  /**
   * Returns the stretch of an item, or undefined if the item is not counted. `itemHash` is in [0,
   * 1).
   */
  stretchOf(millis: number, itemHash: number): number | undefined {
    if (Number.isNaN(millis) || itemHash >= this.#itemShare) return undefined;
    const number = Math.floor(millis / this.#millis);
    if (shareOfHash(number) >= this.#stretchShare) return undefined;
    const known = this.#stretches.get(number);
    if (known !== undefined) {
      known.items++;
      return known.index;
    }
    const index = this.#stretches.size;
    this.#stretches.set(number, { index, items: 1 });
    return index;
  }

  add(stretch: number, key: number, low: number, high: number): void {
    const group = stretch * this.#keysMax + key;
    const slot = this.#slotOf(mixedLow(low, group), mixedHigh(high, group));
    if (this.#counts[slot] === 0) {
      this.#lows[slot] = mixedLow(low, group);
      this.#highs[slot] = mixedHigh(high, group);
      this.#groups[slot] = group;
      this.#entryCount++;
    }
    this.#counts[slot]!++;
    if (this.#entryCount > LOAD_MAX * this.#lows.length) this.#grow();
  }

  /** Returns the share for every key over all stretches; undefined when no stretch was counted. */
  shares(keyCount: number): readonly number[] | undefined {
    if (this.#stretches.size === 0) return undefined;
    const tops = new Uint32Array(this.#stretches.size * this.#keysMax);
    for (let slot = 0; slot < this.#lows.length; slot++) {
      const count = this.#counts[slot]!;
      if (count > 0 && count > tops[this.#groups[slot]!]!) tops[this.#groups[slot]!] = count;
    }
    let items = 0;
    for (const stretch of this.#stretches.values()) items += stretch.items;
    return Array.from({ length: keyCount }, (_, key) => {
      let sum = 0;
      for (let at = key; at < tops.length; at += this.#keysMax) sum += Math.max(1, tops[at]!);
      return Math.min(1, sum / items);
    });
  }

  #slotOf(low: number, high: number): number {
    const last = this.#lows.length - 1;
    let slot = Math.imul(high, 0x9e3779b1) & last;
    while (this.#counts[slot] !== 0 && (this.#lows[slot] !== low || this.#highs[slot] !== high)) {
      slot = (slot + 1) & last;
    }
    return slot;
  }

  #grow(): void {
    const [lows, highs, groups, counts] = [this.#lows, this.#highs, this.#groups, this.#counts];
    const slotCount = lows.length * 2;
    this.#lows = new Int32Array(slotCount);
    this.#highs = new Int32Array(slotCount);
    this.#groups = new Int32Array(slotCount);
    this.#counts = new Uint32Array(slotCount);
    for (let from = 0; from < lows.length; from++) {
      if (counts[from] === 0) continue;
      const slot = this.#slotOf(lows[from]!, highs[from]!);
      this.#lows[slot] = lows[from]!;
      this.#highs[slot] = highs[from]!;
      this.#groups[slot] = groups[from]!;
      this.#counts[slot] = counts[from]!;
    }
  }
}

/** Hashes a whole number to [0, 1). */
function shareOfHash(number: number): number {
  return (mixedLow(number | 0, Math.floor(number / 0x100000000)) >>> 0) / 0x100000000;
}
