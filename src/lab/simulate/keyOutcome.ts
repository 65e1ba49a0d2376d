/** What becomes of a candidate's logical partitions: how many, how large, how unequal. */
import { grainOf, type KeyShape } from "../candidate/keyShape.ts";
import { type Estimate, exactly } from "../counting/estimate.ts";
import type { DataFacts, Population } from "../data/facts.ts";
import { itemsOnDay } from "../workload/totalItems.ts";
import { isMissingKey, isOfMany, keyLabel, keyName } from "./keyLabel.ts";
import type { KeyOutcome, LargestKey, MissingKey } from "./simulation.ts";
import {
  bytesOnDay,
  contendersOf,
  dayOfPassing,
  keyBytesOn,
  keyCountOn,
  keysOf,
  largestKeyOn,
  type StorageSetting,
  type StoredKeys,
} from "./storage.ts";

/** Where the guides and the service's own alert begin to worry, as shares of the limit. */
const WORRY_SHARE = 0.75;

interface KeySetting {
  readonly shape: KeyShape;
  readonly population: Population;
  readonly facts: DataFacts;
  readonly storage: StorageSetting;
  readonly stored: readonly StoredKeys[];
  readonly limitBytes: number;
}

export function keyOutcomeOf(setting: KeySetting): KeyOutcome {
  const { shape, storage, stored } = setting;
  const end = storage.horizonDays;
  const bytes = bytesOnDay(stored, storage, end);
  const items = itemsOnDay(storage.growth, end);
  const { isMet = false } = setting.population;
  const keyCount =
    !isMet && hasUniquePath(setting, items) ? items : keyCountOn(stored, storage, end, isMet);
  const classes = stored
    .map((entry, at) => ({
      keys: keysOf(entry, storage, end),
      bytes: bytes[at]!,
    }))
    .filter((each) => each.bytes > 0);
  const stated = shape.candidate.stated?.distinctKeys;
  const count = stated ?? keyCount;
  return {
    count:
      stated === undefined ? countEstimate(setting.population, rounded(keyCount)) : exactly(stated),
    period: grainOf(shape, () => undefined),
    itemsPerKey: rounded(items / Math.max(1, count)),
    largest: largestOf(setting),
    lorenz: lorenzOf(classes),
    giniBytes: giniOf(classes),
    effectiveKeys: effectiveOf(classes),
  };
}

/** As many values as items: each has its own, rather than one by chance. */
function hasUniquePath({ shape, facts }: KeySetting, items: number): boolean {
  // A path that only some items have in their key divides those only.
  if (shape.hasChoice) return false;
  return shape.staticPaths.some((path) => {
    const distinct = facts.properties.get(path)?.distinct.value ?? 0;
    return !shape.hashCounts.has(path) && distinct >= UNIQUE_SHARE * items;
  });
}

const UNIQUE_SHARE = 0.999;

/** As uncertain as the number of the values that keys are made of. */
function countEstimate({ distinct }: Population, keyCount: number): Estimate {
  if (distinct.value <= 0) return exactly(keyCount);
  return {
    value: keyCount,
    low: (keyCount * distinct.low) / distinct.value,
    high: (keyCount * distinct.high) / distinct.value,
  };
}

function largestOf(setting: KeySetting): LargestKey {
  const { shape, storage, stored, limitBytes, facts } = setting;
  const statedShare = shape.candidate.stated?.largestKeyStorageShare;
  const contenders = contendersOf(stored);
  const found = peakOf(contenders, storage);
  const total = itemsOnDay(storage.growth, found.day) * storage.itemBytes;
  const value = statedShare === undefined ? found.bytes : statedShare * total;
  const factor = found.bytes === 0 ? 1 : value / found.bytes;
  const share = total === 0 ? 0 : value / total;
  const over =
    statedShare === undefined ? overLimit(setting) : statedOver(share, value > limitBytes);
  return {
    label: labelOf(contenders[found.index], setting),
    bytesAtEnd: sampled(value, share, facts.sampleCount),
    share,
    passes15GbOnDay: dayOfPassing(contenders, storage, (WORRY_SHARE * limitBytes) / factor),
    passes20GbOnDay: dayOfPassing(contenders, storage, limitBytes / factor),
    overLimitCount: over.count,
    overLimitShare: over.share,
  };
}

/** The largest key of items that lack a value of it. */
export function missingKeyOf(setting: KeySetting, rate: number): MissingKey | undefined {
  const { storage, stored } = setting;
  const end = storage.horizonDays;
  const bytesOf = keyBytesOn(stored, storage, end);
  let [largest, most]: [StoredKeys | undefined, number] = [undefined, 0];
  stored.forEach((entry, at) => {
    if (!isMissingKey(entry) || (largest !== undefined && bytesOf(at) <= most)) return;
    [largest, most] = [entry, bytesOf(at)];
  });
  if (largest === undefined) return undefined;
  const total = itemsOnDay(storage.growth, end) * storage.itemBytes;
  const share = total === 0 ? 0 : most / total;
  return { label: labelOf(largest, setting), bytesAtEnd: most, share, rate };
}

function labelOf(largest: StoredKeys | undefined, setting: KeySetting): string {
  if (largest === undefined) return "";
  return keyLabel(keyName(largest), isOfMany(largest), setting);
}

interface OverLimit {
  readonly count: number;
  readonly share: number;
}

function overLimit({ storage, stored, limitBytes }: KeySetting): OverLimit {
  const end = storage.horizonDays;
  const bytes = bytesOnDay(stored, storage, end);
  const keyBytes = keyBytesOn(stored, storage, end);
  let [count, over, total] = [0, 0, 0];
  stored.forEach((entry, at) => {
    total += bytes[at]!;
    if (keyBytes(at) <= limitBytes) return;
    count += keysOf(entry, storage, end);
    over += bytes[at]!;
  });
  return { count, share: total === 0 ? 0 : over / total };
}

/** Of one key's share nothing follows for the others. */
function statedOver(share: number, isOver: boolean): OverLimit {
  return isOver ? { count: 1, share } : { count: 0, share: 0 };
}

/** A period's keys are largest when it is over, which need not be at the end. */
function peakOf(
  stored: readonly StoredKeys[],
  storage: StorageSetting,
): { readonly index: number; readonly bytes: number; readonly day: number } {
  const { horizonDays } = storage;
  return [1, 0.97, 0.92, 0.85]
    .map((share) => share * horizonDays)
    .map((day) => ({ ...largestKeyOn(stored, storage, day), day }))
    .reduce((largest, each) => (each.bytes > largest.bytes ? each : largest));
}

/** A share that was counted in a sample is that of a larger whole within a few standard errors. */
function sampled(value: number, share: number, sampleCount: number | undefined): Estimate {
  if (sampleCount === undefined || share <= 0) return exactly(value);
  const relative = Math.sqrt((1 - share) / (share * sampleCount));
  const error = Math.min(1, 1.96 * relative) * value;
  return { value, low: value - error, high: value + error };
}

interface KeyClass {
  readonly keys: number;
  readonly bytes: number;
}

const LORENZ_POINTS = 40;

/** From the lightest keys to the heaviest. */
function lorenzOf(classes: readonly KeyClass[]): readonly (readonly [number, number])[] {
  const ordered = [...classes].sort((a, b) => a.bytes / a.keys - b.bytes / b.keys);
  const keys = ordered.reduce((sum, each) => sum + each.keys, 0);
  const bytes = ordered.reduce((sum, each) => sum + each.bytes, 0);
  if (keys === 0 || bytes === 0)
    return [
      [0, 0],
      [1, 1],
    ];
  const points: [number, number][] = [[0, 0]];
  let [keysPassed, bytesPassed] = [0, 0];
  ordered.forEach((each, at) => {
    keysPassed += each.keys;
    bytesPassed += each.bytes;
    const isDue = keysPassed / keys >= points.length / LORENZ_POINTS;
    if (isDue || at === ordered.length - 1) points.push([keysPassed / keys, bytesPassed / bytes]);
  });
  return points;
}

/** By the area under the whole curve, of which a drawing has a few points only. */
function giniOf(classes: readonly KeyClass[]): number {
  const ordered = [...classes].sort((a, b) => a.bytes / a.keys - b.bytes / b.keys);
  let [keys, bytes, area] = [0, 0, 0];
  for (const each of ordered) {
    area += each.keys * (2 * bytes + each.bytes);
    keys += each.keys;
    bytes += each.bytes;
  }
  return keys === 0 || bytes === 0 ? 0 : Math.max(0, rounded(1 - area / (keys * bytes)));
}

/** Sums of the same numbers in another order differ in their last digits. */
function rounded(value: number): number {
  return Number(value.toPrecision(12));
}

function effectiveOf(classes: readonly KeyClass[]): number {
  const total = classes.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total === 0) return 0;
  const squares = classes.reduce((sum, { keys, bytes }) => sum + (bytes / total) ** 2 / keys, 0);
  return rounded(1 / squares);
}
