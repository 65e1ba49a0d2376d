/** Which vectors are taken, what an index on them needs, and what of them stays. */
import { describe, expect, test } from "vitest";
import { type IndexingPolicy, parseIndexingPolicy } from "../../index/policy.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import {
  checkVectorIndexes,
  checkVectorsKept,
  readVectorEmbeddingPolicy,
  type VectorSettings,
} from "./vectorPolicy.ts";

const V = { path: "/v", dataType: "float32", dimensions: 3, distanceFunction: "cosine" };
const policyOf = (...vectorEmbeddings: JsonValue[]): JsonObject => ({ vectorEmbeddings });

const TAKEN: readonly JsonObject[] = [
  V,
  { path: "/a/v", dataType: "float16", dimensions: 4096, distanceFunction: "euclidean" },
  { path: "/v", dataType: "int8", dimensions: 1, distanceFunction: "dotproduct" },
  { path: "/v", dataType: "uint8", dimensions: 505, distanceFunction: "dotproduct" },
];

/** What is sent, and what it is taken for. */
const UNDERSTOOD: readonly (readonly [rule: string, sent: JsonObject, taken: JsonObject])[] = [
  ["the path will do", { path: "/v" }, { ...V, dimensions: 1536 }],
  ["null is nothing", { ...V, dimensions: null }, { ...V, dimensions: 1536 }],
  ["letters may be capital", { ...V, dataType: "Float32", distanceFunction: "Cosine" }, V],
];

const INVALID_INPUT = "One of the specified inputs is invalid";
const REFUSED: readonly (readonly [rule: string, policy: JsonValue, told: string])[] = [
  ["a policy is an object", [V], "must be an object"],
  ["embeddings are a list", { vectorEmbeddings: V }, "must be an array"],
  ["an embedding is an object", policyOf("/v"), "must be an object"],
  ["a path starts with a slash", policyOf({ ...V, path: "v" }), "invalid Path:v"],
  ["vectors are given", policyOf({ ...V, embeddingSource: {} }), "'embeddingSource' of a vector"],
  ["a data type is known", policyOf({ ...V, dataType: "f33" }), "an invalid DataType:f33"],
  [
    "a distance function is known",
    policyOf({ ...V, distanceFunction: "paces" }),
    "The Vector Embedding Policy has an invalid DistanceFunction:paces",
  ],
  [
    "there is a dimension",
    policyOf({ ...V, dimensions: 0 }),
    "has Dimensions:0 which is not a positive",
  ],
  [
    "it is no fraction",
    policyOf({ ...V, dimensions: 1.5 }),
    "has Dimensions:1.5 which is not a positive",
  ],
  ["it is a number", policyOf({ ...V, dimensions: "3" }), INVALID_INPUT],
  ["a path is a string", policyOf({ ...V, path: 1 }), INVALID_INPUT],
  ["so is a data type", policyOf({ ...V, dataType: 1 }), INVALID_INPUT],
  ["so is a distance function", policyOf({ ...V, distanceFunction: [] }), INVALID_INPUT],
  ["a list is no embedding", policyOf([]), INVALID_INPUT],
  ["a string is no list", { vectorEmbeddings: "/v" }, INVALID_INPUT],
  ["a string is no policy", "/v", INVALID_INPUT],
  [
    "there are at most 4,096",
    policyOf({ ...V, dimensions: 8000 }),
    "has Dimensions:8000 which is more than the maximum supported value: 4096",
  ],
  ["no path has two embeddings", policyOf(V, { ...V, dimensions: 4 }), "Duplicate Path :"],
  ["in quotes it is the same path", policyOf(V, { ...V, path: '/"v"' }), "Duplicate Path :"],
  ["the list has an end", policyOf(...Array(1501).fill(V)), "more than 1500 entries"],
];

const UNMATCHED = "The Vector Indexing Policy's path::/v not matching in Embedding's path";
/** The type of an index on `/v`, the policy beside it, and what is told. */
const INDEXED: readonly (readonly [string, JsonObject | undefined, string])[] = [
  ["flat", policyOf(V), "fine"],
  ["diskANN", policyOf({ ...V, dimensions: 4096 }), "fine"],
  ["flat", policyOf({ ...V, dimensions: 505 }), "fine"],
  ["flat", policyOf({ ...V, dimensions: 506 }), "at most 505 dimensions of float32"],
  ["flat", policyOf({ ...V, dataType: "float16", dimensions: 1010 }), "fine"],
  ["flat", policyOf({ ...V, dataType: "float16", dimensions: 1011 }), "at most 1010 dimensions"],
  ["flat", policyOf({ ...V, dataType: "int8", dimensions: 1200 }), "fine"],
  ["flat", policyOf({ ...V, dataType: "uint8", dimensions: 2021 }), "at most 2020 dimensions"],
  ["flat", policyOf({ ...V, path: "/w" }), UNMATCHED],
  ["flat", undefined, UNMATCHED],
];

const TWO_INDEXES = [
  { path: "/v", type: "flat" },
  { path: '/"v"', type: "diskANN" },
];

const SIZE = "The Vector Indexing Policy parameter QuantizationByteSize value ::";
/** Dimensions of the embedding, `quantizationByteSize` of the index on it, and what is told. */
const QUANTIZED: readonly (readonly [dimensions: number, bytes: number, told: string])[] = [
  [256, 1, "fine"],
  [256, 256, "fine"],
  [550, 512, "fine"],
  [256, 0, `${SIZE} 0 is out of range. The allowed range is between 1 and 256.`],
  [256, -1, `${SIZE} -1 is out of range. The allowed range is between 1 and 256.`],
  [256, 257, `${SIZE} 257 is out of range. The allowed range is between 1 and 256.`],
  [550, 513, `${SIZE} 513 is out of range. The allowed range is between 1 and 512.`],
];

const EMBEDDING_CHANGED =
  "Paths in existing embedding policy cannot be modified in Collection Replace";
const INDEX_CHANGED =
  "Paths in existing vector indexing policy cannot be modified in Collection Replace";
const REPLACED: readonly (readonly [
  rule: string,
  before: VectorSettings,
  after: VectorSettings,
  told: string,
])[] = [
  ["the same again", settings("flat", V), settings("flat", V), "fine"],
  ["an embedding is added", settings("flat", V), settings("flat", { ...V, path: "/w" }, V), "fine"],
  ["an index is dropped", settings("flat", V), settings(undefined, V), "fine"],
  ["an index is added", settings(undefined, V), settings("flat", V), "fine"],
  ["an index changes", settings("flat", V), settings("quantizedFlat", V), INDEX_CHANGED],
  [
    "an embedding changes",
    settings(undefined, V),
    settings(undefined, { ...V, dimensions: 4 }),
    EMBEDDING_CHANGED,
  ],
  ["an embedding is dropped", settings(undefined, V), settings(undefined), EMBEDDING_CHANGED],
];

describe("vector policies", () => {
  test.each(TAKEN)("%j is taken", (embedding) => {
    const policy = policyOf(embedding);
    expect(readVectorEmbeddingPolicy(policy)).toEqual(policy);
  });

  test.each(UNDERSTOOD)("%s", (_, sent, taken) => {
    expect(readVectorEmbeddingPolicy(policyOf(sent))).toEqual(policyOf(taken));
  });

  test("no path has two indexes", () => {
    const parsed = parseIndexingPolicy({ vectorIndexes: TWO_INDEXES });
    if (!parsed.ok) throw new Error(parsed.error);
    const policy = readVectorEmbeddingPolicy(policyOf(V));
    expect(() => checkVectorIndexes(parsed.value, policy)).toThrow(
      'Duplicate Path :/"v" found in Vector Indexing Policy.',
    );
  });

  test.each(REFUSED)("refused: %s", (_, policy, told) => {
    expect(() => readVectorEmbeddingPolicy(policy)).toThrow(told);
  });

  test.each(INDEXED)("a %s index beside %j: %s", (type, policy, told) => {
    const check = (): void => checkVectorIndexes(indexing(type), readVectorEmbeddingPolicy(policy));
    if (told === "fine") expect(check).not.toThrow();
    else expect(check).toThrow(told);
  });

  test.each(QUANTIZED)("%i dimensions in %i bytes: %s", (dimensions, bytes, told) => {
    const policy = readVectorEmbeddingPolicy(policyOf({ ...V, dimensions }));
    const check = (): void =>
      checkVectorIndexes(indexing("quantizedFlat", { quantizationByteSize: bytes }), policy);
    if (told === "fine") expect(check).not.toThrow();
    else expect(check).toThrow(told);
  });

  test.each(REPLACED)("in a replacement, %s", (_, before, after, told) => {
    const check = (): void => checkVectorsKept(before, after);
    if (told === "fine") expect(check).not.toThrow();
    else expect(check).toThrow(told);
  });
});

function settings(type: string | undefined, ...embeddings: JsonObject[]): VectorSettings {
  const vectorEmbeddingPolicy = readVectorEmbeddingPolicy(policyOf(...embeddings))!;
  return { indexingPolicy: indexing(type), vectorEmbeddingPolicy };
}

function indexing(type: string | undefined, tuning: JsonObject = {}): IndexingPolicy {
  const vectorIndexes = type === undefined ? [] : [{ path: "/v", type, ...tuning }];
  const parsed = parseIndexingPolicy({ vectorIndexes });
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
}
