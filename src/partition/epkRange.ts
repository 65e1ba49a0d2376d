/**
 * Half-open ranges of effective partition keys: what a physical partition owns, and what a
 * caller may ask about.
 *
 * The key space of every container is `["", "FF")`. Its physical partitions tile it: no gap, no
 * overlap. Routing rests on that, so ranges are made by the functions of this file, and a
 * tiling is checked whenever one is read or replaced.
 *
 * An EPK is upper-case hexadecimal text of whole bytes, and EPKs compare as plain strings. Two
 * facts follow, and both are used here:
 * - The next EPK after `k` is `k + "00"`: nothing fits between a text and its extension by the
 *   lowest byte. So `[k, k + "00")` holds `k` and nothing else.
 * - Each level of a hierarchical key starts below "40". So the keys that extend the prefix `p`
 *   are exactly those in `[p, p + "FF")`.
 *
 * Not here: how a key is hashed (`epk.ts`), who owns which range (`partitionMap.ts`).
 */
import { assert } from "../base/assert.ts";
import type { Brand } from "../base/units.ts";
import type { PartitionKey, PartitionKeyDefinition } from "../model/partitionKey.ts";
import { epkOf } from "./epk.ts";

/** Effective partition key: what a partition key hashes to. Also a bound of a range. */
export type Epk = Brand<string, "Epk">;

/** The keys `k` with `min <= k < max`; a range is never empty. */
export interface EpkRange {
  readonly min: Epk;
  readonly max: Epk;
}

const EPK_MIN = "" as Epk;
const EPK_MAX = "FF" as Epk;

/** Every key a container can hold. */
export const WHOLE_RANGE: EpkRange = { min: EPK_MIN, max: EPK_MAX };

/**
 * Reads an EPK from the wire or the disk; `undefined` when the text is not one. Users write feed
 * ranges by hand and some tools print lower-case digits: the bytes meant are the same, but as text
 * "a" sorts after "F", so every EPK is made upper case here.
 */
export function parseEpk(text: string): Epk | undefined {
  if (text.length % 2 !== 0 || !/^[0-9A-Fa-f]*$/.test(text)) return undefined;
  const upper = text.toUpperCase();
  return upper <= EPK_MAX ? (upper as Epk) : undefined;
}

export function epkRange(min: Epk, max: Epk): EpkRange {
  assert(min < max, "a range must not be empty");
  return { min, max };
}

/**
 * Returns the range of everything under a hierarchical prefix, for example one tenant of `/tenant,
 * /user`.
 */
export function prefixRange(prefix: Epk): EpkRange {
  return epkRange(prefix, (prefix + EPK_MAX) as Epk);
}

/**
 * Returns the smallest range that holds every item with this key: for a full key its one EPK and no
 * other, for a key with fewer components than the definition everything under that prefix. The
 * empty key is a prefix too, of the whole space, except in a container that was created without a
 * partition key: there it is the full key of the items that have no value.
 */
export function rangeOfKey(definition: PartitionKeyDefinition, key: PartitionKey): EpkRange {
  assert(key.length <= definition.paths.length, "a key has at most one component per path");
  const epk = epkOf(definition, key);
  const isSystemKey = definition.systemKey === true && key.length === 0;
  if (isSystemKey || key.length === definition.paths.length) {
    return epkRange(epk, `${epk}00` as Epk);
  }
  assert(definition.kind === "MultiHash" || key.length === 0, "only MultiHash keys have prefixes");
  return prefixRange(epk);
}

export function contains(range: EpkRange, epk: Epk): boolean {
  return range.min <= epk && epk < range.max;
}

/** Returns the range of one EPK and no other. */
export function pointRange(epk: Epk): EpkRange {
  return { min: epk, max: `${epk}00` as Epk };
}

export function isPoint({ min, max }: EpkRange): boolean {
  return max === `${min}00`;
}

/** Returns what two ranges share. Ranges that only touch share nothing. */
export function intersect(a: EpkRange, b: EpkRange): EpkRange | undefined {
  const min = (a.min > b.min ? a : b).min;
  const max = (a.max < b.max ? a : b).max;
  return min < max ? { min, max } : undefined;
}

/** Cuts a range in two; `boundary` is the first key of the right one. */
export function splitAt(range: EpkRange, boundary: Epk): readonly [EpkRange, EpkRange] {
  assert(range.min < boundary && boundary < range.max, "a boundary must lie inside its range");
  return [epkRange(range.min, boundary), epkRange(boundary, range.max)];
}

/**
 * Returns the position of the range that holds `epk`, by binary search. `tiling` must tile, in
 * order.
 */
export function ownerOf(tiling: readonly EpkRange[], epk: Epk): number {
  assert(tiling.length > 0, "an empty tiling owns nothing");
  let first = 0;
  let last = tiling.length - 1;
  while (first < last) {
    const middle = (first + last + 1) >>> 1;
    if (tiling[middle]!.min <= epk) first = middle;
    else last = middle - 1;
  }
  return first;
}

/**
 * Returns what keeps these ranges, in this order, from tiling the key space; `undefined` if they
 * do.
 */
export function tilingProblem(ranges: readonly EpkRange[]): string | undefined {
  let reached = EPK_MIN;
  for (const { min, max } of ranges) {
    if (min !== reached) return `a range starts at "${min}" where "${reached}" was expected`;
    if (min >= max) return `the range at "${min}" is empty`;
    reached = max;
  }
  return reached === EPK_MAX ? undefined : `the ranges end at "${reached}"`;
}

export function assertTiles(ranges: readonly EpkRange[]): void {
  const problem = tilingProblem(ranges);
  assert(problem === undefined, problem ?? "");
}
