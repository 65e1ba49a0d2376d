/** Where the items of a query lie, by what its filter says about the partition key. */
import type { JsonValue } from "../json/value.ts";
import type { EpkRange } from "../partition/epkRange.ts";
import { intersect, WHOLE_RANGE } from "../partition/epkRange.ts";
import { parseKeyPath } from "../partition/partitionKeyOf.ts";
import type { KnownParameters } from "../query/distribute/constants.ts";
import type { KeyRanges, KeySetting } from "../query/distribute/keyRanges.ts";
import { keyRangesOf } from "../query/distribute/keyRanges.ts";
import type { Container } from "./container.ts";
import type { PreparedQuery } from "./preparedQueries.ts";

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
