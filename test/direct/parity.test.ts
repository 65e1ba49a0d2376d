/**
 * The same conversation over HTTP and in direct mode: every request gets the same status, the same
 * body and the same charge, whichever road it comes by.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DirectStage } from "./stage.ts";
import { openDirectStage } from "./stage.ts";

let stage: DirectStage;
let replica: string;

beforeAll(async () => {
  stage = await openDirectStage();
  replica = (await stage.replicasOf("d", "c")).get("0")!;
  const script = { id: "echo", body: "function (x) { getContext().getResponse().setBody(x); }" };
  const sprocs = ["dbs", "d", "colls", "c", "sprocs"];
  await stage.wire.call("POST", sprocs, { body: JSON.stringify(script) });
  await stage.wire.call("POST", ["dbs", "d", "users"], { body: '{"id":"u"}' });
});

afterAll(() => stage[Symbol.asyncDispose]());

const ITEMS = ["dbs", "d", "colls", "c", "docs"];
const KEY = { "x-ms-documentdb-partitionkey": '["a"]' };
const QUERY = {
  "content-type": "application/query+json",
  "x-ms-documentdb-isquery": "True",
  "x-ms-documentdb-query-enablecrosspartition": "True",
};
const BATCH = { "x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": "True" };
const SELECT = '{"query":"SELECT * FROM c WHERE c.id = \\"kept\\""}';

type Row = readonly [
  what: string,
  method: string,
  segments: readonly string[],
  headers?: Readonly<Record<string, string>>,
  body?: string,
];

const ROWS: readonly Row[] = [
  ["an item is read", "GET", [...ITEMS, "kept"], KEY],
  ["a missing item is read", "GET", [...ITEMS, "nobody"], KEY],
  ["a read without a key", "GET", [...ITEMS, "kept"]],
  ["a key that is none", "GET", [...ITEMS, "kept"], { "x-ms-documentdb-partitionkey": "[" }],
  [
    "a level that is too strong",
    "GET",
    [...ITEMS, "kept"],
    { ...KEY, "x-ms-consistency-level": "Strong" },
  ],
  [
    "a session from the future",
    "GET",
    [...ITEMS, "kept"],
    { ...KEY, "x-ms-session-token": "0:0#99999" },
  ],
  ["a session that is none", "GET", [...ITEMS, "kept"], { ...KEY, "x-ms-session-token": "x" }],
  ["an item is created twice", "POST", ITEMS, KEY, '{"id":"kept","pk":"a"}'],
  ["an item without an id", "POST", ITEMS, KEY, '{"pk":"a"}'],
  ["a body that is no JSON", "POST", ITEMS, KEY, "{"],
  [
    "a replacement fails its condition",
    "PUT",
    [...ITEMS, "kept"],
    { ...KEY, "if-match": '"x"' },
    '{"id":"kept","pk":"a"}',
  ],
  [
    "a patch fails its condition",
    "PATCH",
    [...ITEMS, "kept"],
    { ...KEY, "if-match": '"x"' },
    '{"operations":[{"op":"add","path":"/n","value":1}]}',
  ],
  [
    "an upsert fails its condition",
    "POST",
    ITEMS,
    { ...KEY, "x-ms-documentdb-is-upsert": "True", "if-match": '"x"' },
    '{"id":"kept","pk":"a"}',
  ],
  ["a deletion of nothing", "DELETE", [...ITEMS, "nobody"], KEY],
  ["a query under a key", "POST", ITEMS, { ...QUERY, ...KEY }, SELECT],
  [
    "a query of a range",
    "POST",
    ITEMS,
    { ...QUERY, "x-ms-documentdb-partitionkeyrangeid": "0" },
    SELECT,
  ],
  [
    "a query of bounds",
    "POST",
    ITEMS,
    {
      ...QUERY,
      "x-ms-start-epk": "",
      "x-ms-end-epk": "FF",
      "x-ms-documentdb-partitionkeyrangeid": "0",
    },
    SELECT,
  ],
  ["a query that is none", "POST", ITEMS, { ...QUERY, ...KEY }, '{"query":"SELEC"}'],
  ["a batch", "POST", ITEMS, { ...BATCH, ...KEY }, '[{"operationType":"Read","id":"kept"}]'],
  [
    "a batch with a number for an operation",
    "POST",
    ITEMS,
    { ...BATCH, ...KEY },
    '[{"operationType":1}]',
  ],
  ["a procedure is run", "POST", ["dbs", "d", "colls", "c", "sprocs", "echo"], KEY, '["hello"]'],
  ["a procedure that is not there", "POST", ["dbs", "d", "colls", "c", "sprocs", "no"], KEY, "[]"],
  [
    "a page of the feed",
    "GET",
    ITEMS,
    { "x-ms-max-item-count": "1", "x-ms-documentdb-partitionkeyrangeid": "0" },
  ],
  ["a page of any size", "GET", ITEMS, { ...KEY, "x-ms-max-item-count": "-1" }],
  [
    "changes from the beginning",
    "GET",
    ITEMS,
    { "a-im": "Incremental Feed", "x-ms-documentdb-partitionkeyrangeid": "0" },
  ],
  [
    "changes from now",
    "GET",
    ITEMS,
    {
      "a-im": "Incremental Feed",
      "if-none-match": "*",
      "x-ms-documentdb-partitionkeyrangeid": "0",
    },
  ],
  ["a container that is not there", "GET", ["dbs", "d", "colls", "no", "docs", "kept"], KEY],
  ["databases are listed", "GET", ["dbs"]],
  ["a database is read", "GET", ["dbs", "d"]],
  ["a database that is not there", "GET", ["dbs", "no"]],
  ["databases are queried", "POST", ["dbs"], QUERY, '{"query":"SELECT * FROM c"}'],
  ["containers are listed", "GET", ["dbs", "d", "colls"]],
  [
    "a container is read",
    "GET",
    ["dbs", "d", "colls", "c"],
    { "x-ms-documentdb-populatequotainfo": "True" },
  ],
  ["users are listed", "GET", ["dbs", "d", "users"]],
  ["a user is read", "GET", ["dbs", "d", "users", "u"]],
  ["permissions are listed", "GET", ["dbs", "d", "users", "u", "permissions"]],
  ["conflicts are listed", "GET", ["dbs", "d", "colls", "c", "conflicts"], KEY],
];

/** What differs from one request to the next, whatever the road. */
const CHANGING = [
  // A page ends when its time is over, too.
  "x-ms-continuation",
  "x-ms-activity-id",
  "x-ms-request-duration-ms",
  "x-ms-documentdb-query-metrics",
];
/** Headers that direct mode has no token for. */
const OF_HTTP = [
  "content-type",
  "content-length",
  "content-location",
  "date",
  "connection",
  "keep-alive",
  "lsn",
  "x-ms-gatewayversion",
  "x-ms-serviceversion",
];

describe("both roads lead to the same answer", () => {
  test.each(ROWS.map((row) => ({ what: row[0], row })))("$what", async ({ row }) => {
    const [, method, segments, headers, body] = row;
    const call = { ...(headers && { headers }), ...(body !== undefined && { body }) };
    const version = { "x-ms-version": "2020-07-15" };
    const http = await stage.wire.call(method, segments, {
      ...call,
      headers: { ...version, ...headers },
    });
    const isOfContainer = segments.length > 4;
    const direct = await stage.client.call(method, segments, {
      ...call,
      ...(isOfContainer && { replicaPath: replica }),
    });
    expect(direct.status, String(direct.body)).toBe(http.status);
    expect(comparable(direct.body)).toEqual(comparable(http.body));
    for (const [name, value] of Object.entries(http.headers)) {
      if (CHANGING.includes(name) || OF_HTTP.includes(name)) continue;
      expect(shownAlike(direct.headers[name]), name).toBe(shownAlike(value));
    }
  });
});

function shownAlike(value: string | undefined): string | undefined {
  return value === undefined ? undefined : decodeURI(value);
}

/** Bodies of refusals name the request. */
function comparable(body: Buffer): string {
  return body.toString().replace(/ActivityId: [0-9a-f-]{36}/gi, "");
}

test("a written item is there for both", async () => {
  const made = await stage.client.call("POST", ITEMS, {
    headers: KEY,
    body: '{"id":"both","pk":"a"}',
    replicaPath: replica,
  });
  expect(made.status).toBe(201);
  const read = await stage.wire.item("GET", "both");
  expect(read.body.equals(made.body)).toBe(true);
  expect(read.headers["x-ms-session-token"]).toBe(made.headers["x-ms-session-token"]);
});

test("names are taken as they are", async () => {
  const id = "a b+c%é?&=#";
  const made = await stage.client.call("POST", ITEMS, {
    headers: KEY,
    body: JSON.stringify({ id, pk: "a" }),
    replicaPath: replica,
  });
  expect(made.status).toBe(201);
  const read = await stage.client.call("GET", [...ITEMS, id], {
    headers: KEY,
    replicaPath: replica,
  });
  expect(read.status).toBe(200);
});

test("who asks for the head of a container learns how far a replica is", async () => {
  const answer = await stage.client.call("HEAD", ["dbs", "d", "colls", "c"], {
    replicaPath: replica,
  });
  expect(answer.status).toBe(200);
  expect(answer.body).toHaveLength(0);
  const read = await stage.client.call("GET", [...ITEMS, "kept"], {
    headers: KEY,
    replicaPath: replica,
  });
  expect(answer.replica).toEqual(read.replica);
});
