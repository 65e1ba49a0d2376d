/** Finds the keys that the filter of a query is about, and so where its items lie. */
import type { PathHash } from "../../index/hash.ts";
import { pathHashOf } from "../../index/hash.ts";
import { termOf } from "../../index/term.ts";
import type { JsonValue } from "../../json/value.ts";
import type { PartitionKeyDefinition } from "../../model/partitionKey.ts";
import type { EpkRange } from "../../partition/epkRange.ts";
import { intersect, WHOLE_RANGE } from "../../partition/epkRange.ts";
import { parseKeyPath } from "../../partition/partitionKeyOf.ts";
import type { KeyTerms } from "../../query/execute/source.ts";
import type { KnownParameters } from "../../query/keyRanges/constants.ts";
import type { KeyRanges, KeySetting } from "../../query/keyRanges/keyRanges.ts";
import { keyRangesOf } from "../../query/keyRanges/keyRanges.ts";
import type { Container } from "../partition/container.ts";
import type { PreparedQuery } from "../partition/preparedQueries.ts";

/**
 * Returns the keys that a query is about. A parameter that the request does not give is undefined.
 */
export function keysOf(
  container: Container,
  { query, program }: PreparedQuery,
  given: ReadonlyMap<string, JsonValue>,
): KeyRanges {
  const parameters = new Map(program.parameterNames.map((name) => [name, given.get(name)]));
  return keyRangesOf(query, keySettingOf(container, parameters));
}

/**
 * `isOpen` means that values of parameters are missing, so that the filter's keys are not known
 * yet.
 */
export function keySettingOf(
  { definition }: Container,
  parameters: KnownParameters,
  isOpen = false,
): KeySetting {
  const { partitionKey, computedProperties = [] } = definition;
  const keyNames = isOpen ? partitionKey.paths.map((path) => parseKeyPath(path)![0]!) : [];
  const computedNames = new Set([...computedProperties.map(({ name }) => name), ...keyNames]);
  return { partitionKey, parameters, computedNames };
}

export function rangesWithin(keys: KeyRanges, scope: EpkRange): readonly EpkRange[] {
  if (keys === "nothing") return [];
  if (keys === "everything") return [scope];
  return keys
    .map(({ range }) => intersect(range, scope))
    .filter((range): range is EpkRange => range !== undefined);
}

/**
 * Returns the terms that all items of the keys within the scope have, level by level. Returns
 * undefined where terms level by level cannot say it: for several keys of several levels.
 */
export function keyTermsOf(
  { definition: { partitionKey } }: Container,
  keys: KeyRanges,
  scope: EpkRange,
): KeyTerms | undefined {
  if (typeof keys === "string") return undefined;
  const found = keys.filter(({ range }) => intersect(range, scope) !== undefined);
  const isOneLevel = found.every(({ key }) => key?.length === 1);
  const levelCount = found[0]?.key?.length ?? 0;
  if (levelCount === 0 || (found.length > 1 && !isOneLevel)) return undefined;
  const hashes = hashesOf(partitionKey);
  const levels = Array.from({ length: levelCount }, () => new Set<string>());
  let isWhole = found.every(({ range }) => range.min >= scope.min && range.max <= scope.max);
  for (const { key } of found) {
    for (const [level, value] of key!.entries()) {
      // An item without a value at this path has no term for the path.
      if (value === undefined) return undefined;
      // For a query 0 and -0 are one value, but they are two partition keys.
      if (value === 0) isWhole = false;
      levels[level]!.add(termOf(hashes[level]!, value));
    }
  }
  // Version 1 places long strings by their beginnings.
  const isOnly = partitionKey.kind === "MultiHash" || partitionKey.version !== 1;
  return { levels, isWhole, isOnly };
}

function hashesOf(definition: PartitionKeyDefinition): readonly PathHash[] {
  let known = HASHES.get(definition);
  if (known === undefined) {
    known = definition.paths.map((path) => pathHashOf(parseKeyPath(path)!));
    HASHES.set(definition, known);
  }
  return known;
}

const HASHES = new WeakMap<PartitionKeyDefinition, readonly PathHash[]>();

/**
 * True when all paths of the partition key are indexed. Otherwise a filter on the key only says
 * which physical partitions to read, and these are read as a whole.
 */
export function isKeyIndexed({ definition }: Container, prepared: PreparedQuery): boolean {
  let known = INDEXED_KEYS.get(prepared);
  if (known === undefined) {
    const { paths } = definition.partitionKey;
    known = paths.every((path) => prepared.index.isIndexed(parseKeyPath(path)!));
    INDEXED_KEYS.set(prepared, known);
  }
  return known;
}

/** By prepared query, which holds as long as definition and index are what they are. */
const INDEXED_KEYS = new WeakMap<PreparedQuery, boolean>();

/**
 * Returns every physical partition that holds a part of the ranges, as a whole but within the
 * scope.
 */
export function widened(
  { map }: Container,
  ranges: readonly EpkRange[],
  scope: EpkRange = WHOLE_RANGE,
): readonly EpkRange[] {
  return map.entries
    .filter(({ range }) => ranges.some((each) => intersect(range, each) !== undefined))
    .map(({ range }) => intersect(range, scope)!);
}
