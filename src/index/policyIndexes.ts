/**
 * The indexes a policy lists besides its included paths: composite, spatial, vector, full text.
 *
 * They are checked and kept. None of them makes terms yet: a composite index is looked up by
 * name when a query orders by several paths, the others only promise a speed.
 *
 * Not here: whether a vector index has an embedding, or a full-text index a language. Those
 * stand in other parts of the container's definition.
 */
import type { JsonObject, JsonValue } from "../json/value.ts";
import { ELEMENTS, parsePolicyPath } from "./policyPath.ts";
import {
  listOf,
  member,
  objectOf,
  optional,
  refuse,
  refusePath,
  textOf,
  wholeNumberOf,
  wordOf,
} from "./policyReading.ts";

export type CompositeIndex = readonly CompositePath[];

export type CompositePath = {
  readonly path: string;
  readonly order: (typeof ORDERS)[number];
};

export type SpatialIndex = {
  readonly path: string;
  readonly types: readonly (typeof SPATIAL_TYPES)[number][];
  readonly boundingBox?: BoundingBox;
};

export type BoundingBox = {
  readonly xmin: number;
  readonly ymin: number;
  readonly xmax: number;
  readonly ymax: number;
};

export type VectorIndex = {
  readonly path: string;
  readonly type: (typeof VECTOR_INDEX_TYPES)[number];
  readonly quantizationByteSize?: number;
  readonly indexingSearchListSize?: number;
  readonly vectorIndexShardKey?: readonly string[];
};

export type FullTextIndex = { readonly path: string };

const ORDERS = ["ascending", "descending"] as const;
const SPATIAL_TYPES = ["Point", "LineString", "Polygon", "MultiPolygon"] as const;
const VECTOR_INDEX_TYPES = ["flat", "quantizedFlat", "diskANN"] as const;

/** Documented limits of the service. */
const COMPOSITE_INDEX_COUNT_MAX = 100;
const COMPOSITE_PATH_COUNT_MIN = 2;
const COMPOSITE_PATH_COUNT_MAX = 8;
const QUANTIZATION_BYTES_MAX = 512;
const SEARCH_LIST_MIN = 10;
const SEARCH_LIST_MAX = 500;
/** Our own bound on lists for which none is documented: as many as there may be paths. */
const INDEX_COUNT_MAX = 1_500;

export function readCompositeIndexes(list: JsonValue): readonly CompositeIndex[] {
  return listOf(list, "compositeIndexes", COMPOSITE_INDEX_COUNT_MAX).map((entry) => {
    const paths = listOf(entry, "compositeIndexes", COMPOSITE_PATH_COUNT_MAX);
    if (paths.length < COMPOSITE_PATH_COUNT_MIN) {
      refuse(`A composite index needs at least ${COMPOSITE_PATH_COUNT_MIN} paths.`);
    }
    return paths.map(readCompositePath);
  });
}

export function readSpatialIndexes(list: JsonValue): readonly SpatialIndex[] {
  return listOf(list, "spatialIndexes", INDEX_COUNT_MAX).map((entry) => {
    const index = objectOf(entry, "A spatial index");
    const path = textOf(member(index, "path"), "path");
    const parsed = parsePolicyPath(path);
    if (!parsed.ok) return refusePath(path, parsed.error);
    if (parsed.value.end === "none") return refusePath(path, path.length);
    return {
      path,
      types: spatialTypesOf(index),
      ...optional(index, "boundingBox", readBoundingBox),
    };
  });
}

export function readVectorIndexes(list: JsonValue): readonly VectorIndex[] {
  return listOf(list, "vectorIndexes", INDEX_COUNT_MAX).map((entry) => {
    const index = objectOf(entry, "A vector index");
    return {
      path: propertyPathOf(member(index, "path")),
      type: wordOf(member(index, "type"), "type", VECTOR_INDEX_TYPES),
      ...optional(index, "quantizationByteSize", (value) =>
        wholeNumberOf(value, "quantizationByteSize", 1, QUANTIZATION_BYTES_MAX),
      ),
      ...optional(index, "indexingSearchListSize", (value) =>
        wholeNumberOf(value, "indexingSearchListSize", SEARCH_LIST_MIN, SEARCH_LIST_MAX),
      ),
      ...optional(index, "vectorIndexShardKey", (keys) =>
        listOf(keys, "vectorIndexShardKey", COMPOSITE_PATH_COUNT_MAX).map(propertyPathOf),
      ),
    };
  });
}

export function readFullTextIndexes(list: JsonValue): readonly FullTextIndex[] {
  return listOf(list, "fullTextIndexes", INDEX_COUNT_MAX).map((entry) => ({
    path: propertyPathOf(member(objectOf(entry, "A full-text index"), "path")),
  }));
}

function readCompositePath(entry: JsonValue): CompositePath {
  const step = objectOf(entry, "A path of a composite index");
  return {
    path: propertyPathOf(member(step, "path")),
    order: wordOf(member(step, "order") ?? "ascending", "order", ORDERS),
  };
}

/**
 * A path of names only, as it stands for one property. It needs no end; the `/?` it stands for
 * may be spelled out.
 */
function propertyPathOf(value: JsonValue | undefined): string {
  const path = textOf(value, "path");
  const parsed = parsePolicyPath(path);
  if (!parsed.ok) return refusePath(path, parsed.error);
  const { segments, end, isTuple } = parsed.value;
  const isWild = end === "subtree" || isTuple || segments.includes(ELEMENTS);
  if (isWild || segments.length === 0) {
    refuse(`The path '${path}' must name one property, without wildcards.`);
  }
  return path;
}

/** Without types, all of them. */
function spatialTypesOf(index: JsonObject): SpatialIndex["types"] {
  const types = listOf(member(index, "types"), "types", SPATIAL_TYPES.length);
  if (types.length === 0) return SPATIAL_TYPES;
  return types.map((type) => wordOf(type, "types", SPATIAL_TYPES));
}

function readBoundingBox(value: JsonValue): BoundingBox {
  const box = objectOf(value, "A boundingBox");
  const edges = {
    xmin: edgeOf(box, "xmin"),
    ymin: edgeOf(box, "ymin"),
    xmax: edgeOf(box, "xmax"),
    ymax: edgeOf(box, "ymax"),
  };
  if (edges.xmin >= edges.xmax || edges.ymin >= edges.ymax) {
    refuse("A boundingBox must have xmin below xmax and ymin below ymax.");
  }
  return edges;
}

function edgeOf(box: JsonObject, name: string): number {
  const edge = member(box, name);
  if (typeof edge === "number" && Number.isFinite(edge)) return edge;
  return refuse(`The member '${name}' of a boundingBox must be a number.`);
}
