/** Who may use the admin API, rule by rule. */
import { describe, expect, test } from "vitest";
import { no, ok } from "../../base/result.ts";
import type { WireHeaders } from "../../protocol/wire/wire.ts";
import type { PageSessions } from "../access/pageSessions.ts";
import type { AdminAccess } from "../surroundings/orreryOptions.ts";
import { accessCheck } from "./access.ts";

const KEY = Buffer.alloc(64, 1).toString("base64");
const READ_ONLY = Buffer.alloc(64, 2).toString("base64");
const KEYS = {
  list: [
    { key: KEY, isReadOnly: false },
    { key: READ_ONLY, isReadOnly: true },
  ],
};

const HOST = "localhost:8081";

interface Case {
  readonly access?: AdminAccess;
  readonly from?: string | undefined;
  readonly method?: string;
  readonly headers?: WireHeaders;
}

/** The status with which it is refused; 200 when it may go on. */
function statusOf({ access = "loopback", method = "GET", headers = {}, ...rest }: Case): number {
  const remoteAddress = "from" in rest ? rest.from : "127.0.0.1";
  const asker = { method, headers: { host: HOST, ...headers }, remoteAddress };
  return accessCheck(access, KEYS)(asker)?.status ?? 200;
}

describe("by default the admin API answers to this machine only", () => {
  test.each<[string | undefined, number]>([
    ["127.0.0.1", 200],
    ["127.8.9.10", 200],
    ["::1", 200],
    ["::ffff:127.0.0.1", 200],
    ["::FFFF:127.0.0.1", 200],
    ["10.0.0.1", 403],
    ["::ffff:10.0.0.1", 403],
    ["1270.0.0.1", 403],
    ["127.0.0.1.example", 403],
    ["fe80::1", 403],
    [undefined, 403],
  ])("%s: %i", (from, status) => {
    expect(statusOf({ from })).toBe(status);
  });

  test.each(["forwarded", "x-forwarded-for", "x-real-ip"])("and not to what %s names", (name) => {
    expect(statusOf({ headers: { [name]: "127.0.0.1" } })).toBe(403);
  });

  test("whatever key comes with the request", () => {
    const headers = { authorization: `Bearer ${KEY}` };
    expect(statusOf({ from: "10.0.0.1", headers })).toBe(403);
  });

  test("and says how to open it", () => {
    const refused = accessCheck(
      "loopback",
      KEYS,
    )({
      method: "GET",
      headers: { host: HOST },
      remoteAddress: "10.0.0.1",
    });
    expect(refused?.error.message).toContain("--admin any");
  });
});

describe("web pages", () => {
  test.each<[string, string, number]>([
    ["http://localhost:8081", HOST, 200],
    ["https://localhost:8081", HOST, 200],
    ["http://LOCALHOST:8081", HOST, 200],
    ["http://localhost", "localhost:80", 200],
    ["https://db.example", "db.example:443", 200],
    ["http://[::1]:8081", "[::1]:8081", 200],
    ["http://localhost:3000", HOST, 403],
    ["http://127.0.0.1:8081", HOST, 403],
    ["http://localhost:8081.evil.example", HOST, 403],
    ["https://evil.example", HOST, 403],
    ["null", HOST, 403],
    ["", HOST, 403],
    ["file://localhost:8081", HOST, 403],
  ])("of %s at the host %s: %i", (origin, host, status) => {
    expect(statusOf({ headers: { host, origin } })).toBe(status);
    expect(statusOf({ method: "POST", headers: { host, origin } })).toBe(status);
  });

  test.each<[string, number]>([
    ["none", 200],
    ["same-origin", 200],
    ["same-site", 403],
    ["cross-site", 403],
    ["anything", 403],
  ])("that the browser calls %s: %i", (site, status) => {
    expect(statusOf({ headers: { "sec-fetch-site": site } })).toBe(status);
  });

  test("of other sites are refused even with a key", () => {
    const headers = { origin: "https://evil.example", authorization: `Bearer ${KEY}` };
    expect(statusOf({ access: "any", headers })).toBe(403);
  });
});

describe("under any, others need an account key", () => {
  test.each<[string, string | undefined, string, number]>([
    ["no key", undefined, "GET", 401],
    ["a key", `Bearer ${KEY}`, "GET", 200],
    ["a key", `Bearer ${KEY}`, "POST", 200],
    ["a key, spelt differently", `bearer  ${KEY} `, "GET", 200],
    ["the read-only key", `Bearer ${READ_ONLY}`, "GET", 200],
    ["the read-only key", `Bearer ${READ_ONLY}`, "POST", 403],
    ["the read-only key", `Bearer ${READ_ONLY}`, "DELETE", 403],
    ["another key", `Bearer ${Buffer.alloc(64, 3).toString("base64")}`, "GET", 401],
    ["part of a key", `Bearer ${KEY.slice(0, -1)}`, "GET", 401],
    ["a key in another scheme", `Basic ${KEY}`, "GET", 401],
    ["an empty key", "Bearer ", "GET", 401],
    ["two keys", `Bearer ${KEY} ${KEY}`, "GET", 401],
  ])("%s (%s) with %s: %i", (_rule, authorization, method, status) => {
    const headers = authorization === undefined ? {} : { authorization };
    expect(statusOf({ access: "any", from: "10.0.0.1", method, headers })).toBe(status);
  });

  test("and programs on this machine do not", () => {
    expect(statusOf({ access: "any", method: "POST" })).toBe(200);
  });

  test("and are told what to send, and nothing of the keys", () => {
    const asker = { method: "GET", headers: { host: HOST }, remoteAddress: "10.0.0.1" };
    const refused = accessCheck("any", KEYS)(asker);
    expect(refused?.headers).toEqual(["www-authenticate", 'Bearer realm="orrery"']);
    expect(JSON.stringify(refused)).not.toContain(KEY.slice(0, 8));
  });
});

describe("this server's own page has a session", () => {
  const NO_SESSION = no({ kind: "unauthorized", message: "No session." } as const);
  const FOREIGN = no({ kind: "forbidden", message: "From elsewhere." } as const);
  const session = (isReadOnly: boolean) => ok({ kind: "accountKey", isReadOnly } as const);
  const PAGE = { "x-orrery-page": "1" };
  test.each<[string, ReturnType<PageSessions["check"]>, Case, number]>([
    ["reads with it", session(false), {}, 200],
    ["writes with it", session(false), { method: "POST" }, 200],
    ["reads with one that only reads", session(true), {}, 200],
    ["does not write with that", session(true), { method: "DELETE" }, 403],
    ["needs it on this machine, too", NO_SESSION, {}, 401],
    ["needs no key elsewhere", session(false), { from: "10.0.0.1", method: "POST" }, 200],
    ["elsewhere needs it", NO_SESSION, { from: "10.0.0.1" }, 401],
    ["comes from here", FOREIGN, { method: "POST" }, 403],
    ["has nothing where all is off", session(false), { access: "off" }, 404],
  ])(
    "%s",
    (_rule, checked, { access = "loopback", method = "GET", from = "127.0.0.1" }, status) => {
      const pages = { isOfPage: () => true, check: () => checked };
      const asker = { method, headers: { host: HOST, ...PAGE }, remoteAddress: from };
      expect(accessCheck(access, KEYS, pages)(asker)?.status ?? 200).toBe(status);
    },
  );

  test("and programs are not asked for one", () => {
    const pages = { isOfPage: () => false, check: () => NO_SESSION };
    const asker = { method: "POST", headers: { host: HOST }, remoteAddress: "127.0.0.1" };
    expect(accessCheck("loopback", KEYS, pages)(asker)).toBeUndefined();
  });
});

test("switched off, there is nothing for anybody", () => {
  expect(statusOf({ access: "off" })).toBe(404);
  expect(statusOf({ access: "off", headers: { authorization: `Bearer ${KEY}` } })).toBe(404);
});
