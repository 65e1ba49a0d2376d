/**
 * Learns from items, one at a time, what a profile says, in bounded memory and about as much time
 * as parsing an item takes.
 *
 * The first items are put aside. They show which properties there are, which of them is the time
 * and which keys are worth counting; then they are counted like all that follow. A property that
 * turns up later is counted from there on, and since no item before had it, its counts are those of
 * all items.
 *
 * It does no I/O: items come from whoever reads them, and so do problems with what is no item.
 */
import type { Random } from "../../base/world.ts";
import type { JsonObject } from "../../json/value.ts";
import { valueAt } from "../../keys/paths.ts";
import { type Estimate, exactly } from "../estimate.ts";
import { ByteSpread } from "./byteSpread.ts";
import { DistinctCounter } from "./distinctCounter.ts";
import { ItemSample } from "./itemSample.ts";
import { itemTimeOf } from "./itemTime.ts";
import { KeyCounting } from "./keyCounting.ts";
import { type PathFacts, pathFactsOf } from "./pathFacts.ts";
import { stepsOfPath } from "./pathSteps.ts";
import { BATCH_COUNT_MAX, PathTree, TIME_STAMP } from "./pathTree.ts";
import type { KeyProfile, Profile, PropertyProfile } from "./profile.ts";
import { propertyOf } from "./properties.ts";
import { bytesOfItem, isShallow, leafCountOf, withoutSystemProperties } from "./sampledItem.ts";
import { timeWorthOf } from "./timeForm.ts";
import { Timeline } from "./timeline.ts";
import { trackedKeysOf } from "./trackedKeys.ts";
import { NO_VALUE, ValueHash } from "./valueHash.ts";
import { Versions } from "./versions.ts";

export interface ProfilerOptions {
  /** As the user named it. */
  readonly source: string;
  /** The path that says when an item came to be; found by itself if not given. */
  readonly time?: string | undefined;
  /** Combinations of one to three paths to count whatever is found. */
  readonly keys?: readonly (readonly string[])[] | undefined;
  readonly random: Random;
  /** How many items to keep as a sample. */
  readonly sampleMax?: number | undefined;
}

const SAMPLE_MAX = 2000;
/** Items that are put aside first, or fewer when they are large. */
const FIRST_COUNT = 2000;
const FIRST_BYTES_MAX: number = 16 * 1024 * 1024;
const PROBLEMS_KEPT = 20;
/** Properties that turn up late are counted as keys while there are fewer keys than this. */
const KEYS_MAX = 80;
const LATE_TEXT_UNITS_MAX = 100;

export class Profiler {
  readonly #options: ProfilerOptions;
  readonly #tree: PathTree;
  readonly #keys: KeyCounting;
  readonly #idSlot: number;
  #first: { readonly item: JsonObject; readonly bytes: number }[] | undefined = [];
  #firstBytes = 0;
  #itemCount = 0;
  /** Properties that are no keys by themselves, and the counters of their values, by slot. */
  readonly #plainSlots: number[] = [];
  readonly #distinct: (DistinctCounter | undefined)[] = [];
  /** How many slots are in either of these, or are keys. */
  #slotCount = 0;
  #isBegun = false;
  readonly #present = new Int32Array(BATCH_COUNT_MAX);
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
    const seed = Math.floor(options.random.next() * 0x100000000);
    this.#tree = new PathTree(new ValueHash(seed));
    this.#keys = new KeyCounting(this.#tree);
    this.#sample = new ItemSample(options.random, options.sampleMax ?? SAMPLE_MAX);
    this.#idSlot = this.#tree.slotOf(["id"]);
  }

  get itemCount(): number {
    return this.#itemCount + (this.#first?.length ?? 0);
  }

  get problemCount(): number {
    return this.#problemCount;
  }

  /** `bytes`: what it took where it was read. */
  add(item: JsonObject, bytes: number): void {
    if (this.#first === undefined) {
      this.#count(item, bytes);
      return;
    }
    this.#first.push({ item, bytes });
    this.#firstBytes += bytes;
    const isEnough = this.#first.length >= FIRST_COUNT || this.#firstBytes > FIRST_BYTES_MAX;
    if (isEnough) this.#begin(this.#first);
  }

  /** Something that is no item. `place` is a line, a row or an id. */
  problem(place: string, text: string): void {
    this.#problemCount++;
    if (this.#problems.length < PROBLEMS_KEPT) this.#problems.push({ place, problem: text });
  }

  /**
   * Of all that was added. Nothing can be added any more. `pickedShare`: of the items that came by,
   * so that there are more a day than were added.
   */
  result(coverage: Profile["coverage"], pickedShare = 1): Profile {
    if (this.#first !== undefined) this.#begin(this.#first);
    if (this.#batch.items.length > 0) this.#countBatch();
    const sample = this.#sample.items;
    const kept = sample.map(({ item }) => withoutSystemProperties(item));
    const read = sample.reduce((sum, { bytes }) => sum + bytes, 0);
    const written = kept.reduce((sum, item) => sum + bytesOfItem(item), 0);
    const byteScale = read === 0 ? 1 : written / read;
    const leaves = kept.reduce((sum, item) => sum + leafCountOf(item), 0);
    const keys = this.#keys.results(byteScale);
    const { timeSlot } = this.#tree;
    return {
      formatVersion: 1,
      source: this.#options.source,
      itemCount: this.#itemCount,
      coverage,
      problems: { count: this.#problemCount, first: this.#problems },
      itemBytes: this.#spread.result(byteScale),
      leafCountMean: leaves / Math.max(1, kept.length),
      time: timeSlot < 0 ? null : this.#timeline.result(this.#tree.pathOf(timeSlot), pickedShare),
      properties: this.#properties(keys),
      keys,
      sample: kept,
      remarks: this.#remarks(),
    };
  }

  /** Decides what to count, and counts what was put aside. */
  #begin(first: readonly { readonly item: JsonObject; readonly bytes: number }[]): void {
    const facts = pathFactsOf(
      first.map(({ item }) => item),
      this.#tree,
    );
    this.#tree.timeSlot = this.#timeSlotIn(facts);
    for (const slots of this.#keysIn(facts)) this.#keys.track(slots);
    this.#tree.forgetCounts();
    this.#tree.beginBatch();
    for (const { slot, kind } of facts) if (kind === "prose") this.#tree.takeForProse(slot);
    this.#first = undefined;
    this.#meetNew();
    for (const { item, bytes } of first) this.#count(item, bytes);
  }

  #timeSlotIn(facts: readonly PathFacts[]): number {
    const { time } = this.#options;
    if (time !== undefined) return this.#tree.slotOf(stepsOfPath(time));
    let best = { slot: -1, worth: 0 };
    for (const { slot, steps, time: form, presence, monotonicity, kind } of facts) {
      if (form === null || presence < 0.5) continue;
      // The service's own stamp says when an item was written last: better than nothing.
      const worth = kind === "stamp" ? 0.01 : timeWorthOf({ steps, form, presence, monotonicity });
      if (worth > best.worth) best = { slot, worth };
    }
    return best.slot;
  }

  #keysIn(facts: readonly PathFacts[]): readonly (readonly number[])[] {
    const asked = (this.#options.keys ?? []).map((paths) =>
      paths.map((path) => this.#tree.slotOf(stepsOfPath(path))),
    );
    const all = [...trackedKeysOf(facts), ...asked.filter((slots) => !slots.includes(-1))];
    const name = (slots: readonly number[]): string => [...slots].sort((a, b) => a - b).join();
    return [...new Map(all.map((slots) => [name(slots), slots])).values()];
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
    this.#keys.count(this.#batch);
    for (const slot of this.#plainSlots) this.#countPlain(slot);
    for (let row = 0; row < items.length; row++) {
      if (!Number.isNaN(millis[row])) this.#timeline.add(millis[row]!);
      const idHash = this.#tree.hashAt(this.#idSlot, row);
      if (idHash !== NO_VALUE && this.#versions.isWatched(idHash)) this.#addVersion(idHash, row);
      if (!this.#sample.wantsNext()) continue;
      if (isShallow(items[row]!)) this.#sample.keep(items[row]!, bytes[row]!);
      else this.#sample.pass();
    }
    items.length = 0;
    this.#tree.beginBatch();
  }

  #addVersion(idHash: number, row: number): void {
    const hashes = new Int32Array(this.#tree.slotCount);
    for (let slot = 0; slot < hashes.length; slot++) hashes[slot] = this.#tree.hashAt(slot, row);
    this.#versions.add(idHash, hashes);
  }

  #countPlain(slot: number): void {
    const { hashes } = this.#tree;
    const from = this.#tree.columnAt(slot);
    let count = 0;
    for (let row = 0; row < this.#batch.items.length; row++) {
      const hash = hashes[from + row]!;
      if (hash !== NO_VALUE) this.#present[count++] = hash;
    }
    if (count === 0) return;
    this.#distinct[slot] ??= new DistinctCounter();
    this.#distinct[slot]!.addAll(this.#present, count);
  }

  /** Takes in the properties that the items of the batch are the first to have. */
  #meetNew(): void {
    for (; this.#slotCount < this.#tree.slotCount; this.#slotCount++) {
      const slot = this.#slotCount;
      const row = this.#batch.items.findIndex((_, at) => this.#tree.hashAt(slot, at) !== NO_VALUE);
      const isLate = this.#isBegun && row >= 0 && this.#isLateKey(slot, this.#batch.items[row]!);
      if (isLate) this.#keys.track([slot]);
      if (!this.#keys.isTracked(slot)) this.#plainSlots.push(slot);
    }
    this.#isBegun = true;
  }

  /** One value is little to go by: only what cannot be a key is left out. */
  #isLateKey(slot: number, item: JsonObject): boolean {
    if (this.#keys.keyCount >= KEYS_MAX) return false;
    const value = valueAt(item, this.#tree.stepsOf(slot));
    const isProse = typeof value === "string" && value.length > LATE_TEXT_UNITS_MAX;
    const isMeasure = typeof value === "number" && !Number.isInteger(value);
    return !isProse && !isMeasure;
  }

  #properties(keys: readonly KeyProfile[]): readonly PropertyProfile[] {
    const tree = this.#tree;
    const singles = new Map(
      keys.filter(({ paths }) => paths.length === 1).map((key) => [key.paths[0]!, key]),
    );
    const counted = {
      tree,
      versions: this.#versions,
      itemCount: this.#itemCount,
      sample: this.#sample.items,
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
        `The items have more different properties than are counted: only the first ` +
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

/** The values of a key, not counting "no value" as one. */
function withoutNone({ distinct, presence }: KeyProfile): Estimate {
  const { value, low, high } = distinct;
  const none = presence < 1 ? 1 : 0;
  return { value: value - none, low: Math.max(0, low - none), high: high - none };
}
