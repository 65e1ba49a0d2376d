/**
 * Requests as they arrive, and what they are decoded to: which headers count for which request, and
 * which of them make it refused.
 */
import { describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { WireHeaders } from "../wire/wire.ts";
import type { ServiceRequest } from "./decodeRequest.ts";
import { decodeRequest } from "./decodeRequest.ts";
import { parseResourcePath } from "./resourcePath.ts";

const ACCOUNT = { limits: SERVICE_LIMITS, rates: undefined, consistency: "session" } as const;
const ITEMS = "/dbs/d/colls/c/docs";
const KEY = { "x-ms-documentdb-partitionkey": '["k"]' };
const BODY = Buffer.from("{}");

function decoded(method: string, url: string, headers: WireHeaders = {}): ServiceRequest {
  const path = parseResourcePath(url)!;
  return decodeRequest({ method, path, headers, body: BODY }, ACCOUNT);
}

function askedIn(request: ServiceRequest): unknown {
  if (request.kind !== "item" && request.kind !== "items") return undefined;
  return request.asked.ok ? request.asked.value : request.asked.error;
}

describe("what is asked of items", () => {
  const query = { "x-ms-documentdb-isquery": "True" };
  const token = { "x-ms-session-token": "0:0#7" };
  const incremental = { "a-im": "Incremental Feed", "if-none-match": "*" };
  test.each<[string, WireHeaders, string, object]>([
    ["GET", {}, `${ITEMS}/a`, { kind: "read", key: undefined, session: { kind: "none" } }],
    ["GET", { ...KEY, ...token }, `${ITEMS}/a`, { key: ["k"], session: { kind: "token" } }],
    ["GET", { "x-ms-session-token": "?" }, `${ITEMS}/a`, { session: { kind: "malformed" } }],
    ["PUT", KEY, `${ITEMS}/a`, { write: { kind: "replace", id: "a", key: ["k"], body: BODY } }],
    ["PATCH", KEY, `${ITEMS}/a`, { write: { kind: "patch", id: "a" } }],
    ["DELETE", { "if-match": "e" }, `${ITEMS}/a`, { write: { kind: "delete", ifMatch: "e" } }],
    ["POST", KEY, ITEMS, { write: { kind: "create", key: ["k"] }, triggers: undefined }],
    ["POST", { "x-ms-documentdb-is-upsert": "true" }, ITEMS, { write: { kind: "upsert" } }],
    ["POST", query, ITEMS, { kind: "query", isMerged: false, countMax: 100 }],
    ["POST", { ...query, "x-ms-continuation": "" }, ITEMS, { continuation: undefined }],
    ["POST", { "x-ms-cosmos-is-query-plan-request": "True" }, ITEMS, { kind: "queryPlan" }],
    ["POST", { "x-ms-cosmos-is-batch-request": "1" }, ITEMS, { kind: "write" }],
    ["POST", { "x-ms-cosmos-is-batch-request": "true" }, ITEMS, { kind: "batch", isAtomic: false }],
    ["GET", {}, ITEMS, { kind: "readFeed", scope: { kind: "container" } }],
    ["GET", incremental, ITEMS, { kind: "changes", mode: "latest", from: { kind: "now" } }],
  ])("%s with %j to %s", (method, headers, url, asked) => {
    expect(askedIn(decoded(method, url, headers))).toMatchObject(asked);
  });
});

describe("what makes a request refused for its form", () => {
  const trigger = { "x-ms-documentdb-pre-trigger-include": "a,b" };
  test.each<[string, WireHeaders, string, string]>([
    ["POST", {}, `${ITEMS}/a`, "methodNotAllowed"],
    ["PUT", {}, ITEMS, "methodNotAllowed"],
    ["GET", { "x-ms-consistency-level": "Strong" }, `${ITEMS}/a`, "badRequest"],
    ["GET", { "x-ms-documentdb-partitionkey": "k" }, `${ITEMS}/a`, "badRequest"],
    ["GET", { "x-ms-cosmos-priority-level": "none" }, `${ITEMS}/a`, "badRequest"],
    ["PUT", { "x-ms-indexing-directive": "none" }, `${ITEMS}/a`, "badRequest"],
    ["PUT", trigger, `${ITEMS}/a`, "badRequest"],
    ["POST", { ...trigger, "x-ms-cosmos-is-batch-request": "true" }, ITEMS, "badRequest"],
    ["GET", { "x-ms-max-item-count": "some" }, ITEMS, "badRequest"],
  ])("%s with %j to %s", (method, headers, url, kind) => {
    expect(askedIn(decoded(method, url, headers))).toMatchObject({ kind });
  });

  test("a header that a request has no use for cannot be wrong with it", () => {
    const headers = { "x-ms-max-item-count": "some", "x-ms-session-token": "?", "a-im": "some" };
    expect(askedIn(decoded("POST", ITEMS, headers))).toMatchObject({ kind: "write" });
    const read = decoded("GET", "/dbs/d/colls/c", { "x-ms-offer-throughput": "some" });
    expect(read).toMatchObject({ kind: "container", operation: "read" });
  });
});

describe("what is done with all else", () => {
  test.each([
    ["GET", "/dbs", {}, "databases", "list"],
    ["POST", "/dbs", {}, "databases", "create"],
    ["POST", "/dbs", { "x-ms-documentdb-isquery": "true" }, "databases", "query"],
    ["PUT", "/dbs", {}, "databases", "other"],
    ["DELETE", "/dbs/d", {}, "database", "delete"],
    ["PUT", "/dbs/d/colls/c", {}, "container", "replace"],
    ["PATCH", "/dbs/d/colls/c", {}, "container", "other"],
    ["POST", "/dbs/d/users", { "x-ms-documentdb-is-upsert": "true" }, "resources", "upsert"],
    ["POST", "/dbs/d/colls/c/sprocs/p", KEY, "resource", "call"],
  ])("%s %s with %j: %s, %s", (method, url, headers, kind, operation) => {
    expect(decoded(method, url, headers)).toMatchObject({ kind, operation });
  });

  test("only a stored procedure is called", () => {
    const call = { ok: true, value: { key: ["k"], isLogging: false } };
    expect(decoded("POST", "/dbs/d/colls/c/sprocs/p", KEY)).toMatchObject({ call });
    expect(decoded("POST", "/dbs/d/colls/c/udfs/p", KEY)).toMatchObject({ call: undefined });
  });

  test("a script learns the headers of the service, and nothing that proves who sent them", () => {
    const secrets = { authorization: "type=master", "x-ms-authorization-auxiliary": "s" };
    const shown = { "x-ms-version": "2020-07-15" };
    const call = { value: { requestValues: shown } };
    const headers = { ...shown, ...secrets, host: "h" };
    const request = decoded("POST", "/dbs/d/colls/c/sprocs/p", headers);
    expect(request).toMatchObject({ call });
    expect(JSON.stringify(request)).not.toContain("auxiliary");
  });
});
