/**
 * The page over HTTP and HTTPS: its files, its session, and what requests with that session may do.
 * Rules of sessions one by one are in `src/server/access/pageSessions.test.ts`.
 */
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OrreryOptions, OrreryServer } from "../../src/index.ts";
import { startOrrery } from "../../src/index.ts";
import type { TemporaryDirectory } from "../sdk/stage.ts";
import { temporaryDirectory } from "../sdk/stage.ts";

interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function ask(server: OrreryServer, path: string, call: Call = {}): Promise<PageAnswer> {
  const send = server.endpoint.startsWith("https:") ? httpsRequest : httpRequest;
  const { method = "GET", headers = {}, body } = call;
  const options = {
    host: "127.0.0.1",
    port: server.port,
    path,
    method,
    headers,
    ca: server.caCertificate,
    // Node would take the name to check from the host header, which a test may have changed.
    servername: "localhost",
  };
  return new Promise((resolve, reject) => {
    const request = send(options, (response) => {
      const { statusCode: status = 0, headers: received } = response;
      text(response).then((read) => resolve({ status, headers: received, body: read }), reject);
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** What the page sends with every request. */
function pageHeaders({ endpoint }: OrreryServer, cookie?: string): Record<string, string> {
  return {
    origin: endpoint,
    "x-orrery-page": "1",
    "content-type": "application/json",
    ...(cookie !== undefined && { cookie }),
  };
}

async function signIn(server: OrreryServer, key?: string): Promise<string> {
  const body = JSON.stringify(key === undefined ? {} : { key });
  const call = { method: "POST", headers: pageHeaders(server), body };
  const { status, headers, body: answered } = await ask(server, "/_explorer/session", call);
  expect(status, answered).toBe(200);
  return headers["set-cookie"]![0]!.split(";")[0]!;
}

const READ_ONLY = Buffer.alloc(64, 2).toString("base64");
const OWN_KEY = Buffer.alloc(64, 1).toString("base64");

describe.each<[string, OrreryOptions]>([
  ["HTTP", {}],
  ["HTTPS", { https: true }],
])("over %s", (scheme, options) => {
  let directory: TemporaryDirectory;
  let server: OrreryServer;
  beforeAll(async () => {
    directory = temporaryDirectory();
    server = await startOrrery({ data: directory.path, readOnlyKey: READ_ONLY, ...options });
  });
  afterAll(async () => {
    await server.close({ quietMs: 0 });
    directory[Symbol.dispose]();
  });

  test("the page is served, deep links and all", async () => {
    expect(server.explorer).toBe(`${server.endpoint}/_explorer/`);
    const first = await ask(server, "/_explorer/");
    expect(first).toMatchObject({ status: 200, body: expect.stringContaining("<!doctype html>") });
    for (const path of [
      "/_explorer",
      "/_explorer?x=1",
      "/_explorer/partitions/shop/orders?span=1h",
    ]) {
      expect((await ask(server, path)).body).toBe(first.body);
    }
    const known = { headers: { "if-none-match": String(first.headers["etag"]) } };
    expect(await ask(server, "/_explorer/", known)).toMatchObject({ status: 304, body: "" });
    const head = await ask(server, "/_explorer/", { method: "HEAD" });
    expect(head).toMatchObject({ status: 200, body: "" });
    expect(head.headers["content-length"]).toBe(String(first.body.length));
    expect(first.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(first.body).not.toMatch(/<script>|<style| style=| on\w+=/);
  });

  test("its files are compressed, kept, and nothing else is there", async () => {
    const { body } = await ask(server, "/_explorer/");
    const script = /src="([^"]+main-[^"]+)"/.exec(body)![1]!;
    const answer = await ask(server, script, { headers: { "accept-encoding": "gzip" } });
    expect(answer.headers).toMatchObject({
      "content-encoding": "gzip",
      "cache-control": "public, max-age=31536000, immutable",
      "content-type": "text/javascript; charset=utf-8",
    });
    for (const path of ["assets/none.js", "assets/", "assets/../files.json", "assets/%2e%2e/x"]) {
      const { status, body: told } = await ask(server, `/_explorer/${path}`);
      expect([200, 404]).toContain(status);
      if (status === 200) expect(told).toContain("<!doctype html>");
    }
    expect((await ask(server, "/_explorer/", { method: "PUT" })).status).toBe(405);
  });

  test("the certificate stays where tools expect it", async () => {
    const { status, body } = await ask(server, "/_explorer/emulator.pem");
    expect(status).toBe(200);
    expect(body).toContain("BEGIN CERTIFICATE");
  });

  test("a session reads and writes data without a key", async () => {
    const cookie = await signIn(server);
    expect(cookie.startsWith("__Host-")).toBe(scheme === "HTTPS");
    const headers = pageHeaders(server, cookie);
    const made = await ask(server, "/dbs", { method: "POST", headers, body: '{"id":"d"}' });
    expect([made.status, made.headers["x-ms-request-charge"]]).toEqual([201, expect.any(String)]);
    expect((await ask(server, "/dbs/d", { headers })).status).toBe(200);
    expect((await ask(server, "/_orrery/v1/overview", { headers })).status).toBe(200);
    expect((await ask(server, "/_orrery/v1/keys", { headers })).status).toBe(200);
    expect((await ask(server, "/dbs/d", { method: "DELETE", headers })).status).toBe(204);
  });

  test("a session opened with a read-only key only reads", async () => {
    const headers = pageHeaders(server, await signIn(server, READ_ONLY));
    expect((await ask(server, "/dbs", { headers })).status).toBe(200);
    const write = { method: "POST", headers, body: '{"id":"x"}' };
    expect((await ask(server, "/dbs", write)).status).toBe(403);
    expect((await ask(server, "/_orrery/v1/overview", { headers })).status).toBe(200);
    expect((await ask(server, "/_orrery/v1/keys", { headers })).status).toBe(403);
    const split = { method: "POST", headers, body: "{}" };
    expect((await ask(server, "/_orrery/v1/containers/d/c/split", split)).status).toBe(403);
  });

  test.each<[string, Record<string, string>, number]>([
    ["of a foreign page", { origin: "https://evil.example" }, 403],
    ["of a page without a site", { origin: "null" }, 403],
    ["of a frame elsewhere", { "sec-fetch-site": "cross-site" }, 403],
    ["with a forged cookie", { cookie: "orrery-page=forged" }, 401],
    ["for another host", { host: "evil.example" }, 403],
  ])("requests %s are refused with a sentence", async (_whose, wrong, status) => {
    const headers = { ...pageHeaders(server, await signIn(server)), ...wrong };
    for (const path of ["/dbs", "/_orrery/v1/containers/d/c/split"]) {
      const answer = await ask(server, path, { method: "POST", headers, body: '{"id":"x"}' });
      expect([path, answer.status]).toEqual([path, status]);
      expect(JSON.parse(answer.body)).toMatchObject({ message: expect.stringMatching(/\w+ \w+/) });
    }
  });

  test("the cookie alone, without the page's header, opens nothing", async () => {
    const cookie = await signIn(server);
    expect((await ask(server, "/dbs", { headers: { cookie } })).status).toBe(401);
  });

  test("who signs out is out", async () => {
    const headers = pageHeaders(server, await signIn(server));
    const gone = await ask(server, "/_explorer/session", { method: "DELETE", headers });
    expect([gone.status, gone.body]).toEqual([204, ""]);
    expect((await ask(server, "/dbs", { headers })).status).toBe(401);
  });

  test.each(["", "{", "[]", "null", '{"key":1}', '{"other":1}', "x".repeat(5000)])(
    "%# no other body opens a session",
    async (body) => {
      const call = { method: "POST", headers: pageHeaders(server), body };
      expect((await ask(server, "/_explorer/session", call)).status).toBe(400);
    },
  );

  test("a form cannot open a session", async () => {
    const headers = { ...pageHeaders(server), "content-type": "text/plain" };
    const call = { method: "POST", headers, body: "{}" };
    expect((await ask(server, "/_explorer/session", call)).status).toBe(400);
  });
});

describe("a server with a key of its own", () => {
  let server: OrreryServer;
  beforeAll(async () => {
    server = await startOrrery({ memory: true, key: OWN_KEY });
  });
  afterAll(() => server.close({ quietMs: 0 }));

  const open = (body: object): Promise<PageAnswer> => {
    const call = { method: "POST", headers: pageHeaders(server), body: JSON.stringify(body) };
    return ask(server, "/_explorer/session", call);
  };

  test("asks for it, and for ten wrong ones a minute", async () => {
    expect(await open({})).toMatchObject({
      status: 401,
      body: expect.stringContaining("KeyNeeded"),
    });
    expect((await open({ key: OWN_KEY })).status).toBe(200);
    for (let count = 0; count < 10; count++) {
      expect(await open({ key: "d3Jvbmc=" })).toMatchObject({
        status: 401,
        body: expect.stringContaining("WrongKey"),
      });
    }
    const refused = await open({ key: OWN_KEY });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  });
});

describe("where the page is off", () => {
  test.each<[string, OrreryOptions, boolean]>([
    ["it was switched off", { explorer: false }, false],
    ["other machines can reach the server", { host: "0.0.0.0" }, false],
    ["unless somebody wants it there", { host: "0.0.0.0", explorer: true }, true],
  ])("%s", async (_case, options, isThere) => {
    await using server = await startOrrery({ memory: true, wellKnownKey: true, ...options });
    expect(server.explorer !== undefined).toBe(isThere);
    const { status, headers } = await ask(server, "/_explorer/");
    expect(status === 200 && String(headers["content-type"]).startsWith("text/html")).toBe(isThere);
  });

  test("its header and its cookie open nothing", async () => {
    await using server = await startOrrery({ memory: true, explorer: false });
    const headers = pageHeaders(server, `orrery-page${server.port}=x`);
    expect((await ask(server, "/dbs", { headers })).status).toBe(401);
  });
});
