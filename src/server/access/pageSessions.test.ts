/** Sessions of the page: who gets one, what it is good for, and when it ends. Row by row. */
import { describe, expect, test } from "vitest";
import { millis } from "../../base/units.ts";
import { seededRandom } from "../../base/world.ts";
import type { AccountKey } from "../../protocol/auth/authorization.ts";
import type { WireHeaders } from "../../protocol/wire/wire.ts";
import { WELL_KNOWN_KEY } from "../surroundings/options.ts";
import { PageSessions } from "./pageSessions.ts";

const HOST = "127.0.0.1:8081";
const OWN = `http://${HOST}`;
const KEY = Buffer.alloc(64, 1).toString("base64");
const READ_ONLY = Buffer.alloc(64, 2).toString("base64");
const LOCAL = "127.0.0.1";
const HOURS_12 = 12 * 3_600_000;

function staged(keys: readonly AccountKey[] = OWN_KEYS, isTls = false) {
  const ring = { list: keys };
  let now = 0;
  const sessions = new PageSessions({
    keys: ring,
    clock: { now: () => millis(now) },
    random: seededRandom(7),
    isTls,
  });
  const open = (more: Opening = {}) => {
    const headers = { host: HOST, "x-orrery-page": "1", origin: OWN, ...more.headers };
    const remoteAddress = "from" in more ? more.from : LOCAL;
    return sessions.open({ method: "POST", headers, remoteAddress }, more.key);
  };
  /** The session's cookie, as a browser sends it back. */
  const cookieOf = (more: Opening = {}): string => {
    const opened = open(more);
    if (!opened.ok) throw new Error(opened.error.message);
    return opened.value.cookie!.split(";")[0]!;
  };
  const wait = (ms: number): void => {
    now += ms;
  };
  return { sessions, open, cookieOf, wait, ring };
}

interface Opening {
  readonly key?: string;
  readonly from?: string | undefined;
  readonly headers?: WireHeaders;
}

const OWN_KEYS = [
  { key: KEY, isReadOnly: false },
  { key: READ_ONLY, isReadOnly: true },
];
const WELL_KNOWN = [{ key: WELL_KNOWN_KEY, isReadOnly: false }];

describe("a session is free", () => {
  test.each<[string, readonly AccountKey[], Opening, string]>([
    ["on this machine with the well-known key", WELL_KNOWN, {}, "free"],
    ["by IPv6, too", WELL_KNOWN, { from: "::1" }, "free"],
    ["not from another machine", WELL_KNOWN, { from: "10.0.0.9" }, "keyNeeded"],
    [
      "not when it was forwarded",
      WELL_KNOWN,
      { headers: { "x-forwarded-for": LOCAL } },
      "keyNeeded",
    ],
    ["not with a key of one's own", OWN_KEYS, {}, "keyNeeded"],
    [
      "not when the well-known key is only the second",
      [OWN_KEYS[0]!, ...WELL_KNOWN],
      {},
      "keyNeeded",
    ],
    [
      "not for another site's page",
      WELL_KNOWN,
      { headers: { origin: "http://evil.example" } },
      "foreign",
    ],
    ["not for a page without a site", WELL_KNOWN, { headers: { origin: "null" } }, "foreign"],
    [
      "not for another port",
      WELL_KNOWN,
      { headers: { origin: "http://127.0.0.1:3000" } },
      "foreign",
    ],
    ["not without an origin", WELL_KNOWN, { headers: { origin: undefined } }, "foreign"],
    [
      "not without the page's header",
      WELL_KNOWN,
      { headers: { "x-orrery-page": undefined } },
      "foreign",
    ],
    [
      "not for a frame of another site",
      WELL_KNOWN,
      { headers: { "sec-fetch-site": "cross-site" } },
      "foreign",
    ],
  ])("%s", (_case, keys, opening, outcome) => {
    const opened = staged(keys).open(opening);
    expect(opened.ok ? "free" : opened.error.kind).toBe(outcome);
    if (opened.ok) expect(opened.value).toMatchObject({ isFree: true, isReadOnly: false });
  });
});

describe("a key opens a session", () => {
  test.each<[string, string, boolean | "wrongKey"]>([
    ["that reads and writes", KEY, false],
    ["that only reads", READ_ONLY, true],
    ["with blanks around it", ` ${KEY}\n`, false],
    ["unless it is wrong", KEY.replace("A", "B"), "wrongKey"],
    ["unless it is empty", "", "wrongKey"],
  ])("%s", (_case, key, outcome) => {
    const opened = staged().open({ key, from: "10.0.0.9" });
    expect(opened.ok ? opened.value.isReadOnly : opened.error.kind).toBe(outcome);
  });

  test("and wrong ones are tried ten times a minute, the right one included", () => {
    const { open, wait } = staged();
    for (let count = 0; count < 10; count++) {
      expect(open({ key: "wrong" })).toMatchObject({ error: { kind: "wrongKey" } });
    }
    expect(open({ key: KEY })).toMatchObject({ error: { kind: "tooManyTries", seconds: 60 } });
    wait(59_000);
    expect(open({ key: KEY })).toMatchObject({ error: { kind: "tooManyTries", seconds: 1 } });
    wait(1000);
    expect(open({ key: KEY }).ok).toBe(true);
  });
});

describe("a request of the page is let in", () => {
  const NO_COOKIE = { cookie: undefined };
  test.each<[string, string, WireHeaders, "ok" | "unauthorized" | "forbidden"]>([
    ["a read with the session", "GET", {}, "ok"],
    ["a write with the session", "POST", {}, "ok"],
    ["without an origin, by what the browser says", "POST", bySite("same-origin"), "ok"],
    ["a read that says nothing of where it is from", "GET", { origin: undefined }, "ok"],
    ["a write that says nothing of where it is from", "PUT", { origin: undefined }, "forbidden"],
    ["what was typed into the address bar", "POST", bySite("none"), "forbidden"],
    ["a wrong origin", "POST", { origin: "https://evil.example" }, "forbidden"],
    ["a wrong origin that only reads", "GET", { origin: "https://evil.example" }, "forbidden"],
    ["a null origin", "DELETE", { origin: "null" }, "forbidden"],
    ["another port of this machine", "POST", { origin: "http://127.0.0.1:9" }, "forbidden"],
    ["another host name of this machine", "POST", { origin: "http://localhost:8081" }, "forbidden"],
    ["a page of the same site", "POST", bySite("same-site"), "forbidden"],
    ["own origin in a frame of another", "POST", { "sec-fetch-site": "cross-site" }, "forbidden"],
    ["no cookie", "GET", NO_COOKIE, "unauthorized"],
    ["a forged cookie", "GET", { cookie: `orrery-page8081=${"A".repeat(43)}` }, "unauthorized"],
    ["an empty cookie", "GET", { cookie: "orrery-page8081=" }, "unauthorized"],
    [
      "the cookie of another port",
      "GET",
      { host: "127.0.0.1:9999", origin: "http://127.0.0.1:9999" },
      "unauthorized",
    ],
  ])("%s", (_case, method, more, outcome) => {
    const { sessions, cookieOf } = staged(WELL_KNOWN);
    const cookie = `other=1; ${cookieOf()}; last=2`;
    const headers = { host: HOST, "x-orrery-page": "1", origin: OWN, cookie, ...more };
    const granted = sessions.check({ method, headers });
    expect(granted.ok ? "ok" : granted.error.kind).toBe(outcome);
  });

  function bySite(site: string): WireHeaders {
    return { origin: undefined, "sec-fetch-site": site };
  }
});

describe("a session ends", () => {
  const check = ({ sessions }: ReturnType<typeof staged>, cookie: string): boolean =>
    sessions.check({ method: "GET", headers: { host: HOST, origin: OWN, cookie } }).ok;

  test("after twelve hours", () => {
    const stage = staged(WELL_KNOWN);
    const cookie = stage.cookieOf();
    stage.wait(HOURS_12 - 1);
    expect(check(stage, cookie)).toBe(true);
    stage.wait(1);
    expect(check(stage, cookie)).toBe(false);
  });

  test("when somebody signs out, and no other one with it", () => {
    const stage = staged(WELL_KNOWN);
    const [one, other] = [stage.cookieOf(), stage.cookieOf()];
    const headers = { host: HOST, "x-orrery-page": "1", origin: OWN, cookie: one };
    expect(stage.sessions.close({ method: "DELETE", headers })).toMatchObject({
      value: expect.stringContaining("Max-Age=0"),
    });
    expect(check(stage, one)).toBe(false);
    expect(check(stage, other)).toBe(true);
  });

  test("but not by another site's page", () => {
    const stage = staged(WELL_KNOWN);
    const cookie = stage.cookieOf();
    const headers = { host: HOST, "x-orrery-page": "1", origin: "null", cookie };
    expect(stage.sessions.close({ method: "DELETE", headers }).ok).toBe(false);
    expect(check(stage, cookie)).toBe(true);
  });

  test("with the key that opened it", () => {
    const stage = staged();
    const [byKey, byReadOnly] = [stage.cookieOf({ key: KEY }), stage.cookieOf({ key: READ_ONLY })];
    stage.ring.list = [
      { key: Buffer.alloc(64, 9).toString("base64"), isReadOnly: false },
      OWN_KEYS[1]!,
    ];
    expect(check(stage, byKey)).toBe(false);
    expect(check(stage, byReadOnly)).toBe(true);
  });

  test("when 256 others were opened after it", () => {
    const stage = staged(WELL_KNOWN);
    const first = stage.cookieOf();
    for (let count = 0; count < 255; count++) stage.cookieOf();
    expect(check(stage, first)).toBe(true);
    stage.cookieOf();
    expect(check(stage, first)).toBe(false);
  });
});

test("a session that is there is told of, not opened again", () => {
  const { open, cookieOf, wait } = staged(WELL_KNOWN);
  const cookie = cookieOf();
  wait(3_600_000);
  const again = open({ headers: { cookie } });
  const told = { isReadOnly: false, isFree: true, secondsLeft: 11 * 3600 };
  expect(again).toEqual({ ok: true, value: told });
});

test.each<[boolean, string]>([
  [false, "orrery-page8081=…; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict"],
  [true, "__Host-orrery-page8081=…; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure"],
])("scripts and other sites do not get the cookie (TLS: %s)", (isTls, expected) => {
  const opened = staged(WELL_KNOWN, isTls).open();
  expect(opened.ok && opened.value.cookie?.replace(/=[\w-]{43};/, "=…;")).toBe(expected);
});
