/** Where the items of a query lie, by what its filter says about the partition key. */
import { pathHashOf } from "../../index/hash.ts";
import { termOf } from "../../index/term.ts";
import type { JsonValue } from "../../json/value.ts";
import type { EpkRange } from "../../partition/epkRange.ts";
import { intersect, WHOLE_RANGE } from "../../partition/epkRange.ts";
import { parseKeyPath } from "../../partition/partitionKeyOf.ts";
import type { KeyTerms } from "../../query/execute/source.ts";
import type { KnownParameters } from "../../query/keyRanges/constants.ts";
import type { KeyRanges, KeySetting } from "../../query/keyRanges/keyRanges.ts";
import { keyRangesOf } from "../../query/keyRanges/keyRanges.ts";
import type { Container } from "../partition/container.ts";
import type { PreparedQuery } from "../partition/preparedQueries.ts";

/** A parameter that the query names and the request does not give is undefined. */
export function keysOf(
  container: Container,
  { query, program }: PreparedQuery,
  given: ReadonlyMap<string, JsonValue>,
): KeyRanges {
  const parameters = new Map(program.parameterNames.map((name) => [name, given.get(name)]));
  return keyRangesOf(query, keySettingOf(container, parameters));
}

/** `isOpen`: values are missing, so what a filter says about the key is not known yet. */
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
 * What the keys that a filter names, as far as they lie in the scope, say about the items there.
 * Undefined where that cannot be told level by level: several keys of several levels.
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
  const hashes = partitionKey.paths.map((path) => pathHashOf(parseKeyPath(path)!));
  const levels = Array.from({ length: levelCount }, () => new Set<string>());
  let isWhole = found.every(({ range }) => range.min >= scope.min && range.max <= scope.max);
  for (const { key } of found) {
    for (const [level, value] of key!.entries()) {
      // Without a value there is no term that says so.
      if (value === undefined) return undefined;
      // To a query 0 and -0 are one value; they are two keys.
      if (value === 0) isWhole = false;
      levels[level]!.add(termOf(hashes[level]!, value));
    }
  }
  return { levels, isWhole };
}

/** A filter on a key that the policy leaves out says where to look; there, everything is read. */
export function isKeyIndexed({ definition }: Container, { index }: PreparedQuery): boolean {
  return definition.partitionKey.paths.every((path) => index.isIndexed(parseKeyPath(path)!));
}

/** The whole of every physical partition that holds a part of the ranges, within the scope. */
export function widened(
  { map }: Container,
  ranges: readonly EpkRange[],
  scope: EpkRange = WHOLE_RANGE,
): readonly EpkRange[] {
  return map.entries
    .filter(({ range }) => ranges.some((each) => intersect(range, each) !== undefined))
    .map(({ range }) => intersect(range, scope)!);
}
