/** What a frame asks for is what the same request would ask for over HTTP, both ways. */
import { describe, expect, test } from "vitest";
import { childRidPrefix, containerRid, databaseRid, itemRid } from "../../model/rid.ts";
import { parseResourcePath, resourcePathOf } from "../request/resourcePath.ts";
import type { WrittenToken } from "./frame.ts";
import { writeFrame } from "./frame.ts";
import type { ComeFrame } from "./frameReader.ts";
import { FrameReader } from "./frameReader.ts";
import type { DirectRequest } from "./requestFrame.ts";
import { decodeRequestFrame, encodeRequestFrame, requestHasBody } from "./requestFrame.ts";
import { HEADER_TOKENS, REQUEST_TOKEN } from "./requestTokens.ts";

const ACTIVITY = "00112233-4455-6677-8899-aabbccddeeff";
const FACTS = { version: "2020-07-15", userAgent: "t/1" };
const LIMITS = { headBytesMax: 128 * 1024, bodyBytesMax: 1024 };
const [READ, READ_FEED, SQL_QUERY] = [3, 4, 9];
const DOCUMENT = 3;

function come(bytes: Buffer): ComeFrame {
  const reader = new FrameReader(LIMITS, requestHasBody);
  const [frame] = reader.push(bytes);
  expect(reader.complaint).toBeUndefined();
  return frame!;
}

function decoded(operation: number, tokens: readonly WrittenToken[], body?: Buffer): DirectRequest {
  const said: WrittenToken = { ...REQUEST_TOKEN.hasBody, value: body === undefined ? 0 : 1 };
  const head = { word: operation * 0x10000 + DOCUMENT, activityId: ACTIVITY, body };
  const read = decodeRequestFrame(come(writeFrame(head, [said, ...tokens])), FACTS);
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value;
}

function refusal(operation: number, tokens: readonly WrittenToken[]): string {
  const head = { word: operation * 0x10000 + DOCUMENT, activityId: ACTIVITY };
  const read = decodeRequestFrame(come(writeFrame(head, tokens)), FACTS);
  return read.ok ? "none" : read.error.kind;
}

const NAMES: readonly WrittenToken[] = [
  { ...REQUEST_TOKEN.databaseName, value: "d" },
  { ...REQUEST_TOKEN.containerName, value: "c" },
  { ...REQUEST_TOKEN.documentName, value: "i" },
];

test.each([
  ["GET", "/dbs"],
  ["GET", "/dbs/d"],
  ["HEAD", "/dbs/d/colls/c"],
  ["GET", "/dbs/d/colls"],
  ["GET", "/dbs/d/colls/c/docs/i"],
  ["PUT", "/dbs/d/colls/c/docs/a%20b%2Bc%25%C3%A9%3F"],
  ["PATCH", "/dbs/d/colls/c/docs/i"],
  ["DELETE", "/dbs/d/colls/c/docs/i"],
  ["POST", "/dbs/d/colls/c/docs"],
  ["POST", "/dbs/d/colls/c/sprocs/s"],
  ["GET", "/dbs/d/users/u/permissions/p"],
  ["GET", "/dbs/d/colls/c/conflicts"],
])("%s %s comes out as it went in", (method, url) => {
  const path = parseResourcePath(url)!;
  const headers = { "if-none-match": '"x"', "if-match": '"x"', authorization: "signed" };
  const body = Buffer.from(method === "GET" ? "" : "{}");
  const terms = { activityId: ACTIVITY, requestId: 7, replicaPath: "/apps/x" };
  const read = decodeRequestFrame(
    come(encodeRequestFrame({ method, path, headers, body }, terms)!),
    FACTS,
  );
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  expect(read.value.method).toBe(method);
  expect(read.value.path).toEqual(path);
  expect(read.value.body).toEqual(body);
  expect(read.value.replicaPath).toBe("/apps/x");
  const isRead = method === "GET" || method === "HEAD";
  expect(read.value.headers["if-none-match"]).toBe(isRead ? '"x"' : undefined);
  expect(read.value.headers["if-match"]).toBe(isRead ? undefined : '"x"');
  expect(read.value.headers["x-ms-version"]).toBe("2020-07-15");
});

test.each(["/", "/offers", "/addresses?$resolveFor=dbs/d/colls/c/docs", "/dbs/d/colls/c/pkranges"])(
  "%s has no frame",
  (url) => {
    const sent = {
      method: "GET",
      path: parseResourcePath(url)!,
      headers: {},
      body: Buffer.alloc(0),
    };
    const terms = { activityId: ACTIVITY, requestId: 1, replicaPath: "" };
    expect(encodeRequestFrame(sent, terms)).toBeUndefined();
  },
);

/** A value that each header of the table can have. */
const SAID: Readonly<Record<string, string>> = {
  "x-ms-max-item-count": "-1",
  "x-ms-indexing-directive": "Exclude",
  "x-ms-consistency-level": "ConsistentPrefix",
  "x-ms-documentdb-script-enable-logging": "True",
  "x-ms-documentdb-populatequotainfo": "True",
  "x-ms-documentdb-populatequerymetrics": "True",
  "x-ms-documentdb-populatepartitionstatistics": "False",
  "x-ms-exclude-system-properties": "True",
  "x-ms-cosmos-batch-atomic": "True",
  "x-ms-cosmos-batch-continue-on-error": "False",
  prefer: "return=minimal",
  "x-ms-cosmos-populateindexmetrics": "True",
  "x-ms-cosmos-correlated-activityid": ACTIVITY,
  "x-ms-cosmos-priority-level": "Low",
  "x-ms-cosmos-populateindexmetrics-v2": "True",
  "x-ms-cosmos-throughput-bucket": "3",
};

test("every header that has a token comes out as it went in", () => {
  const headers = Object.fromEntries(
    HEADER_TOKENS.map(({ header }) => [header, SAID[header] ?? `said in ${header}`]),
  );
  const path = resourcePathOf(["dbs", "d", "colls", "c", "docs", "i"])!;
  const terms = { activityId: ACTIVITY, requestId: 1, replicaPath: "" };
  const sent = { method: "GET", path, headers, body: Buffer.alloc(0) };
  const read = decodeRequestFrame(come(encodeRequestFrame(sent, terms)!), FACTS);
  expect(read.ok && read.value.headers).toMatchObject(headers);
});

describe("what the clients of either language send", () => {
  test("a type that is not the one of the table is read by what stands on the wire", () => {
    const bucket: WrittenToken = { id: 0x00db, type: "ushort", value: 4 };
    expect(decoded(READ, [...NAMES, bucket]).headers["x-ms-cosmos-throughput-bucket"]).toBe("4");
  });

  test("unknown tokens are skipped", () => {
    const unknown: WrittenToken = { id: 0x7777, type: "longBytes", value: Buffer.alloc(9) };
    expect(decoded(READ, [...NAMES, unknown]).path.kind).toBe("item");
  });

  test("bounds are digits in ASCII, or the bytes that those stand for", () => {
    const bounds = (form: number, start: Buffer): DirectRequest =>
      decoded(READ_FEED, [
        ...NAMES.slice(0, 2),
        { ...REQUEST_TOKEN.boundsForm, value: form },
        { ...REQUEST_TOKEN.startEpk, value: start },
      ]);
    expect(bounds(3, Buffer.from("05C1")).headers["x-ms-start-epk"]).toBe("05C1");
    expect(bounds(2, Buffer.from([5, 0xc1])).headers["x-ms-start-epk"]).toBe("05C1");
  });

  test("the oldest form of a query is its text alone", () => {
    const text = 'SELECT "é"';
    const { body, headers } = decoded(SQL_QUERY, NAMES.slice(0, 2), Buffer.from(text));
    expect(JSON.parse(String(body))).toEqual({ query: text });
    expect(headers["x-ms-documentdb-isquery"]).toBe("True");
  });

  test("without names, the bytes of a rid say what is meant", () => {
    const rid = itemRid(childRidPrefix(5, 6), 7);
    const bytes = Buffer.from(rid.replaceAll("-", "/"), "base64");
    const { path } = decoded(READ, [{ ...REQUEST_TOKEN.resourceId, value: bytes }]);
    expect(path.segments).toEqual([
      "dbs",
      databaseRid(5),
      "colls",
      containerRid(5, 6),
      "docs",
      rid,
    ]);
    const feed = decoded(READ_FEED, [{ ...REQUEST_TOKEN.resourceId, value: bytes.subarray(0, 8) }]);
    expect(feed.path.segments).toEqual([
      "dbs",
      databaseRid(5),
      "colls",
      containerRid(5, 6),
      "docs",
    ]);
  });
});

test.each<[string, readonly WrittenToken[], string]>([
  ["no name of an item", NAMES.slice(0, 2), "badRequest"],
  [
    "a rid that is too short",
    [{ ...REQUEST_TOKEN.resourceId, value: Buffer.alloc(8) }],
    "badRequest",
  ],
  ["nothing at all", [], "badRequest"],
  [
    "an EPK and no key",
    [...NAMES, { ...REQUEST_TOKEN.effectiveKey, value: Buffer.alloc(2) }],
    "unsupported",
  ],
  [
    "bounds that are rids",
    [...NAMES, { ...REQUEST_TOKEN.startEpk, value: Buffer.alloc(2) }],
    "unsupported",
  ],
  ["a time to live", [...NAMES, { id: 0x59, type: "long", value: 5 }], "unsupported"],
  [
    "bytes where a text belongs",
    [...NAMES, { id: 1, type: "bytes", value: Buffer.alloc(2) }],
    "badRequest",
  ],
])("%s is refused", (_what, tokens, kind) => {
  expect(refusal(READ, tokens)).toBe(kind);
});
