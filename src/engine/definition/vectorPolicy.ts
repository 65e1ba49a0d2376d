/**
 * The policy that says which paths of a container hold vectors, and of what kind.
 *
 * An embedding must have a path; all its other members have defaults. Every vector index must be on
 * the path of an embedding. Both are fixed once they exist: a replacement repeats every embedding
 * and may add more; it may drop a vector index and add another, but not change one in place.
 */
import type { IndexingPolicy } from "../../index/policy.ts";
import { quantizationProblem } from "../../index/policyIndexes.ts";
import { equalValues } from "../../json/compare.ts";
import { invalidInput, listOf, member, objectOf, refuse, textOf } from "../../json/reading.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { faultPositionOf, placeNamedTwice, samePlace } from "./propertyPath.ts";

export type VectorEmbeddingPolicy = { readonly vectorEmbeddings: readonly VectorEmbedding[] };

type VectorEmbedding = {
  readonly path: string;
  readonly dataType: (typeof DATA_TYPES)[number];
  readonly dimensions: number;
  readonly distanceFunction: (typeof DISTANCE_FUNCTIONS)[number];
};

/** The documented defaults of the members that an embedding leaves out. */
const DEFAULTS: Omit<VectorEmbedding, "path"> = {
  dataType: "float32",
  dimensions: 1536,
  distanceFunction: "cosine",
};

const DATA_TYPES = ["float32", "float16", "uint8", "int8"] as const;
const DISTANCE_FUNCTIONS = ["euclidean", "cosine", "dotproduct"] as const;
const { vectorDimensionsMax, flatVectorDimensionsMax } = SERVICE_LIMITS;
/**
 * Factors on the dimensions that a flat index may have. The documented limit is that of float32,
 * about two kilobytes; samples and tests of the official clients have more than twice as many
 * dimensions of one byte each.
 */
const FLAT_SHARE = { float32: 1, float16: 2, uint8: 4, int8: 4 } as const;

export function readVectorEmbeddingPolicy(
  value: JsonValue | undefined,
): VectorEmbeddingPolicy | undefined {
  if (value === undefined) return undefined;
  const policy = objectOf(value, invalidInput("the vector embedding policy"));
  const embeddings = listOf(
    member(policy, "vectorEmbeddings"),
    invalidInput("the member 'vectorEmbeddings'"),
  );
  const vectorEmbeddings = embeddings.map(readEmbedding);
  const twice = placeNamedTwice(vectorEmbeddings);
  if (twice !== undefined) refuse(`Duplicate Path :${twice} found in Vector Embedding Policy.`);
  return { vectorEmbeddings };
}

/**
 * Checks the vector indexes. Tests of several official clients look for the first sentence of the
 * refusals.
 */
export function checkVectorIndexes(
  indexing: IndexingPolicy,
  policy: VectorEmbeddingPolicy | undefined,
): void {
  const indexes = indexing.vectorIndexes ?? [];
  const twice = placeNamedTwice(indexes);
  if (twice !== undefined) refuse(`Duplicate Path :${twice} found in Vector Indexing Policy.`);
  for (const index of indexes) {
    const { path, type } = index;
    const embedding = policy?.vectorEmbeddings.find((candidate) => samePlace(candidate, index));
    if (embedding === undefined) {
      refuse(`The Vector Indexing Policy's path::${path} not matching in Embedding's path.`);
    }
    const { dataType, dimensions } = embedding;
    const flatMax = flatVectorDimensionsMax * FLAT_SHARE[dataType];
    if (type === "flat" && dimensions > flatMax) {
      refuse(
        `The flat vector index on '${path}' takes at most ${flatMax} dimensions of ${dataType}; ` +
          `its embedding has ${dimensions}.`,
      );
    }
    const problem = quantizationProblem(index, dimensions);
    if (problem !== undefined) refuse(problem);
  }
}

/** The two parts of a container's definition that are about vectors. */
export interface VectorSettings {
  readonly indexingPolicy: IndexingPolicy;
  readonly vectorEmbeddingPolicy?: VectorEmbeddingPolicy;
}

export function checkVectorsKept(previous: VectorSettings, next: VectorSettings): void {
  const embeddings = next.vectorEmbeddingPolicy?.vectorEmbeddings ?? [];
  for (const embedding of previous.vectorEmbeddingPolicy?.vectorEmbeddings ?? []) {
    if (!embeddings.some((candidate) => equalValues(candidate, embedding))) {
      refuse("Paths in existing embedding policy cannot be modified in Collection Replace.");
    }
  }
  const indexes = next.indexingPolicy.vectorIndexes ?? [];
  for (const index of previous.indexingPolicy.vectorIndexes ?? []) {
    const successor = indexes.find((candidate) => samePlace(candidate, index));
    if (successor !== undefined && !equalValues(successor, index)) {
      refuse("Paths in existing vector indexing policy cannot be modified in Collection Replace.");
    }
  }
}

function readEmbedding(value: JsonValue): VectorEmbedding {
  const embedding = objectOf(value, invalidInput("a vector embedding"));
  const path = textOf(member(embedding, "path"), invalidInput("the path of a vector embedding"));
  if (faultPositionOf(path) !== undefined) {
    refuse(`The Vector Embedding Policy has an invalid Path:${path}.`);
  }
  // If the member were ignored, queries would look for vectors that nobody makes.
  if (member(embedding, "embeddingSource") !== undefined) {
    refuse(
      "The member 'embeddingSource' of a vector embedding is not supported: vectors are not made " +
        "here. Leave it out, and store items with their vectors.",
    );
  }
  return {
    path,
    dataType: readWord(embedding, "dataType", DATA_TYPES),
    dimensions: readDimensions(member(embedding, "dimensions")),
    distanceFunction: readWord(embedding, "distanceFunction", DISTANCE_FUNCTIONS),
  };
}

/** Parses a word in any letter case, because the documentation itself uses several. */
function readWord<W extends string>(
  embedding: JsonObject,
  name: "dataType" | "distanceFunction",
  words: readonly W[],
): W {
  const value = member(embedding, name) ?? DEFAULTS[name];
  const text = textOf(value, invalidInput(`the ${name} of a vector embedding`));
  const word = words.find((candidate) => candidate === text.toLowerCase());
  if (word !== undefined) return word;
  const title = name === "dataType" ? "DataType" : "DistanceFunction";
  return refuse(
    `The Vector Embedding Policy has an invalid ${title}:${text}; ` +
      `it must be one of ${words.join(", ")}.`,
  );
}

function readDimensions(dimensions: JsonValue | undefined): number {
  if (dimensions === undefined) return DEFAULTS.dimensions;
  if (typeof dimensions !== "number") {
    refuse(invalidInput("the dimensions of a vector embedding must be a positive integer."));
  }
  if (!Number.isInteger(dimensions) || dimensions < 1) {
    refuse(
      `The Vector Embedding Policy has Dimensions:${dimensions} which is not a positive integer.`,
    );
  }
  return dimensions > vectorDimensionsMax
    ? refuse(
        `The Vector Embedding Policy has Dimensions:${dimensions} which is more than the maximum ` +
          `supported value: ${vectorDimensionsMax}.`,
      )
    : dimensions;
}
