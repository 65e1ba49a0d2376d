/**
 * Every request header that official clients send. Those that do something have a probe that shows
 * it; those that do nothing here are sent beside a request without them, and must change nothing.
 */
import type { Area, Headers, Probe, Step } from "./probe.ts";
import {
  COLL,
  COLLS,
  create,
  DOCS,
  KEY,
  probe,
  QUERY_HEADERS,
  query,
  read,
  UNMERGED,
} from "./probe.ts";

const K = "x-ms-documentdb-partitionkey";
const inB: Headers = { [K]: '["b"]' };
const TWO_ITEMS: readonly Step[] = [
  create({ id: "1" }),
  create({ id: "2", pk: "b" }, { headers: inB }),
];
const feed = (rest: Partial<Step>): Step => ({ ask: `GET ${DOCS}`, status: 200, ...rest });
const found = (...ids: readonly string[]): unknown => ({ Documents: ids.map((id) => ({ id })) });
const BATCH: Headers = { ...KEY, "x-ms-cosmos-is-batch-request": "true" };
const TWO_CREATES = ["1", "1"].map((id) => ({
  operationType: "Create",
  partitionKey: '["a"]',
  resourceBody: { id, pk: "a" },
}));
const batch = (headers: Headers, rest: Partial<Step>): Step => ({
  ask: `POST ${DOCS}`,
  headers: { ...BATCH, ...headers },
  body: TWO_CREATES,
  status: 207,
  ...rest,
});
const statuses = (...codes: readonly number[]): unknown =>
  codes.map((statusCode) => ({ statusCode }));
const BATCH_LINE = ["is-batch-request", "batch-atomic", "batch-continue-on-error"]
  .map((name) => `\`x-ms-cosmos-${name}\``)
  .join(", ");

const scope: readonly Probe[] = [
  probe(`\`${K}\``, [...TWO_ITEMS, feed({ headers: inB, has: found("2") })]),
  probe(
    `\`${K}\`: a prefix of a hierarchical key`,
    [
      create({ id: "1", u: "x" }, { headers: { [K]: '["a","x"]' } }),
      create({ id: "2", u: "y" }, { headers: { [K]: '["a","y"]' } }),
      feed({ headers: KEY, says: /"_count":2/ }),
    ],
    { container: { partitionKey: { paths: ["/pk", "/u"], kind: "MultiHash", version: 2 } } },
  ),
  probe("`x-ms-documentdb-partitionkeyrangeid`", [
    ...TWO_ITEMS,
    feed({ headers: { "x-ms-documentdb-partitionkeyrangeid": "0" }, says: /"_count":2/ }),
    feed({ headers: { "x-ms-documentdb-partitionkeyrangeid": "7" }, status: 410 }),
  ]),
  probe("`x-ms-start-epk`, `x-ms-end-epk`, `x-ms-read-key-type`", [
    ...TWO_ITEMS,
    feed({
      headers: {
        "x-ms-start-epk": "",
        "x-ms-end-epk": "00",
        "x-ms-read-key-type": "EffectivePartitionKeyRange",
      },
      has: found(),
    }),
  ]),
  probe("`x-ms-max-item-count`", [
    ...TWO_ITEMS,
    feed({
      headers: { "x-ms-max-item-count": "1" },
      says: /"_count":1\b/,
      answers: { "x-ms-continuation": /./ },
    }),
  ]),
  probe("`x-ms-continuation`", [
    ...TWO_ITEMS,
    feed({
      headers: { "x-ms-max-item-count": "1" },
      keep: { next: "header:x-ms-continuation", first: "Documents.0.id" },
    }),
    feed({ headers: { "x-ms-continuation": "{next}" }, says: /"_count":1\b/ }),
    feed({ headers: { "x-ms-continuation": "no such place" }, status: 400 }),
  ]),
  probe("`x-ms-cosmos-intended-collection-rid`", [
    read("1", {
      headers: { "x-ms-cosmos-intended-collection-rid": "AAAAAAAAAAA=" },
      status: 400,
      answers: { "x-ms-substatus": /^1024$/ },
    }),
  ]),
];

const conditions: readonly Probe[] = [
  probe("`if-match`", [
    create({ id: "1" }),
    { ask: `DELETE ${DOCS}/1`, headers: { ...KEY, "if-match": '"other"' }, status: 412 },
  ]),
  probe("`if-none-match`", [
    create({ id: "1" }, { keep: { etag: "header:etag" } }),
    read("1", { headers: { "if-none-match": "{etag}" }, status: 304 }),
  ]),
  probe("`if-modified-since`", [
    create({ id: "1" }),
    feed({
      headers: {
        "a-im": "Incremental feed",
        "if-modified-since": "Fri, 01 Jan 2100 00:00:00 GMT",
        ...KEY,
      },
      status: 304,
    }),
  ]),
  probe(
    "`a-im`, `x-ms-cosmos-changefeed-wire-format-version`",
    [
      feed({
        headers: {
          "a-im": "Full-Fidelity Feed",
          "x-ms-cosmos-changefeed-wire-format-version": "2021-09-15",
          "if-none-match": "*",
        },
        status: 304,
        keep: { etag: "header:etag" },
      }),
      create({ id: "1" }),
      feed({
        headers: {
          "a-im": "Full-Fidelity Feed",
          "x-ms-cosmos-changefeed-wire-format-version": "2021-09-15",
          "if-none-match": "{etag}",
        },
        says: /"metadata":\{.*"operationType":"create"/,
      }),
    ],
    { container: { changeFeedPolicy: { retentionDuration: 10 } } },
  ),
  probe("`x-ms-session-token`", [
    create({ id: "1" }, { keep: { token: "header:x-ms-session-token" } }),
    read("1", { headers: { "x-ms-session-token": "{token}" } }),
    read("1", {
      headers: { "x-ms-session-token": "0:0#999999" },
      status: 404,
      answers: { "x-ms-substatus": /^1002$/ },
    }),
  ]),
  probe("`x-ms-consistency-level`", [
    create({ id: "1" }),
    read("1", { headers: { "x-ms-consistency-level": "Eventual" } }),
    read("1", { headers: { "x-ms-consistency-level": "Strong" }, status: 400 }),
  ]),
  probe("`prefer: return=minimal`", [
    create({ id: "1" }, { headers: { prefer: "return=minimal" }, says: /^$/ }),
  ]),
  probe("`x-ms-exclude-system-properties`", [
    create(
      { id: "1" },
      { headers: { "x-ms-exclude-system-properties": "true" }, says: /^((?!_self).)*$/ },
    ),
  ]),
  probe("`x-ms-documentdb-is-upsert`", [
    create({ id: "1" }),
    create({ id: "1" }, { headers: { "x-ms-documentdb-is-upsert": "True" }, status: 200 }),
  ]),
];

/** The plan comes with it, as JSON text. */
const NOT_SERVABLE = {
  status: 400,
  says: /can not be directly served by the gateway.*"additionalErrorInfo":".*queryRanges/s,
  answers: { "x-ms-substatus": /^1004$/ },
};

const queries: readonly Probe[] = [
  probe("`x-ms-documentdb-isquery`, `content-type: application/query+json`", [
    query("SELECT * FROM c", { has: found() }),
  ]),
  probe("`x-ms-documentdb-query-enablecrosspartition`", [
    query("SELECT * FROM c", {
      headers: { "x-ms-documentdb-query-enablecrosspartition": "false" },
      status: 400,
      says: /cross.?partition/i,
    }),
    query("SELECT * FROM c ORDER BY c.n", { headers: UNMERGED, ...NOT_SERVABLE }),
  ]),
  probe("`x-ms-cosmos-is-query-plan-request`, `x-ms-cosmos-supported-query-features`", [
    query("SELECT c.pk, COUNT(1) AS n FROM c GROUP BY c.pk", {
      headers: {
        "x-ms-cosmos-is-query-plan-request": "True",
        "x-ms-cosmos-supported-query-features": "OrderBy, Top",
      },
      status: 400,
      says: /unsupported features.*Upgrade your SDK.*GroupBy/s,
    }),
  ]),
  probe("`x-ms-documentdb-populatequerymetrics`", [
    query("SELECT * FROM c", {
      headers: { "x-ms-documentdb-populatequerymetrics": "true" },
      answers: { "x-ms-documentdb-query-metrics": /^totalExecutionTimeInMs=[\d.]+;.*[^;]$/ },
    }),
  ]),
  probe("`x-ms-cosmos-populateindexmetrics`", [
    query("SELECT * FROM c WHERE c.n = 1", {
      headers: { "x-ms-cosmos-populateindexmetrics": "true" },
      answers: { "x-ms-cosmos-index-utilization": /^[\w+/]+=*$/ },
    }),
  ]),
  probe("`x-ms-cosmos-populateindexmetrics-V2`", [
    query("SELECT * FROM c WHERE c.n = 1", {
      headers: { "x-ms-cosmos-populateindexmetrics-v2": "true" },
      answers: { "x-ms-cosmos-index-utilization": /Utilized/ },
    }),
  ]),
  probe("`x-ms-documentdb-query-parallelizecrosspartitionquery`", [
    query("SELECT * FROM c", {
      headers: {
        ...UNMERGED,
        "x-ms-documentdb-query-parallelizecrosspartitionquery": "true",
      },
      ...NOT_SERVABLE,
    }),
  ]),
];

const writes: readonly Probe[] = [
  probe(BATCH_LINE, [
    batch({ "x-ms-cosmos-batch-atomic": "true" }, { has: statuses(424, 409) }),
    batch(
      { "x-ms-cosmos-batch-atomic": "false", "x-ms-cosmos-batch-continue-on-error": "true" },
      { has: statuses(201, 409) },
    ),
  ]),
  probe("`x-ms-offer-throughput`", [
    {
      ask: `POST ${COLLS}`,
      headers: { "x-ms-offer-throughput": "123" },
      body: { id: "second", partitionKey: { paths: ["/pk"] } },
      status: 400,
    },
  ]),
  probe("`x-ms-cosmos-offer-autopilot-settings`", [
    {
      ask: `POST ${COLLS}`,
      headers: { "x-ms-cosmos-offer-autopilot-settings": '{"maxThroughput":4000}' },
      body: { id: "second", partitionKey: { paths: ["/pk"] } },
      status: 201,
      keep: { self: "_self" },
    },
    {
      ask: "POST offers",
      headers: QUERY_HEADERS,
      body: { query: 'SELECT * FROM root WHERE root.resource = "{self}"' },
      status: 200,
      says: /"maxThroughput":4000/,
    },
  ]),
  probe("`x-ms-indexing-directive`", [
    create({ id: "1", n: 1 }, { headers: { "x-ms-indexing-directive": "Exclude" } }),
    create({ id: "2", n: 1 }, { headers: { "x-ms-indexing-directive": "Include" } }),
    query("SELECT VALUE c.id FROM c WHERE c.n = 1", { has: { Documents: ["2"] } }),
  ]),
  probe("`x-ms-documentdb-pre-trigger-include`, `x-ms-documentdb-post-trigger-include`", [
    {
      ask: `POST ${COLL}/triggers`,
      body: { id: "t", triggerType: "Pre", triggerOperation: "All", body: "function () {}" },
      status: 201,
    },
    create({ id: "1" }, { headers: { "x-ms-documentdb-pre-trigger-include": "t" } }),
    create({ id: "2" }, { headers: { "x-ms-documentdb-pre-trigger-include": "u" }, status: 400 }),
  ]),
  probe("`x-ms-documentdb-expiry-seconds`", [
    { ask: "POST dbs/{db}/users", body: { id: "u" }, status: 201 },
    {
      ask: "POST dbs/{db}/users/u/permissions",
      headers: { "x-ms-documentdb-expiry-seconds": "5" },
      body: { id: "p", permissionMode: "Read", resource: COLL },
      status: 400,
    },
    {
      ask: "POST dbs/{db}/users/u/permissions",
      headers: { "x-ms-documentdb-expiry-seconds": "10" },
      body: { id: "p", permissionMode: "Read", resource: COLL },
      status: 201,
    },
  ]),
  probe("`x-ms-documentdb-script-enable-logging`", [
    {
      ask: `POST ${COLL}/sprocs`,
      body: { id: "s", body: "function () { console.log(451); }" },
      status: 201,
    },
    {
      ask: `POST ${COLL}/sprocs/s`,
      headers: KEY,
      body: [],
      status: 200,
      lacks: ["x-ms-documentdb-script-log-results"],
    },
  ]),
];

const others: readonly Probe[] = [
  probe("`x-ms-documentdb-populatequotainfo`", [
    {
      ask: `GET ${COLL}`,
      headers: { "x-ms-documentdb-populatequotainfo": "true" },
      status: 200,
      answers: { "x-ms-resource-usage": /documentsCount=0/ },
    },
    { ask: `GET ${COLL}`, status: 200, lacks: ["x-ms-resource-usage"] },
  ]),
  probe("`x-ms-cosmos-priority-level`", [
    read("1", { headers: { "x-ms-cosmos-priority-level": "Low" }, status: 404 }),
    read("1", { headers: { "x-ms-cosmos-priority-level": "Middling" }, status: 400 }),
  ]),
  probe("`x-ms-cosmos-throughput-bucket`", [
    read("1", { headers: { "x-ms-cosmos-throughput-bucket": "3" }, status: 404 }),
    read("1", { headers: { "x-ms-cosmos-throughput-bucket": "9" }, status: 400 }),
  ]),
  probe("`x-ms-dedicatedgateway-bypass-cache`", [
    create({ id: "1" }),
    read("1", {
      headers: { "x-ms-dedicatedgateway-bypass-cache": "true" },
      answers: { "x-ms-cosmos-cache-bypass": /^True$/i },
    }),
  ]),
  probe("`x-ms-activity-id`", [
    {
      ask: `GET ${COLL}`,
      headers: { "x-ms-activity-id": "1f2e3d4c-0000-4000-8000-000000000002" },
      status: 200,
      answers: { "x-ms-activity-id": /^1f2e3d4c-0000-4000-8000-000000000002$/ },
    },
  ]),
  probe("`x-ms-version` before 2018-12-31: a container without a partition key", [
    {
      ask: `POST ${COLLS}`,
      headers: { "x-ms-version": "2018-06-18" },
      body: { id: "old" },
      status: 201,
    },
    { ask: `POST ${COLLS}`, body: { id: "new" }, status: 400 },
    {
      ask: `POST ${COLLS}/old/docs`,
      headers: { "x-ms-version": "2018-06-18" },
      body: { id: "1" },
      status: 201,
    },
    { ask: `GET ${COLLS}/old/docs/1`, headers: { "x-ms-version": "2018-06-18" }, status: 200 },
  ]),
  probe("`x-ms-date`, `authorization`", [
    { ask: `GET ${COLL}`, by: "nobody", status: 401, has: { code: "Unauthorized" } },
  ]),
];

/** Header and value → why nothing has to happen. */
const WITHOUT_EFFECT: readonly (readonly [header: string, value: string, why: string])[] = [
  ["x-ms-documentdb-responsecontinuationtokenlimitinkb", "1", "continuations are shorter anyway"],
  ["x-ms-cosmos-sdk-supportedcapabilities", "1", "merged ranges are shown to every client"],
  ["x-ms-cosmos-allow-tentative-writes", "true", "there is one region, and it takes writes"],
  ["x-ms-cosmos-is-client-encrypted", "True", "encrypted values are stored as any others"],
  ["x-ms-cosmos-allow-cachedreads", "true", "nothing is read from a cache"],
  ["x-ms-cosmos-database-rid", "AAAAAA==", "paths name databases"],
  ["x-ms-dedicatedgateway-max-age", "1000", "there is no cache to be old"],
  ["x-ms-noretry-449", "True", "writes of one item wait for each other instead of failing"],
  ["x-ms-documentdb-query-iscontinuationexpected", "False", "a page costs the same with one"],
  ["x-ms-documentdb-query-enable-scan", "true", "what is not indexed is scanned in any case"],
  ["x-ms-cosmos-query-optimisticdirectexecute", "True", "a range answers any query directly"],
  ["x-ms-cosmos-query-version", "1.4", "one version of the language is spoken"],
  ["x-ms-cosmos-batch-ordered", "True", "operations of a batch are always taken in order"],
  ["x-ms-documentdb-content-serialization-format", "CosmosBinary", "answers are text"],
  ["x-ms-cosmos-supported-serialization-formats", "JsonText,CosmosBinary", "answers are text"],
  ["x-ms-cosmos-force-refresh", "true", "nothing is cached"],
  ["x-ms-force-refresh", "true", "nothing is cached"],
  ["x-ms-offer-type", "Invalid", "only containers are made with it"],
  ["x-ms-offer-is-ru-per-minute-throughput-enabled", "False", "the service gave it up"],
  [
    "x-ms-cosmos-correlated-activityid",
    "1f2e3d4c-0000-4000-8000-000000000001",
    "it is for logs of clients",
  ],
  ["x-ms-useragent", "probe/1.0", "it is for logs"],
  ["cache-control", "no-cache", "nothing is cached"],
];

/** A write, a read and a query with the header: they are what they are without it. */
const withoutEffect = WITHOUT_EFFECT.map(([name, value, why]) => {
  const headers = { [name]: value };
  const steps: readonly Step[] = [
    create({ id: "1", n: 1 }, { headers, has: { id: "1", n: 1 } }),
    read("1", { headers, has: { id: "1", n: 1 } }),
    query("SELECT VALUE c.n FROM c WHERE c.n = 1", { headers, has: { Documents: [1] } }),
  ];
  return probe(`\`${name}\``, steps, { idle: why });
});

export const REQUEST_HEADERS: Area = {
  title: "Request headers",
  about: "Every header that an official client may send, by what it is about.",
  probes: [...scope, ...conditions, ...queries, ...writes, ...others, ...withoutEffect],
};
