/**
 * Items as bytes. First what is refused and what is stored; then the one property that matters:
 * however a client spelled its item, the stored body reads as that item with five more properties.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonText } from "../../json/stringify.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { ItemStamp } from "./itemBody.ts";
import {
  draftOfValue,
  etagOf,
  exactObjectOf,
  numbersEtag,
  objectOf,
  parseBody,
  parseItem,
  stampedBody,
  tsOf,
} from "./itemBody.ts";

const STAMP: ItemStamp = {
  rid: "AQAAAIABAAABAAAAAAAAAA==",
  self: "dbs/AQAAAA==/colls/AQAAAIABAAA=/docs/AQAAAIABAAABAAAAAAAAAA==/",
  etag: "0123abcd-0000-0000-0000-000000000007",
  ts: 1_700_000_000,
};
const SYSTEM = {
  _rid: STAMP.rid,
  _self: STAMP.self,
  _etag: `"${STAMP.etag}"`,
  _attachments: "attachments/",
  _ts: STAMP.ts,
};
const LIMITS = { ...SERVICE_LIMITS, itemBytesMax: 200, nestingMax: 4 };

describe("what is refused", () => {
  test.each([
    ["not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), "badRequest"],
    ["not JSON", "{", "badRequest"],
    ["nothing", "", "badRequest"],
    ["an array", "[]", "badRequest"],
    ["a number", "1", "badRequest"],
    ["null", "null", "badRequest"],
    ["no id", "{}", "badRequest"],
    ["an id that is a number", '{"id":1}', "badRequest"],
    ["an id that is inherited", '{"__proto__":{"id":"x"}}', "badRequest"],
    ["a number too large for a double", '{"id":"x","n":1e400}', "badRequest"],
    ["nesting beyond the limit", '{"id":"x","a":[[[[1]]]]}', "badRequest"],
    ["a binary body that ends too early", Buffer.from("80e92c", "hex"), "badRequest"],
    ["a binary body that is no object", Buffer.from("8001", "hex"), "badRequest"],
    ["binary nesting", Buffer.from("80ea072c81788161e1e1e1e101", "hex"), "badRequest"],
    ["more bytes than the limit", `{"id":"x","a":"${"y".repeat(200)}"}`, "tooLarge"],
    // Compact it would fit, but the client's bytes count too.
    ["more white space than the limit", `{"id":"x"${" ".repeat(200)}}`, "tooLarge"],
  ])("%s", (_, body, kind) => {
    const draft = parseItem(Buffer.from(body), LIMITS);
    expect(draft).toMatchObject({ ok: false, error: { kind } });
  });

  test("what fits exactly is not", () => {
    const filler = "y".repeat(200 - '{"id":"x","a":""}'.length);
    expect(parseItem(Buffer.from(`{"id":"x","a":"${filler}"}`), LIMITS).ok).toBe(true);
    expect(parseItem(Buffer.from('{"id":"x","a":[[[1]]]}'), LIMITS).ok).toBe(true);
  });

  test("a request around items may nest deeper by what it adds", () => {
    const body = Buffer.from("[[[[[1]]]]]");
    expect(parseBody(body, LIMITS).ok).toBe(false);
    expect(parseBody(body, LIMITS, 1).ok).toBe(true);
  });
});

describe("what is kept of the text", () => {
  test("binary JSON is stored as the text it stands for", () => {
    const draft = parseItem(Buffer.from("80ea072c81788161c8ff", "hex"), LIMITS);
    const text = Buffer.from('{"id":"x","a":255}');
    const value = { id: "x", object: { id: "x", a: 255 }, text, carriesDigits: false };
    expect(draft).toEqual({ ok: true, value });
  });

  test.each([
    ["compact text, as it is", '{"id":"x","a":[1,{"b":null}]}', undefined],
    [
      "numbers in one form",
      '{"id":"x","a":1.50,"b":-0,"c":1E2}',
      '{"id":"x","a":1.5,"b":-0,"c":100}',
    ],
    ["digits of integers", '{"id":"x","a":[9007199254740993,-18446744073709551615]}', undefined],
    [
      "digits, where something else is written anew",
      '{"id":"x", "a":[9007199254740993],"b":10.0,"_ts":1}',
      '{"id":"x","a":[9007199254740993],"b":10}',
    ],
    ["escapes", '{"id":"x","a":"\\u0041\\/\\ud800"}', undefined],
    ["white space inside strings only", '{"id":"x", "a" : " 1 "}', '{"id":"x","a":" 1 "}'],
    ["the last of a repeated name", '{"id":"x","a":1,"a":2}', '{"id":"x","a":2}'],
    ["a repeated name further in", '{"id":"x","a":{"b":1,"b":2}}', '{"id":"x","a":{"b":2}}'],
    ["no system properties", '{"_ts":5,"id":"x","_etag":"e","a":1}', '{"id":"x","a":1}'],
    ["no system property in disguise", '{"id":"x","\\u005frid":"r","a":1}', '{"id":"x","a":1}'],
    ["names that only look like them", '{"id":"x","_lsn":5,"rid":1}', undefined],
    ["__proto__, a name like any other", '{"id":"x","__proto__":{"a":1}}', undefined],
    [
      "__proto__ beside system properties",
      '{"id":"x","__proto__":{"a":1},"_ts":1}',
      '{"id":"x","__proto__":{"a":1}}',
    ],
  ])("%s", (_, sent, kept) => {
    const draft = parseItem(Buffer.from(sent), SERVICE_LIMITS);
    expect(draft.ok && draft.value.text.toString()).toBe(kept ?? sent);
  });
});

describe("a stored body", () => {
  const anyName = fc.oneof(
    fc.string({ unit: "binary", maxLength: 6 }),
    fc.constantFrom("__proto__", "_rid", "_self", "_etag", "_attachments", "_ts", "id", "", "a"),
  );
  const { value: anyValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.oneof(
        fc.constant(null),
        fc.boolean(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.string({ unit: "binary", maxLength: 8 }),
      ),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.array(fc.tuple(anyName, tie("value")), { maxLength: 4 }).map(objectFrom),
    ),
  }));
  const anyMembers = fc.array(fc.tuple(anyName, anyValue), { maxLength: 6 });

  test("reads as the item with its system properties, whatever the spelling", () => {
    fc.assert(
      fc.property(anyMembers, fc.constantFrom(undefined, 1, "\t"), (members, indent) => {
        const item = objectFrom([...members, ["id", "x"]]);
        const sent = Buffer.from(JSON.stringify(item, undefined, indent));
        const draft = parseItem(sent, SERVICE_LIMITS);
        if (!draft.ok) throw new Error(JSON.stringify(draft.error));
        const body = stampedBody(draft.value.text, STAMP);
        const expected = { ...(JSON.parse(sent.toString()) as JsonObject), ...SYSTEM };
        expect(objectOf(body)).toEqual(expected);
        expect(Object.keys(objectOf(body)).slice(-5)).toEqual(Object.keys(SYSTEM));
        expect(etagOf(body)).toBe(SYSTEM._etag);
        expect(tsOf(body)).toBe(SYSTEM._ts);
      }),
      { numRuns: 500 },
    );
  });

  test("is the same from a value as from its bytes", () => {
    fc.assert(
      fc.property(anyMembers, (members) => {
        const item = objectFrom([...members, ["id", "x"]]);
        const fromBytes = parseItem(Buffer.from(JSON.stringify(item)), SERVICE_LIMITS);
        const fromValue = draftOfValue(JSON.parse(JSON.stringify(item)), SERVICE_LIMITS);
        expect(fromValue).toEqual(fromBytes);
      }),
    );
  });

  test("can be written back as it was read: the stamp is replaced", () => {
    const first = parseItem(Buffer.from('{"id":"x","a":1}'), SERVICE_LIMITS);
    const body = first.ok ? stampedBody(first.value.text, { ...STAMP, ts: 1_600_000_000 }) : "";
    const again = parseItem(Buffer.from(body), SERVICE_LIMITS);
    const stored = again.ok ? stampedBody(again.value.text, STAMP) : Buffer.alloc(0);
    expect(objectOf(stored)).toEqual({ id: "x", a: 1, ...SYSTEM });
  });
});

/** With own properties only, whatever they are called. */
function objectFrom(members: readonly (readonly [string, JsonValue])[]): JsonObject {
  const object: Record<string, JsonValue> = {};
  for (const [name, value] of members) {
    Object.defineProperty(object, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return object;
}

describe("the numbers of a stored body", () => {
  const text = Buffer.from('{"id":"x","a":[9007199254740993]}');
  const stored = (etag: string): Buffer => stampedBody(text, { ...STAMP, etag });

  test.each([
    ["keep their digits, if its etag says that some have such", numbersEtag(STAMP.etag, true)],
    ["keep them, if it was written before etags said anything", STAMP.etag],
  ])("%s", (_rule, etag) => {
    const body = stored(etag);
    expect(jsonText(exactObjectOf(body))).toBe(body.toString());
  });

  test("are read as doubles, without a look at them, if its etag says that they are", () => {
    const object = exactObjectOf(stored(numbersEtag(STAMP.etag, false)));
    expect(jsonText(object["a"]!)).toBe("[9007199254740992]");
  });

  test.each([
    ["9007199254740993", true],
    ["-0", true],
    ["9007199254740992", false],
    ["10.0", false],
    ["1e300", false],
  ])("with %s in them have digits: %j", (number, isCarrying) => {
    const draft = parseItem(Buffer.from(`{"id":"x","a":{"b":${number}}}`), SERVICE_LIMITS);
    expect(draft.ok && draft.value.carriesDigits).toBe(isCarrying);
  });
});
