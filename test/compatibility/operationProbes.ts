/** Operations with rules of their own: batch, bulk, patch, the change feed, consistency. */
import type { Area, Headers, Probe, Step } from "./probe.ts";
import { COLL, create, DOCS, KEY, probe, QUERY_HEADERS, query, read } from "./probe.ts";

const ATOMIC: Headers = {
  ...KEY,
  "x-ms-cosmos-is-batch-request": "true",
  "x-ms-cosmos-batch-atomic": "true",
};
const BULK: Headers = {
  "x-ms-documentdb-partitionkeyrangeid": "0",
  "x-ms-cosmos-is-batch-request": "true",
  "x-ms-cosmos-batch-atomic": "false",
  "x-ms-cosmos-batch-continue-on-error": "true",
};

const send = (headers: Headers, body: unknown, rest: Partial<Step>): Step => ({
  ask: `POST ${DOCS}`,
  headers,
  body,
  status: 200,
  ...rest,
});
const told = (...codes: readonly number[]): unknown => codes.map((statusCode) => ({ statusCode }));
const item = (id: string): unknown => ({ id, pk: "a", n: 1 });
const OPERATIONS: readonly (readonly [string, object, number])[] = [
  ["Create", { resourceBody: item("new") }, 201],
  ["Upsert", { resourceBody: item("1") }, 200],
  ["Read", { id: "1" }, 200],
  ["Replace", { id: "1", resourceBody: item("1") }, 200],
  ["Patch", { id: "1", resourceBody: { operations: [{ op: "incr", path: "/n", value: 1 }] } }, 200],
  ["Delete", { id: "1" }, 204],
];

const batches: readonly Probe[] = [
  ...OPERATIONS.map(([operationType, rest, status]) =>
    probe(`batch: ${operationType}`, [
      create({ id: "1", n: 1 }),
      send(ATOMIC, [{ operationType, ...rest }], { has: told(status) }),
    ]),
  ),
  probe("batch: all or nothing, 207 and 424", [
    send(
      ATOMIC,
      [
        { operationType: "Create", resourceBody: item("1") },
        { operationType: "Create", resourceBody: item("1") },
      ],
      { status: 207, has: told(424, 409) },
    ),
    read("1", { status: 404 }),
  ]),
  probe("batch: conditions of single operations", [
    create({ id: "1" }),
    send(ATOMIC, [{ operationType: "Delete", id: "1", ifMatch: '"other"' }], {
      status: 207,
      has: told(412),
    }),
  ]),
  probe("batch: more than 100 operations are refused", [
    send(
      ATOMIC,
      Array.from({ length: 101 }, (_, n) => ({
        operationType: "Create",
        resourceBody: item(`${n}`),
      })),
      { status: 400 },
    ),
  ]),
  ...OPERATIONS.map(([operationType, rest, status]) =>
    probe(`bulk: ${operationType}`, [
      create({ id: "1", n: 1 }),
      send(BULK, [{ operationType, partitionKey: '["a"]', ...rest }], { has: told(status) }),
    ]),
  ),
  probe("bulk: each operation for itself", [
    send(
      BULK,
      [
        { operationType: "Read", id: "none", partitionKey: '["a"]' },
        { operationType: "Create", resourceBody: item("1"), partitionKey: '["a"]' },
      ],
      { status: 207, has: told(404, 201) },
    ),
    read("1"),
  ]),
  probe("batch as HybridRow, which .NET sends", [
    send({ ...ATOMIC, "x-ms-cosmos-batch-ordered": "True" }, hybridRow(), { status: 200 }),
  ]),
];

/** The creation of an item `1` under the key `a`. */
function hybridRow(): Buffer {
  return Buffer.from(
    "81f0d8ff7f010a00000081f1d8ff7f2200000050ef47aa817054e17f430000000002000000" +
      "137b226964223a2231222c22706b223a2261227d",
    "hex",
  );
}

const PATCHES: readonly (readonly [string, object, object])[] = [
  ["add", { op: "add", path: "/l/0", value: 0 }, { l: [0, 1, 2] }],
  ["add at the end of an array", { op: "add", path: "/l/-", value: 3 }, { l: [1, 2, 3] }],
  ["set", { op: "set", path: "/o/new", value: 3 }, { o: { x: 1, new: 3 } }],
  ["replace", { op: "replace", path: "/o/x", value: 3 }, { o: { x: 3 } }],
  ["remove", { op: "remove", path: "/l/0" }, { l: [2] }],
  ["incr", { op: "incr", path: "/n", value: -2 }, { n: 3 }],
  ["move", { op: "move", from: "/n", path: "/m" }, { m: 5 }],
];
const patch = (body: unknown, rest: Partial<Step>): Step => ({
  ask: `PATCH ${DOCS}/1`,
  headers: KEY,
  body,
  status: 200,
  ...rest,
});
const PATCHED = create({ id: "1", n: 5, l: [1, 2], o: { x: 1 } });

const patches: readonly Probe[] = [
  ...PATCHES.map(([name, operation, has]) =>
    probe(`patch: ${name}`, [PATCHED, patch({ operations: [operation] }, { has })]),
  ),
  probe("patch: a condition", [
    PATCHED,
    patch(
      { operations: [{ op: "incr", path: "/n", value: 1 }], condition: "FROM c WHERE c.n > 9" },
      { status: 412, answers: { "x-ms-substatus": /^1110$/ } },
    ),
  ]),
  probe("patch: more than ten operations are refused", [
    PATCHED,
    patch(
      { operations: Array.from({ length: 11 }, () => ({ op: "incr", path: "/n", value: 1 })) },
      { status: 400 },
    ),
  ]),
  probe("patch: the partition key and system properties are refused", [
    PATCHED,
    patch({ operations: [{ op: "set", path: "/pk", value: "b" }] }, { status: 400 }),
    patch({ operations: [{ op: "set", path: "/_ts", value: 1 }] }, { status: 400 }),
  ]),
];

const LATEST: Headers = { "a-im": "Incremental feed" };
const ALL: Headers = {
  "a-im": "Full-Fidelity Feed",
  "x-ms-cosmos-changefeed-wire-format-version": "2021-09-15",
};
const changes = (headers: Headers, rest: Partial<Step>): Step => ({
  ask: `GET ${DOCS}`,
  headers,
  status: 200,
  ...rest,
});
const KEPT = { container: { changeFeedPolicy: { retentionDuration: 10 } } };

const feeds: readonly Probe[] = [
  probe("latest versions, from the beginning", [
    create({ id: "1" }),
    changes(LATEST, { has: { Documents: [{ id: "1" }] }, keep: { etag: "header:etag" } }),
    changes({ ...LATEST, "if-none-match": "{etag}" }, { status: 304, answers: { etag: /./ } }),
  ]),
  probe("latest versions, from now", [
    create({ id: "1" }),
    changes({ ...LATEST, "if-none-match": "*" }, { status: 304, keep: { etag: "header:etag" } }),
    create({ id: "2" }),
    changes({ ...LATEST, "if-none-match": "{etag}" }, { has: { Documents: [{ id: "2" }] } }),
  ]),
  probe("latest versions, from a time", [
    create({ id: "1" }),
    changes(
      { ...LATEST, "if-modified-since": "Sat, 01 Jan 2000 00:00:00 GMT" },
      { has: { Documents: [{ id: "1" }] } },
    ),
  ]),
  probe("of one partition key", [
    create({ id: "1" }),
    changes({ ...LATEST, ...KEY }, { has: { Documents: [{ id: "1" }] } }),
    changes({ ...LATEST, "x-ms-documentdb-partitionkey": '["b"]' }, { status: 304 }),
  ]),
  probe("of a range of EPKs", [
    create({ id: "1" }),
    changes({ ...LATEST, "x-ms-start-epk": "", "x-ms-end-epk": "00" }, { status: 304 }),
  ]),
  probe(
    "all versions and deletes",
    [
      changes({ ...ALL, "if-none-match": "*" }, { status: 304, keep: { etag: "header:etag" } }),
      create({ id: "1" }),
      { ask: `DELETE ${DOCS}/1`, headers: KEY, status: 204 },
      changes({ ...ALL, "if-none-match": "{etag}" }, { says: /"create".*"delete"/s }),
    ],
    KEPT,
  ),
  probe(
    "all versions and deletes need a change feed policy",
    [changes({ ...ALL, "if-none-match": "*" }, { status: 400 })],
    {
      instead: {
        says: "without one, versions are there from now on only",
        steps: [changes({ ...ALL, "if-none-match": "*" }, { status: 304 })],
      },
    },
  ),
];

const LEVELS = ["Session", "ConsistentPrefix", "Eventual"];

const consistency: readonly Probe[] = [
  ...LEVELS.map((level) =>
    probe(`a read with ${level}`, [
      create({ id: "1" }),
      read("1", { headers: { "x-ms-consistency-level": level } }),
      query("SELECT VALUE c.id FROM c", {
        headers: { "x-ms-consistency-level": level },
        has: { Documents: ["1"] },
      }),
    ]),
  ),
  ...["BoundedStaleness", "Strong"].map((level) =>
    probe(`a read with ${level} is refused by an account with Session`, [
      create({ id: "1" }),
      read("1", { headers: { "x-ms-consistency-level": level }, status: 400 }),
    ]),
  ),
  probe("a session token that the server has not reached: 404 with 1002", [
    read("1", {
      headers: { "x-ms-session-token": "0:0#999999" },
      status: 404,
      answers: { "x-ms-substatus": /^1002$/ },
    }),
  ]),
];

const PERMITTED: readonly Step[] = [
  create({ id: "1" }),
  { ask: "POST dbs/{db}/users", body: { id: "u" }, status: 201 },
];
const permission = (permissionMode: string, rest: object = {}): Step => ({
  ask: "POST dbs/{db}/users/u/permissions",
  body: { id: "p", permissionMode, resource: COLL, ...rest },
  status: 201,
  keep: { token: "_token" },
});
const TOKEN = "{token}";

const authorization: readonly Probe[] = [
  probe("the primary key", [{ ask: `GET ${COLL}`, status: 200 }]),
  probe("a request without a signature", [{ ask: `GET ${COLL}`, by: "nobody", status: 401 }]),
  probe("a read-only key reads and queries", [
    create({ id: "1" }),
    read("1", { by: "read-only key" }),
    query("SELECT VALUE c.id FROM c", { by: "read-only key", has: { Documents: ["1"] } }),
  ]),
  probe("a read-only key does not write", [
    create({ id: "1" }, { by: "read-only key", status: 403 }),
  ]),
  probe("a signature that is older than 15 minutes", [
    {
      ask: `GET ${COLL}`,
      headers: { "x-ms-date": "Sat, 01 Jan 2000 00:00:00 GMT" },
      status: 403,
    },
  ]),
  probe("a resource token with mode Read", [
    ...PERMITTED,
    permission("Read"),
    read("1", { by: TOKEN }),
    create({ id: "2" }, { by: TOKEN, status: 403 }),
  ]),
  probe("a resource token with mode All", [
    ...PERMITTED,
    permission("All"),
    create({ id: "2" }, { by: TOKEN }),
  ]),
  probe("a resource token for one partition key", [
    ...PERMITTED,
    permission("Read", { resourcePartitionKey: ["a"] }),
    read("1", { by: TOKEN }),
    read("1", { by: TOKEN, headers: { "x-ms-documentdb-partitionkey": '["b"]' }, status: 403 }),
  ]),
  probe("an Entra token of an issuer that the server was not told of", [
    {
      ask: `GET ${COLL}`,
      by: "nobody",
      headers: { authorization: encodeURIComponent("type=aad&ver=1.0&sig=e30.e30.e30") },
      status: 401,
    },
  ]),
  probe("queries of a token without cross-partition rights", [
    ...PERMITTED,
    permission("Read", { resourcePartitionKey: ["a"] }),
    {
      ask: `POST ${DOCS}`,
      headers: QUERY_HEADERS,
      body: { query: "SELECT * FROM c" },
      by: TOKEN,
      status: 403,
    },
  ]),
];

export const OPERATION_AREAS: readonly Area[] = [
  { title: "Batch and bulk", about: "", probes: batches },
  { title: "Patch", about: "", probes: patches },
  { title: "Change feed", about: "", probes: feeds },
  { title: "Consistency", about: "", probes: consistency },
  { title: "Authorization", about: "", probes: authorization },
];
