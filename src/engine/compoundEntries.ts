/**
 * What an item enters into indexes over several properties: composite indexes and unique keys.
 * Each entry is the tuple of values at its paths; a missing value counts as null. Items under a
 * container without such indexes, which is nearly all of them, cost nothing here.
 */
import type { JsonObject, JsonValue } from "../json/value.ts";
import { isObject, property } from "../json/value.ts";
import { parseKeyPath } from "../partition/partitionKeyOf.ts";
import type { ContainerDefinition } from "./containerDefinition.ts";

/** One text per composite index and unique key; equal texts mean equal entries. */
export function compoundEntriesOf(
  definition: ContainerDefinition,
  item: JsonObject,
): readonly string[] {
  return pathTuplesOf(definition).map((paths) =>
    JSON.stringify(paths.map((path) => valueAt(item, path) ?? null)),
  );
}

export function compoundEntryCountOf(definition: ContainerDefinition): number {
  const compositeCount = definition.indexingPolicy.compositeIndexes?.length ?? 0;
  return compositeCount + (definition.uniqueKeyPolicy?.uniqueKeys.length ?? 0);
}

function pathTuplesOf(definition: ContainerDefinition): readonly (readonly string[])[] {
  const composites = definition.indexingPolicy.compositeIndexes ?? [];
  const uniqueKeys = definition.uniqueKeyPolicy?.uniqueKeys ?? [];
  return [
    ...composites.map((index) => index.map(({ path }) => path)),
    ...uniqueKeys.map(({ paths }) => paths),
  ];
}

function valueAt(item: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = item;
  for (const name of parseKeyPath(path) ?? []) {
    value = isObject(value) ? property(value, name) : undefined;
  }
  return value;
}
