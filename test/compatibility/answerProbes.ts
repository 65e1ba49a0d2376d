/** Every response header that official clients look at, or that the service is known to send. */
import type { Area, Probe, Step } from "./probe.ts";
import {
  COLL,
  COLLS,
  create,
  DOCS,
  KEY,
  ONE_DOCS,
  probe,
  QUERY_HEADERS,
  query,
  read,
} from "./probe.ts";

const LSN = /^\d+$/;
const QUOTA = { "x-ms-documentdb-populatequotainfo": "true" };

/** Headers of a read item, each with a pattern. */
const OF_ITEMS: readonly (readonly [string, RegExp])[] = [
  ["content-type", /^application\/json/],
  ["date", /GMT$/],
  ["etag", /^".+"$/],
  ["lsn", LSN],
  ["x-ms-activity-id", /^[\da-f-]{36}$/],
  ["x-ms-alt-content-path", /^dbs\/d\/colls\/one$/],
  ["x-ms-content-path", /^[\w+-]{10,11}=$/],
  ["x-ms-documentdb-partitionkeyrangeid", /^0$/],
  ["x-ms-gatewayversion", /^version=/],
  ["x-ms-item-lsn", LSN],
  ["x-ms-request-charge", /^1$/],
  ["x-ms-serviceversion", /^version=/],
  ["x-ms-session-token", /^0:/],
  ["x-ms-cosmos-item-llsn", LSN],
  ["x-ms-cosmos-llsn", LSN],
  ["x-ms-cosmos-quorum-acked-llsn", LSN],
  ["x-ms-global-committed-lsn", LSN],
  ["x-ms-last-state-change-utc", /GMT$/],
  ["x-ms-number-of-read-regions", LSN],
  ["x-ms-quorum-acked-lsn", LSN],
  ["x-ms-request-duration-ms", /^[\d.]+$/],
  ["x-ms-resource-quota", /documentSize=/],
  ["x-ms-resource-usage", /documentSize=/],
  ["x-ms-schemaversion", /^1\./],
  ["x-ms-transport-request-id", LSN],
  ["x-ms-xp-role", LSN],
];

const KEPT = `GET ${ONE_DOCS}/kept`;

const ofItems = OF_ITEMS.map(([name, pattern]) =>
  probe(`\`${name}\` of an item`, [read("", { ask: KEPT, answers: { [name]: pattern } })], {
    instead: {
      says: "left out, since clients only show it",
      steps: [read("", { ask: KEPT, lacks: [name] })],
    },
  }),
);

const FEED: Step = { ask: `GET ${DOCS}`, status: 200 };

const others: readonly Probe[] = [
  probe("`x-ms-continuation` only while something is left", [
    create({ id: "1" }),
    create({ id: "2" }),
    {
      ...FEED,
      headers: { "x-ms-max-item-count": "1" },
      answers: { "x-ms-continuation": /./ },
    },
    { ...FEED, headers: { "x-ms-max-item-count": "2" }, lacks: ["x-ms-continuation"] },
  ]),
  probe("`x-ms-item-count`", [
    create({ id: "1" }),
    { ...FEED, answers: { "x-ms-item-count": /^1$/ } },
  ]),
  probe("`x-ms-content-path` of a container names its database", [
    {
      ask: `GET ${COLL}`,
      status: 200,
      answers: { "x-ms-content-path": /^[\w+-]{6}==$/, "x-ms-alt-content-path": /^dbs\/d\d+$/ },
    },
  ]),
  probe("`x-ms-substatus` of a refusal", [
    read("1", {
      headers: { "x-ms-session-token": "0:0#999999" },
      status: 404,
      answers: { "x-ms-substatus": /^1002$/ },
    }),
  ]),
  probe("`x-ms-resource-quota`, if asked for", [
    {
      ask: `GET ${COLL}`,
      headers: QUOTA,
      status: 200,
      answers: { "x-ms-resource-quota": /collectionSize=10485760/ },
    },
  ]),
  probe("`x-ms-resource-usage`, if asked for", [
    create({ id: "1" }),
    {
      ask: `GET ${COLL}`,
      headers: QUOTA,
      status: 200,
      answers: { "x-ms-resource-usage": /documentsCount=1/ },
    },
  ]),
  probe("`x-ms-documentdb-collection-index-transformation-progress`", [
    {
      ask: `GET ${COLL}`,
      headers: QUOTA,
      status: 200,
      answers: { "x-ms-documentdb-collection-index-transformation-progress": /^100$/ },
    },
  ]),
  probe("`x-ms-documentdb-query-metrics`, if asked for", [
    create({ id: "1" }),
    query("SELECT * FROM c", {
      headers: { "x-ms-documentdb-populatequerymetrics": "true" },
      answers: { "x-ms-documentdb-query-metrics": /;retrievedDocumentCount=1;/ },
    }),
  ]),
  probe("`x-ms-cosmos-index-utilization`, if asked for", [
    query("SELECT * FROM c WHERE c.n = 1", {
      headers: { "x-ms-cosmos-populateindexmetrics-v2": "true" },
      answers: { "x-ms-cosmos-index-utilization": /UtilizedIndexes.*\/n\/\?/ },
    }),
  ]),
  probe(
    "`x-ms-cosmos-query-execution-info`",
    [
      query("SELECT * FROM c ORDER BY c.n", {
        answers: { "x-ms-cosmos-query-execution-info": /reverseRidEnabled/ },
      }),
    ],
    {
      instead: {
        says: "left out, which means that equal values come in order of creation, as they do",
        steps: [
          query("SELECT * FROM c ORDER BY c.n", { lacks: ["x-ms-cosmos-query-execution-info"] }),
        ],
      },
    },
  ),
  probe("`x-ms-documentdb-script-log-results`, if asked for", [
    {
      ask: `POST ${COLL}/sprocs`,
      body: { id: "s", body: "function () { console.log(451); }" },
      status: 201,
    },
    {
      ask: `POST ${COLL}/sprocs/s`,
      headers: { ...KEY, "x-ms-documentdb-script-enable-logging": "true" },
      body: [],
      status: 200,
      answers: { "x-ms-documentdb-script-log-results": /451/ },
    },
  ]),
  probe("`x-ms-cosmos-min-throughput`, `x-ms-offer-replace-pending`", [
    { ask: `GET ${COLL}`, status: 200, keep: { self: "_self" } },
    {
      ask: "POST offers",
      headers: QUERY_HEADERS,
      body: { query: 'SELECT * FROM root WHERE root.resource = "{self}"' },
      status: 200,
      keep: { offer: "Offers.0.id" },
    },
    {
      ask: "GET offers/{offer}",
      status: 200,
      answers: { "x-ms-cosmos-min-throughput": /^\d+$/, "x-ms-offer-replace-pending": /^false$/i },
    },
  ]),
  probe(
    "`x-ms-cosmos-is-partition-key-delete-pending`",
    [
      {
        ask: `GET ${COLL}`,
        status: 200,
        answers: { "x-ms-cosmos-is-partition-key-delete-pending": /^false$/i },
      },
    ],
    {
      instead: {
        says: "left out, since deleting a partition key is never pending",
        steps: [
          {
            ask: `GET ${COLL}`,
            status: 200,
            lacks: ["x-ms-cosmos-is-partition-key-delete-pending"],
          },
        ],
      },
    },
  ),
  probe("`x-ms-max-media-storage-usage-mb` and `x-ms-media-storage-usage-mb` of the account", [
    {
      ask: "GET ",
      status: 200,
      answers: { "x-ms-max-media-storage-usage-mb": /^0$/, "x-ms-media-storage-usage-mb": /^0$/ },
    },
  ]),
  probe("a JSON body with code and message of every refusal", [
    {
      ask: `POST ${COLLS}`,
      body: "not json",
      status: 400,
      answers: { "content-type": /^application\/json/ },
      has: { code: "BadRequest" },
    },
  ]),
];

export const RESPONSE_HEADERS: Area = {
  title: "Response headers",
  about: "",
  probes: [...ofItems, ...others],
};
