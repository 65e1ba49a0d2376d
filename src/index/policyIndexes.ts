/**
 * The indexes that a policy lists besides its included paths: composite, spatial, vector, full
 * text.
 *
 * The definitions are checked and kept. Composite, spatial and full-text indexes make terms
 * (`compositeTerm.ts`, `spatialTerm.ts`, `wordTerm.ts`); vector indexes make none.
 *
 * Not here: whether a vector index has an embedding, or a full-text index a language. Both stand in
 * other parts of the container's definition. The range of a vector's quantization depends on its
 * embedding, so `quantizationProblem` is called once that is known.
 */
import {
  invalidInput,
  listNamed,
  listOf,
  member,
  objectOf,
  optionalMember,
  refuse,
  textNamed,
  textOf,
  wholeNumberOf,
  wordInAnyCase,
  wordNamed,
} from "../json/reading.ts";
import type { JsonObject, JsonValue } from "../json/value.ts";
import { SERVICE_LIMITS } from "../model/limits.ts";
import type { Language } from "../text/language.ts";
import { ELEMENTS, type PolicyPath, parsePolicyPath } from "./policyPath.ts";

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

type BoundingBox = {
  readonly xmin: number;
  readonly ymin: number;
  readonly xmax: number;
  readonly ymax: number;
};

export type VectorIndex = {
  readonly path: string;
  readonly type: (typeof VECTOR_INDEX_TYPES)[number];
  readonly quantizerType?: (typeof QUANTIZER_TYPES)[number];
  readonly quantizationByteSize?: number;
  readonly indexingSearchListSize?: number;
  readonly vectorIndexShardKey?: readonly string[];
  /**
   * The name that Java's client has for `vectorIndexShardKey`; the definition is echoed under the
   * name that was sent.
   */
  readonly vectorIndexShardKeys?: readonly string[];
};

export type FullTextIndex = {
  readonly path: string;
  /** The language, which is never sent: it is filled in from the container's full-text policy. */
  readonly language?: Language;
};

const ORDERS = ["ascending", "descending"] as const;
const SPATIAL_TYPES = ["Point", "LineString", "Polygon", "MultiPolygon"] as const;
const VECTOR_INDEX_TYPES = ["flat", "quantizedFlat", "diskANN"] as const;
const QUANTIZER_TYPES = ["product", "spherical"] as const;

const { compositeIndexesMax, compositePathsMax, quantizationBytesMax } = SERVICE_LIMITS;
const COMPOSITE_PATH_COUNT_MIN = 2;
/** Bounds that tests of official clients expect of the service. */
const SEARCH_LIST_MIN = 25;
const SEARCH_LIST_MAX = 500;
const SHARD_PATH_COUNT_MAX = 1;
/** A bound of our own on lists for which none is documented: as many as there may be paths. */
const INDEX_COUNT_MAX: number = SERVICE_LIMITS.indexedPathsMax;

export function readCompositeIndexes(list: JsonValue): readonly CompositeIndex[] {
  return listNamed(list, "compositeIndexes", compositeIndexesMax).map((entry) => {
    const paths = listNamed(entry, "compositeIndexes", compositePathsMax);
    if (paths.length < COMPOSITE_PATH_COUNT_MIN) {
      refuse(`A composite index needs at least ${COMPOSITE_PATH_COUNT_MIN} paths.`);
    }
    return paths.map(readCompositePath);
  });
}

export function readSpatialIndexes(list: JsonValue): readonly SpatialIndex[] {
  return listNamed(list, "spatialIndexes", INDEX_COUNT_MAX).map((entry) => {
    const index = objectOf(entry, "A spatial index");
    const path = textNamed(member(index, "path"), "path");
    const parsed = parsePolicyPath(path);
    if (!parsed.ok) return refusePath(path, parsed.error);
    if (parsed.value.end === "none") return refusePath(path, path.length);
    return {
      path,
      types: spatialTypesOf(index),
      ...optionalMember(index, "boundingBox", readBoundingBox),
    };
  });
}

export function readVectorIndexes(list: JsonValue): readonly VectorIndex[] {
  return listOf(list, invalidInput("the member 'vectorIndexes'"), INDEX_COUNT_MAX).map((entry) => {
    const index = objectOf(entry, invalidInput("a vector index"));
    return {
      path: propertyPathOf(member(index, "path"), invalidInput("the path of a vector index")),
      type: readIndexType(member(index, "type")),
      ...optionalMember(index, "quantizerType", readQuantizerType),
      ...optionalMember(index, "quantizationByteSize", (value) =>
        wholeNumberOf(value, invalidInput("the quantizationByteSize of a vector index")),
      ),
      ...optionalMember(index, "indexingSearchListSize", readSearchListSize),
      ...optionalMember(index, "vectorIndexShardKey", readShardKey),
      ...optionalMember(index, "vectorIndexShardKeys", readShardKey),
    };
  });
}

/**
 * Returns what is wrong with a quantization: a vector is not quantized to more bytes than it has
 * dimensions.
 */
export function quantizationProblem(index: VectorIndex, dimensions: number): string | undefined {
  const bytesMax = Math.min(dimensions, quantizationBytesMax);
  const bytes = index.quantizationByteSize;
  if (bytes === undefined || (bytes >= 1 && bytes <= bytesMax)) return undefined;
  return outOfRange("QuantizationByteSize", bytes, 1, bytesMax);
}

export function readFullTextIndexes(list: JsonValue): readonly FullTextIndex[] {
  const indexes = listOf(list, invalidInput("the member 'fullTextIndexes'"), INDEX_COUNT_MAX);
  return indexes.map((entry) => {
    const index = objectOf(entry, invalidInput("a full-text index"));
    return {
      path: propertyPathOf(member(index, "path"), invalidInput("the path of a full-text index")),
    };
  });
}

export function refusePath(path: string, offset: number): never {
  refuse(
    `The indexing path '${path}' could not be accepted, failed near position '${offset}'. ` +
      "Names with other characters than letters, digits and '_' must be quoted.",
  );
}

function readCompositePath(entry: JsonValue): CompositePath {
  const step = objectOf(entry, "A path of a composite index");
  return {
    path: propertyPathOf(member(step, "path"), "The member 'path'"),
    order: wordNamed(member(step, "order") ?? "ascending", "order", ORDERS),
  };
}

/**
 * Reads the type of a vector index. Tests of official clients look for the beginnings of the
 * sentences here and in `outOfRange`.
 */
function readIndexType(value: JsonValue | undefined): VectorIndex["type"] {
  const text = textOf(value, invalidInput("the type of a vector index"));
  const type = wordInAnyCase(text, VECTOR_INDEX_TYPES);
  return (
    type ??
    refuse(
      `The Vector Indexing Policy's Index Type::${text} is invalid; ` +
        `it must be one of ${VECTOR_INDEX_TYPES.join(", ")}.`,
    )
  );
}

function readQuantizerType(value: JsonValue): (typeof QUANTIZER_TYPES)[number] {
  const text = textOf(value, invalidInput("the quantizerType of a vector index"));
  return wordNamed(text, "quantizerType", QUANTIZER_TYPES);
}

function readSearchListSize(value: JsonValue): number {
  const count = wholeNumberOf(value, invalidInput("the indexingSearchListSize of a vector index"));
  return count >= SEARCH_LIST_MIN && count <= SEARCH_LIST_MAX
    ? count
    : refuse(outOfRange("IndexingSearchListSize", count, SEARCH_LIST_MIN, SEARCH_LIST_MAX));
}

function readShardKey(value: JsonValue): readonly string[] {
  const paths = listOf(value, invalidInput("the vectorIndexShardKey of a vector index"));
  if (paths.length > SHARD_PATH_COUNT_MAX) {
    refuse(
      `The number of shard paths defined in the Vector Indexing Policy: ${paths.length} ` +
        `exceeds the maximum: ${SHARD_PATH_COUNT_MAX}.`,
    );
  }
  return paths.map((entry) => {
    const path = textOf(entry, invalidInput("a path of a vectorIndexShardKey"));
    const parsed = parsePolicyPath(path);
    const isFine = parsed.ok && namesOneProperty(parsed.value);
    return isFine ? path : refuse(`The Vector Indexing Policy has an invalid Shard Path: ${path}.`);
  });
}

function outOfRange(parameter: string, value: number, min: number, max: number): string {
  return (
    `The Vector Indexing Policy parameter ${parameter} value :: ${value} is out of range. ` +
    `The allowed range is between ${min} and ${max}.`
  );
}

function propertyPathOf(value: JsonValue | undefined, what: string): string {
  const path = textOf(value, what);
  const parsed = parsePolicyPath(path);
  if (!parsed.ok) return refusePath(path, parsed.error);
  return namesOneProperty(parsed.value)
    ? path
    : refuse(`The path '${path}' must name one property, without wildcards.`);
}

/**
 * True for a path that consists of names only and stops without an end, or with the `/?` that it
 * means.
 */
function namesOneProperty({ segments, end, isTuple }: PolicyPath): boolean {
  const isWild = end === "subtree" || isTuple || segments.includes(ELEMENTS);
  return !isWild && segments.length > 0;
}

/** Returns the types of a spatial index; all of them when it lists none. */
function spatialTypesOf(index: JsonObject): SpatialIndex["types"] {
  const types = listNamed(member(index, "types"), "types", SPATIAL_TYPES.length);
  if (types.length === 0) return SPATIAL_TYPES;
  return types.map((type) => wordNamed(type, "types", SPATIAL_TYPES));
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
