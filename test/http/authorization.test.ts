/** Who may do what: signatures, dates, keys and host names, right and wrong. */
import { createHmac, randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Wire } from "./wire.ts";
import {
  authorizationOf,
  expectStatus,
  ITEMS,
  openWire,
  PARTITION_KEY,
  signatureOf,
} from "./wire.ts";

const key = randomBytes(64).toString("base64");
const readOnlyKey = randomBytes(64).toString("base64");

let wire: Wire;
beforeAll(async () => {
  wire = await openWire({ memory: true, key, readOnlyKey, allowHosts: ["cosmos.example"] });
});
afterEach(() => wire.assertAlive());
afterAll(() => wire[Symbol.asyncDispose]());

const MINUTE_MS = 60_000;
const dateAt = (offsetMs: number): string => new Date(Date.now() + offsetMs).toUTCString();

/** A request with exactly these headers about its authorization. */
const withHeaders = (headers: Record<string, string>, segments: readonly string[] = ["dbs"]) =>
  wire.call("GET", segments, { key: null, headers });

describe("a signature", () => {
  const date = new Date().toUTCString();
  const right = authorizationOf(key, ["get", "dbs", "", date]);
  const digest = decodeURIComponent(right).slice("type=master&ver=1.0&sig=".length);
  const encoded = (text: string): string => encodeURIComponent(text);

  test.each([
    ["as every client writes it", right],
    ["with escapes in lower case", right.replaceAll(/%[0-9A-F]{2}/g, (part) => part.toLowerCase())],
    ["without any escapes", decodeURIComponent(right)],
  ])("%s is accepted", async (_rule, authorization) => {
    await expectStatus(200, withHeaders({ authorization, "x-ms-date": date }));
  });

  test("may be over the date header when there is no x-ms-date", async () => {
    const text = `get\ndbs\n\n\n${date.toLowerCase()}\n`;
    const hash = createHmac("sha256", Buffer.from(key, "base64")).update(text).digest("base64");
    const authorization = encoded(`type=master&ver=1.0&sig=${hash}`);
    await expectStatus(200, withHeaders({ authorization, date }));
  });

  const wrong: Readonly<Record<string, string>> = {
    "of nothing": "",
    "of blanks": "   ",
    "that is only a word": "Bearer",
    "that is a bearer token": `Bearer ${digest}`,
    "that is basic": `Basic ${Buffer.from("user:password").toString("base64")}`,
    "that is only a digest": encoded(digest),
    "without a type": encoded(`ver=1.0&sig=${digest}`),
    "of an unknown type": encoded(`type=servant&ver=1.0&sig=${digest}`),
    "of a resource token": encoded(`type=resource&ver=1&sig=${digest};x;`),
    "of Entra ID": encoded("type=aad&ver=1.0&sig=eyJhbGciOiJub25lIn0.e30."),
    "of another version": encoded(`type=master&ver=2.0&sig=${digest}`),
    "that is encoded twice": encoded(right),
    "with a broken escape": `${right}%zz`,
    "with an escape that is cut": right.slice(0, right.indexOf("%3D") + 2),
    "with an escape that is no UTF-8": `%ff${right}`,
    "that is cut": right.slice(0, -8),
    "with something after it": `${right}AAAA`,
    "with something before it": `x${right}`,
    "that is no base64": encoded(`type=master&ver=1.0&sig=${"!".repeat(44)}`),
    "of 31 bytes": encoded(`type=master&ver=1.0&sig=${Buffer.alloc(31).toString("base64")}`),
    "of 33 bytes": encoded(`type=master&ver=1.0&sig=${Buffer.alloc(33).toString("base64")}`),
    "of zeros": encoded(`type=master&ver=1.0&sig=${Buffer.alloc(32).toString("base64")}`),
    "with no digest": encoded("type=master&ver=1.0&sig="),
    "by another key": authorizationOf(randomBytes(64).toString("base64"), ["get", "dbs", "", date]),
    "over another verb": authorizationOf(key, ["post", "dbs", "", date]),
    "over another type": authorizationOf(key, ["get", "colls", "", date]),
    "over another link": authorizationOf(key, ["get", "dbs", "dbs/d", date]),
    "over another date": authorizationOf(key, ["get", "dbs", "", dateAt(-MINUTE_MS)]),
    "of 15 KB": encoded(`type=master&ver=1.0&sig=${"A".repeat(15_000)}`),
  };

  test.each(Object.entries(wrong))("%s is a 401", async (_rule, authorization) => {
    const answer = await expectStatus(401, withHeaders({ authorization, "x-ms-date": date }));
    const text = answer.body.toString();
    for (const secret of [key, readOnlyKey, digest]) expect(text).not.toContain(secret);
  });

  test("is required", async () => {
    for (const segments of [[], ["dbs"], ["dbs", "d"], ITEMS, [...ITEMS, "kept"]]) {
      await expectStatus(401, withHeaders({ "x-ms-date": date }, segments));
    }
    const body = '{"id":"unsigned","pk":"a"}';
    const headers = { ...PARTITION_KEY, "x-ms-date": date };
    await expectStatus(401, wire.call("POST", ITEMS, { key: null, body, headers }));
    await expectStatus(404, wire.item("GET", "unsigned"));
  });

  test("is for one resource only", async () => {
    const signature = signatureOf(key, "GET", [...ITEMS, "kept"]);
    for (const id of ["other", "Kept", "kept "]) {
      const headers = { ...PARTITION_KEY, ...signature };
      await expectStatus(401, wire.call("GET", [...ITEMS, id], { key: null, headers }));
    }
    const headers = { ...PARTITION_KEY, ...signature };
    await expectStatus(401, wire.call("DELETE", [...ITEMS, "kept"], { key: null, headers }));
  });

  test("tells what the server expected to be signed", async () => {
    const authorization = authorizationOf(key, ["get", "dbs", "somewhere else", date]);
    const segments = ["dbs", "d", "colls", "c"];
    const answer = await withHeaders({ authorization, "x-ms-date": date }, segments);
    const { message } = JSON.parse(answer.body.toString()) as { message: string };
    expect(message).toContain("dbs/d/colls/c");
  });
});

describe("a date", () => {
  test.each([-14, -1, 0, 1, 14])("%d minutes from now is accepted", async (minutes) => {
    const headers = signatureOf(key, "GET", ["dbs"], dateAt(minutes * MINUTE_MS));
    await expectStatus(200, withHeaders(headers));
  });

  test.each([-16, -60, -1e6, 16, 60, 1e6])("%d minutes from now is a 403", async (minutes) => {
    const headers = signatureOf(key, "GET", ["dbs"], dateAt(minutes * MINUTE_MS));
    await expectStatus(403, withHeaders(headers));
  });

  test.each([
    "",
    "now",
    "0",
    new Date().toISOString(),
    "Thu, 99 Foo 2024 00:00:00 GMT",
    "x".repeat(10_000),
  ])("that is none is a 401: %j", async (date) => {
    await expectStatus(401, withHeaders(signatureOf(key, "GET", ["dbs"], date)));
  });

  test("is required", async () => {
    const { authorization } = signatureOf(key, "GET", ["dbs"]);
    await expectStatus(401, withHeaders({ authorization: authorization! }));
  });
});

describe("the read-only key", () => {
  const readOnly = (method: string, segments: readonly string[], headers = {}, body?: string) =>
    wire.call(method, segments, {
      key: readOnlyKey,
      headers: { ...PARTITION_KEY, ...headers },
      ...(body !== undefined && { body }),
    });
  const QUERY = '{"query":"SELECT * FROM c"}';
  const isQuery = { "x-ms-documentdb-isquery": "true", "content-type": "application/query+json" };

  test("reads", async () => {
    for (const segments of [[], ["dbs"], ["dbs", "d"], ["dbs", "d", "colls"], ITEMS]) {
      await expectStatus(200, readOnly("GET", segments));
    }
    await expectStatus(200, readOnly("GET", [...ITEMS, "kept"]));
    await expectStatus(200, readOnly("GET", ["dbs", "d", "colls", "c", "pkranges"]));
    await expectStatus(200, readOnly("POST", ITEMS, isQuery, QUERY));
  });

  test("does not write", async () => {
    const writes: readonly (readonly [string, readonly string[], string?])[] = [
      ["POST", ["dbs"], '{"id":"e"}'],
      ["DELETE", ["dbs", "d"]],
      ["POST", ["dbs", "d", "colls"], '{"id":"e","partitionKey":{"paths":["/pk"]}}'],
      ["PUT", ["dbs", "d", "colls", "c"], '{"id":"c","partitionKey":{"paths":["/pk"]}}'],
      ["DELETE", ["dbs", "d", "colls", "c"]],
      ["POST", ITEMS, '{"id":"forbidden","pk":"a"}'],
      ["PUT", [...ITEMS, "kept"], '{"id":"kept","pk":"a","n":1}'],
      ["PATCH", [...ITEMS, "kept"], '[{"op":"set","path":"/n","value":1}]'],
      ["DELETE", [...ITEMS, "kept"]],
    ];
    for (const [method, segments, body] of writes) {
      await expectStatus(403, readOnly(method, segments, {}, body));
    }
  });

  test.each([
    ["a query that is also an upsert", { ...isQuery, "x-ms-documentdb-is-upsert": "true" }],
    ["a query that is also a batch", { ...isQuery, "x-ms-cosmos-is-batch-request": "true" }],
    [
      "a plan that is also a batch",
      {
        "x-ms-cosmos-is-query-plan-request": "True",
        "x-ms-cosmos-is-batch-request": "True",
        "x-ms-cosmos-batch-atomic": "True",
      },
    ],
    ["another verb in a header", { "x-http-method": "PUT", "x-http-method-override": "PUT" }],
  ])("is not fooled by %s", async (rule, headers) => {
    const item = JSON.stringify({ id: rule, pk: "a" });
    const batch = `[{"operationType":"Create","resourceBody":${item}}]`;
    for (const body of [item, QUERY, batch]) await readOnly("POST", ITEMS, headers, body);
    const put = '{"id":"kept","pk":"a","n":1}';
    await expectStatus(403, readOnly("PUT", [...ITEMS, "kept"], headers, put));
    await readOnly("GET", [...ITEMS, "kept"], { ...headers, "x-http-method": "DELETE" });
    await expectStatus(404, wire.item("GET", rule));
    const { body } = await expectStatus(200, wire.item("GET", "kept"));
    expect(JSON.parse(body.toString())).not.toHaveProperty("n");
  });
});

describe("the host header", () => {
  const withHost = (host: string, path = "/dbs") =>
    wire.call("GET", ["dbs"], { path, headers: { host } });

  test.each([
    "localhost",
    "LOCALHOST:8081",
    "localhost.",
    "127.0.0.1:1",
    "127.1.2.3",
    "[::1]",
    "[::1]:8081",
    "host.docker.internal:8081",
    "my.localhost",
    "cosmos.example",
    "cosmos.example:443",
  ])("%s is served", async (host) => {
    await expectStatus(200, withHost(host));
  });

  test.each([
    "example.com",
    "localhost.example.com",
    "127.0.0.1.example.com",
    "127.0.0.1@example.com",
    "example.com#localhost",
    "localhost:8081:8081:evil",
    "localhost:port",
    "notlocalhost",
    "cosmos.example.evil",
    "evil.cosmos.example",
    "0.0.0.0",
    "127.0.0.256",
    "2130706433",
    "[::2]",
    "[",
    ":",
    "-",
    "x".repeat(5000),
  ])("%s is not, not even for what needs no signature", async (host) => {
    await expectStatus(403, withHost(host));
    await expectStatus(403, withHost(host, "/_health/live"));
    await expectStatus(403, withHost(host, "/_explorer/emulator.pem"));
  });

  test("that is missing is refused", async () => {
    for (const version of ["1.0", "1.1"]) {
      const { answers } = await wire.exchange(`GET / HTTP/${version}\r\n\r\n`, {
        answerCount: 1,
      });
      expect(answers).toHaveLength(1);
      expect([400, 403]).toContain(answers[0]?.status);
    }
  });
});
