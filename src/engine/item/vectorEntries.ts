/**
 * What a vector costs when it comes into an index, goes or changes, counted in entries of other
 * indexes. The service publishes two figures for 1,536 dimensions of float32: about 35 RU for an
 * item under a quantizedFlat index, and 65 under diskANN; the item itself is some 12 of them. A
 * flat index is taken to cost what a quantized one does.
 */
import { equalValues } from "../../json/compare.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import { parseKeyPath } from "../../partition/partitionKeyOf.ts";
import type { ContainerDefinition } from "../definition/containerDefinition.ts";
import { samePlace } from "../definition/propertyPath.ts";

const PUBLISHED_DIMENSIONS = 1_536;
const ENTRIES_OF_PUBLISHED = { flat: 60, quantizedFlat: 60, diskANN: 140 } as const;

/** Of the item, or of what is not as it was before. */
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
