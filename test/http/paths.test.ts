/** Request targets: routes that exist and that do not, verbs, ids that are hard to spell. */
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

let wire: Wire;
beforeAll(async () => {
  wire = await openWire();
});
afterEach(() => wire.assertAlive());
afterAll(() => wire[Symbol.asyncDispose]());

describe("routes", () => {
  test.each([
    "/nothing",
    "/dbs/d/nothing",
    "/dbs/d/colls/c/nothing",
    "/dbs/d/colls/c/docs/kept/nothing",
    "/DBS",
    "/dbs/d/COLLS",
    "/dbs/d/docs",
    "/colls",
    "/docs/kept",
    "/dbs//colls",
    "/dbs/d//colls/c",
    "/dbs/d/colls//docs",
    "/_health",
    "/_health/",
    "/_health/live/",
    "/_explorers/",
    "/_explore",
    "/favicon.ico",
    "/.git/config",
    "/../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/__proto__",
    "/constructor/prototype",
    "/dbs/d/__proto__",
    "/dbs/d/colls/c/__proto__/x",
    "*",
    "http://127.0.0.1/dbs",
    "//example.com/dbs",
  ])("there is none at %s", async (path) => {
    for (const method of ["GET", "POST", "DELETE"]) {
      const { status } = await wire.call(method, ["dbs"], { path });
      expect([400, 401, 404]).toContain(status);
    }
  });

  test.each([
    ["a trailing slash", "/dbs/d/colls/c/"],
    ["two of them", "/dbs/d/colls/c//"],
    ["slashes before", "//dbs/d/colls/c"],
    ["escaped letters", "/%64bs/%64/coll%73/%63"],
  ])("with %s are the same", async (_rule, path) => {
    await expectStatus(200, wire.call("GET", ["dbs", "d", "colls", "c"], { path }));
  });

  test("of what is not there are 404", async () => {
    const missing = ["__proto__", "constructor", "toString", "missing", "..", "%", "\u0000", "🪐"];
    for (const name of missing) {
      await expectStatus(404, wire.call("GET", ["dbs", name]));
      await expectStatus(404, wire.call("GET", ["dbs", name, "colls"]));
      await expectStatus(404, wire.call("GET", ["dbs", "d", "colls", name]));
      await expectStatus(404, wire.call("GET", ["dbs", "d", "colls", name, "docs"]));
      await expectStatus(404, wire.call("GET", ["dbs", "d", "colls", name, "pkranges"]));
      await expectStatus(404, wire.item("GET", name));
    }
  });
});

describe("verbs", () => {
  const COLLECTION = ["dbs", "d", "colls", "c"];
  const WRONG: readonly (readonly [segments: readonly string[], methods: readonly string[]])[] = [
    [[], ["POST", "PUT", "PATCH", "DELETE"]],
    [["dbs"], ["PUT", "PATCH", "DELETE"]],
    [
      ["dbs", "d"],
      ["POST", "PUT", "PATCH"],
    ],
    [
      ["dbs", "d", "colls"],
      ["PUT", "PATCH", "DELETE"],
    ],
    [COLLECTION, ["POST", "PATCH"]],
    [
      [...COLLECTION, "pkranges"],
      ["POST", "PUT", "PATCH", "DELETE"],
    ],
    [ITEMS, ["PUT", "PATCH", "DELETE"]],
    [[...ITEMS, "kept"], ["POST"]],
  ];

  test.each(WRONG)("at %j are not %j", async (segments, methods) => {
    for (const method of [...methods, "OPTIONS", "TRACE", "HEAD", "PROPFIND", "PURGE"]) {
      await expectStatus(405, wire.call(method, segments, { headers: PARTITION_KEY }));
    }
  });

  test("HEAD has no body, and says how long it would be", async () => {
    const { status, body, headers } = await wire.call("HEAD", ["dbs"]);
    expect([status, body.length]).toEqual([405, 0]);
    expect(Number(headers["content-length"])).toBeGreaterThan(0);
  });
});

describe("escapes", () => {
  test.each(["%", "%z", "%zz", "%2", "a%", "%ff", "%c3%28", "%ed%a0%80", "%u0041"])(
    "that mean nothing are a 400: %s",
    async (id) => {
      for (const path of [`/dbs/${id}`, `/dbs/d/colls/${id}`, `/dbs/d/colls/c/docs/${id}`]) {
        await expectStatus(400, wire.call("GET", ["dbs", "d"], { path }));
      }
    },
  );

  test("are decoded once", async () => {
    const body = '{"id":"%41","pk":"a"}';
    await expectStatus(201, wire.call("POST", ITEMS, { body, headers: PARTITION_KEY }));
    await expectStatus(404, wire.item("GET", "A"));
    await expectStatus(200, wire.item("GET", "%41"));
  });
});

describe("item ids", () => {
  const create = (id: string) =>
    wire.call("POST", ITEMS, { body: JSON.stringify({ id, pk: "a" }), headers: PARTITION_KEY });

  test.each(["x".repeat(1024), ""])("cannot be %j", async (id) => {
    await expectStatus(400, create(id));
  });

  test.each([5, true, null, [], {}, undefined])("cannot be %j", async (id) => {
    const body = JSON.stringify({ id, pk: "a" });
    await expectStatus(400, wire.call("POST", ITEMS, { body, headers: PARTITION_KEY }));
  });

  test("with a slash lead nowhere else", async () => {
    for (const id of ["a/b", "../kept", "kept/../kept"]) {
      await expectStatus(404, wire.item("GET", id));
      await expectStatus(404, wire.item("DELETE", id));
    }
  });

  /** These the official client of this language cannot send. */
  test.each([
    ...[".", "..", "?", "ends with?", "  ", "#", "a#b", "\u2028", "\u0000", "a\r\nb"],
    ...["a/b", "/", "../kept", "a/"],
  ])("may be %j", async (id) => {
    await expectStatus(201, create(id));
    // As it stands in a path: escaped, because a client would take the dots for steps.
    const path = `/${ITEMS.join("/")}/${encodeURIComponent(id).replaceAll(".", "%2E")}`;
    await expectStatus(200, wire.item("GET", id, { path }));
    await expectStatus(200, wire.item("PUT", id, { path, body: JSON.stringify({ id, pk: "a" }) }));
    await expectStatus(204, wire.item("DELETE", id, { path }));
  });

  test.each(["a\\b", "\\"])("of new items cannot be %j, whoever makes them", async (id) => {
    const resourceBody = { id, pk: "a" };
    const body = JSON.stringify(resourceBody);
    await expectStatus(400, create(id));
    const upsert = { ...PARTITION_KEY, "x-ms-documentdb-is-upsert": "true" };
    await expectStatus(400, wire.call("POST", ITEMS, { headers: upsert, body }));
    await expectStatus(400, wire.item("PUT", "kept", { body }));
    const batch = {
      ...PARTITION_KEY,
      "x-ms-cosmos-is-batch-request": "true",
      "x-ms-cosmos-batch-atomic": "true",
    };
    const operations = JSON.stringify([{ operationType: "Create", resourceBody }]);
    const answer = await wire.call("POST", ITEMS, { headers: batch, body: operations });
    expect(JSON.parse(String(answer.body))).toMatchObject([{ statusCode: 400 }]);
    await expectStatus(404, wire.item("GET", id));
  });

  test("may have a question mark that is not escaped", async () => {
    for (const id of ["a?b", "a?b=c&d=/e".replace("/", ""), "?", "a?"]) {
      await expectStatus(201, create(id));
      const path = `/${ITEMS.join("/")}/${id}`;
      await expectStatus(200, wire.item("GET", id, { path }));
      await expectStatus(204, wire.item("DELETE", id, { path }));
    }
  });
});

describe("names of databases and containers", () => {
  test.each([
    "a/b",
    "a\\b",
    "a?b",
    "a#b",
    "ends with a space ",
    "x".repeat(256),
    "",
    "\ud800",
    5,
    null,
  ])("cannot be %j", async (id) => {
    const database = JSON.stringify({ id });
    await expectStatus(400, wire.call("POST", ["dbs"], { body: database }));
    const container = JSON.stringify({ id, partitionKey: { paths: ["/pk"] } });
    await expectStatus(400, wire.call("POST", ["dbs", "d", "colls"], { body: container }));
  });
});

describe("addresses by rid", () => {
  test("are as good as names, and signed in lower case", async () => {
    const { body } = await expectStatus(200, wire.call("GET", ["dbs", "d", "colls", "c"]));
    const { _rid: container, _self: self } = JSON.parse(body.toString()) as Record<string, string>;
    const database = self!.split("/")[1]!;
    const date = new Date().toUTCString();
    const byRid = (type: string, rid: string, path: string) => {
      const signed = [`get`, type, rid.toLowerCase(), date] as const;
      const authorization = authorizationOf(wire.server.key, signed);
      const headers = { authorization, "x-ms-date": date };
      return wire.call("GET", [], { path, headers, key: null });
    };
    await expectStatus(200, byRid("dbs", database, `/dbs/${database}/`));
    await expectStatus(200, byRid("colls", container!, `/dbs/${database}/colls/${container}/`));
    const ranges = `/dbs/${database}/colls/${container}/pkranges/`;
    await expectStatus(200, byRid("pkranges", container!, ranges));
    await expectStatus(401, byRid("pkranges", database, ranges));
  });

  test("of a container in another database are not found", async () => {
    await expectStatus(201, wire.call("POST", ["dbs"], { body: '{"id":"other"}' }));
    const { body } = await expectStatus(200, wire.call("GET", ["dbs", "d", "colls", "c"]));
    const { _rid } = JSON.parse(body.toString()) as Record<string, string>;
    await expectStatus(404, wire.call("GET", ["dbs", "other", "colls", _rid!]));
  });
});

test("what is signed is the decoded path, in its own case", async () => {
  await expectStatus(201, wire.call("POST", ["dbs"], { body: '{"id":"Prüf 中文"}' }));
  const path = "/dbs/Pr%c3%bcf%20%e4%b8%ad%e6%96%87";
  const headers = signatureOf(wire.server.key, "GET", ["dbs", "Prüf 中文"]);
  await expectStatus(200, wire.call("GET", [], { path, headers, key: null }));
  const lower = signatureOf(wire.server.key, "GET", ["dbs", "prüf 中文"]);
  await expectStatus(401, wire.call("GET", [], { path, headers: lower, key: null }));
});
