/**
 * What a candidate's keys hold as time goes by, as weights in the order of their EPKs.
 *
 * Keys without a time hold their share of all there is. Keys with a period hold what was written in
 * it, as long as it is kept; a new set of keys begins with every period.
 */
import { DAY_MS } from "../../base/units.ts";
import { WHOLE_RANGE } from "../../partition/epkRange.ts";
import {
  type KeyEntry,
  type KeyPlace,
  keyEntriesAt,
  rowsByGrain,
} from "../candidate/keyEntries.ts";
import { grainDays, type KeyShape } from "../candidate/keyShape.ts";
import type { Population, TimeResolution } from "../data/facts.ts";
import { itemsOnDay, itemsWritten, oldestDay } from "../workload/totalItems.ts";
import type { Growth } from "../workload/workload.ts";
import { periodsWithin } from "./calendar.ts";

export interface StoredKeys extends KeyEntry {
  /** Days of a period, if keys have one. */
  readonly periodDays: number | undefined;
  /** When items of these keys are written; undefined: all the time. */
  readonly window: { readonly fromDay: number; readonly toDay: number } | undefined;
}

export interface StorageSetting {
  readonly growth: Growth;
  readonly horizonDays: number;
  /** When day 0 is. */
  readonly startMillis: number;
  /** Stored bytes of an item. */
  readonly itemBytes: number;
}

/** So many keys at a time are as good as spread evenly, and need not be told apart. */
const DENSE_KEYS = 1024;
/** Keys of single periods that are followed one by one. */
const SINGLE_MAX = 4096;
const SPREAD_TARGET = 2048;

/** Single keys in the order of EPKs, then what is spread. */
export function storedKeys(
  shape: KeyShape,
  population: Population,
  setting: StorageSetting,
): readonly StoredKeys[] {
  const stored = rowsByGrain(shape, population).flatMap(({ grain, rows }) => {
    const part = { paths: population.paths, rows };
    if (grain === undefined) return timelessKeys(keyEntriesAt(shape, part, setting.startMillis));
    const keyless = keylessOf(keyEntriesAt(shape, part, setting.startMillis));
    const dated = periodKeys(shape, part, grain, setting);
    if (keyless === undefined) return dated;
    return [...dated.filter((entry) => !isKeyless(entry)), ...timelessKeys([keyless])];
  });
  return stored.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

/**
 * Items of which no key can be made, because a part of it is missing, have the same one whenever
 * they are written: no period divides them.
 */
function keylessOf(entries: readonly KeyEntry[]): KeyEntry | undefined {
  const keyless = entries.filter(isKeyless);
  const [first] = keyless;
  if (first === undefined) return undefined;
  const sum = (of: (entry: KeyEntry) => number): number =>
    keyless.reduce((total, entry) => total + of(entry), 0);
  return {
    ...first,
    keyCount: 1,
    itemShare: sum(({ itemShare }) => itemShare),
    byteShare: sum(({ byteShare }) => byteShare),
    requestShare: sum(({ requestShare }) => requestShare),
  };
}

function isKeyless({ key }: KeyEntry): boolean {
  return key.every((component) => component === undefined);
}

/** Keys that hold their share of what there is, whenever that is. */
export function timelessKeys(entries: readonly KeyEntry[]): readonly StoredKeys[] {
  return entries
    .map((entry) => ({ ...entry, periodDays: undefined, window: undefined }))
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

/** Single keys first, in the order of the key space. */
function orderOf({ place }: StoredKeys): string {
  return place.kind === "point" ? place.epk : `MASS${place.prefix}`;
}

/**
 * A few keys a period, over some months, lie where their hashes put them, each for its time. Many
 * lie everywhere, at any time: then some periods stand for all.
 */
function periodKeys(
  shape: KeyShape,
  part: Pick<Population, "paths" | "rows">,
  grain: TimeResolution,
  { growth, horizonDays, startMillis }: StorageSetting,
): readonly StoredKeys[] {
  const days = grainDays(grain);
  const first = oldestDay(growth, 0);
  const periods = Math.max(1, Math.ceil((horizonDays - first) / days));
  const keptPeriods = Math.max(1, (horizonDays - oldestDay(growth, horizonDays)) / days);
  const atOnce = keyEntriesAt(shape, part, startMillis);
  const isDense = keptPeriods * atOnce.length >= DENSE_KEYS || periods * atOnce.length > SINGLE_MAX;
  const middleOf = (period: number): number =>
    startMillis + (first + (period + 0.5) * days) * DAY_MS;
  if (!isDense) {
    const millisOf = (day: number): number => startMillis + day * DAY_MS;
    const dayOf = (millis: number): number => (millis - startMillis) / DAY_MS;
    const end = Math.max(millisOf(horizonDays), millisOf(first) + 1);
    return periodsWithin(grain, millisOf(first), end).flatMap(({ from, to }) => {
      const window = { fromDay: dayOf(from), toDay: dayOf(to) };
      return keyEntriesAt(shape, part, (from + to) / 2).map((entry) => ({
        ...entry,
        periodDays: days,
        window,
      }));
    });
  }
  const wanted = Math.ceil(SPREAD_TARGET / atOnce.length);
  const count = Math.max(1, Math.min(Math.floor(keptPeriods), wanted));
  // A key of one of very many periods lies anywhere.
  const isEvenly = keptPeriods > EVENLY * count;
  return Array.from({ length: count }).flatMap((_, at) => {
    const period = Math.floor(periods - keptPeriods + ((at + 0.5) * keptPeriods) / count);
    const entries = count === 1 ? atOnce : keyEntriesAt(shape, part, middleOf(period));
    return entries.map((entry) => ({
      ...scaled(entry, 1 / count),
      ...(isEvenly ? { place: ANYWHERE } : {}),
      periodDays: days,
      window: undefined,
    }));
  });
}

const EVENLY = 4;
const ANYWHERE: KeyPlace = { kind: "mass", prefix: WHOLE_RANGE.min };

/** A part of the items, with as many keys as there are in one period. */
function scaled(entry: KeyEntry, share: number): KeyEntry {
  return {
    ...entry,
    keyCount: entry.keyCount * share,
    itemShare: entry.itemShare * share,
    byteShare: entry.byteShare * share,
    requestShare: entry.requestShare * share,
  };
}

/** What each entry holds on a day, all its keys together. */
export function bytesOnDay(
  stored: readonly StoredKeys[],
  { growth, itemBytes }: StorageSetting,
  day: number,
): Float64Array {
  const { shares, fromDays, toDays } = columnsOf(stored);
  const all = itemsOnDay(growth, day) * itemBytes;
  const oldest = oldestDay(growth, day);
  const bytes = new Float64Array(shares.length);
  for (let at = 0; at < shares.length; at++) {
    const from = fromDays[at]!;
    if (Number.isNaN(from)) bytes[at] = shares[at]! * all;
    else if (from < day && toDays[at]! > oldest) {
      const written = itemsWritten(growth, Math.max(from, oldest), Math.min(toDays[at]!, day));
      bytes[at] = shares[at]! * written * itemBytes;
    }
  }
  return bytes;
}

/** The same numbers side by side: they are gone through for every month. */
interface Columns {
  readonly shares: Float64Array;
  /** Not a number where there is no window. */
  readonly fromDays: Float64Array;
  readonly toDays: Float64Array;
}

const columnsByList = new WeakMap<readonly StoredKeys[], Columns>();

function columnsOf(stored: readonly StoredKeys[]): Columns {
  const known = columnsByList.get(stored);
  if (known !== undefined) return known;
  const columns = {
    shares: Float64Array.from(stored, ({ byteShare }) => byteShare),
    fromDays: Float64Array.from(stored, ({ window }) => window?.fromDay ?? Number.NaN),
    toDays: Float64Array.from(stored, ({ window }) => window?.toDay ?? Number.NaN),
  };
  columnsByList.set(stored, columns);
  return columns;
}

/** The largest single key on a day, and which entry has it. */
export function largestKeyOn(
  stored: readonly StoredKeys[],
  setting: StorageSetting,
  day: number,
): { readonly index: number; readonly bytes: number } {
  const bytesOf = keyBytesOn(stored, setting, day);
  let best = { index: 0, bytes: 0 };
  for (let index = 0; index < stored.length; index++) {
    const bytes = bytesOf(index);
    if (bytes > best.bytes) best = { index, bytes };
  }
  return best;
}

/** Of entries that grow alike, only the one with the largest keys can have the largest key. */
export function contendersOf(stored: readonly StoredKeys[]): readonly StoredKeys[] {
  const best = new Map<string, StoredKeys>();
  for (const entry of stored) {
    const name = `${entry.periodDays} ${entry.window?.fromDay}`;
    const known = best.get(name);
    const isLarger =
      known === undefined || entry.byteShare / entry.keyCount > known.byteShare / known.keyCount;
    if (isLarger) best.set(name, entry);
  }
  return [...best.values()];
}

/** What one key holds of those that an entry stands for; of periods, the one with most. */
export function keyBytesOn(
  stored: readonly StoredKeys[],
  setting: StorageSetting,
  day: number,
): (index: number) => number {
  const bytes = bytesOnDay(stored, setting, day);
  const ofPeriod = new Map<number, number>();
  return (index) => {
    const { keyCount, byteShare, periodDays, window } = stored[index]!;
    if (periodDays === undefined || window !== undefined) return bytes[index]! / keyCount;
    let written = ofPeriod.get(periodDays);
    if (written === undefined) {
      written = periodBytes(setting, periodDays, day);
      ofPeriod.set(periodDays, written);
    }
    return (byteShare * written) / keyCount;
  };
}

/** Written in the last whole period, or in one of those before, if there is more of them. */
function periodBytes(
  { growth, itemBytes }: StorageSetting,
  periodDays: number,
  day: number,
): number {
  const oldest = oldestDay(growth, day);
  const last = itemsWritten(growth, Math.max(oldest, day - periodDays), day);
  const first = itemsWritten(growth, oldest, Math.min(day, oldest + periodDays));
  return Math.max(last, first) * itemBytes;
}

/** The first day on which the largest key passes a size; undefined: not within the horizon. */
export function dayOfPassing(
  stored: readonly StoredKeys[],
  setting: StorageSetting,
  bytes: number,
): number | undefined {
  const { horizonDays } = setting;
  const steps = 48;
  let before = 0;
  for (let step = 0; step <= steps; step++) {
    const day = (horizonDays * step) / steps;
    if (largestKeyOn(stored, setting, day).bytes > bytes) {
      return step === 0 ? 0 : bisect(stored, setting, bytes, before, day);
    }
    before = day;
  }
  return undefined;
}

function bisect(
  stored: readonly StoredKeys[],
  setting: StorageSetting,
  bytes: number,
  below: number,
  above: number,
): number {
  let [low, high] = [below, above];
  while (high - low > 0.5) {
    const middle = (low + high) / 2;
    if (largestKeyOn(stored, setting, middle).bytes > bytes) high = middle;
    else low = middle;
  }
  return high;
}

/**
 * How many logical partitions there are: no more than there are items to be in them. `isMet`: the
 * keys are those that have items.
 */
export function keyCountOn(
  stored: readonly StoredKeys[],
  setting: StorageSetting,
  day: number,
  isMet: boolean,
): number {
  const bytes = bytesOnDay(stored, setting, day);
  return stored.reduce((sum, entry, at) => {
    const items = bytes[at]! / setting.itemBytes;
    const keys = keysOf(entry, setting, day);
    if (items <= 0) return sum;
    // Where there are as many keys as items, each has its own; else they fall where they fall.
    // Keys that were counted are those that have items; of periods nobody counted which have.
    if (isMet && entry.periodDays === undefined) return sum + keys;
    const isOwn = keys >= OWN_KEY * items;
    return sum + (isOwn ? Math.min(keys, items) : keys * -Math.expm1(-items / keys));
  }, 0);
}

const OWN_KEY = 0.9;

/** Keys of an entry, those of all periods that are kept. */
export function keysOf(
  { keyCount, periodDays, window }: StoredKeys,
  { growth }: StorageSetting,
  day: number,
): number {
  if (periodDays === undefined || window !== undefined) return keyCount;
  return keyCount * Math.max(1, (day - oldestDay(growth, day)) / periodDays);
}
