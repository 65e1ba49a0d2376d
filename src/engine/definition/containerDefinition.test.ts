/**
 * How a container body becomes a definition: the defaults, the settings that stand alone, the
 * rules that span policies, and what a replacement may do. The rules of each policy are tested
 * beside it, in `definition/`. The properties hold for every body.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import {
  type ContainerDefinition,
  definitionBody,
  parseContainerDefinition,
} from "./containerDefinition.ts";

const BASE: JsonObject = { id: "c", partitionKey: { paths: ["/pk"] } };
const VECTORS: JsonObject = {
  vectorEmbeddings: [
    { path: "/v", dataType: "float32", dimensions: 3, distanceFunction: "cosine" },
  ],
};
const UNIQUE: JsonObject = { uniqueKeys: [{ paths: ["/a", "/b/c"] }] };
const LOWER: JsonObject = { name: "lower", query: "SELECT VALUE LOWER(c.name) FROM c" };
const NOT_INDEXED: JsonObject = { indexingMode: "none", automatic: false };
const SECRETS: JsonObject = { includedPaths: [], policyFormatVersion: 2 };
const POINTS: JsonObject = { path: "/l/?", types: ["Point"] };
const BOX: JsonObject = { xmin: 0, ymin: 0, xmax: 10, ymax: 10 };
const PLANAR: JsonObject = { type: "Geometry" };

test("a new container gets every default", () => {
  expect(bodyOf(BASE)).toEqual({
    id: "c",
    indexingPolicy: {
      indexingMode: "consistent",
      automatic: true,
      includedPaths: [{ path: "/*" }],
      excludedPaths: [{ path: '/"_etag"/?' }],
    },
    partitionKey: { paths: ["/pk"], kind: "Hash", version: 1 },
    conflictResolutionPolicy: {
      mode: "LastWriterWins",
      conflictResolutionPath: "/_ts",
      conflictResolutionProcedure: "",
    },
    geospatialConfig: { type: "Geography" },
  });
});

const VIEW = { sourceCollectionId: "source", definition: "SELECT c.id FROM c" };
const OTHER_VIEW = { ...VIEW, sourceCollectionId: "other" };
const OTHER = { materializedViewDefinition: OTHER_VIEW };
const BOTH = { materializedViewDefinition: VIEW, globalSecondaryIndexDefinition: VIEW };

/** Members beside a good id and partition key, and how they are told if not as they were sent. */
const KEPT: readonly (readonly [rule: string, sent: JsonObject, told: JsonObject | "same"])[] = [
  ["a default TTL may be one second", { defaultTtl: 1 }, "same"],
  ["a default TTL may be the largest 32-bit integer", { defaultTtl: 2_147_483_647 }, "same"],
  ["-1 switches expiry on without a default", { defaultTtl: -1 }, "same"],
  ["null is no default TTL", { defaultTtl: null }, {}],
  ["an analytical TTL is kept", { analyticalStorageTtl: -1 }, "same"],
  ["an analytical TTL of zero is none", { analyticalStorageTtl: 0 }, {}],
  ["a retention of all versions is kept", { changeFeedPolicy: { retentionDuration: 60 } }, "same"],
  ["a planar container is kept", { geospatialConfig: PLANAR }, "same"],
  ["unique keys are kept", { uniqueKeyPolicy: UNIQUE }, "same"],
  ["computed properties are kept", { computedProperties: [LOWER] }, "same"],
  ["vector embeddings are kept", { vectorEmbeddingPolicy: VECTORS }, "same"],
  ["a full-text policy is kept", { fullTextPolicy: { defaultLanguage: "de-DE" } }, "same"],
  ["a client encryption policy is kept", { clientEncryptionPolicy: SECRETS }, "same"],
  ["a view has two names", { materializedViewDefinition: VIEW }, BOTH],
  ["either is enough", { globalSecondaryIndexDefinition: VIEW }, BOTH],
  ["both may be sent", { ...BOTH }, "same"],
  ["unknown members are dropped", { _rid: "x", throughput: 400, ["__proto__"]: { a: 1 } }, {}],
];

describe("a new container", () => {
  test.each(KEPT)("%s", (_, sent, told) => {
    const expected = told === "same" ? sent : told;
    expect(bodyOf({ ...BASE, ...sent })).toEqual({ ...bodyOf(BASE), ...expected });
  });

  test("tells its members in a fixed order", () => {
    const all: JsonObject = Object.assign({}, ...KEPT.map(([, sent]) => sent), BASE);
    expect(Object.keys(bodyOf({ ...all, defaultTtl: 5, analyticalStorageTtl: 5 }))).toEqual([
      "id",
      "indexingPolicy",
      "partitionKey",
      "defaultTtl",
      "analyticalStorageTtl",
      "uniqueKeyPolicy",
      "conflictResolutionPolicy",
      "geospatialConfig",
      "changeFeedPolicy",
      "computedProperties",
      "vectorEmbeddingPolicy",
      "fullTextPolicy",
      "clientEncryptionPolicy",
      "materializedViewDefinition",
      "globalSecondaryIndexDefinition",
    ]);
  });
});

/** Members that are refused, and a fragment of what the client is told. */
const REFUSED: readonly (readonly [rule: string, sent: JsonObject, fragment: string])[] = [
  ["a container needs an id", { id: null }, "The input name"],
  ["an id has no slash", { id: "a/b" }, "must not contain"],
  ["a partition key is needed", { partitionKey: null }, "partition key must be specified"],
  ["an indexing policy is checked", { indexingPolicy: { indexingMode: "eager" } }, "indexingMode"],
  ["a TTL is not zero", { defaultTtl: 0 }, "defaultTtl"],
  ["a TTL is not negative", { defaultTtl: -10 }, "defaultTtl"],
  ["a TTL is whole", { defaultTtl: 1.5 }, "defaultTtl"],
  ["a TTL fits 31 bits", { defaultTtl: 2_147_483_648 }, "2147483647"],
  ["a TTL is a number", { defaultTtl: "5" }, "defaultTtl"],
  ["so is an analytical one", { analyticalStorageTtl: -2 }, "analyticalStorageTtl"],
  ["a TTL needs an index", { defaultTtl: 5, indexingPolicy: NOT_INDEXED }, "expiry needs"],
  ["retention is whole", { changeFeedPolicy: { retentionDuration: 0.5 } }, "retentionDuration"],
  ["retention is not negative", { changeFeedPolicy: { retentionDuration: -1 } }, "from 0"],
  ["a view has a source", { materializedViewDefinition: { definition: "SELECT * FROM c" } }, "Id'"],
  ["a view has a query", { globalSecondaryIndexDefinition: { sourceCollectionId: "c" } }, "def"],
  ["a view is an object", { materializedViewDefinition: "c" }, "must be an object"],
  [
    "both names of a view say the same",
    { materializedViewDefinition: VIEW, globalSecondaryIndexDefinition: OTHER_VIEW },
    "do not say the same",
  ],
  ["there is no third geometry", { geospatialConfig: { type: "Flat" } }, "Geography, Geometry"],
  [
    "a planar index needs a box",
    { geospatialConfig: PLANAR, indexingPolicy: { spatialIndexes: [POINTS] } },
    "boundingBox",
  ],
  [
    "a spherical index has none",
    { indexingPolicy: { spatialIndexes: [{ ...POINTS, boundingBox: BOX }] } },
    "Geography",
  ],
  [
    "a vector index needs an embedding",
    { indexingPolicy: { vectorIndexes: [{ path: "/v", type: "flat" }] } },
    "path::/v not matching in Embedding's path",
  ],
  [
    "a full-text index needs a full-text path",
    { indexingPolicy: { fullTextIndexes: [{ path: "/a" }] } },
    "The path of the Full Text Index /a does not match",
  ],
];

describe("a new container is refused", () => {
  test.each(REFUSED)("%s", (_, sent, fragment) => {
    const parsed = parseContainerDefinition({ ...BASE, ...sent }, undefined, SERVICE_LIMITS);
    expect(parsed).toEqual({ ok: false, error: expect.stringContaining(fragment) });
  });

  test.each([null, 7, "c", [], [{}]])("a body that is %j", (body) => {
    const parsed = parseContainerDefinition(body, undefined, SERVICE_LIMITS);
    expect(parsed).toEqual({ ok: false, error: "The container must be an object." });
  });
});

/** Members before, members after, and what is told. */
const REPLACED: readonly (readonly [
  rule: string,
  before: JsonObject,
  sent: JsonObject,
  told: string,
])[] = [
  ["the same again", {}, {}, "fine"],
  ["the id stays", {}, { id: "d" }, "cannot be changed"],
  ["the partition key stays", {}, { partitionKey: { paths: ["/other"] } }, "cannot be changed"],
  ["the partition key is repeated", {}, { partitionKey: null }, "must be specified"],
  ["expiry may be switched off", { defaultTtl: 5 }, { defaultTtl: null }, "fine"],
  [
    "the index and the geometry may change",
    {},
    {
      geospatialConfig: PLANAR,
      indexingPolicy: { spatialIndexes: [{ ...POINTS, boundingBox: BOX }] },
    },
    "fine",
  ],
  [
    "computed properties may go",
    { computedProperties: [LOWER] },
    { computedProperties: null },
    "fine",
  ],
  ["unique keys stay", { uniqueKeyPolicy: UNIQUE }, { uniqueKeyPolicy: null }, "unique index"],
  ["a view stays one", { ...BOTH }, {}, "fine"],
  [
    "a view may be left out",
    { ...BOTH },
    { materializedViewDefinition: null, globalSecondaryIndexDefinition: null },
    "fine",
  ],
  ["a view is of that source", { materializedViewDefinition: VIEW }, OTHER, "cannot be changed"],
  ["nothing becomes a view", {}, BOTH, "cannot become a view"],
  ["the conflict policy stays", {}, { conflictResolutionPolicy: { mode: "Custom" } }, "conflict"],
  ["encryption stays", {}, { clientEncryptionPolicy: SECRETS }, "clientEncryptionPolicy"],
  [
    "embeddings stay",
    { vectorEmbeddingPolicy: VECTORS },
    { vectorEmbeddingPolicy: null },
    "Paths in existing embedding policy cannot be modified",
  ],
];

describe("a replacement", () => {
  test.each(REPLACED)("%s", (_, before, sent, told) => {
    const body = { ...BASE, ...before };
    const previous = definitionOf(body);
    const replaced = parseContainerDefinition({ ...body, ...sent }, previous, SERVICE_LIMITS);
    if (told === "fine") expect(replaced).toMatchObject({ ok: true });
    else expect(replaced).toEqual({ ok: false, error: expect.stringContaining(told) });
  });
});

describe("container definitions, properties", () => {
  test("what is told parses to the same definition, new and as a replacement", () => {
    const anyMembers = fc.subarray(KEPT.map(([, sent]) => sent));
    fc.assert(
      fc.property(anyMembers, (members) => {
        const definition = definitionOf(Object.assign({}, BASE, ...members));
        const told = JSON.parse(JSON.stringify(definitionBody(definition))) as JsonObject;
        expect(definitionOf(told)).toEqual(definition);
        const replaced = parseContainerDefinition(told, definition, SERVICE_LIMITS);
        expect(replaced).toEqual({ ok: true, value: definition });
      }),
    );
  });

  test("any body gives a definition or a complaint, and none is changed", () => {
    const goodMembers: readonly JsonObject[] = [...KEPT, ...REFUSED].map(([, sent]) => sent);
    const anyBody = fc
      .subarray([...goodMembers], { maxLength: 4 })
      .map((members): JsonObject => Object.assign({}, BASE, ...members));
    const anyName = fc.constantFrom(
      ...Object.keys(Object.assign({}, BASE, ...goodMembers)),
      "conflictResolutionPolicy",
      "__proto__",
    );
    const anyValue = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;
    const previous = definitionOf(BASE);
    fc.assert(
      fc.property(anyBody, anyName, anyValue, fc.boolean(), (good, name, value, isNew) => {
        const body = deepFreeze(Object.fromEntries([...Object.entries(good), [name, value]]));
        const parsed = parseContainerDefinition(body, isNew ? undefined : previous, SERVICE_LIMITS);
        if (!parsed.ok) expect(parsed.error).not.toBe("");
      }),
      { numRuns: 500 },
    );
  });
});

function definitionOf(body: JsonValue): ContainerDefinition {
  const parsed = parseContainerDefinition(body, undefined, SERVICE_LIMITS);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
}

function bodyOf(body: JsonValue): JsonObject {
  return definitionBody(definitionOf(body));
}

function deepFreeze<T extends JsonValue>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const child of Object.values(value)) deepFreeze(child);
  }
  return Object.freeze(value);
}
