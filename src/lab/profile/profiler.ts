/**
 * Makes a profile from items, one at a time, in bounded memory.
 *
 * What to count is decided from a survey of all items (`survey.ts`) or, where items can be read
 * only once, from the first items, which are put aside for that and then counted like all that
 * follow. With a survey the profile is a function of the set of items: their order does not matter.
 *
 * The profiler does no I/O: the reader passes in items, and problems with what is no item.
 */
import { TIME_STAMP, withoutSystemProperties } from "../../base/systemProperties.ts";
import type { JsonObject } from "../../json/value.ts";
import { valueAt } from "../../keys/paths.ts";
import { DistinctCounter } from "../counting/distinctCounter.ts";
import { type Estimate, exactly } from "../counting/estimate.ts";
import { ItemSample } from "../counting/itemSample.ts";
import { pinOf } from "../counting/keyTable.ts";
import { NO_VALUE } from "../counting/valueHash.ts";
import { ByteSpread } from "./byteSpread.ts";
import { itemTimeOf } from "./itemTime.ts";
import { KEYS_MAX, KeyCounting, type TrackedKey } from "./keyCounting.ts";
import { type PathFacts, pathFactsOf } from "./pathFacts.ts";
import { stepsOfPath } from "./pathSteps.ts";
import { BATCH_COUNT_MAX, PathTree } from "./pathTree.ts";
import type { KeyProfile, Profile, PropertyProfile } from "./profile.ts";
import { propertyOf } from "./properties.ts";
import { byteScaleOf, isShallow, leafCountOf } from "./sampledItem.ts";
import type { Surveyed } from "./survey.ts";
import { timeWorthOf } from "./timeForm.ts";
import { Timeline } from "./timeline.ts";
import { quantilesOf, spanOf, timedItems } from "./timeQuantiles.ts";
import { trackedKeysOf } from "./trackedKeys.ts";
import { Versions } from "./versions.ts";

export interface ProfilerOptions {
  /** The source as the user named it. */
  readonly source: string;
  /** The survey of the same items; when absent, the first items are used instead. */
  readonly survey?: Surveyed | undefined;
  /** The path of the time at which an item was created; found automatically if not given. */
  readonly time?: string | undefined;
  /** Combinations of one to three paths that are counted in any case. */
  readonly keys?: readonly (readonly string[])[] | undefined;
  /** True when combinations are not looked for, because the caller will ask for them later. */
  readonly areSinglesEnough?: boolean | undefined;
  /** Number of items to keep as a sample. */
  readonly sampleMax?: number | undefined;
  /** Number of different keys above which some are left out. */
  readonly entriesMax?: number | undefined;
}

const SAMPLE_MAX = 2000;
const SAMPLE_BYTES_MAX: number = 8 * 1024 * 1024;
/** Number of items that are put aside first without a survey; fewer when they are large. */
const FIRST_COUNT = 2000;
const FIRST_BYTES_MAX: number = 16 * 1024 * 1024;
/** Number of items that are expected in that case. */
const ITEMS_EXPECTED = 200_000;
const PROBLEMS_KEPT = 20;
/** Number of properties that are counted as keys although they appear only after the survey. */
const KEYS_LATE_MAX = 32;
const LATE_TEXT_UNITS_MAX = 100;

export class Profiler {
  readonly #options: ProfilerOptions;
  readonly #tree = new PathTree();
  readonly #idSlot: number;
  #keys: KeyCounting | undefined;
  #first: { readonly item: JsonObject; readonly bytes: number }[] | undefined;
  #firstBytes = 0;
  #itemCount = 0;
  /** Slots of properties that are no keys by themselves, and the counters of their values. */
  readonly #plainSlots: number[] = [];
  readonly #distinct: (DistinctCounter | undefined)[] = [];
  /** Number of slots that are plain, or are keys. */
  #slotCount = 0;
  #lateCount = 0;
  readonly #batch = {
    items: [] as JsonObject[],
    bytes: new Float64Array(BATCH_COUNT_MAX),
    millis: new Float64Array(BATCH_COUNT_MAX),
  };
  readonly #spread = new ByteSpread();
  readonly #timeline = new Timeline();
  readonly #versions = new Versions();
  readonly #sample: ItemSample;
  readonly #problems: { readonly place: string; readonly problem: string }[] = [];
  #problemCount = 0;

  constructor(options: ProfilerOptions) {
    this.#options = options;
    this.#sample = new ItemSample(options.sampleMax ?? SAMPLE_MAX, SAMPLE_BYTES_MAX);
    this.#idSlot = this.#tree.slotOf(["id"]);
    if (options.survey === undefined) this.#first = [];
    else this.#begin(options.survey);
  }

  get itemCount(): number {
    return this.#itemCount + (this.#first?.length ?? 0);
  }

  get problemCount(): number {
    return this.#problemCount;
  }

  /** Adds an item. `bytes` is its length where it was read. */
  add(item: JsonObject, bytes: number): void {
    if (this.#first === undefined) {
      this.#count(item, bytes);
      return;
    }
    this.#first.push({ item, bytes });
    this.#firstBytes += bytes;
    const isEnough = this.#first.length >= FIRST_COUNT || this.#firstBytes > FIRST_BYTES_MAX;
    if (isEnough) this.#beginWithFirst(this.#first, ITEMS_EXPECTED);
  }

  /** Notes something that is no item. `place` is a line, a row or an id. */
  problem(place: string, text: string): void {
    this.#problemCount++;
    if (this.#problems.length < PROBLEMS_KEPT) this.#problems.push({ place, problem: text });
  }

  /**
   * Returns the profile; nothing can be added any more. `pickedShare` is the share of the source's
   * items that were added, by which the number of items per day is scaled up.
   */
  result(coverage: Profile["coverage"], pickedShare = 1): Profile {
    if (this.#first !== undefined) this.#beginWithFirst(this.#first, this.#first.length);
    if (this.#batch.items.length > 0) this.#countBatch();
    const sample = this.#sample.items;
    const kept = sample.map(({ item }) => withoutSystemProperties(item));
    const byteScale = byteScaleOf(sample);
    const leaves = kept.reduce((sum, item) => sum + leafCountOf(item), 0);
    const { timeSlot } = this.#tree;
    const steps = timeSlot < 0 ? undefined : this.#tree.stepsOf(timeSlot);
    const inTime = steps === undefined ? undefined : timedItems(sample, steps);
    const keys = this.#keys!.results(byteScale, quantilesOf(inTime));
    return {
      formatVersion: 1,
      source: this.#options.source,
      itemCount: this.#itemCount,
      coverage,
      problems: { count: this.#problemCount, first: this.#problems },
      itemBytes: this.#spread.result(byteScale),
      leafCountMean: leaves / Math.max(1, kept.length),
      time: timeSlot < 0 ? null : this.#timeline.result(this.#tree.pathOf(timeSlot), pickedShare),
      properties: this.#properties(
        keys,
        inTime?.map(({ sampled }) => sampled),
      ),
      keys: keys.toSorted(byPaths),
      expressions: [],
      sample: kept,
      remarks: this.#remarks(),
    };
  }

  #beginWithFirst(
    first: readonly { readonly item: JsonObject; readonly bytes: number }[],
    itemCount: number,
  ): void {
    this.#first = undefined;
    const sample = first.map((each) => ({ ...each, hash: 0 }));
    this.#begin({ itemCount, sample, paths: [] });
    for (const { item, bytes } of first) this.#count(item, bytes);
  }

  /** Decides what to count. */
  #begin({ itemCount, sample, paths }: Surveyed): void {
    const tree = this.#tree;
    const items = sample.map(({ item }) => item);
    const facts = pathFactsOf(items, tree);
    // Slots are given in the sample's order first, because most items have their properties in one
    // order.
    const met = tree.slotCount;
    for (const path of paths) tree.slotOf(path);
    tree.timeSlot = this.#timeSlotIn(facts);
    const steps = tree.timeSlot < 0 ? undefined : tree.stepsOf(tree.timeSlot);
    const scope = {
      itemCount,
      surveyCount: items.length,
      spanMillis: steps === undefined ? 0 : spanOf(items, steps),
    };
    const rare = this.#rareIn(met);
    const tracked = this.#keysIn(facts, rare).slice(0, KEYS_MAX - KEYS_LATE_MAX);
    const trial = new KeyCounting(tree, scope);
    for (const key of tracked) trial.track(key);
    this.#tally(trial, items);
    this.#keys = new KeyCounting(tree, scope, this.#options.entriesMax);
    tracked.forEach((key, at) => {
      this.#keys!.track({ ...key, ...trial.learntOf(at) });
    });
    tree.forgetCounts();
    tree.beginBatch();
    this.#takeIn();
  }

  /** Counts some items, to find the values to pin and the keys that are nearly unique. */
  #tally(trial: KeyCounting, items: readonly JsonObject[]): void {
    const bytes = new Float64Array(BATCH_COUNT_MAX);
    const millis = new Float64Array(BATCH_COUNT_MAX).fill(Number.NaN);
    for (let from = 0; from < items.length; from += BATCH_COUNT_MAX) {
      const batch = items.slice(from, from + BATCH_COUNT_MAX);
      this.#tree.beginBatch();
      batch.forEach((item, row) => {
        this.#tree.walk(item, row);
      });
      trial.count({ items: batch, bytes, millis });
    }
  }

  #timeSlotIn(facts: readonly PathFacts[]): number {
    const { time } = this.#options;
    if (time !== undefined) return this.#tree.slotOf(stepsOfPath(time));
    let best = { slot: -1, worth: 0, path: "" };
    for (const { slot, steps, time: form, presence, kind } of facts) {
      if (form === null || presence < 0.5) continue;
      // The service's own stamp says when an item was last written, which is better than no time.
      const worth = kind === "stamp" ? 0.01 : timeWorthOf({ steps, form, presence });
      const path = this.#tree.pathOf(slot);
      const isBetter = worth > best.worth || (worth === best.worth && path < best.path);
      if (isBetter) best = { slot, worth, path };
    }
    return best.slot;
  }

  #keysIn(facts: readonly PathFacts[], rare: readonly number[]): readonly TrackedKey[] {
    const { keys = [], areSinglesEnough = false } = this.#options;
    const asked = keys.map((paths) => paths.map((path) => this.#tree.slotOf(stepsOfPath(path))));
    const all = [
      ...asked.filter((slots) => !slots.includes(-1)),
      ...trackedKeysOf(facts).filter((slots) => slots.length === 1 || !areSinglesEnough),
      ...rare.map((slot) => [slot]),
    ];
    const name = (slots: readonly number[]): string => [...slots].sort((a, b) => a - b).join();
    return [...new Map(all.map((slots) => [name(slots), slots])).values()].map((slots) => ({
      slots,
    }));
  }

  /** Slots of rare properties: the survey knows them, but its sample does not have them. */
  #rareIn(met: number): readonly number[] {
    const rare = Array.from({ length: this.#tree.slotCount - met }, (_, at) => met + at);
    return rare.slice(0, RARE_MAX);
  }

  #count(item: JsonObject, bytes: number): void {
    const tree = this.#tree;
    const row = this.#batch.items.length;
    tree.walk(item, row);
    this.#batch.items.push(item);
    this.#batch.bytes[row] = bytes;
    this.#batch.millis[row] =
      tree.timeValue === undefined ? Number.NaN : itemTimeOf(tree.timeValue);
    this.#spread.add(bytes);
    this.#itemCount++;
    if (row + 1 === BATCH_COUNT_MAX) this.#countBatch();
  }

  #countBatch(): void {
    const { items, bytes, millis } = this.#batch;
    if (this.#tree.slotCount > this.#slotCount) this.#meetNew();
    this.#keys!.count(this.#batch);
    for (const slot of this.#plainSlots) this.#countPlain(slot);
    for (let row = 0; row < items.length; row++) {
      if (!Number.isNaN(millis[row])) this.#timeline.add(millis[row]!);
      this.#addVersion(row);
      const hash = this.#tree.itemHash(row);
      if (!this.#sample.wants(hash) || !isShallow(items[row]!)) continue;
      this.#sample.keep({ item: items[row]!, bytes: bytes[row]!, hash });
    }
    items.length = 0;
    this.#tree.beginBatch();
  }

  #addVersion(row: number): void {
    const tree = this.#tree;
    const low = tree.lowAt(this.#idSlot, row);
    if (low === NO_VALUE || !this.#versions.isWatched(low)) return;
    const hashes = new Int32Array(tree.slotCount);
    for (let slot = 0; slot < hashes.length; slot++) hashes[slot] = tree.lowAt(slot, row);
    const millis = this.#batch.millis[row]!;
    const version = { hash: tree.itemHash(row), millis, hashes };
    this.#versions.add(low, pinOf(low, tree.highAt(this.#idSlot, row)), version);
  }

  #countPlain(slot: number): void {
    const { lows, highs } = this.#tree;
    const from = this.#tree.columnAt(slot);
    for (let row = 0; row < this.#batch.items.length; row++) {
      const low = lows[from + row]!;
      if (low === NO_VALUE) continue;
      this.#distinct[slot] ??= new DistinctCounter();
      this.#distinct[slot]!.add(low, highs[from + row]!);
    }
  }

  /** Takes in properties that occur first in this batch. */
  #meetNew(): void {
    for (let slot = this.#slotCount; slot < this.#tree.slotCount; slot++) {
      const row = this.#batch.items.findIndex((_, at) => this.#tree.lowAt(slot, at) !== NO_VALUE);
      const isLate = row >= 0 && this.#isLateKey(slot, this.#batch.items[row]!);
      if (!isLate) continue;
      this.#keys!.track({ slots: [slot] });
      this.#lateCount++;
    }
    this.#takeIn();
  }

  #takeIn(): void {
    for (; this.#slotCount < this.#tree.slotCount; this.#slotCount++) {
      if (!this.#keys!.isTracked(this.#slotCount)) this.#plainSlots.push(this.#slotCount);
    }
  }

  /** One value tells little, so only values that cannot be keys are excluded. */
  #isLateKey(slot: number, item: JsonObject): boolean {
    if (this.#lateCount >= KEYS_LATE_MAX) return false;
    const value = valueAt(item, this.#tree.stepsOf(slot));
    const isProse = typeof value === "string" && value.length > LATE_TEXT_UNITS_MAX;
    const isMeasure = typeof value === "number" && !Number.isInteger(value);
    return !isProse && !isMeasure;
  }

  #properties(
    keys: readonly KeyProfile[],
    inTime: Parameters<typeof propertyOf>[1]["inTime"],
  ): readonly PropertyProfile[] {
    const tree = this.#tree;
    const singles = new Map(
      keys.filter(({ paths }) => paths.length === 1).map((key) => [key.paths[0]!, key]),
    );
    const counted = {
      tree,
      versions: this.#versions,
      itemCount: this.#itemCount,
      sample: this.#sample.items,
      inTime,
      distinctOf: (slot: number): Estimate => {
        const key = singles.get(tree.pathOf(slot));
        return key === undefined
          ? (this.#distinct[slot]?.estimate() ?? exactly(0))
          : withoutNone(key);
      },
    };
    return Array.from({ length: tree.slotCount }, (_, slot) => slot)
      .filter((slot) => tree.scalarCount(slot) > 0)
      .filter((slot) => slot === tree.timeSlot || tree.pathOf(slot) !== `/${TIME_STAMP}`)
      .map((slot) => propertyOf(slot, counted))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  #remarks(): readonly string[] {
    const remarks: string[] = [];
    if (this.#tree.isCrowded) {
      remarks.push(
        `The items have more different properties than are counted: only ` +
          `${this.#tree.slotCount} are in this profile.`,
      );
    }
    if (this.#versions.areRepeated && !this.#versions.areVersions) {
      remarks.push(
        "Items with the same id differ in most of what they have: they are taken for different " +
          "items, not for versions of one, and nothing is said of properties that change.",
      );
    }
    return remarks;
  }
}

/** Number of rare properties that are counted. */
const RARE_MAX = 16;

export function byPaths(a: KeyProfile, b: KeyProfile): number {
  return a.paths.length - b.paths.length || (a.paths.join() < b.paths.join() ? -1 : 1);
}

/** The number of values of a key, without "no value". */
function withoutNone({ distinct, presence }: KeyProfile): Estimate {
  const { value, low, high } = distinct;
  const none = presence < 1 ? 1 : 0;
  return { value: value - none, low: Math.max(0, low - none), high: high - none };
}
