/** Paths with every verb they have: account, databases, containers, items, offers. */
import type { Area, Probe, Step } from "./probe.ts";
import { COLL, COLLS, create, DOCS, KEY, probe, QUERY_HEADERS, query, read } from "./probe.ts";

const CONTAINER = { id: "second", partitionKey: { paths: ["/pk"], kind: "Hash", version: 2 } };
const RID = /^[\w+-]+={0,2}$/;

const accountAndDatabases: readonly Probe[] = [
  probe("`GET /`", [
    {
      ask: "GET ",
      status: 200,
      has: { enableMultipleWriteLocations: false, addresses: "//addresses/" },
      says: /"writableLocations":\[\{.*"readableLocations":\[\{.*"queryEngineConfiguration":"/s,
    },
  ]),
  probe("`GET /dbs`", [
    { ask: "POST dbs", body: { id: "{db}" }, status: 409 },
    { ask: "GET dbs", status: 200, says: /"Databases":\[\{.*"_count":\d+/s },
  ]),
  probe("`POST /dbs`", [
    { ask: "POST dbs", body: { id: "{db}-2" }, status: 201, answers: { etag: /^".+"$/ } },
    { ask: "POST dbs", body: { id: "{db}-2" }, status: 409, has: { code: "Conflict" } },
  ]),
  probe("`POST /dbs`, a query", [
    {
      ask: "POST dbs",
      headers: QUERY_HEADERS,
      body: { query: "SELECT VALUE r.id FROM root r WHERE r.id = '{db}'" },
      status: 200,
      says: /\["d\d+"\]/,
    },
  ]),
  probe("`GET /dbs/{database}`", [
    { ask: "GET dbs/{db}", status: 200, has: { _colls: "colls/", _users: "users/" } },
    { ask: "GET dbs/none", status: 404, has: { code: "NotFound" } },
  ]),
  probe("`GET /dbs/{database}` by its rid", [
    { ask: "GET dbs/{db}", status: 200, keep: { rid: "_rid" } },
    { ask: "GET dbs/{rid}", status: 200, says: /"id":"d\d+"/ },
  ]),
  probe("`DELETE /dbs/{database}`", [
    { ask: "DELETE dbs/{db}", status: 204 },
    { ask: "GET dbs/{db}", status: 404 },
  ]),
];

const containers: readonly Probe[] = [
  probe("`GET …/colls`", [
    { ask: `GET ${COLLS}`, status: 200, has: { _count: 0, DocumentCollections: [] } },
    { ask: `POST ${COLLS}`, body: CONTAINER, status: 201 },
    { ask: `GET ${COLLS}`, status: 200, has: { DocumentCollections: [{ id: "second" }] } },
  ]),
  probe("`POST …/colls`", [
    { ask: `POST ${COLLS}`, body: CONTAINER, status: 201, has: CONTAINER },
    { ask: `POST ${COLLS}`, body: CONTAINER, status: 409 },
  ]),
  probe("`POST …/colls`, a query", [
    { ask: `POST ${COLLS}`, body: CONTAINER, status: 201 },
    {
      ask: `POST ${COLLS}`,
      headers: QUERY_HEADERS,
      body: { query: "SELECT * FROM root r WHERE r.id = 'second'" },
      status: 200,
      has: { DocumentCollections: [{ id: "second" }] },
    },
  ]),
  probe("`GET …/colls/{container}`", [
    { ask: `GET ${COLL}`, status: 200, has: { _docs: "docs/", _sprocs: "sprocs/" } },
  ]),
  probe("`PUT …/colls/{container}`", [
    {
      ask: `PUT ${COLL}`,
      body: { ...CONTAINER, id: "{c}", defaultTtl: 60 },
      status: 200,
      has: { defaultTtl: 60 },
    },
  ]),
  probe("`DELETE …/colls/{container}`", [
    { ask: `DELETE ${COLL}`, status: 204 },
    { ask: `GET ${COLL}`, status: 404 },
  ]),
  probe("`GET …/colls/{container}/pkranges`", [
    {
      ask: `GET ${COLL}/pkranges`,
      status: 200,
      has: { PartitionKeyRanges: [{ id: "0", minInclusive: "", maxExclusive: "FF" }] },
      keep: { etag: "header:etag" },
    },
    { ask: `GET ${COLL}/pkranges`, headers: { "if-none-match": "{etag}" }, status: 304 },
  ]),
  probe("`POST …/operations/partitionkeydelete`", [
    create({ id: "1" }),
    {
      ask: `POST ${COLL}/operations/partitionkeydelete`,
      signs: COLL,
      headers: KEY,
      status: 200,
    },
    read("1", { status: 404 }),
  ]),
];

const items: readonly Probe[] = [
  probe("`GET …/docs`, a read feed", [
    create({ id: "1" }),
    { ask: `GET ${DOCS}`, status: 200, has: { Documents: [{ id: "1" }], _count: 1 } },
  ]),
  probe("`POST …/docs`", [create({ id: "1" }), create({ id: "1" }, { status: 409 })]),
  probe("`POST …/docs`, an upsert", [
    create({ id: "1" }, { headers: { "x-ms-documentdb-is-upsert": "True" } }),
    create({ id: "1" }, { headers: { "x-ms-documentdb-is-upsert": "true" }, status: 200 }),
  ]),
  probe("`POST …/docs`, a query", [
    create({ id: "1" }),
    query("SELECT VALUE c.id FROM c", { has: { Documents: ["1"], _count: 1 } }),
  ]),
  probe("`POST …/docs`, a query plan", [
    {
      ask: `POST ${DOCS}`,
      headers: {
        ...QUERY_HEADERS,
        "x-ms-cosmos-is-query-plan-request": "True",
        "x-ms-cosmos-supported-query-features": "OrderBy, Top",
      },
      body: { query: "SELECT TOP 3 * FROM c" },
      status: 200,
      has: { queryInfo: { top: 3 }, queryRanges: [{ min: "", max: "FF" }] },
    },
  ]),
  probe("`GET …/docs/{id}`", [
    create({ id: "1", n: 5 }),
    read("1", { has: { id: "1", n: 5 }, answers: { etag: /^".+"$/ } }),
    read("2", { status: 404 }),
  ]),
  probe("`PUT …/docs/{id}`", [
    create({ id: "1", n: 5 }),
    { ...read("1"), ask: `PUT ${DOCS}/1`, body: { id: "1", pk: "a", n: 6 }, has: { n: 6 } },
    { ...read("2"), ask: `PUT ${DOCS}/2`, body: { id: "2", pk: "a" }, status: 404 },
  ]),
  probe("`PATCH …/docs/{id}`", [
    create({ id: "1", n: 5 }),
    {
      ...read("1"),
      ask: `PATCH ${DOCS}/1`,
      body: { operations: [{ op: "incr", path: "/n", value: 2 }] },
      has: { n: 7 },
    },
  ]),
  probe("`DELETE …/docs/{id}`", [
    create({ id: "1" }),
    { ask: `DELETE ${DOCS}/1`, headers: KEY, status: 204 },
    { ask: `DELETE ${DOCS}/1`, headers: KEY, status: 404 },
  ]),
  probe("`GET …/docs/{rid}`", [
    create({ id: "1" }, { keep: { rid: "_rid" } }),
    read("{rid}", { has: { id: "1" } }),
  ]),
  probe("`…/docs/{id}/attachments`, which the service no longer offers", [
    create({ id: "1" }),
    { ask: `GET ${DOCS}/1/attachments`, headers: KEY, status: 200, says: /Attachments/ },
  ]),
];

const FIND_OFFER: Step = {
  ask: "POST offers",
  headers: QUERY_HEADERS,
  body: { query: 'SELECT * FROM root WHERE root.resource = "{self}"' },
  status: 200,
  says: /"offerVersion":"V2"/,
  keep: { offer: "Offers.0.id", rid: "Offers.0._rid", resource: "Offers.0.resource" },
};

const offers: readonly Probe[] = [
  probe("`GET /offers`", [
    { ask: `GET ${COLL}`, status: 200 },
    { ask: "GET offers", status: 200, says: /"Offers":\[\{/ },
  ]),
  probe("`POST /offers`, a query", [
    { ask: `GET ${COLL}`, status: 200, keep: { self: "_self" } },
    FIND_OFFER,
  ]),
  probe("`GET /offers/{id}`", [
    { ask: `GET ${COLL}`, status: 200, keep: { self: "_self" } },
    FIND_OFFER,
    { ask: "GET offers/{offer}", status: 200, has: { content: { offerThroughput: 400 } } },
  ]),
  probe("`PUT /offers/{id}`", [
    { ask: `GET ${COLL}`, status: 200, keep: { self: "_self", collRid: "_rid" } },
    FIND_OFFER,
    {
      ask: "PUT offers/{offer}",
      body: {
        id: "{offer}",
        _rid: "{rid}",
        offerVersion: "V2",
        offerType: "Invalid",
        resource: "{resource}",
        offerResourceId: "{collRid}",
        content: { offerThroughput: 600 },
      },
      status: 200,
      has: { content: { offerThroughput: 600 } },
    },
  ]),
];

const ridOfItems = probe("rids, etags and time stamps in every body", [
  create(
    { id: "1" },
    { keep: { rid: "_rid" }, says: /"_rid":"[^"]+","_self":"[^"]+","_etag":"\\"[^"]+\\""/ },
  ),
  { ask: `GET ${COLL}`, status: 200, answers: { "x-ms-content-path": RID }, says: /"_ts":\d+/ },
]);

/** What the tests of the .NET and Java clients expect of the service. */
const idsOfItems: readonly Probe[] = [
  probe("item ids with `?` or `#`", [
    create({ id: "a?b" }),
    read("a?b", { has: { id: "a?b" } }),
    create({ id: "a#b" }),
    read("a#b", { has: { id: "a#b" } }),
  ]),
  probe("item ids with `/`, found by queries; here also by the id with `%2F`", [
    create({ id: "a/b" }),
    query("SELECT VALUE c.id FROM c WHERE c.id = 'a/b'", { has: { Documents: ["a/b"] } }),
  ]),
  probe("item ids with `\\`, which the service refuses (400)", [
    create({ id: "a\\b" }, { status: 400 }),
  ]),
];

export const RESOURCE_AREAS: readonly Area[] = [
  {
    title: "Account and databases",
    about: "",
    probes: accountAndDatabases,
  },
  { title: "Containers", about: "", probes: containers },
  { title: "Items", about: "", probes: [...items, ...idsOfItems, ridOfItems] },
  { title: "Offers", about: "", probes: offers },
];
