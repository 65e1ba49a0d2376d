/** What an indexing policy may say, and what becomes of it. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../json/value.ts";
import { boundingBoxProblem, type IndexingPolicy, parseIndexingPolicy } from "./policy.ts";

const ALL = { path: "/*" };
const ETAG = { path: '/"_etag"/?' };
const DEFAULT = {
  indexingMode: "consistent",
  automatic: true,
  includedPaths: [ALL],
  excludedPaths: [ETAG],
};

describe("normal form", () => {
  const RULES: readonly (readonly [rule: string, body: JsonValue | undefined, becomes: object])[] =
    [
      ["no policy is the default", undefined, {}],
      ["so is null", null, {}],
      ["so is one without members", {}, {}],
      ["so is one without paths", { includedPaths: [], excludedPaths: [] }, {}],
      ["a null member is absent", { includedPaths: null, compositeIndexes: null }, {}],
      ["unknown members are dropped", { color: 1, includedPaths: [{ ...ALL, x: 1 }] }, {}],
      ["the mode is lower case", { indexingMode: "Consistent" }, {}],
      ["consistent may be automatic or not", { automatic: false }, { automatic: false }],
      [
        "_etag is excluded after the client's paths",
        { includedPaths: [ALL], excludedPaths: [{ path: '/"secret"/*' }] },
        { excludedPaths: [{ path: '/"secret"/*' }, ETAG] },
      ],
      [
        "also when all is excluded",
        { includedPaths: [{ path: "/a/?" }], excludedPaths: [ALL] },
        { includedPaths: [{ path: "/a/?" }], excludedPaths: [ALL, ETAG] },
      ],
      [
        "an _etag already excluded is not repeated, in any spelling",
        { excludedPaths: [{ path: "/_etag/?" }] },
        { excludedPaths: [{ path: "/_etag/?" }] },
      ],
      [
        "an _etag included by name stays",
        { includedPaths: [ALL, { path: "/_etag/?" }] },
        { includedPaths: [ALL, { path: "/_etag/?" }], excludedPaths: [] },
      ],
      [
        "without included paths, all is included",
        { excludedPaths: [{ path: "/a/*" }] },
        { excludedPaths: [{ path: "/a/*" }, ETAG] },
      ],
      [
        "unless all is excluded",
        { excludedPaths: [ALL] },
        { includedPaths: [], excludedPaths: [ALL, ETAG] },
      ],
      [
        "a bare slash is the root, and keeps its spelling",
        { includedPaths: [{ path: '/"Location"/?' }, { path: "/" }] },
        { includedPaths: [{ path: '/"Location"/?' }, { path: "/" }] },
      ],
      [
        "indexes of old clients are dropped",
        { includedPaths: [{ ...ALL, indexes: [{ kind: "range", dataType: "String" }] }] },
        { includedPaths: [ALL] },
      ],
      [
        "with their precision",
        {
          includedPaths: [
            { ...ALL, indexes: [{ kind: "Hash", dataType: "Number", precision: -1 }] },
          ],
        },
        { includedPaths: [ALL] },
      ],
      [
        "mode none has no paths and is not automatic",
        { indexingMode: "None" },
        { indexingMode: "none", automatic: false, includedPaths: [], excludedPaths: [] },
      ],
      [
        "a composite index orders ascending unless told otherwise",
        { compositeIndexes: [[{ path: "/a" }, { path: "/b/c", order: "Descending" }]] },
        {
          compositeIndexes: [
            [
              { path: "/a", order: "ascending" },
              { path: "/b/c", order: "descending" },
            ],
          ],
        },
      ],
      [
        "a spatial index without types has all",
        { spatialIndexes: [{ path: "/place/*" }] },
        {
          spatialIndexes: [
            { path: "/place/*", types: ["Point", "LineString", "Polygon", "MultiPolygon"] },
          ],
        },
      ],
      [
        "vector indexes keep their tuning",
        {
          vectorIndexes: [
            { path: "/v1", type: "flat" },
            {
              path: "/v2",
              type: "diskANN",
              quantizerType: "product",
              quantizationByteSize: 2,
              indexingSearchListSize: 100,
              vectorIndexShardKey: ["/zip"],
            },
          ],
        },
        {
          vectorIndexes: [
            { path: "/v1", type: "flat" },
            {
              path: "/v2",
              type: "diskANN",
              quantizerType: "product",
              quantizationByteSize: 2,
              indexingSearchListSize: 100,
              vectorIndexShardKey: ["/zip"],
            },
          ],
        },
      ],
      [
        "their words are told as the service spells them",
        { vectorIndexes: [{ path: "/v", type: "DiskAnn", quantizerType: "Spherical" }] },
        { vectorIndexes: [{ path: "/v", type: "diskANN", quantizerType: "spherical" }] },
      ],
      [
        "a search list has 25 to 500 entries; a shard key may lie deeper, and goes by two names",
        {
          vectorIndexes: [
            { path: "/v1", type: "diskANN", indexingSearchListSize: 25 },
            { path: "/v2", type: "diskANN", indexingSearchListSize: 500 },
            { path: "/v3", type: "diskANN", vectorIndexShardKey: ["/country/city"] },
            { path: "/v4", type: "diskANN", vectorIndexShardKeys: ["/city"] },
          ],
        },
        {
          vectorIndexes: [
            { path: "/v1", type: "diskANN", indexingSearchListSize: 25 },
            { path: "/v2", type: "diskANN", indexingSearchListSize: 500 },
            { path: "/v3", type: "diskANN", vectorIndexShardKey: ["/country/city"] },
            { path: "/v4", type: "diskANN", vectorIndexShardKeys: ["/city"] },
          ],
        },
      ],
      [
        "full-text indexes have a path each",
        { fullTextIndexes: [{ path: "/text" }] },
        { fullTextIndexes: [{ path: "/text" }] },
      ],
    ];
  test.each(RULES)("%s", (_rule, body, becomes) => {
    expect(parseIndexingPolicy(body)).toEqual({ ok: true, value: { ...DEFAULT, ...becomes } });
  });
});

describe("refusals", () => {
  const paths = (count: number): JsonObject[] =>
    Array.from({ length: count }, (_, n) => ({ path: `/p${n}/?` }));
  const step = { path: "/a" };
  const box = { xmin: 0, ymin: 0, xmax: 1, ymax: 1 };
  const spatial = (index: JsonObject): JsonObject => ({
    spatialIndexes: [{ path: "/p/?", types: ["Point"], ...index }],
  });
  const vector = (index: JsonObject): JsonObject => ({
    vectorIndexes: [{ path: "/v", type: "flat", ...index }],
  });
  const RULES: readonly (readonly [rule: string, body: JsonValue, message: RegExp])[] = [
    ["a policy is an object", "consistent", /must be an object/],
    ["not an array", [], /must be an object/],
    ["other modes never were", { indexingMode: "eager" }, /consistent, none/],
    ["a mode is a string", { indexingMode: 1 }, /must be a string/],
    ["automatic is a boolean", { automatic: "yes" }, /automatic/],
    ["none is not automatic", { indexingMode: "none", automatic: true }, /automatic/],
    ["paths are a list", { includedPaths: "/*" }, /must be an array/],
    ["of objects", { includedPaths: ["/*"] }, /must be an object/],
    ["with a path", { excludedPaths: [{}] }, /'path' must be a string/],
    ["that starts with a slash", { includedPaths: [{ path: "a/?" }] }, /position '0'/],
    ["and has an end", { includedPaths: [{ path: "/expiry" }] }, /position '7'/],
    ["names with a dash are quoted", { includedPaths: [{ path: "/a-b/?" }] }, /position '2'/],
    ["the root must be decided", { includedPaths: [{ path: "/a/?" }] }, /'\/\*' must be/],
    ["not both ways", { includedPaths: [ALL], excludedPaths: [{ path: "/" }] }, /both/],
    [
      "nor any other path",
      { includedPaths: [ALL, { path: "/a/?" }], excludedPaths: [{ path: '/"a"/?' }] },
      /both/,
    ],
    ["1,500 paths are enough", { includedPaths: paths(1_501) }, /more than 1500/],
    ["and one for _etag", { excludedPaths: paths(1_502) }, /more than 1501/],
    [
      "an index has a known kind",
      { includedPaths: [{ ...ALL, indexes: [{ kind: "Tree", dataType: "String" }] }] },
      /'kind' must be one of Hash, Range, Spatial/,
    ],
    ["a composite index has two paths", { compositeIndexes: [[step]] }, /at least 2/],
    ["and at most eight", { compositeIndexes: [Array(9).fill(step)] }, /more than 8/],
    ["there are at most 100", { compositeIndexes: Array(101).fill([step, step]) }, /more than 100/],
    ["it has no wildcards", { compositeIndexes: [[step, { path: "/b/*" }]] }, /wildcards/],
    ["nor array elements", { compositeIndexes: [[step, { path: "/b/[]/c" }]] }, /wildcards/],
    ["it orders up or down", { compositeIndexes: [[step, { ...step, order: "up" }]] }, /order/],
    ["a spatial path has an end", { spatialIndexes: [{ path: "/p" }] }, /position '2'/],
    ["shapes have names", spatial({ types: ["Circle"] }), /Point, LineString/],
    ["a box has four edges", spatial({ boundingBox: { xmin: 0 } }), /ymin/],
    ["that enclose something", spatial({ boundingBox: { ...box, xmax: 0 } }), /xmin below xmax/],
    ["vector indexes have types", vector({ type: "notFlat" }), /Index Type::notFlat is invalid/],
    ["of three kinds", vector({ type: "tree" }), /flat, quantizedFlat, diskANN/],
    ["so have quantizers, of two", vector({ quantizerType: "cubic" }), /product, spherical/],
    [
      "the search list has a range",
      vector({ indexingSearchListSize: 5 }),
      /SearchListSize value :: 5 is out of range\. The allowed range is between 25 and 500\./,
    ],
    ["it starts at 25", vector({ indexingSearchListSize: 24 }), /:: 24 is out of range/],
    ["it ends at 500", vector({ indexingSearchListSize: 501 }), /:: 501 is out of range/],
    [
      "a shard key has one path",
      vector({ vectorIndexShardKey: ["/country", "/city", "/zip"] }),
      /shard paths defined in the Vector Indexing Policy: 3 exceeds the maximum: 1\./,
    ],
    [
      "that starts with a slash",
      vector({ vectorIndexShardKey: ["country"] }),
      /The Vector Indexing Policy has an invalid Shard Path: country\./,
    ],
    ["without wildcards", vector({ vectorIndexShardKey: ["/a/*"] }), /invalid Shard Path: \/a\/\*/],
    ["vectors lie at one property", vector({ path: "/v/*" }), /wildcards/],
    ["so does text", { fullTextIndexes: [{ path: "/" }] }, /wildcards/],
  ];
  const WRONG_TYPES: readonly JsonObject[] = [
    { vectorIndexes: "/v" },
    { vectorIndexes: ["/v"] },
    vector({ path: 1 }),
    vector({ type: 1 }),
    vector({ type: null }),
    vector({ quantizerType: 1 }),
    vector({ quantizationByteSize: "8" }),
    vector({ quantizationByteSize: 1.5 }),
    vector({ indexingSearchListSize: true }),
    vector({ vectorIndexShardKey: "/country" }),
    vector({ vectorIndexShardKey: [1] }),
    { fullTextIndexes: {} },
    { fullTextIndexes: ["/text"] },
    { fullTextIndexes: [{ path: [] }] },
  ];
  test.each(RULES)("%s", (_rule, body, message) => {
    const parsed = parseIndexingPolicy(body);
    expect(parsed).toMatchObject({ ok: false, error: expect.stringMatching(message) as unknown });
  });
  test.each(WRONG_TYPES)("a wrong type is an invalid input: %j", (body) => {
    const message = expect.stringContaining("One of the specified inputs is invalid") as unknown;
    expect(parseIndexingPolicy(body)).toMatchObject({ ok: false, error: message });
  });
});

describe("bounding boxes", () => {
  const boundingBox = { xmin: 0, ymin: 0, xmax: 10, ymax: 10 };
  const policyWith = (index: JsonObject): IndexingPolicy => {
    const parsed = parseIndexingPolicy({ spatialIndexes: [{ path: "/p/?", ...index }] });
    if (!parsed.ok) throw new Error(parsed.error);
    return parsed.value;
  };
  test("planar containers need one, spherical ones refuse it", () => {
    expect(boundingBoxProblem(policyWith({ boundingBox }), "Geometry")).toBeUndefined();
    expect(boundingBoxProblem(policyWith({}), "Geography")).toBeUndefined();
    expect(boundingBoxProblem(policyWith({}), "Geometry")).toMatch(/boundingBox.*Geometry/);
    expect(boundingBoxProblem(policyWith({ boundingBox }), "Geography")).toMatch(
      /boundingBox.*Geography/,
    );
  });
});

describe("policy properties", () => {
  const anyPath = fc.constantFrom("/*", "/", "/a/?", "/a/*", '/"a"/?', "/_etag/?", "/b/[]/?", "/c");
  const anyPolicy = fc.record(
    {
      indexingMode: fc.constantFrom("consistent", "None", "lazy"),
      automatic: fc.boolean(),
      includedPaths: fc.array(fc.record({ path: anyPath })),
      excludedPaths: fc.array(fc.record({ path: anyPath })),
      compositeIndexes: fc.array(fc.array(fc.record({ path: anyPath }))),
    },
    { requiredKeys: [] },
  );

  test("lazy indexing is gone: it is consistent", () => {
    expect(parseIndexingPolicy({ indexingMode: "Lazy" })).toEqual(parseIndexingPolicy({}));
  });

  test("a full policy can be sent back as it was echoed", () => {
    const excludedPaths = Array.from({ length: 1_500 }, (_, n) => ({ path: `/p${n}/?` }));
    const parsed = parseIndexingPolicy({ excludedPaths });
    expect(parsed.ok && parseIndexingPolicy(parsed.value)).toEqual(parsed);
  });

  test("a policy in normal form is its own normal form", () => {
    fc.assert(
      fc.property(anyPolicy, (body) => {
        const parsed = parseIndexingPolicy(body);
        if (!parsed.ok) return;
        const echoed: JsonObject = parsed.value;
        expect(parseIndexingPolicy(echoed)).toEqual(parsed);
      }),
      { numRuns: 500 },
    );
  });

  test("arbitrary JSON is read or refused, never thrown at", () => {
    const names = ["indexingMode", "includedPaths", "excludedPaths", "path", "spatialIndexes"];
    const anyBody = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom<JsonValue>(null, true, 1, "/*", "consistent"),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 3 }),
      ),
    })).value;
    fc.assert(
      fc.property(anyBody, (body) => {
        expect(typeof parseIndexingPolicy(body).ok).toBe("boolean");
      }),
    );
  });
});
