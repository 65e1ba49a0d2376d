/** Cursors are good for the question they were given for, and for nothing else. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../base/world.ts";
import type { JsonObject } from "../../json/value.ts";
import type { Epk } from "../../partition/epkRange.ts";
import { CursorKey, type CursorScope, type Question } from "./cursorKey.ts";

const KEY = new CursorKey(Buffer.alloc(32, 7));
const FIELDS: JsonObject = { min: "", max: "FF", n: 12, o: [['é\u2028 " \\']] };
const QUESTION: Question = {
  kind: "query",
  owner: "AbCd=",
  about: ["SELECT *\nFROM c", "[]"],
  scope: within("10", "20"),
};

function within(min: string, max: string, by: CursorScope["by"] = "range"): CursorScope {
  return { by, range: { min: min as Epk, max: max as Epk } };
}

const signed = (question = QUESTION, fields = FIELDS, key = KEY): string =>
  key.cursorsOf(() => question).sign(fields);

function messageOf(text: string, question = QUESTION, key = KEY): string {
  const cursor = key.cursorsOf(() => question).read(text);
  if (cursor.ok) return "good";
  return "message" in cursor.error ? String(cursor.error.message) : cursor.error.kind;
}

describe("a cursor", () => {
  test("comes back with its members, in ASCII, and says nothing of the secret", () => {
    const text = signed();
    expect(text).toMatch(/^\{[\x20-\x7e]*\}$/);
    const cursor = KEY.cursorsOf(() => QUESTION).read(text);
    expect(cursor).toMatchObject({ ok: true, value: { fields: FIELDS, asked: "all" } });
    expect(JSON.parse(text)).toMatchObject({ ...FIELDS, in: ["10", "20"] });
  });

  test.each<readonly [string, Partial<Question>, string]>([
    ["the same question", {}, "good"],
    ["another kind", { kind: "scriptQuery" }, "altered"],
    ["another owner", { owner: "AbCe=" }, "altered"],
    ["another text", { about: ["SELECT * FROM d", "[]"] }, "altered"],
    ["other parameters", { about: ["SELECT *\nFROM c", "[1]"] }, "altered"],
    ["nothing more", { about: [] }, "altered"],
    ["the same words, cut elsewhere", { about: ["SELECT *", "FROM c", "[]"] }, "altered"],
    ["no scope", { scope: undefined }, "altered"],
    ["a key in place of a range", { scope: within("10", "20", "key") }, "altered"],
    ["the left half of its range", { scope: within("10", "18") }, "good"],
    ["the right half of its range", { scope: within("18", "20") }, "good"],
    ["a range that has its own in the middle", { scope: within("0F", "21") }, "altered"],
    ["a range that ends behind its own", { scope: within("10", "21") }, "altered"],
    ["the range beside its own", { scope: within("20", "30") }, "altered"],
    ["no key of the range that was named", { scope: { by: "range", range: "nowhere" } }, "good"],
  ])("asked with %s", (_what, change, expected) => {
    expect(messageOf(signed(), { ...QUESTION, ...change })).toContain(expected);
  });

  test.each([
    ["part", within("10", "18")],
    ["part", within("18", "20")],
    ["all", within("10", "20")],
    ["more", within("", "20")],
  ] as const)("knows what is asked for: %s", (asked, scope) => {
    const cursor = KEY.cursorsOf(() => ({ ...QUESTION, scope })).read(signed());
    expect(cursor).toMatchObject({ ok: true, value: { asked } });
  });

  test("of a key is good for no more than that key", () => {
    const ofKey = signed({ ...QUESTION, scope: within("10", "20", "key") });
    const wider = { ...QUESTION, scope: within("", "20", "key") };
    expect(messageOf(ofKey, wider)).toContain("altered");
  });

  test("of another account is none", () => {
    const other = CursorKey.made(seededRandom(3));
    expect(messageOf(signed(QUESTION, FIELDS, other))).toContain("altered");
    expect(messageOf(signed(QUESTION, FIELDS, other), QUESTION, other)).toBe("good");
  });

  test("outlives the key object: its text gives the same one again", () => {
    const again = CursorKey.parse(CursorKey.made(seededRandom(5)).text);
    const text = signed(QUESTION, FIELDS, CursorKey.made(seededRandom(5)));
    expect(messageOf(text, QUESTION, again)).toBe("good");
  });

  test.each(["12", "0", '{"c":"AbCd=","min":"","max":"FF","n":1}'])(
    "of an earlier version is refused as such: %s",
    (text) => expect(messageOf(text)).toContain("earlier version"),
  );

  test.each(["", "x", "-1", "1.5", "null", "[]", "{}", '{"h":"0123456789abcdef"}'])(
    "is not %j",
    (text) => expect(messageOf(text)).toContain("altered"),
  );
});

test("every change of a single character is refused", () => {
  const text = signed();
  for (let at = 0; at <= text.length; at++) {
    const before = text.slice(0, at);
    expect(messageOf(before) === "good", `cut at ${at}`).toBe(at === text.length);
    for (let code = 0x20; code < 0x7f; code++) {
      const character = String.fromCharCode(code);
      if (text[at] !== character) {
        const changed = before + character + text.slice(at + 1);
        if (messageOf(changed) === "good") expect.fail(`${character} at ${at}: ${changed}`);
        const longer = before + character + text.slice(at);
        if (messageOf(longer) === "good") expect.fail(`${character} before ${at}: ${longer}`);
      }
    }
  }
});

test("two questions never sign alike", () => {
  const anyQuestion = fc.record({
    kind: fc.constantFrom<Question["kind"]>("query", "scriptQuery", "readFeed", "list"),
    owner: fc.string({ maxLength: 3 }),
    about: fc.array(fc.string({ unit: "binary", maxLength: 3 }), { maxLength: 3 }),
  });
  fc.assert(
    fc.property(anyQuestion, anyQuestion, (one, other) => {
      const isSame = JSON.stringify(one) === JSON.stringify(other);
      expect(messageOf(signed(one), other) === "good").toBe(isSame);
    }),
  );
});
