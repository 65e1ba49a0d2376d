/**
 * What a vector costs when it is added to an index, removed or changed, counted in entries of other
 * indexes. The service publishes two figures for 1,536 dimensions of float32: about 35 RU for an
 * item under a quantizedFlat index, and 65 RU under diskANN; the item itself is about 12 RU of
 * either figure. We take a flat index to cost as much as a quantizedFlat one.
 */
import { equalValues } from "../../json/compare.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import { parseKeyPath } from "../../partition/partitionKeyOf.ts";
import type { ContainerDefinition } from "../definition/containerDefinition.ts";
import { samePlace } from "../definition/propertyPath.ts";

const PUBLISHED_DIMENSIONS = 1_536;
const ENTRIES_OF_PUBLISHED = { flat: 60, quantizedFlat: 60, diskANN: 140 } as const;

/**
 * Counts the entries of the item's vectors; with `before`, only those of vectors that differ from
 * it.
 */
export function vectorEntryCountOf(
  { indexingPolicy, vectorEmbeddingPolicy }: ContainerDefinition,
  item: JsonObject,
  before?: JsonObject,
): number {
  let count = 0;
  for (const index of indexingPolicy.vectorIndexes ?? []) {
    const { path, type } = index;
    const vector = valueAt(item, path);
    const earlier = before && valueAt(before, path);
    if (before !== undefined && isSame(vector, earlier)) continue;
    const embedding = vectorEmbeddingPolicy?.vectorEmbeddings.find((each) => {
      return samePlace(each, index);
    });
    const dimensions = embedding?.dimensions ?? 0;
    const isIndexed = [vector, earlier].some(
      (value) => Array.isArray(value) && value.length === dimensions,
    );
    const share = dimensions / PUBLISHED_DIMENSIONS;
    if (isIndexed) count += Math.ceil(share * ENTRIES_OF_PUBLISHED[type]);
  }
  return count;
}

function isSame(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return equalValues(left, right);
}

function valueAt(item: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = item;
  for (const name of parseKeyPath(path) ?? []) {
    value = isObject(value) ? property(value, name) : undefined;
  }
  return value;
}
