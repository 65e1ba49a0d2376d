/** What containers can be told: keys, indexes, time to live, policies; limits and rates. */
import type { Area, Probe, Step } from "./probe.ts";
import { COLL, COLLS, create, probe, query, read } from "./probe.ts";

const ENCRYPTED = {
  id: "encrypted",
  partitionKey: { paths: ["/pk"], kind: "Hash", version: 2 },
  clientEncryptionPolicy: {
    policyFormatVersion: 1,
    includedPaths: [
      {
        path: "/secret",
        clientEncryptionKeyId: "key",
        encryptionType: "Deterministic",
        encryptionAlgorithm: "AEAD_AES_256_CBC_HMAC_SHA256",
      },
    ],
  },
};
const ENCRYPTION_KEY = {
  id: "key",
  encryptionAlgorithm: "AEAD_AES_256_CBC_HMAC_SHA256",
  wrappedDataEncryptionKey: "AAECAwQFBgc=",
  keyWrapMetadata: { type: "t", name: "n", value: "v", algorithm: "RSA-OAEP" },
};

const K = "x-ms-documentdb-partitionkey";
const VALUES: readonly (readonly [string, unknown])[] = [
  ["a text", "a"],
  ["a number", 5],
  ["a boolean", true],
  ["null", null],
];

const readOf = (key: string): Step => read("1", { headers: { [K]: key } });
const hierarchical = { partitionKey: { paths: ["/t", "/u", "/v"], kind: "MultiHash", version: 2 } };

const keys: readonly Probe[] = [
  ...VALUES.map(([what, pk]) =>
    probe(`partition key: ${what}`, [
      create({ id: "1", pk }, { headers: { [K]: JSON.stringify([pk]) } }),
      readOf(JSON.stringify([pk])),
    ]),
  ),
  probe("partition key: none", [
    create({ id: "1", pk: undefined }, { headers: { [K]: "[{}]" } }),
    readOf("[{}]"),
  ]),
  probe(
    "partition key version 1, as of containers without a version",
    [create({ id: "1" }), readOf('["a"]')],
    { container: { partitionKey: { paths: ["/pk"], kind: "Hash" } } },
  ),
  probe(
    "hierarchical partition keys of up to three paths",
    [
      create({ id: "1", t: "x", u: 1, v: true }, { headers: { [K]: '["x",1,true]' } }),
      readOf('["x",1,true]'),
      query("SELECT VALUE c.id FROM c", { headers: { [K]: '["x"]' }, has: { Documents: ["1"] } }),
    ],
    { container: hierarchical },
  ),
  probe("a body whose key is not the one of the header is refused", [
    create({ id: "1", pk: "b" }, { status: 400 }),
  ]),
];

const policy = (indexingPolicy: unknown): Partial<Probe> => ({ container: { indexingPolicy } });
const twice = { paths: ["/n", "/m"] };

const features: readonly Probe[] = [
  probe(
    "time to live of a container and of items",
    [
      create({ id: "1", ttl: 1000 }, { has: { ttl: 1000 } }),
      create({ id: "2", ttl: 0 }, { status: 400 }),
    ],
    { container: { defaultTtl: -1 } },
  ),
  probe(
    "unique keys",
    [
      create({ id: "1", n: 1, m: 2 }),
      create({ id: "2", n: 1, m: 2 }, { status: 409 }),
      create({ id: "3", n: 1, m: 3 }),
    ],
    { container: { uniqueKeyPolicy: { uniqueKeys: [twice] } } },
  ),
  probe(
    "indexing policy: included and excluded paths",
    [
      create({ id: "1", n: 1 }),
      query("SELECT * FROM c ORDER BY c.n", { status: 400, says: /excluded/ }),
    ],
    policy({ includedPaths: [{ path: "/*" }], excludedPaths: [{ path: "/n/?" }] }),
  ),
  probe("indexing policy: mode none", [create({ id: "1" })], policy({ indexingMode: "none" })),
  probe(
    "composite indexes",
    [
      query("SELECT * FROM c ORDER BY c.n, c.m", { has: { Documents: [] } }),
      query("SELECT * FROM c ORDER BY c.m, c.n", { status: 400, says: /composite index/ }),
    ],
    policy({ compositeIndexes: [[{ path: "/n" }, { path: "/m" }]] }),
  ),
  probe(
    "spatial indexes",
    [
      create({ id: "1", at: { type: "Point", coordinates: [1, 2] } }),
      query("SELECT VALUE c.id FROM c WHERE ST_DISTANCE(c.at, c.at) < 1", {
        has: { Documents: ["1"] },
      }),
    ],
    policy({ spatialIndexes: [{ path: "/at/?", types: ["Point"] }] }),
  ),
  probe(
    "computed properties",
    [
      create({ id: "1", name: "Ann" }),
      query("SELECT VALUE c.low FROM c WHERE c.low = 'ann'", { has: { Documents: ["ann"] } }),
    ],
    {
      container: {
        computedProperties: [{ name: "low", query: "SELECT VALUE LOWER(c.name) FROM c" }],
      },
    },
  ),
  probe(
    "change feed policy: all versions and deletes",
    [{ ask: `GET ${COLL}`, status: 200, has: { changeFeedPolicy: { retentionDuration: 10 } } }],
    { container: { changeFeedPolicy: { retentionDuration: 10 } } },
  ),
  probe("conflict resolution policy, kept for programs that read it back", [
    {
      ask: `GET ${COLL}`,
      status: 200,
      has: { conflictResolutionPolicy: { mode: "LastWriterWins" } },
    },
  ]),
  probe("client encryption policy, with keys that are there", [
    {
      ask: `POST ${COLLS}`,
      body: ENCRYPTED,
      status: 400,
      says: /ClientEncryptionKey with id '\[key\]' does not exist/,
    },
    { ask: "POST dbs/{db}/clientencryptionkeys", body: ENCRYPTION_KEY, status: 201 },
    { ask: `POST ${COLLS}`, body: ENCRYPTED, status: 201 },
    {
      ask: `GET ${COLLS}/encrypted`,
      status: 200,
      says: /"clientEncryptionPolicy":\{.*"path":"\/secret"/s,
    },
  ]),
  probe(
    "vector embedding policy and vector indexes",
    [{ ask: `GET ${COLL}`, status: 200, says: /"vectorEmbeddings":\[\{.*"path":"\/v"/s }],
    {
      container: {
        vectorEmbeddingPolicy: {
          vectorEmbeddings: [
            { path: "/v", dataType: "float32", dimensions: 3, distanceFunction: "cosine" },
          ],
        },
        indexingPolicy: { vectorIndexes: [{ path: "/v", type: "flat" }] },
      },
    },
  ),
  probe(
    "full-text policy and full-text indexes",
    [{ ask: `GET ${COLL}`, status: 200, says: /"fullTextPaths":\[\{.*"path":"\/text"/s }],
    {
      container: {
        fullTextPolicy: {
          defaultLanguage: "en-US",
          fullTextPaths: [{ path: "/text", language: "en-US" }],
        },
        indexingPolicy: { fullTextIndexes: [{ path: "/text" }] },
      },
    },
  ),
  probe("global secondary index (materialized view): a container filled from another one", [
    {
      ask: `POST ${COLLS}`,
      body: {
        id: "filled",
        partitionKey: { paths: ["/tenant"], kind: "Hash", version: 2 },
        materializedViewDefinition: {
          sourceCollectionId: "{c}",
          definition: "SELECT c.tenant, c.pk FROM c",
        },
      },
      status: 201,
      says: /"globalSecondaryIndexDefinition":\{"sourceCollectionId":/,
    },
    { ask: `GET ${COLL}`, status: 200, says: /"materializedViews":\[\{"id":"filled"/ },
    { ask: `DELETE ${COLL}`, status: 400 },
    { ask: `DELETE ${COLLS}/filled`, status: 204 },
  ]),
  probe("the partition key of a container cannot be changed", [
    {
      ask: `PUT ${COLL}`,
      body: { id: "{c}", partitionKey: { paths: ["/other"], kind: "Hash", version: 2 } },
      status: 400,
    },
  ]),
];

const big = "x".repeat(2 * 1024 * 1024);

const limits: readonly Probe[] = [
  probe("an item of more than 2 MiB is refused with 413", [
    create({ id: "1", big }, { status: 413, has: { code: "RequestEntityTooLarge" } }),
  ]),
  probe("an id of more than 1,023 bytes is refused", [
    create({ id: "x".repeat(1024) }, { status: 400 }),
  ]),
  probe("every answer has a charge, by a price list", [
    create({ id: "1" }, { answers: { "x-ms-request-charge": /^[1-9]\d*(\.\d+)?$/ } }),
    read("1", { answers: { "x-ms-request-charge": /^1$/ } }),
  ]),
  probe(
    "a rate above 10,000 RU/s gives several physical partitions",
    [{ ask: `GET ${COLL}/pkranges`, status: 200, says: /"_count":3/ }],
    { containerHeaders: { "x-ms-offer-throughput": "30000" } },
  ),
  probe("a rate shared by the containers of a database", [
    {
      ask: "POST dbs",
      headers: { "x-ms-offer-throughput": "1000" },
      body: { id: "{db}-shared" },
      status: 201,
    },
    {
      ask: "POST dbs/{db}-shared/colls",
      body: { id: "one", partitionKey: { paths: ["/pk"] } },
      status: 201,
    },
  ]),
  probe("a container beyond its rate is throttled with 429 and `x-ms-retry-after-ms`", [
    create({ id: "1", big: big.slice(0, 1e6) }),
    create({ id: "2" }, { status: 429, answers: { "x-ms-retry-after-ms": /^\d+$/ } }),
  ]),
  probe("autoscale", [
    {
      ask: `POST ${COLLS}`,
      headers: { "x-ms-cosmos-offer-autopilot-settings": '{"maxThroughput":1000}' },
      body: { id: "scaled", partitionKey: { paths: ["/pk"] } },
      status: 201,
    },
  ]),
];

export const CONTAINER_AREAS: readonly Area[] = [
  { title: "Partition keys", about: "", probes: keys },
  { title: "Features of containers", about: "", probes: features },
  { title: "Charges, rates and limits", about: "", probes: limits },
];
