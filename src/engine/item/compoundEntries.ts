/**
 * What an item enters into indexes over several properties: composite indexes and unique keys.
 * Each entry is the tuple of values at its paths; a missing value counts as null. Items under a
 * container without such indexes, which is nearly all of them, cost nothing here.
 */
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import { parseKeyPath } from "../../partition/partitionKeyOf.ts";
import type { ContainerDefinition } from "../definition/containerDefinition.ts";

/** Returns one text per composite index and unique key; equal texts mean equal entries. */
export function compoundEntriesOf(
  definition: ContainerDefinition,
  item: JsonObject,
): readonly string[] {
  const composites = definition.indexingPolicy.compositeIndexes ?? [];
  const compositeEntries = composites.map((index) =>
    entryOf(
      item,
      index.map(({ path }) => path),
    ),
  );
  return [...compositeEntries, ...uniqueEntriesOf(definition, item)];
}

/** Returns one text per unique key; equal texts mean equal entries. */
export function uniqueEntriesOf(
  definition: ContainerDefinition,
  item: JsonObject,
): readonly string[] {
  const uniqueKeys = definition.uniqueKeyPolicy?.uniqueKeys ?? [];
  return uniqueKeys.map(({ paths }) => entryOf(item, paths));
}

export function compoundEntryCountOf(definition: ContainerDefinition): number {
  const compositeCount = definition.indexingPolicy.compositeIndexes?.length ?? 0;
  return compositeCount + (definition.uniqueKeyPolicy?.uniqueKeys.length ?? 0);
}

function entryOf(item: JsonObject, paths: readonly string[]): string {
  return JSON.stringify(paths.map((path) => valueAt(item, path) ?? null));
}

function valueAt(item: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = item;
  for (const name of parseKeyPath(path) ?? []) {
    value = isObject(value) ? property(value, name) : undefined;
  }
  return value;
}
