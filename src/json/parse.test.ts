/** Digits are kept, and everything else is as `JSON.parse` and `JSON.stringify` have it. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exactText } from "./canonical.ts";
import { CarriedNumber, carriedAt, carriesDigits, carryDigits, noteDigits } from "./digits.ts";
import { parseCarried, parseJson, withDigits } from "./parse.ts";
import { jsonText, stringifyKeepingDigits } from "./stringify.ts";
import { isCompact, surveyOf } from "./survey.ts";
import type { JsonObject, JsonValue } from "./value.ts";

describe("a text comes back", () => {
  test.each([
    ["integers of any length", '{"a":[9007199254740993,-123456789012345678901234567890]}'],
    ["integers far down", '[[[{"a":{"b":[9007199254740993]}}]]]'],
    ["the sign of a zero", '{"a":-0,"b":[0,-0]}'],
    ["strings that look like it", '{"9007199254740993":"9007199254740993","a":"\\\\","b":"\\""}'],
    ["names that objects have", '{"__proto__":9007199254740993,"constructor":[18014398509481985]}'],
    ["numbers that are doubles", '{"a":9007199254740992,"b":1e+21,"c":1e-7,"d":0.1}'],
  ])("with %s", (_rule, text) => {
    expect(jsonText(parseJson(text))).toBe(text);
  });

  test.each([
    ["10.0", "10"],
    ["9007199254740993.0", "9007199254740992"],
    ["9007199254740993e0", "9007199254740992"],
    ["-0e5", "-0"],
    ["1000000000000000000000", "1000000000000000000000"],
    ["1e21", "1e+21"],
    ["0.1000000000000000055", "0.1"],
  ])("with %s as %s, by itself and in others", (sent, normal) => {
    expect(jsonText(parseCarried(` ${sent} `))).toBe(normal);
    const inOthers = jsonText(withDigits(`[ ${sent} ,{"a": ${sent}}]`));
    expect(inOthers).toBe(`[${normal},{"a":${normal}}]`);
  });

  test("with the last of several members of one name", () => {
    const texts = ['{"a":9007199254740993,"a":1}', '{"a":1,"a":9007199254740993}'];
    expect(texts.map((text) => jsonText(parseJson(text)))).toEqual([
      '{"a":1}',
      '{"a":9007199254740993}',
    ]);
  });
});

test("values are those of JSON.parse, whatever the text", () => {
  const anySpace = fc.constantFrom(undefined, 1, "\t\r\n");
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), anySpace, (value, space) => {
      const text = JSON.stringify(value, undefined, space);
      expect(JSON.stringify(withDigits(text))).toBe(JSON.stringify(JSON.parse(text)));
      expect(Object.keys(Object(withDigits(text)))).toEqual(Object.keys(Object(JSON.parse(text))));
    }),
  );
});

test("a text without such numbers has no tables, and one with them has one at every step", () => {
  expect(carriesDigits(parseJson('{"a":[9007199254740992,1.5,"x"]}'))).toBe(false);
  const value = parseJson('{"a":{"b":[9007199254740993]},"c":{"d":1}}') as JsonObject;
  const inner = value["a"] as JsonObject;
  expect([value, inner, inner["b"], value["c"]].map(carriesDigits)).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(Object.keys(inner)).toEqual(["b"]);
});

describe("a copy", () => {
  test("has no digits unless it is given them", () => {
    const value = parseJson('{"a":9007199254740993}') as JsonObject;
    expect(jsonText({ ...value })).toBe('{"a":9007199254740992}');
    const copy = { ...value };
    carryDigits(value, copy);
    expect(jsonText(copy)).toBe('{"a":9007199254740993}');
  });

  test("forgets those of a member that is another one now", () => {
    const value = parseJson('{"a":9007199254740993,"b":9007199254740993}') as JsonObject;
    const copy = { ...value, a: 9007199254740992 };
    carryDigits(value, copy);
    noteDigits(copy, "a", 9007199254740992);
    expect(jsonText(copy)).toBe('{"a":9007199254740992,"b":9007199254740993}');
  });
});

test("a number is carried with its digits, and without if it has none", () => {
  const value = parseJson("[9007199254740993,9007199254740992,1]") as readonly JsonValue[];
  expect(value.map((element, index) => carriedAt(value, index, element))).toEqual([
    new CarriedNumber(9007199254740992, "9007199254740993"),
    9007199254740992,
    1,
  ]);
});

test("texts of items tell digits apart that doubles do not", () => {
  const texts = ['{"b":1,"a":9007199254740993}', '{"a":9007199254740993,"b":1}', '{"a":-0}'];
  expect(texts.map((text) => exactText(parseJson(text)))).toEqual([
    '{"a":9007199254740993,"b":1}',
    '{"a":9007199254740993,"b":1}',
    '{"a":-0}',
  ]);
});

test("a text that may be stored as it came is the very text that would be written for it", () => {
  const anyNumber = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
    fc.stringMatching(/^-?(?:0|[1-9][0-9]{0,20})(?:\.[0-9]{1,20})?(?:[eE][-+]?[0-9]{1,2})?$/),
    fc.constantFrom("0.000001", "0.0000001", "0.00000010", "100.0", "-0", "-0.0", "1e5", "5e-324"),
  );
  let readyCount = 0;
  fc.assert(
    fc.property(fc.array(anyNumber, { maxLength: 3 }), (numbers) => {
      const text = `{"a":[${numbers.join(",")}]}`;
      const value = JSON.parse(text) as JsonValue;
      if (!isCompact(Buffer.from(text), surveyOf(value).memberCount)) return;
      readyCount++;
      expect(stringifyKeepingDigits(withDigits(text))).toBe(text);
    }),
    { numRuns: 2_000 },
  );
  expect(readyCount).toBeGreaterThan(100);
});

test("texts of everyday items are stored as they came", () => {
  const text = '{"n":42,"price":19.99,"at":1700000000123456,"lat":-33.8688197,"t":true,"s":"1.0"}';
  expect(isCompact(Buffer.from(text), 6)).toBe(true);
});
