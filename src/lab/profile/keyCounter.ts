/**
 * Counts further keys after a profile was made, in another pass over the same items. Only these
 * keys are counted, and nothing else that a profile has.
 */
import type { JsonObject } from "../../json/value.ts";
import { valueAt } from "../../keys/paths.ts";
import type { ExpressionKey } from "./countedKeys.ts";
import { itemTimeOf } from "./itemTime.ts";
import { KEYS_MAX, KeyCounting, type TrackedKey } from "./keyCounting.ts";
import { stepsOfPath } from "./pathSteps.ts";
import { BATCH_COUNT_MAX, PathTree } from "./pathTree.ts";
import type { KeyProfile } from "./profile.ts";
import { byteScaleOf } from "./sampledItem.ts";
import type { Surveyed } from "./survey.ts";
import { quantilesOf, timedItems } from "./timeQuantiles.ts";

interface KeyCounterOptions {
  readonly survey: Surveyed;
  /** The path of the time at which an item was created, if there is one. */
  readonly time: string | undefined;
  readonly keys: readonly (readonly string[])[];
  readonly expressions: readonly ExpressionKey[];
  readonly entriesMax?: number | undefined;
}

export class KeyCounter {
  readonly #survey: Surveyed;
  readonly #time: readonly string[] | undefined;
  readonly #tree = new PathTree();
  readonly #slots: readonly number[];
  readonly #counting: KeyCounting;
  readonly #batch = {
    items: [] as JsonObject[],
    bytes: new Float64Array(BATCH_COUNT_MAX),
    millis: new Float64Array(BATCH_COUNT_MAX).fill(Number.NaN),
  };
  #itemCount = 0;

  constructor({ survey, time, keys, expressions, entriesMax }: KeyCounterOptions) {
    this.#survey = survey;
    this.#time = time === undefined ? undefined : stepsOfPath(time);
    const slots = keys.map((paths) => paths.map((path) => this.#tree.slotOf(stepsOfPath(path))));
    this.#slots = [...new Set(slots.flat())];
    const tracked: readonly TrackedKey[] = [
      ...slots.map((each) => ({ slots: each, isQuiet: true })),
      ...expressions.map(({ text, levels }) => ({
        slots: [],
        expression: text,
        levels,
        isQuiet: true,
      })),
    ];
    const some = tracked.slice(0, KEYS_MAX);
    const { length: surveyCount } = survey.sample;
    const scope = { itemCount: survey.itemCount, surveyCount, spanMillis: 0 };
    const trial = new KeyCounting(this.#tree, scope);
    for (const key of some) trial.track(key);
    this.#countSample(trial);
    this.#counting = new KeyCounting(this.#tree, scope, entriesMax);
    some.forEach((key, at) => {
      this.#counting.track({ ...key, pins: trial.learntOf(at).pins });
    });
  }

  get itemCount(): number {
    return this.#itemCount;
  }

  add(item: JsonObject, bytes: number): void {
    const row = this.#batch.items.length;
    this.#tree.hashPaths(item, row, this.#slots);
    this.#batch.items.push(item);
    this.#batch.bytes[row] = bytes;
    this.#batch.millis[row] = this.#millisOf(item);
    this.#itemCount++;
    if (row + 1 === BATCH_COUNT_MAX) this.#countBatch();
  }

  /** Returns the profiles of the keys over all items that were added. */
  results(): readonly KeyProfile[] {
    this.#countBatch();
    const { sample } = this.#survey;
    const timed = this.#time === undefined ? undefined : timedItems(sample, this.#time);
    return this.#counting.results(byteScaleOf(sample), quantilesOf(timed));
  }

  #countBatch(): void {
    this.#counting.count(this.#batch);
    this.#batch.items.length = 0;
  }

  /** Counts the sample, to pin the keys that come twice among a few thousand items. */
  #countSample(trial: KeyCounting): void {
    const { items, bytes, millis } = this.#batch;
    for (const { item } of this.#survey.sample) {
      this.#tree.hashPaths(item, items.length, this.#slots);
      items.push(item);
      if (items.length < BATCH_COUNT_MAX) continue;
      trial.count({ items, bytes, millis });
      items.length = 0;
    }
    trial.count({ items, bytes, millis });
    items.length = 0;
  }

  #millisOf(item: JsonObject): number {
    const value = this.#time === undefined ? undefined : valueAt(item, this.#time);
    return typeof value === "string" || typeof value === "number" ? itemTimeOf(value) : Number.NaN;
  }
}
