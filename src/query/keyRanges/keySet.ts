/**
 * Sets of partition keys, as a filter describes them: unions of boxes. A box names, for each level
 * of the key, the values it may have, or leaves the level open.
 *
 * Every operation may give a larger set than asked for, never a smaller one, because a query does
 * not look for items outside of the set. That is the price of bounding the sizes of sets.
 *
 * 0 and -0 are one value here, as they are to a query; they are two keys to the hash, so
 * `keysWithin` tells them apart.
 */
import type { KeyComponent, PartitionKey } from "../../model/partitionKey.ts";

/** The values of each level, or `undefined` where any value will do. */
type Box = readonly (ReadonlySet<KeyComponent> | undefined)[];

/** A union of boxes. No box means no key at all; `EVERY_KEY` is any key. */
export type KeySet = readonly Box[];

export const EVERY_KEY: KeySet = [[]];
export const NO_KEY: KeySet = [];

/**
 * Largest number of keys, by rule of thumb: so many hit nearly every physical partition, and make a
 * long plan.
 */
const KEYS_MAX = 2_000;

/** Returns the keys with one of these values at a level. */
export function keysAt(level: number, components: Iterable<KeyComponent>): KeySet {
  const values = new Set<KeyComponent>();
  for (const component of components) {
    // No item has such a key: it could not be written.
    if (typeof component === "number" && !Number.isFinite(component)) continue;
    values.add(component);
  }
  if (values.size === 0) return NO_KEY;
  const open = Array.from({ length: level }, () => undefined);
  return [[...open, values]];
}

export function unionOf(sets: readonly KeySet[]): KeySet {
  const boxes = sets.flat();
  return boxes.some(isOpen) ? EVERY_KEY : boxes;
}

export function intersectionOf(sets: readonly KeySet[]): KeySet {
  const narrow = sets.filter((set) => !set.some(isOpen));
  return narrow.length === 0 ? EVERY_KEY : narrow.reduce(intersectTwo);
}

/**
 * Returns the keys of a set, as full keys or prefixes: as many leading levels as a box names, or
 * fewer when that would be too many keys. An empty prefix means that nothing narrows the search.
 */
export function keysWithin(set: KeySet, levelCount: number): readonly PartitionKey[] {
  for (let depthMax = levelCount; depthMax > 0; depthMax--) {
    const prefixes = set.map((box) => namedLevels(box, depthMax));
    const keyCount = prefixes.reduce((total, levels) => total + productOf(levels), 0);
    if (keyCount <= KEYS_MAX) return prefixes.flatMap(combinationsOf);
  }
  return [[]];
}

type Levels = readonly ReadonlySet<KeyComponent>[];

function namedLevels(box: Box, depthMax: number): Levels {
  const levels: ReadonlySet<KeyComponent>[] = [];
  for (let level = 0; level < depthMax; level++) {
    const values = box[level];
    if (values === undefined) break;
    levels.push(values);
  }
  return levels;
}

function productOf(levels: Levels): number {
  return levels.reduce((product, values) => product * values.size, 1);
}

function combinationsOf(levels: Levels): readonly PartitionKey[] {
  let keys: readonly PartitionKey[] = [[]];
  for (const values of levels) {
    const components = [...values].flatMap((value) => (value === 0 ? [0, -0] : [value]));
    keys = keys.flatMap((key) => components.map((component) => [...key, component]));
  }
  return keys;
}

function intersectTwo(a: KeySet, b: KeySet): KeySet {
  // Both sets hold the intersection; the one with fewer boxes is likely the smaller.
  if (a.length * b.length > KEYS_MAX) return a.length < b.length ? a : b;
  return a.flatMap((boxA) =>
    b.flatMap((boxB) => {
      const box = intersectBoxes(boxA, boxB);
      return box === undefined ? [] : [box];
    }),
  );
}

function intersectBoxes(a: Box, b: Box): Box | undefined {
  const levelCount = Math.max(a.length, b.length);
  const box: (ReadonlySet<KeyComponent> | undefined)[] = [];
  for (let level = 0; level < levelCount; level++) {
    const both = intersectValues(a[level], b[level]);
    if (both?.size === 0) return undefined;
    box.push(both);
  }
  return box;
}

function intersectValues(
  a: ReadonlySet<KeyComponent> | undefined,
  b: ReadonlySet<KeyComponent> | undefined,
): ReadonlySet<KeyComponent> | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const [few, many] = a.size < b.size ? [a, b] : [b, a];
  return new Set([...few].filter((value) => many.has(value)));
}

function isOpen(box: Box): boolean {
  return box.every((values) => values === undefined);
}
