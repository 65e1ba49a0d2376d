/**
 * What the counts of a key say: how many keys there are, the heaviest one by one, all others in
 * classes, and how unequal they are.
 *
 * Heavy keys are taken as counted. The others, if not counted too, are as many as the sketches say
 * and share what is left of the items in the way the sampled ones do. So the items of heavy keys
 * and classes together are always all items.
 */
import { type Estimate, exactly } from "../estimate.ts";
import type { HeavyCount } from "./heavyCount.ts";
import { HYPER_LOG_LOG_ERROR } from "./hyperLogLog.ts";
import type { KeyTally } from "./keyTally.ts";
import type { HeavyKey, KeyProfile, TailClass } from "./profile.ts";
import { SQUARE_SUM_ERROR } from "./squareSum.ts";

const HEAVIEST_COUNT_MAX = 256;
/** A counter whose count may be wrong by more than this share of it is left to the sample. */
const ERROR_SHARE_MAX = 0.1;
/** Standard errors in 95 %. */
const CONFIDENCE = 1.96;
/** Two estimates of the same number that differ by more standard errors do not agree. */
const AGREEMENT = 2.5;

export type KeyFigures = Pick<
  KeyProfile,
  "distinct" | "heaviest" | "tail" | "giniItems" | "entropy" | "effectiveKeys"
>;

/** So many keys with so many items each. */
interface Group {
  readonly items: number;
  readonly keyCount: number;
}

/** `byteScale`: bytes of the items as JSON texts over the bytes that were counted. */
export function keyFiguresOf(tally: KeyTally, byteScale: number): KeyFigures {
  const heavy = heavyIn(tally);
  const counts = heavy.map((each) => itemsOf(each));
  const heavyItems = sumOf(counts);
  const { distinct, light } = lightIn(tally, heavy, tally.itemCount - heavyItems);
  const given = heavy.filter(({ values }) => values !== undefined).slice(0, HEAVIEST_COUNT_MAX);
  const isGiven = new Set(given);
  const singles = heavy.map((each) => ({ items: itemsOf(each), keyCount: 1 }));
  const rest = [...singles.filter((_, at) => !isGiven.has(heavy[at]!)), ...light];
  return {
    distinct,
    heaviest: given.map((each) => heavyKeyOf(each, byteScale)),
    tail: classesOf(rest, tally.itemCount),
    ...inequalityOf([...singles, ...light], squaresIn(tally, heavy, light)),
  };
}

/** Those whose counts can be relied on, heaviest first. */
function heavyIn(tally: KeyTally): readonly HeavyCount[] {
  const reliable = tally
    .counts(ERROR_SHARE_MAX)
    .toSorted((a, b) => itemsOf(b) - itemsOf(a) || a.hash - b.hash);
  if (sumOf(reliable.map(itemsOf)) <= tally.itemCount) return reliable;
  // Half of every error is too much in all: what is certain cannot be.
  return reliable.map((each) => ({ ...each, error: 0 }));
}

function itemsOf({ count, error }: HeavyCount): number {
  return count + error / 2;
}

function heavyKeyOf(each: HeavyCount, byteScale: number): HeavyKey {
  const { count, error, bytesMean, values } = each;
  const items = itemsOf(each);
  return {
    values: values!,
    items: { value: items, low: count, high: count + error },
    bytes: Math.round(bytesMean * byteScale * items),
  };
}

/** The number of all keys, and groups that stand for those which are not heavy. */
function lightIn(
  { sketches, itemCount }: KeyTally,
  heavy: readonly HeavyCount[],
  lightItems: number,
): { readonly distinct: Estimate; readonly light: readonly Group[] } {
  if (sketches === undefined) return { distinct: exactly(heavy.length), light: [] };
  const isHeavy = new Set(heavy.map(({ hash }) => hash));
  const groups = new Map<number, number>();
  sketches.sample.forEach((hash, count) => {
    if (!isHeavy.has(hash)) groups.set(count, (groups.get(count) ?? 0) + 1);
  });
  const sampled = [...groups].map(([items, keyCount]) => ({ items, keyCount }));
  const sampledCount = sumOf(groups.values());
  const bySketch = Math.min(sketches.distinct.estimate(), itemCount);
  const bySample = sampleEstimate(sampled, lightItems, heavy.length);
  const sketchError = HYPER_LOG_LOG_ERROR * bySketch;
  const isSampleBetter =
    bySample.error < sketchError && Math.abs(bySample.value - bySketch) < AGREEMENT * sketchError;
  const { value, error } = isSampleBetter ? bySample : { value: bySketch, error: sketchError };
  // Every key has an item at least, and those that are counted are keys.
  const keyCount = Math.min(
    Math.max(value - heavy.length, sampledCount, lightItems > 0 ? 1 : 0),
    lightItems,
  );
  const distinct = {
    value: Math.round(heavy.length + keyCount),
    low: Math.max(heavy.length + sampledCount, Math.floor(value - CONFIDENCE * error)),
    high: Math.min(itemCount, Math.ceil(value + CONFIDENCE * error)),
  };
  return { distinct: ordered(distinct), light: lightGroups(sampled, keyCount, lightItems) };
}

/**
 * If the sampled keys have two items each on average, there are half as many keys as items. Better
 * than any sketch where keys are alike, and exact where each has one item.
 */
function sampleEstimate(
  sampled: readonly Group[],
  lightItems: number,
  heavyCount: number,
): { readonly value: number; readonly error: number } {
  if (sampled.length === 0) return { value: heavyCount, error: Number.POSITIVE_INFINITY };
  const keyCount = sumOf(sampled.map((group) => group.keyCount));
  const mean = itemsIn(sampled) / keyCount;
  const squares = sampled.map((group) => group.keyCount * (group.items - mean) ** 2);
  const value = lightItems / mean;
  // Three in so many: what a sample that shows nothing of the kind leaves possible.
  const share = Math.sqrt(sumOf(squares)) / keyCount / mean + 3 / keyCount / CONFIDENCE;
  return { value: heavyCount + value, error: value * share };
}

function ordered({ value, low, high }: Estimate): Estimate {
  return { value, low: Math.min(low, value), high: Math.max(high, value) };
}

/** The sampled keys, so many times over that they are as many keys and items as there are. */
function lightGroups(
  sampled: readonly Group[],
  keyCount: number,
  lightItems: number,
): readonly Group[] {
  if (keyCount <= 0 || lightItems <= 0) return [];
  if (sampled.length === 0) return [{ items: lightItems / keyCount, keyCount }];
  const keyScale = keyCount / sumOf(sampled.map((group) => group.keyCount));
  const itemScale = lightItems / (itemsIn(sampled) * keyScale);
  return sampled.map((group) => ({
    items: group.items * itemScale,
    keyCount: group.keyCount * keyScale,
  }));
}

/** Keys of one class differ by a factor of two at most. Heaviest class first. */
function classesOf(groups: readonly Group[], itemCount: number): readonly TailClass[] {
  const classes = new Map<number, { keyCount: number; itemShare: number }>();
  for (const { items, keyCount } of groups) {
    const magnitude = Math.floor(Math.log2(items) + 1e-9);
    const found = classes.get(magnitude) ?? { keyCount: 0, itemShare: 0 };
    found.keyCount += keyCount;
    found.itemShare += (items * keyCount) / itemCount;
    classes.set(magnitude, found);
  }
  return [...classes].sort(([a], [b]) => b - a).map(([, each]) => each);
}

/**
 * Σ items² of all keys. A sample of keys may lack the few that make most of it: where it does not
 * agree with the sketch, the sketch is right. Where it does, the sample is more precise.
 */
function squaresIn(
  { sketches }: KeyTally,
  heavy: readonly HeavyCount[],
  light: readonly Group[],
): number {
  const certain = sumOf(heavy.map((each) => itemsOf(each) ** 2));
  const bySample = sumOf(light.map(({ items, keyCount }) => items * items * keyCount));
  if (sketches === undefined) return certain;
  const bySketch = sketches.squares
    .without(heavy.map((each) => ({ hash: each.hash, count: itemsOf(each) })))
    .estimate();
  const isAgreed = Math.abs(bySketch - bySample) <= 2 * SQUARE_SUM_ERROR * bySketch;
  return certain + (isAgreed ? bySample : bySketch);
}

function inequalityOf(
  groups: readonly Group[],
  squareSum: number,
): Pick<KeyProfile, "giniItems" | "entropy" | "effectiveKeys"> {
  const total = itemsIn(groups);
  const keys = sumOf(groups.map(({ keyCount }) => keyCount));
  let [ranked, entropy, below] = [0, 0, 0];
  for (const { items, keyCount } of [...groups].sort((a, b) => a.items - b.items)) {
    const share = items / total;
    ranked += items * keyCount * (2 * below + keyCount - keys);
    entropy -= keyCount * share * Math.log2(share);
    below += keyCount;
  }
  if (total === 0) return { giniItems: 0, entropy: 0, effectiveKeys: 0 };
  return {
    giniItems: Math.max(0, ranked / (keys * total)),
    entropy: Math.max(0, entropy),
    effectiveKeys: Math.min(total ** 2 / squareSum, keys),
  };
}

function itemsIn(groups: readonly Group[]): number {
  return sumOf(groups.map(({ items, keyCount }) => items * keyCount));
}

function sumOf(numbers: Iterable<number>): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}
