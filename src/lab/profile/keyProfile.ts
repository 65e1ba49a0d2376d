/**
 * The figures of a key, from its counts: how many values it has, the heaviest one by one, all
 * others in classes, and how unequal they are.
 *
 * Where every value was counted all figures are exact. Where a sample was counted, the pinned
 * values are exact; the number of others is the estimate from the table of bits, and they share the
 * remaining items in the way the sampled values do. So heavy keys and classes together always have
 * all items.
 *
 * Sums are of whole numbers, in the order of counts: equal partitionings have equal figures, to the
 * digit, whatever their values are.
 */
import type { KeyComponent } from "../../model/partitionKey.ts";
import type { Estimate } from "../counting/estimate.ts";
import { exactly } from "../counting/estimate.ts";
import type { KeyTally } from "../counting/keyTally.ts";
import { ABSENCE_MASK, absenceOf } from "./absence.ts";
import type { HeavyKey, KeyProfile, TailClass } from "./profile.ts";

const HEAVIEST_COUNT_MAX = 256;
/** Each count up to this is a class of its own; above, there are this many classes per doubling. */
const OWN_CLASS_MAX = 64;
const CLASSES_PER_DOUBLING = 16;
/**
 * Two standard errors of a Gini coefficient are less than this over the root of the sample size.
 */
const GINI_ERROR = 2;

export type KeyFigures = Pick<
  KeyProfile,
  | "distinct"
  | "sampledKeys"
  | "heaviest"
  | "tail"
  | "largestShare"
  | "giniItems"
  | "giniError"
  | "entropy"
  | "effectiveKeys"
>;

interface FigureOptions {
  /** Bytes of the items as JSON texts over the bytes that were counted. */
  readonly byteScale: number;
  /** Number of components of a key. */
  readonly width: number;
  /** No value has a larger share of the items without being pinned. */
  readonly pinnedShare: number;
}

/** `keyCount` keys with `items` items each, and the bytes of all of them. */
interface Group {
  readonly items: number;
  keyCount: number;
  bytes: number;
  /** The bits that say which components are null or missing. */
  readonly absence: number;
}

interface NamedKey {
  readonly values: readonly KeyComponent[];
  readonly low: number;
  readonly high: number;
  readonly items: number;
  readonly bytes: number;
}

export function keyFiguresOf(tally: KeyTally, options: FigureOptions): KeyFigures {
  const { itemCount, isSample } = tally;
  const { named, groups: counted } = countsIn(tally);
  const distinct = distinctIn(tally, named.length + keysIn(counted));
  const groups = isSample
    ? scaledUp(counted, distinct.value - named.length, itemCount - itemsIn(named.map(groupOf)))
    : counted;
  const whole = [...named.map(groupOf), ...groups].sort((a, b) => a.items - b.items);
  // Taken from counted keys, because the classes that were scaled up are no single keys.
  const most = [...named, ...counted].reduce((items, each) => Math.max(items, each.items), 0);
  const largest = most / Math.max(1, itemCount);
  const sampledKeys = tally.table.entryCount;
  return {
    distinct,
    ...(isSample ? { sampledKeys } : {}),
    heaviest: named.slice(0, HEAVIEST_COUNT_MAX).map((each) => heavyKeyOf(each, options.byteScale)),
    tail: classesOf([...groups, ...named.slice(HEAVIEST_COUNT_MAX).map(groupOf)], tally, options),
    largestShare: isSample
      ? { value: largest, low: largest, high: Math.max(largest, options.pinnedShare) }
      : exactly(largest),
    giniError: isSample ? GINI_ERROR / Math.sqrt(sampledKeys) : 0,
    ...inequalityOf(whole),
  };
}

/** Returns the keys whose values are known, heaviest first, and all others grouped by items. */
function countsIn(tally: KeyTally): {
  readonly named: readonly NamedKey[];
  readonly groups: readonly Group[];
} {
  const named: NamedKey[] = [];
  const groups = new Map<number, Group>();
  tally.table.forEach(({ low, high, count: items, bytes }) => {
    const values = tally.valuesOf(low, high);
    if (values !== undefined) {
      named.push({ values, low, high, items, bytes });
      return;
    }
    const absence = high & ABSENCE_MASK;
    const name = items * (ABSENCE_MASK + 1) + absence;
    const group = groups.get(name) ?? { items, keyCount: 0, bytes: 0, absence };
    group.keyCount++;
    group.bytes += bytes;
    groups.set(name, group);
  });
  named.sort((a, b) => b.items - a.items || a.low - b.low || a.high - b.high);
  return { named, groups: [...groups.values()] };
}

function groupOf({ items, bytes, high }: NamedKey): Group {
  return { items, keyCount: 1, bytes, absence: high & ABSENCE_MASK };
}

/** Bounds the estimate: there are at least the counted keys, and at most as many keys as items. */
function distinctIn(tally: KeyTally, countedKeys: number): Estimate {
  const { value, low, high } = tally.distinct();
  const inBounds = (count: number): number =>
    Math.min(Math.max(count, countedKeys), tally.itemCount);
  return { value: inBounds(value), low: inBounds(low), high: inBounds(high) };
}

/** Multiplies the sampled keys so that they match the number of all keys and items. */
function scaledUp(
  sampled: readonly Group[],
  keyCount: number,
  itemCount: number,
): readonly Group[] {
  if (keyCount <= 0 || itemCount <= 0 || sampled.length === 0) return [];
  const keyScale = keyCount / keysIn(sampled);
  const itemScale = itemCount / (itemsIn(sampled) * keyScale);
  return sampled.map((group) => ({
    ...group,
    items: group.items * itemScale,
    keyCount: group.keyCount * keyScale,
    bytes: group.bytes * keyScale * itemScale,
  }));
}

function heavyKeyOf({ values, items, bytes }: NamedKey, byteScale: number): HeavyKey {
  return { values, items: exactly(items), bytes: Math.round(bytes * byteScale) };
}

/**
 * Puts keys into classes: those of one class differ by at most 4 %, and lack values at the same
 * places.
 */
function classesOf(
  groups: readonly Group[],
  tally: KeyTally,
  { byteScale, width }: FigureOptions,
): readonly TailClass[] {
  const classes = new Map<string, Group>();
  for (const { items, keyCount, bytes, absence } of groups) {
    const magnitude =
      items <= OWN_CLASS_MAX
        ? items
        : OWN_CLASS_MAX + Math.floor(CLASSES_PER_DOUBLING * Math.log2(items / OWN_CLASS_MAX));
    const name = `${magnitude} ${absence}`;
    const found = classes.get(name) ?? { items: 0, keyCount: 0, bytes: 0, absence };
    classes.set(name, {
      items: found.items + items * keyCount,
      keyCount: found.keyCount + keyCount,
      bytes: found.bytes + bytes,
      absence,
    });
  }
  return [...classes.values()]
    .sort((a, b) => b.items / b.keyCount - a.items / a.keyCount || a.absence - b.absence)
    .map(({ items, keyCount, bytes, absence }): TailClass => {
      const absent = absenceOf(absence, width);
      return {
        keyCount,
        itemShare: items / tally.itemCount,
        bytes: Math.round(bytes * byteScale),
        ...(absent === undefined ? {} : { absent }),
      };
    });
}

/** `groups` are sorted by items, fewest first. */
function inequalityOf(groups: readonly Group[]): {
  readonly giniItems: number;
  readonly entropy: number;
  readonly effectiveKeys: number;
} {
  const total = itemsIn(groups);
  const keys = keysIn(groups);
  if (total === 0) return { giniItems: 0, entropy: 0, effectiveKeys: 0 };
  const byItems = new Map<number, number>();
  for (const { items, keyCount } of groups) {
    byItems.set(items, (byItems.get(items) ?? 0) + keyCount);
  }
  let [ranked, entropy, squares, below] = [0, 0, 0, 0];
  for (const [items, keyCount] of byItems) {
    const share = items / total;
    ranked += items * keyCount * (2 * below + keyCount - keys);
    entropy -= keyCount * share * Math.log2(share);
    squares += keyCount * items * items;
    below += keyCount;
  }
  return {
    giniItems: Math.max(0, ranked / (keys * total)),
    entropy: Math.max(0, entropy),
    effectiveKeys: Math.min(total ** 2 / squares, keys),
  };
}

function itemsIn(groups: readonly Group[]): number {
  return groups.reduce((sum, { items, keyCount }) => sum + items * keyCount, 0);
}

function keysIn(groups: readonly Group[]): number {
  return groups.reduce((sum, { keyCount }) => sum + keyCount, 0);
}
