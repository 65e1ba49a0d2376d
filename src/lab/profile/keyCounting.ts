/**
 * Counts keys, a batch of items at a time: for every key it hashes the values of the items, adds
 * them to the tally of that key, and finds the busiest value in each stretch of time.
 *
 * Room is shared: all tables together have at most `ENTRIES_MAX` entries, and no table takes so
 * many that too few are left for the others. Which tables become samples, and how large they are,
 * depends on how many different values each key has, not on the order of items.
 */
import { Buffer } from "node:buffer";
import { assert } from "../../base/assert.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { keyOf } from "../../keys/component.ts";
import type { KeyLevels } from "../../keys/expression.ts";
import { valueAt } from "../../keys/paths.ts";
import type { KeyComponent } from "../../model/partitionKey.ts";
import { BusiestKeys, type SurveyScope } from "../counting/busiestKeys.ts";
import { pinOf } from "../counting/keyTable.ts";
import { KeyTally, type Pins } from "../counting/keyTally.ts";
import { Sightings } from "../counting/sightings.ts";
import {
  mixedHigh,
  mixedLow,
  NO_VALUE,
  NULL_HIGH,
  NULL_LOW,
  ValueHash,
} from "../counting/valueHash.ts";
import { hasMissing, MISSING_BITS, NULL_BITS, withAbsence } from "./absence.ts";
import { keyFiguresOf } from "./keyProfile.ts";
import { BATCH_COUNT_MAX, type PathTree } from "./pathTree.ts";
import { growthOf, type TimeQuantiles } from "./populationGrowth.ts";
import type { KeyProfile } from "./profile.ts";
import { STRETCH_MILLIS } from "./timeline.ts";

/** Length of a value that is kept; the rest is cut off. */
const UNITS_MAX = 256;
/** Number of different values that are counted, all tables together: some 120 MB. */
const ENTRIES_MAX = 3_000_000;
export const KEYS_MAX = 256;
const NEARLY_UNIQUE = 0.95;
/** A value that a survey has this often on average is almost certainly in it at least twice. */
const PINNED_EXPECTED = 9;

/** A key that is counted: values at one to three paths, or the result of an expression. */
export interface TrackedKey {
  readonly slots: readonly number[];
  readonly levels?: KeyLevels | undefined;
  /** The text of the expression, if the key is one. */
  readonly expression?: string | undefined;
  /** True when the busiest value in a minute, an hour or a day is not looked for. */
  readonly isQuiet?: boolean | undefined;
  /**
   * True when nearly every item has a value of its own, so that looking for the busiest is useless.
   */
  readonly isNearlyUnique?: boolean | undefined;
  readonly pins?: Pins | undefined;
}

interface CountedKey extends TrackedKey {
  /** The columns of the tree in which the hashes of the paths are. */
  readonly columns: readonly number[];
  readonly tally: KeyTally;
  readonly sightings: Sightings;
  presentCount: number;
  nullCount: number;
}

/** Items that were walked one after the other, and their bytes and times. */
interface Batch {
  readonly items: readonly JsonObject[];
  readonly bytes: Float64Array;
  /** The times of the items; NaN for an item without one. */
  readonly millis: Float64Array;
}

export class KeyCounting {
  readonly #tree: PathTree;
  readonly #keys: CountedKey[] = [];
  readonly #lows = new Int32Array(BATCH_COUNT_MAX);
  readonly #highs = new Int32Array(BATCH_COUNT_MAX);
  /** The busiest values by minute, hour and day. */
  readonly #grains: readonly BusiestKeys[];
  readonly #hash = new ValueHash();
  readonly #entriesMax: number;
  /** A value with a larger share of the items is pinned, except once in hundreds of files. */
  readonly #pinnedShare: number;
  /** Number of entries that one table may have. */
  #entriesEach: number;
  #itemCount = 0;
  #bytes = 0;

  constructor(tree: PathTree, scope: SurveyScope, entriesMax: number = ENTRIES_MAX) {
    this.#tree = tree;
    this.#entriesMax = entriesMax;
    this.#entriesEach = entriesMax;
    this.#pinnedShare = PINNED_EXPECTED / Math.max(PINNED_EXPECTED, scope.surveyCount);
    const { minute, hour, day } = STRETCH_MILLIS;
    this.#grains = [minute, hour, day].map((millis) => new BusiestKeys(millis, scope, KEYS_MAX));
  }

  get keyCount(): number {
    return this.#keys.length;
  }

  /** True when this path is counted as a key by itself. */
  isTracked(slot: number): boolean {
    return this.#keys.some(({ slots, levels }) => {
      return levels === undefined && slots.length === 1 && slots[0] === slot;
    });
  }

  /** A combination must be tracked from the beginning; a path from the first item that has it. */
  track(key: TrackedKey): void {
    assert(this.#itemCount === 0 || key.slots.length === 1, "a combination is tracked too late");
    assert(this.#keys.length < KEYS_MAX, "as many keys as have numbers");
    const columns = key.slots.map((slot) => this.#tree.columnAt(slot));
    const tally = new KeyTally(key.pins);
    const counted = { presentCount: 0, nullCount: 0, sightings: new Sightings() };
    this.#keys.push({ ...key, columns, tally, ...counted });
    if (this.#itemCount > 0) this.#beginLate(this.#keys.at(-1)!);
  }

  /** Adds all earlier items to a new key, as items without a value. */
  #beginLate(key: CountedKey): void {
    key.nullCount = this.#itemCount;
    const high = withAbsence(HASH_OF_NONE, MISSING_BITS);
    const mean = this.#bytes / this.#itemCount;
    for (let at = 0; at < this.#itemCount; at++) {
      if (key.tally.add(HASH_OF_NONE, high, mean)) {
        key.tally.keepValues(HASH_OF_NONE, high, [undefined]);
      }
    }
  }

  /**
   * Returns what a trial has learnt of a key: the values that came twice, and whether nearly all
   * came once.
   */
  learntOf(at: number): Pick<TrackedKey, "pins" | "isNearlyUnique"> {
    const { tally } = this.#keys[at]!;
    const pins = new Map<number, readonly KeyComponent[]>();
    tally.table.forEach(({ low, high, count }) => {
      const values = count < 2 ? undefined : tally.valuesOf(low, high);
      if (values !== undefined) pins.set(pinOf(low, high), values);
    });
    const isNearlyUnique = tally.table.entryCount > NEARLY_UNIQUE * tally.itemCount;
    return { pins, isNearlyUnique };
  }

  /** Counts all items of a batch that the tree has walked. */
  count({ items, bytes, millis }: Batch): void {
    const { length } = items;
    const isQuiet = this.#keys.every((key) => key.isQuiet === true);
    const stretches = (isQuiet ? [] : this.#grains).map((grain) =>
      Array.from({ length }, (_, row) => grain.stretchOf(millis[row]!, this.#chanceOf(row))),
    );
    this.#keys.forEach((key, at) => {
      if (key.levels === undefined) this.#hashPaths(key, length);
      else this.#hashExpression(key, items);
      this.#add(key, items, bytes);
      this.#see(key, millis, length);
      if (key.isNearlyUnique === true || key.isQuiet === true) return;
      stretches.forEach((rows, grain) => {
        this.#countBusy(at, this.#grains[grain]!, rows);
      });
    });
    this.#itemCount += length;
    for (let row = 0; row < length; row++) this.#bytes += bytes[row]!;
    this.#makeRoom();
  }

  /** `byteScale` is the bytes of items as JSON text over the bytes that were counted. */
  results(byteScale: number, quantiles: TimeQuantiles | undefined): readonly KeyProfile[] {
    const busiest = this.#grains.map((grain) => grain.shares(this.#keys.length));
    const all = Math.max(1, this.#itemCount);
    return this.#keys.map((key, at): KeyProfile => {
      const [minute, hour, day] = busiest.map((shares) => shares?.[at]);
      const isTimed =
        minute !== undefined && hour !== undefined && day !== undefined && key.isQuiet !== true;
      const width = key.levels?.length ?? key.slots.length;
      const figures = keyFiguresOf(key.tally, { byteScale, width, pinnedShare: this.#pinnedShare });
      return {
        paths: key.slots.map((slot) => this.#tree.pathOf(slot)),
        ...(key.expression === undefined ? {} : { expression: key.expression }),
        presence: key.presentCount / all,
        nullShare: key.nullCount / all,
        ...figures,
        hottestShare: isTimed ? { minute, hour, day } : null,
        growth: growthOf(key.tally, key.sightings.all, quantiles),
      };
    });
  }

  #chanceOf(row: number): number {
    return (this.#tree.itemHighs[row]! >>> 0) / 0x100000000;
  }

  #add(key: CountedKey, items: readonly JsonObject[], bytes: Float64Array): void {
    for (let row = 0; row < items.length; row++) {
      const [low, high] = [this.#lows[row]!, this.#highs[row]!];
      if (!key.tally.add(low, high, bytes[row]!)) continue;
      key.tally.keepValues(low, high, this.#valuesOf(key, items[row]!));
    }
  }

  #see({ sightings }: CountedKey, millis: Float64Array, length: number): void {
    for (let row = 0; row < length; row++) {
      const low = this.#lows[row]!;
      if (!sightings.wants(low) || Number.isNaN(millis[row])) continue;
      sightings.add(low, pinOf(low, this.#highs[row]!), millis[row]!);
    }
  }

  #countBusy(key: number, grain: BusiestKeys, stretches: readonly (number | undefined)[]): void {
    for (let row = 0; row < stretches.length; row++) {
      const stretch = stretches[row];
      if (stretch !== undefined) grain.add(stretch, key, this.#lows[row]!, this.#highs[row]!);
    }
  }

  /**
   * Thins tables until all fit. A table that is a sample counts with the size that it may have, so
   * that the decision does not depend on how far the sample has just been thinned, and hence not on
   * the order of items.
   */
  #makeRoom(): void {
    const used = (): number =>
      this.#keys.reduce((sum, { tally }) => {
        const each = this.#entriesEach;
        return sum + (tally.isSample ? each : Math.min(each, tally.entryCount));
      }, 0);
    while (used() > this.#entriesMax && this.#entriesEach > 1) {
      this.#entriesEach = Math.ceil(this.#entriesEach / 2);
      for (const { tally } of this.#keys) tally.thin(this.#entriesEach);
    }
    for (const { tally } of this.#keys) tally.thin(this.#entriesEach);
  }

  /** Hashes the values of a key for each item of the batch. */
  #hashPaths(key: CountedKey, length: number): void {
    const { lows, highs } = this.#tree;
    for (let row = 0; row < length; row++) {
      let [low, high, absence] = [0, 0, 0];
      for (let at = 0; at < key.columns.length; at++) {
        const place = key.columns[at]! + row;
        const isMissing = lows[place] === NO_VALUE;
        const ownLow = isMissing ? HASH_OF_NONE : lows[place]!;
        const ownHigh = isMissing ? HASH_OF_NONE : highs[place]!;
        if (isMissing) absence |= MISSING_BITS << (2 * at);
        else if (ownLow === NULL_LOW && ownHigh === NULL_HIGH) absence |= NULL_BITS << (2 * at);
        low = at === 0 ? ownLow : mixedLow(low, ownLow);
        high = at === 0 ? ownHigh : mixedHigh(high, ownHigh);
      }
      this.#put(key, row, low, withAbsence(high, absence), absence);
    }
  }

  #hashExpression(key: CountedKey, items: readonly JsonObject[]): void {
    const hash = this.#hash;
    for (let row = 0; row < items.length; row++) {
      let [low, high, absence] = [0, 0, 0];
      const components = keyOf(key.levels!, items[row]!, NO_DRAW);
      for (let at = 0; at < components.length; at++) {
        const component = components[at];
        if (component === undefined) {
          absence |= MISSING_BITS << (2 * at);
          hash.low = HASH_OF_NONE;
          hash.high = HASH_OF_NONE;
        } else if (component === null) {
          absence |= NULL_BITS << (2 * at);
          hash.ofNull();
        } else if (typeof component === "string") hash.ofText(component);
        else if (typeof component === "number") hash.ofNumber(component);
        else hash.ofBoolean(component);
        low = at === 0 ? hash.low : mixedLow(low, hash.low);
        high = at === 0 ? hash.high : mixedHigh(high, hash.high);
      }
      this.#put(key, row, low, withAbsence(high, absence), absence);
    }
  }

  #put(key: CountedKey, row: number, low: number, high: number, absence: number): void {
    this.#lows[row] = low;
    this.#highs[row] = high;
    if (absence === 0) key.presentCount++;
    else {
      key.nullCount++;
      if (!hasMissing(absence)) key.presentCount++;
    }
  }

  #valuesOf({ slots, levels }: CountedKey, item: JsonObject): readonly KeyComponent[] {
    if (levels !== undefined) return keyOf(levels, item, NO_DRAW).map(keptValue);
    return slots.map((slot) => keptValue(valueAt(item, this.#tree.stepsOf(slot)) as JsonValue));
  }
}

/** Random numbers of an expression are not in the data: all items are counted with the number 0. */
const NO_DRAW = { random: () => 0, turn: () => 0 };

/** The hash that all items without a value at the path have. */
const HASH_OF_NONE = 0x6a09e667;

function keptValue(value: JsonValue | undefined): KeyComponent {
  if (typeof value === "string") return value.length > UNITS_MAX ? cut(value) : value;
  return typeof value === "object" && value !== null ? undefined : value;
}

/** Cuts a text and copies it: a part of a text would keep the whole text in memory. */
function cut(text: string): string {
  return `${Buffer.from(text.slice(0, UNITS_MAX - 1), "utf16le").toString("utf16le")}…`;
}
