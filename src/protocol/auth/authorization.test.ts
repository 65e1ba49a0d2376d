/**
 * The first table says which headers and dates are refused, and how; the second which lines are
 * signed. The properties sign by the naive formula, and look for a forged header that passes.
 */

import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MINUTE_MS } from "../../base/units.ts";

import { openAuthorizer, type SignedRequest } from "./authorization.ts";

const KEY = Buffer.alloc(64, "first key").toString("base64");
const SECOND_KEY = Buffer.alloc(64, "second key").toString("base64");
const READ_ONLY_KEY = Buffer.alloc(64, "read-only key").toString("base64");
const STRANGE_KEY = Buffer.alloc(64, "not of this account").toString("base64");
const KEYS = [
  { key: KEY, isReadOnly: false },
  { key: SECOND_KEY, isReadOnly: false },
  { key: READ_ONLY_KEY, isReadOnly: true },
];

const DATE = "Tue, 01 Nov 1994 08:12:31 GMT";
const DATE_AT = Date.UTC(1994, 10, 1, 8, 12, 31);
const MUTATION_COUNT = process.env["ORRERY_LONG"] !== undefined ? 10_000 : 2_000;

const LINK = "dbs/D/colls/C/docs/I";
const TEXT = `get\ndocs\n${LINK}\n${DATE.toLowerCase()}\n\n`;
const HEADER = headerOf(KEY, TEXT);
const REQUEST: SignedRequest = {
  method: "GET",
  resourceType: "docs",
  resourceLinks: [LINK],
  authorization: HEADER,
  date: DATE,
  httpDate: undefined,
};

describe("refused headers and dates", () => {
  test.each([
    { rule: "no header", part: { authorization: undefined }, says: "required" },
    { rule: "an empty one", part: { authorization: "" }, says: "required" },
    { rule: "garbage", part: { authorization: "garbage" }, says: "type=master" },
    { rule: "a broken escape", part: { authorization: `${HEADER}%` }, says: "type=master" },
    { rule: "encoded twice", part: { authorization: twice(HEADER) }, says: "type=master" },
    { rule: "another version", part: { authorization: field("ver=2.0") }, says: "type=master" },
    { rule: "one field more", part: { authorization: `${HEADER}%26a%3D1` }, says: "type=master" },
    { rule: "a short signature", part: { authorization: field("sig=AAAA") }, says: "type=master" },
    { rule: "a resource token", part: { authorization: typed("resource") }, says: "type=master" },
    { rule: "an AAD token", part: { authorization: typed("aad") }, says: "type=master" },
    { rule: "another kind", part: { authorization: typed("sas") }, says: "not supported" },
    { rule: "another key", part: { authorization: headerOf(STRANGE_KEY, TEXT) }, says: TEXT },
    { rule: "another verb", part: { method: "PUT" }, says: "'put\ndocs" },
    { rule: "another type", part: { resourceType: "colls" }, says: "'get\ncolls" },
    { rule: "another link", part: { resourceLinks: ["dbs/D"] }, says: "\ndbs/D\n" },
    {
      rule: "a link in another case",
      part: { resourceLinks: [LINK.toLowerCase()] },
      says: "dbs/d",
    },
    { rule: "another date", part: { date: DATE.replace("31 GMT", "32 GMT") }, says: "08:12:32" },
    { rule: "a date in the other field", part: { date: undefined, httpDate: DATE }, says: "\n\n" },
    { rule: "no date", part: { date: undefined }, says: "x-ms-date" },
    { rule: "an empty date", part: { date: "" }, says: "x-ms-date" },
    { rule: "no such date", part: { date: "Tue, 01 Foo 1994 08:12:31 GMT" }, says: "x-ms-date" },
    { rule: "a date without a zone", part: { date: DATE.slice(0, -4) }, says: "x-ms-date" },
    { rule: "a date of another form", part: { date: "1994-11-01T08:12:31Z" }, says: "x-ms-date" },
  ])("$rule", ({ part, says }) => {
    const refusal = refusalOf({ ...REQUEST, ...part });
    expect(refusal.kind).toBe("unauthorized");
    expect(refusal.message).toContain(says);
  });

  test.each([
    { rule: "a clock 15 minutes behind", minutes: 15, expected: "granted" },
    { rule: "a clock 15 minutes ahead", minutes: -15, expected: "granted" },
    { rule: "more than that behind", minutes: 15.001, expected: "forbidden" },
    { rule: "more than that ahead", minutes: -15.001, expected: "forbidden" },
  ])("$rule is $expected", ({ minutes, expected }) => {
    const at = DATE_AT + minutes * MINUTE_MS;
    const checked = openAuthorizer({ keys: KEYS, wallNow: () => at }).check(REQUEST);
    expect(checked.ok ? "granted" : checked.error.kind).toBe(expected);
  });

  test("who comes too late is told start, expiry and server time", () => {
    const { message } = refusalOf(REQUEST, DATE_AT + 20 * MINUTE_MS);
    expect(message).toContain("start time: Tue, 01 Nov 1994 08:12:31 GMT");
    expect(message).toContain("expiry time: Tue, 01 Nov 1994 08:27:31 GMT");
    expect(message).toContain("server time: Tue, 01 Nov 1994 08:32:31 GMT");
  });

  test("a refusal shows neither key nor expected signature", () => {
    const { message } = refusalOf({ ...REQUEST, authorization: headerOf(STRANGE_KEY, TEXT) });
    for (const { key } of KEYS) {
      expect(message).not.toContain(key);
      expect(message).not.toContain(signatureOf(key, TEXT));
    }
  });
});

describe("granted requests", () => {
  const date = DATE.toLowerCase();
  test.each([
    { rule: "escapes in lower case", part: { authorization: lowerEscapes(HEADER) } },
    { rule: "no escapes at all", part: { authorization: decodeURIComponent(HEADER) } },
    { rule: "more escapes than needed", part: { authorization: HEADER.replace("a", "%61") } },
    { rule: "a verb in lower case", part: { method: "get" } },
    { rule: "a date in lower case", part: { date } },
    { rule: "the second link", part: { resourceLinks: ["dbs/other", LINK] } },
    {
      rule: "the HTTP date, in the line after",
      part: {
        authorization: headerOf(KEY, `get\ndocs\n${LINK}\n\n${date}\n`),
        date: undefined,
        httpDate: DATE,
      },
    },
    { rule: "the HTTP date beside the other is not signed", part: { httpDate: DATE } },
    {
      rule: "the account, with no type and no link",
      part: {
        authorization: headerOf(KEY, `get\n\n\n${date}\n\n`),
        resourceType: "",
        resourceLinks: [""],
      },
    },
  ])("$rule", ({ part }) => {
    expect(openAt(DATE_AT).check({ ...REQUEST, ...part })).toEqual(granted(false));
  });

  test.each([
    { rule: "the first key", key: KEY, isReadOnly: false },
    { rule: "the second key", key: SECOND_KEY, isReadOnly: false },
    { rule: "a read-only key", key: READ_ONLY_KEY, isReadOnly: true },
  ])("$rule", ({ key, isReadOnly }) => {
    const request = { ...REQUEST, authorization: headerOf(key, TEXT) };
    expect(openAt(DATE_AT).check(request)).toEqual(granted(isReadOnly));
  });
});

describe("what is remembered", () => {
  test("a repeated request keeps its own grant", () => {
    const authorizer = openAt(DATE_AT);
    for (const { key, isReadOnly } of [...KEYS, ...KEYS]) {
      const request = { ...REQUEST, authorization: headerOf(key, TEXT) };
      expect(authorizer.check(request)).toEqual(granted(isReadOnly));
      expect(authorizer.check(request)).toEqual(granted(isReadOnly));
    }
  });

  test("a remembered request grows too old like any other", () => {
    let now = DATE_AT;
    const authorizer = openAuthorizer({ keys: KEYS, wallNow: () => now });
    expect(authorizer.check(REQUEST).ok).toBe(true);
    now += 16 * MINUTE_MS;
    expect(authorizer.check(REQUEST).ok).toBe(false);
  });

  test("it grants nothing to a request that differs in one part", () => {
    const authorizer = openAt(DATE_AT);
    const parts: readonly Partial<SignedRequest>[] = [
      { method: "PUT" },
      { resourceType: "coll" },
      { resourceLinks: ["dbs/D/colls/C/docs/J"] },
      { resourceLinks: [LINK.replace("D", "E")] },
      { date: DATE.replace(":31", ":30") },
      { date: undefined, httpDate: DATE },
      { authorization: headerOf(STRANGE_KEY, TEXT) },
    ];
    for (const part of parts) {
      expect(authorizer.check(REQUEST).ok).toBe(true);
      expect(authorizer.check({ ...REQUEST, ...part }).ok).toBe(false);
    }
  });
});

describe("authorization properties", () => {
  test("whatever the naive formula signs is granted, once and again", () => {
    const anyKey = fc.uint8Array({ minLength: 1, maxLength: 100 });
    const anyLink = fc.string({ unit: "grapheme", maxLength: 150 });
    const anyMethod = fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE");
    fc.assert(
      fc.property(anyKey, anyMethod, anyLink, (bytes, method, link) => {
        const key = Buffer.from(bytes).toString("base64");
        const text = `${method.toLowerCase()}\ndocs\n${link}\n${DATE.toLowerCase()}\n\n`;
        const keys = [{ key, isReadOnly: true }];
        const authorizer = openAuthorizer({ keys, wallNow: () => DATE_AT });
        const authorization = headerOf(key, text);
        const request = { ...REQUEST, method, resourceLinks: [link], authorization };
        expect(authorizer.check(request)).toEqual(granted(true));
        expect(authorizer.check(request)).toEqual(granted(true));
      }),
    );
  });

  test("mutated headers are all refused, beside the true one", () => {
    const authorizer = openAt(DATE_AT);
    fc.assert(
      fc.property(fc.array(anyMutation(), { minLength: 1, maxLength: 4 }), (mutations) => {
        const authorization = mutations.reduce((header, mutate) => mutate(header), HEADER);
        // Another spelling of the same text is not a forgery.
        fc.pre(decodedOf(authorization) !== decodedOf(HEADER));
        expect(authorizer.check(REQUEST).ok).toBe(true);
        const checked = authorizer.check({ ...REQUEST, authorization });
        expect(checked.ok ? "granted" : checked.error.kind).toBe("unauthorized");
      }),
      { numRuns: MUTATION_COUNT },
    );
  });

  test("no input makes the check throw", () => {
    const anyText = fc.option(fc.oneof(fc.string(), fc.string({ unit: "binary" })), {
      nil: undefined,
    });
    const anyRequest = fc.record({
      method: fc.string(),
      resourceType: fc.string(),
      resourceLinks: fc.array(fc.string(), { minLength: 1 }),
      authorization: fc.oneof(anyText, fc.constant(HEADER)),
      date: fc.oneof(anyText, fc.constant(DATE)),
      httpDate: anyText,
    });
    const authorizer = openAt(DATE_AT);
    fc.assert(
      fc.property(anyRequest, (request) => {
        expect(authorizer.check(request).ok).toBe(false);
      }),
      { numRuns: MUTATION_COUNT / 10 },
    );
  });
});

/** One small change to a header. */
function anyMutation(): fc.Arbitrary<(header: string) => string> {
  const anyPlace = fc.nat(HEADER.length);
  const anyInsert = fc.oneof(
    fc.string({ minLength: 1, maxLength: 1 }),
    fc.constantFrom("A", "z", "0", "=", "&", "%", "%3D", "%3d", "%26", "%2B", "%2f", "%25", "\n"),
  );
  return fc.oneof(
    fc.tuple(anyPlace, fc.nat(3), anyInsert).map(([at, dropped, text]) => {
      return (header: string) => header.slice(0, at) + text + header.slice(at + dropped);
    }),
    anyPlace.map((at) => (header: string) => header.slice(0, at)),
    anyPlace.map((at) => (header: string) => header.slice(at)),
    anyPlace.map((at) => (header: string) => {
      const letter = header[at] ?? "";
      const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
      return header.slice(0, at) + other + header.slice(at + 1);
    }),
    fc.constant((header: string) => header + header),
  );
}

function decodedOf(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function refusalOf(request: SignedRequest, now = DATE_AT): { kind: string; message: string } {
  const checked = openAt(now).check(request);
  if (checked.ok || !("message" in checked.error)) throw new Error("not refused in words");
  return checked.error;
}

const openAt = (now: number) => openAuthorizer({ keys: KEYS, wallNow: () => now });

const granted = (isReadOnly: boolean) => ({
  ok: true,
  value: { kind: "accountKey", isReadOnly },
});

function signatureOf(key: string, text: string): string {
  return createHmac("sha256", Buffer.from(key, "base64")).update(text).digest("base64");
}

function headerOf(key: string, text: string): string {
  return encodeURIComponent(`type=master&ver=1.0&sig=${signatureOf(key, text)}`);
}

const twice = (header: string): string => encodeURIComponent(header);

const lowerEscapes = (header: string): string =>
  header.replace(/%../g, (escaped) => escaped.toLowerCase());

/** The true header with one field replaced. */
function field(replacement: string): string {
  const name = replacement.split("=", 1)[0];
  const fields = decodeURIComponent(HEADER).split("&");
  const replaced = fields.map((text) => (text.startsWith(`${name}=`) ? replacement : text));
  return encodeURIComponent(replaced.join("&"));
}

const typed = (type: string): string => encodeURIComponent(`type=${type}&ver=1.0&sig=abc;def;`);
