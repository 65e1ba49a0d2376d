/** Requests drawn by chance: whatever they are, the server gives an answer, and never a 500. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Call, Wire } from "./wire.ts";
import { expectStatus, ITEMS, openWire } from "./wire.ts";

let wire: Wire;
beforeAll(async () => {
  wire = await openWire();
});
afterAll(() => wire[Symbol.asyncDispose]());

/** What has a meaning to the service, so that chance gets past the first check. */
const HEADER_NAMES = [
  "a-im",
  "accept",
  "content-type",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "prefer",
  "x-ms-consistency-level",
  "x-ms-continuation",
  "x-ms-cosmos-allow-tentative-writes",
  "x-ms-cosmos-batch-atomic",
  "x-ms-cosmos-batch-continue-on-error",
  "x-ms-cosmos-intended-collection-rid",
  "x-ms-cosmos-is-batch-request",
  "x-ms-cosmos-is-query-plan-request",
  "x-ms-cosmos-offer-autopilot-settings",
  "x-ms-documentdb-is-upsert",
  "x-ms-documentdb-isquery",
  "x-ms-documentdb-partitionkey",
  "x-ms-documentdb-partitionkeyrangeid",
  "x-ms-documentdb-populatequotainfo",
  "x-ms-documentdb-pre-trigger-include",
  "x-ms-end-epk",
  "x-ms-max-item-count",
  "x-ms-offer-throughput",
  "x-ms-read-key-type",
  "x-ms-session-token",
  "x-ms-start-epk",
  "x-ms-version",
];

const anyLikelyValue = fc.constantFrom(
  "true",
  "*",
  '["a"]',
  "[]",
  "[{}]",
  "[null]",
  "0",
  "-1",
  "1",
  "0:0#1",
  "400",
  "30000",
  "FF",
  "",
  "Incremental feed",
  "application/query+json",
  "return=minimal",
  '{"maxThroughput":4000}',
);
/** What HTTP lets a header hold. */
const anyHeaderText = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
  maxLength: 60,
});
const anyHeaders = fc.dictionary(
  fc.constantFrom(...HEADER_NAMES),
  fc.oneof({ weight: 3, arbitrary: anyLikelyValue }, { weight: 1, arbitrary: anyHeaderText }),
  { maxKeys: 6 },
);

const anyName = fc.oneof(
  fc.constantFrom("d", "c", "kept", "new", "__proto__", "AAAAAQ==", "%", "\u0000"),
  fc.string({ unit: "binary", minLength: 1, maxLength: 20 }),
);
const anyType = fc.constantFrom(
  "docs",
  "pkranges",
  "sprocs",
  "triggers",
  "udfs",
  "conflicts",
  "attachments",
  "nothing",
);
const anySegments = fc.oneof(
  fc.constant([]),
  fc.constant(["dbs"]),
  fc.constant(["offers"]),
  fc.constant([...ITEMS]),
  fc.tuple(fc.constant("dbs"), anyName),
  fc.tuple(fc.constant("dbs"), anyName, fc.constantFrom("colls", "users", "nothing")),
  fc.tuple(fc.constant("dbs"), anyName, fc.constant("colls"), anyName),
  fc.tuple(fc.constant("dbs"), fc.constant("d"), fc.constant("colls"), fc.constant("c"), anyType),
  anyName.map((id) => [...ITEMS, id]),
  fc.array(anyName, { maxLength: 8 }),
);
const anyPath = fc.option(
  fc
    .string({ unit: fc.constantFrom(..."/?%#&=.;:@dbscol$~!*'()[]0a"), maxLength: 80 })
    .map((text) => `/${text}`),
  { nil: undefined, freq: 8 },
);

const anyOperation = fc.record(
  {
    op: fc.constantFrom("add", "set", "replace", "remove", "incr", "move", "test"),
    path: fc.constantFrom("/n", "/a/b", "/list/-", "/id", "/pk", "n", "", "/__proto__/x"),
    from: fc.constantFrom("/n", "/m"),
    value: fc.jsonValue(),
  },
  { requiredKeys: ["op", "path"] },
);
const anyBatched = fc.record(
  {
    operationType: fc.constantFrom("Create", "Upsert", "Read", "Delete", "Replace", "Patch", "?"),
    partitionKey: fc.constantFrom('["a"]', "[]", "x", '["b"]'),
    id: anyName,
    resourceBody: fc.jsonValue(),
    ifMatch: fc.string(),
  },
  { requiredKeys: [] },
);
const anyObject = fc.record(
  { id: anyName, pk: fc.jsonValue(), ttl: fc.jsonValue(), partitionKey: fc.jsonValue() },
  { requiredKeys: [] },
);
const anyBody = fc.oneof(
  anyObject.map((object) => JSON.stringify(object)),
  fc.array(anyOperation, { maxLength: 12 }).map((list) => JSON.stringify(list)),
  fc.array(anyBatched, { maxLength: 5 }).map((list) => JSON.stringify(list)),
  fc.json(),
  fc.constant('{"query":"SELECT * FROM c"}'),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ unit: "binary", maxLength: 50 }),
);
const anyKey = fc.option(fc.constant(undefined), { nil: null, freq: 9 });

test("300 requests of any kind are answered, and the server goes on", async () => {
  const anyMethod = fc.constantFrom("GET", "POST", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        method: anyMethod,
        segments: anySegments,
        path: anyPath,
        headers: anyHeaders,
        body: anyBody,
        key: anyKey,
      }),
      async ({ method, segments, path, headers, body, key }) => {
        const call: Call = {
          headers,
          ...(method !== "GET" && { body }),
          ...(path !== undefined && { path }),
          ...(key === null && { key }),
        };
        const { status } = await wire.call(method, segments, call);
        expect(status).toBeGreaterThanOrEqual(200);
        if (method === "DELETE" && status === 204) await restore();
      },
    ),
    { numRuns: 300 },
  );
  await expectStatus(200, wire.call("GET", []));
});

/** Chance may delete what the next requests are about. */
async function restore(): Promise<void> {
  await wire.call("POST", ["dbs"], { body: '{"id":"d"}' });
  const container = '{"id":"c","partitionKey":{"paths":["/pk"]}}';
  await wire.call("POST", ["dbs", "d", "colls"], { body: container });
  await wire.call("POST", ITEMS, { body: '{"id":"kept","pk":"a"}' });
}

test("no query text, however strange, makes the server fail", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string({ unit: "binary" }), fc.jsonValue()), async (query) => {
      const headers = { "x-ms-documentdb-isquery": "true" };
      const body = JSON.stringify({ query, parameters: [] });
      const { status } = await wire.call("POST", ITEMS, { headers, body });
      expect([200, 400]).toContain(status);
    }),
    { numRuns: 50 },
  );
});
