/**
 * The physical partitions of one container, as an immutable value.
 *
 * What always holds
 * - The entries are in the order of their ranges, and their ranges tile the key space.
 * - A range id is a number in text. It is given out once: retired ids never come back.
 * - No two entries share a part of the store.
 * - The first ids may be set aside: they are never given out, because the container that this one
 *   is a copy of has them.
 * - A retired id is remembered with its range: a client with an old map, or a session token from
 *   before a split, can still be told what the id stood for.
 * - The version grows with every change, so that a stale reader can be recognised.
 *
 * `initialMap` makes the first map of a container and `replaceEntries` every later one.
 *
 * Not here: when and where to split or merge, and moving the items.
 */
import { assert } from "../base/assert.ts";
import { no, ok, type Result } from "../base/result.ts";
import { isObject, type JsonObject, type JsonValue, property } from "../json/value.ts";
import type { PartitionKeyDefinition } from "../model/partitionKey.ts";
import {
  type Epk,
  type EpkRange,
  intersect,
  ownerOf,
  parseEpk,
  tilingProblem,
} from "./epkRange.ts";
import { initialRanges } from "./initialRanges.ts";

export interface PartitionEntry {
  /** The range id that clients see: the ordinal in text. */
  readonly id: string;
  readonly ordinal: number;
  /** The number under which the store keeps this physical partition; unique in the store. */
  readonly part: number;
  readonly range: EpkRange;
  /** The ids of all ancestors, each once, and each after its own ancestors. */
  readonly parents: readonly string[];
}

interface RetiredRange {
  readonly id: string;
  readonly range: EpkRange;
}

export interface PartitionMap {
  readonly version: number;
  /** The number that the next entry will have. */
  readonly nextOrdinal: number;
  /** How many numbers below that one were set aside. */
  readonly setAsideCount: number;
  readonly entries: readonly PartitionEntry[];
  /** The ranges of the entries, in the same order; routing searches them. */
  readonly ranges: readonly EpkRange[];
  /** The ranges in the order in which they were retired. */
  readonly retired: readonly RetiredRange[];
}

/** A physical partition that is to join the map; the map gives it its id and its ancestors. */
export interface AddedEntry {
  readonly part: number;
  readonly range: EpkRange;
}

/**
 * Returns the map of a fresh container, with the parts of the store that are meant for it. All
 * ordinals below `firstOrdinal` are set aside.
 */
export function initialMap(
  definition: PartitionKeyDefinition,
  count: number,
  parts: readonly number[],
  firstOrdinal = 0,
): PartitionMap {
  assert(parts.length === count, "each physical partition needs a part of the store");
  const ranges = initialRanges(definition, count);
  const entries = ranges.map((range, index) =>
    entryOf(firstOrdinal + index, parts[index]!, range, []),
  );
  const nextOrdinal = firstOrdinal + count;
  const setAsideCount = firstOrdinal;
  return checkedMap({ version: 1, nextOrdinal, setAsideCount, entries, ranges, retired: [] });
}

export function ownerOfEpk(map: PartitionMap, epk: Epk): PartitionEntry {
  return map.entries[ownerOf(map.ranges, epk)]!;
}

/** Returns the entry with this id; undefined when the id is retired or was never given. */
export function byId(map: PartitionMap, id: string): PartitionEntry | undefined {
  return map.entries.find((entry) => entry.id === id);
}

/** Returns the range that an id stands for, or stood for before it was retired. */
export function rangeOfId(map: PartitionMap, id: string): EpkRange | undefined {
  return byId(map, id)?.range ?? map.retired.find((retired) => retired.id === id)?.range;
}

/** Returns the entries that own some of `range`, in key order. */
export function overlapping(map: PartitionMap, range: EpkRange): readonly PartitionEntry[] {
  const first = ownerOf(map.ranges, range.min);
  let end = first + 1;
  while (end < map.ranges.length && map.ranges[end]!.min < range.max) end++;
  return map.entries.slice(first, end);
}

/**
 * Changes a map, in the only way there is: some entries give way to others that cover the same
 * keys. Each added entry gets the next free id, in the order given, and descends from the removed
 * entries whose keys it takes over.
 */
export function replaceEntries(
  map: PartitionMap,
  removedIds: readonly string[],
  added: readonly AddedEntry[],
): PartitionMap {
  const removed = map.entries.filter((entry) => removedIds.includes(entry.id));
  assert(removed.length === removedIds.length, "only live entries can be removed, each once");
  assert(removed.length > 0, "a change replaces something");

  const joining = added.map(({ part, range }, index) =>
    entryOf(map.nextOrdinal + index, part, range, ancestorsOf(removed, range)),
  );
  const staying = map.entries.filter((entry) => !removed.includes(entry));
  const entries = [...staying, ...joining].sort((a, b) => (a.range.min < b.range.min ? -1 : 1));
  return checkedMap({
    version: map.version + 1,
    nextOrdinal: map.nextOrdinal + joining.length,
    setAsideCount: map.setAsideCount,
    entries,
    ranges: entries.map((entry) => entry.range),
    retired: [...map.retired, ...removed.map(({ id, range }) => ({ id, range }))],
  });
}

/**
 * Returns the form that a map has on disk. Ids and ranges are left out where they follow from the
 * rest.
 */
export function encodeMap(map: PartitionMap): JsonObject {
  return {
    version: map.version,
    nextOrdinal: map.nextOrdinal,
    ...(map.setAsideCount > 0 && { setAsideCount: map.setAsideCount }),
    entries: map.entries.map(({ ordinal, part, range, parents }) => {
      return { ordinal, part, min: range.min, max: range.max, parents };
    }),
    retired: map.retired.map(({ id, range }) => ({ id, min: range.min, max: range.max })),
  };
}

/** Reads a map back; refuses one that would route items to the wrong place, and says why. */
export function decodeMap(encoded: JsonValue): Result<PartitionMap, string> {
  if (!isObject(encoded)) return no("a partition map is not an object");
  const version = decodeCount(property(encoded, "version"));
  const nextOrdinal = decodeCount(property(encoded, "nextOrdinal"));
  const setAsideCount = decodeCount(property(encoded, "setAsideCount") ?? 0);
  const entries = decodeAll(property(encoded, "entries"), decodeEntry);
  const retired = decodeAll(property(encoded, "retired"), decodeRetired);
  if (version === undefined) return no("a partition map has no version");
  if (nextOrdinal === undefined) return no("a partition map has no next ordinal");
  if (setAsideCount === undefined) return no("a partition map has a malformed count");
  if (entries === undefined) return no("a partition map has a malformed entry");
  if (retired === undefined) return no("a partition map has a malformed retired range");
  const ranges = entries.map((entry) => entry.range);
  const map: PartitionMap = { version, nextOrdinal, setAsideCount, entries, ranges, retired };
  const problem = mapProblem(map);
  return problem === undefined ? ok(map) : no(`a partition map is damaged: ${problem}`);
}

function entryOf(
  ordinal: number,
  part: number,
  range: EpkRange,
  parents: readonly string[],
): PartitionEntry {
  return { id: String(ordinal), ordinal, part, range, parents };
}

function ancestorsOf(removed: readonly PartitionEntry[], range: EpkRange): readonly string[] {
  const overlapped = removed.filter((entry) => intersect(entry.range, range) !== undefined);
  // A set, because the two sides of a merge often descend from the same split.
  return [...new Set(overlapped.flatMap(({ parents, id }) => [...parents, id]))];
}

function checkedMap(map: PartitionMap): PartitionMap {
  const problem = mapProblem(map);
  assert(problem === undefined, problem ?? "");
  return map;
}

/** Returns the first promise of this file that a map breaks; `undefined` when it keeps them all. */
function mapProblem(map: PartitionMap): string | undefined {
  const { nextOrdinal, entries, ranges, retired } = map;
  const givenCount = nextOrdinal - map.setAsideCount;
  const ids = new Set([...entries, ...retired].map((known) => known.id));
  const parts = new Set(entries.map((entry) => entry.part));
  const retiredIds = new Set(retired.map((known) => known.id));
  // There must be as many different ids as were given out, all of them in bounds: none twice, none
  // forgotten.
  if (entries.length + retired.length !== givenCount || ids.size !== givenCount) {
    return "its ids are not those that were given out";
  }
  for (const id of ids) if (!isOrdinalBelow(nextOrdinal, id)) return `id "${id}" was never given`;
  if (parts.size !== entries.length) return "two entries share a part of the store";
  for (const { id, parents } of entries) {
    if (!parents.every((parent) => retiredIds.has(parent))) return `"${id}" has a live ancestor`;
  }
  return tilingProblem(ranges);
}

function isOrdinalBelow(bound: number, id: string): boolean {
  const ordinal = Number(id);
  return Number.isInteger(ordinal) && ordinal >= 0 && ordinal < bound && String(ordinal) === id;
}

function decodeAll<T>(
  encoded: JsonValue | undefined,
  decode: (element: JsonObject) => T | undefined,
): readonly T[] | undefined {
  if (!Array.isArray(encoded)) return undefined;
  const decoded: T[] = [];
  for (const element of encoded as readonly JsonValue[]) {
    const one = isObject(element) ? decode(element) : undefined;
    if (one === undefined) return undefined;
    decoded.push(one);
  }
  return decoded;
}

function decodeEntry(encoded: JsonObject): PartitionEntry | undefined {
  const ordinal = decodeCount(property(encoded, "ordinal"));
  const part = decodeCount(property(encoded, "part"));
  const range = decodeRange(encoded);
  const parents = property(encoded, "parents");
  if (ordinal === undefined || part === undefined || range === undefined) return undefined;
  if (!Array.isArray(parents) || !parents.every((id) => typeof id === "string")) return undefined;
  return entryOf(ordinal, part, range, parents);
}

function decodeRetired(encoded: JsonObject): RetiredRange | undefined {
  const id = property(encoded, "id");
  const range = decodeRange(encoded);
  return typeof id === "string" && range !== undefined ? { id, range } : undefined;
}

function decodeRange(encoded: JsonObject): EpkRange | undefined {
  const min = property(encoded, "min");
  const max = property(encoded, "max");
  if (typeof min !== "string" || typeof max !== "string") return undefined;
  const parsedMin = parseEpk(min);
  const parsedMax = parseEpk(max);
  if (parsedMin === undefined || parsedMax === undefined) return undefined;
  return parsedMin < parsedMax ? { min: parsedMin, max: parsedMax } : undefined;
}

function decodeCount(encoded: JsonValue | undefined): number | undefined {
  return Number.isSafeInteger(encoded) && Number(encoded) >= 0 ? Number(encoded) : undefined;
}
