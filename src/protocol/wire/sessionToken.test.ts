/** The tables show every accepted form; the properties say that writing and reading agree. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { lsn } from "../../base/units.ts";
import {
  encodeSessionToken,
  isLater,
  parseSessionToken,
  requiredLsn,
  type SessionPoint,
} from "./sessionToken.ts";

const point = (version: number, position: number): SessionPoint => ({
  version,
  lsn: lsn(position),
});

describe("session tokens", () => {
  test.each([
    { rule: "one range", text: "0:0#5", points: { 0: point(0, 5) } },
    { rule: "version −1 is seen too", text: "0:-1#5", points: { 0: point(-1, 5) } },
    { rule: "several ranges", text: "0:0#5,1:0#9", points: { 0: point(0, 5), 1: point(0, 9) } },
    {
      rule: "a blank after the comma, as where headers are joined",
      text: "0:0#5, 1:0#9",
      points: { 0: point(0, 5), 1: point(0, 9) },
    },
    { rule: "regions are skipped", text: "3:2#123#1=120#2=118", points: { 3: point(2, 123) } },
    { rule: "a region may be at −1", text: "3:2#123#1=-1", points: { 3: point(2, 123) } },
    { rule: "a bare LSN is of version 0", text: "0:123", points: { 0: point(0, 123) } },
    { rule: "a range named twice: later LSN", text: "0:0#9,0:0#5", points: { 0: point(0, 9) } },
    { rule: "a range named twice: version first", text: "0:0#9,0:1#5", points: { 0: point(1, 5) } },
    { rule: "ids are any text", text: "__proto__:0#1", points: { ["__proto__"]: point(0, 1) } },
    { rule: "a comma at the end", text: "0:0#5,", points: { 0: point(0, 5) } },
    { rule: "nothing", text: "", points: {} },
  ])("$rule: $text", ({ text, points }) => {
    expect([...(parseSessionToken(text) ?? [])]).toEqual(Object.entries(points));
  });

  test.each([
    ":0#5",
    "0",
    "0:",
    "0:#",
    "0:0#",
    "0:#5",
    "0:0#x",
    "0:0#-1",
    "0:-2#1",
    "0:0#1.5",
    "0:0#1e3",
    "0:0# 5",
    "0:0#05",
    "0:0#9007199254740993",
    "0:0#5,,",
    ",",
    ",0:0#5",
    "0:0#5;1:0#6",
    "0:0#5#",
    "0:0#5#1",
    "0:0#5#1=",
    "0:0#5#1=2=3",
    "garbage",
  ])("%j is malformed", (text) => {
    expect(parseSessionToken(text)).toBeUndefined();
  });
});

describe("what a token requires of a range", () => {
  const token = parseSessionToken("0:0#5,1:0#9,2:1#3")!;
  test.each([
    { rule: "its own point", ids: ["1"], required: point(0, 9) },
    { rule: "a parent's, when it has none", ids: ["7", "0"], required: point(0, 5) },
    { rule: "the latest of a family", ids: ["0", "1"], required: point(0, 9) },
    { rule: "a later version before a later LSN", ids: ["1", "2"], required: point(1, 3) },
    { rule: "nothing for strangers", ids: ["7", "8"], required: undefined },
    { rule: "nothing for nobody", ids: [], required: undefined },
  ])("$rule", ({ ids, required }) => {
    expect(requiredLsn(token, ids)).toEqual(required);
  });

  test.each([
    [point(0, 6), point(0, 5), true],
    [point(0, 5), point(0, 5), false],
    [point(1, 0), point(0, 9), true],
    [point(0, 9), point(1, 0), false],
  ])("%j is later than %j: %s", (a, b, expected) => {
    expect(isLater(a, b)).toBe(expected);
  });
});

describe("session token properties", () => {
  const anyPoint = fc.record({
    version: fc.integer({ min: -1, max: 1000 }),
    lsn: fc.maxSafeNat().map(lsn),
  });

  test("parts that were written are read back", () => {
    const anyPoints = fc.dictionary(fc.nat().map(String), anyPoint, { noNullPrototype: true });
    fc.assert(
      fc.property(anyPoints, (points) => {
        const parts = Object.entries(points).map(([id, at]) => encodeSessionToken(id, at));
        const token = parseSessionToken(parts.join(","));
        expect(Object.fromEntries(token ?? [])).toEqual(points);
      }),
    );
  });

  test("no text makes the parser throw", () => {
    const anyPiece = fc.constantFrom("0", "1", ":", "#", ",", "=", "-", "9");
    const anyText = fc.array(anyPiece).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(fc.oneof(anyText, fc.string()), (text) => {
        parseSessionToken(text);
      }),
      { numRuns: 2000 },
    );
  });
});
