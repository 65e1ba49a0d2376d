/** What is written and what it means; what is refused and where; then any tree and any text. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KeyExpression, KeyLevels } from "./expression.ts";
import {
  parseKeyExpression,
  parseKeyLevels,
  printKeyExpression,
  printKeyLevels,
} from "./expressionText.ts";
import { randomPair } from "./randomExpression.fake.ts";

const path = (...steps: string[]) => ({ kind: "path" as const, steps });
const text = (words: string) => ({ kind: "text" as const, text: words });

describe("an expression", () => {
  test.each<[string, KeyExpression]>([
    ["/tenantId", path("tenantId")],
    ["/a/b/c", path("a", "b", "c")],
    ["/_ts", path("_ts")],
    ["/first-name", path("first-name")],
    ['/"my prop"/x', path("my prop", "x")],
    ['/""', path("")],
    ["/Größe/0", path("Größe", "0")],
    [
      "concat(/deviceId, '-', month(/ts))",
      {
        kind: "concat",
        parts: [path("deviceId"), text("-"), { kind: "period", grain: "month", of: path("ts") }],
      },
    ],
    ["week(/a/ts)", { kind: "period", grain: "week", of: path("a", "ts") }],
    ["hash(/id) % 20", { kind: "hash", of: path("id"), count: 20 }],
    [
      "suffix(/date, hash(/vin), 400)",
      { kind: "suffix", base: path("date"), by: { hashOf: path("vin") }, count: 400 },
    ],
    [
      "suffix(/date, random(), 400)",
      { kind: "suffix", base: path("date"), by: "random", count: 400 },
    ],
    ["suffix(/date, turn(), 4)", { kind: "suffix", base: path("date"), by: "turn", count: 4 }],
    ["random(50)", { kind: "random", count: 50 }],
    ["turn(50)", { kind: "turn", count: 50 }],
    [
      "choose(/source, ['a', 'b'], month(/ts), quarter(/ts))",
      {
        kind: "choose",
        of: path("source"),
        values: ["a", "b"],
        chosen: { kind: "period", grain: "month", of: path("ts") },
        otherwise: { kind: "period", grain: "quarter", of: path("ts") },
      },
    ],
    ["lower(/name)", { kind: "lower", of: path("name") }],
  ])("%s is read, and printed as it was", (written, tree) => {
    expect(parseKeyExpression(written)).toEqual({ ok: true, value: tree });
    expect(printKeyExpression(tree)).toBe(written);
  });

  test.each([
    ["concat(/tenantId, '-', hash(/id) % 20)", "concat(/tenantId, '-', hash(/id) % 20)"],
    [' CONCAT ( /a ,"-",Month(/ts) ) ', "concat(/a, '-', month(/ts))"],
    ["hash( /id )%20", "hash(/id) % 20"],
    ["random() % 50", "random(50)"],
    ["Coalesce(/a,concat('none-',/id))", "coalesce(/a, concat('none-', /id))"],
    ["turn()%50", "turn(50)"],
    [`concat("it's", 'a"b', 'c\\'d\\u0041\\/')`, `concat('it\\'s', 'a"b', 'c\\'dA/')`],
    ['/"plain"/"odd one"', '/plain/"odd one"'],
    ["choose(/a, [], /b, /c)", "choose(/a, [], /b, /c)"],
    ["suffix(/a, hash(concat(/b, /c)), 1_000)", "suffix(/a, hash(concat(/b, /c)), 1000)"],
    ["hour(\n\t/ts\n)", "hour(/ts)"],
  ])("%s may also be written", (written, printed) => {
    const parsed = parseKeyExpression(written);
    expect(parsed.ok && printKeyExpression(parsed.value)).toBe(printed);
  });

  test.each([
    ["", 0, "a path such as /id"],
    ["   ", 3, "a path such as /id"],
    ["tenantId", 0, "a property is written with a slash: /tenantId"],
    ["monthly(/ts)", 0, 'no function "monthly"; there are concat, hour, day, week, month'],
    ["concat(/a, foo(/b))", 11, 'no function "foo"'],
    ["coalesce(/a)", 9, "coalesce needs what to take instead"],
    ["/", 1, "the name of a property"],
    ["/a//b", 3, "the name of a property"],
    ["/my prop", 4, 'should end before "prop"'],
    ["month('2020')", 6, "month takes a path: month(/ts)"],
    ["month(/ts", 9, ") is expected after the path"],
    ["hash(/id)", 9, "% is expected and a count after hash(…): hash(/id) % 20"],
    ["hash(/id) % 0", 12, "a whole number from 1 to 1,000,000"],
    ["hash(/id) % 1000001", 12, "a whole number from 1 to 1,000,000"],
    ["hash(/id) % 2.5", 12, "a whole number from 1"],
    ["hash(/id) % -3", 12, "a whole number from 1"],
    ["hash(/id) % many", 12, "a whole number from 1"],
    ["/id % 20", 4, "% belongs after hash"],
    ["suffix(/date, /vin, 400)", 14, "made by hash(…), random() or turn()"],
    ["suffix(/date, hash(/vin) % 400)", 25, "the count is the third argument"],
    ["suffix(/date, hash(/vin))", 24, ", is expected and a count"],
    ["concat()", 7, "a path such as /id"],
    ["concat(/a", 9, ") is expected or a comma"],
    ["concat(/a, 5)", 11, "as a text it is written '5'"],
    ["concat(/a, 'x)", 11, "this text has no closing '"],
    ["'\\x'", 1, "after a backslash"],
    ["'\\u00g0'", 1, "after a backslash"],
    ["choose(/a, ['x' 'y'], /b, /c)", 16, ", is expected or ] after a value"],
    ["choose(/a, [5], /b, /c)", 12, "a value should follow here, in quotes"],
    ["choose(/a, ['x'], /b)", 20, ", is expected and the expression for all others"],
    ["choose('a', ['x'], /b, /c)", 7, "the value of a path"],
    ["/a, /b", 2, "levels are written as [/a, /b]"],
    ["/a /b", 3, 'should end before "/b"'],
    [`${"lower(".repeat(40)}/a${")".repeat(40)}`, 198, "more than 32 calls"],
  ])("%s is refused at %d: %s", (written, at, message) => {
    const parsed = parseKeyExpression(written);
    expect(parsed).toMatchObject({ ok: false, error: { at } });
    expect(!parsed.ok && parsed.error.message).toContain(message);
  });
});

describe("levels", () => {
  test.each([
    ["/a", "/a"],
    ["[/a]", "/a"],
    ["[/a, /b]", "[/a, /b]"],
    [" [ /a ,month(/ts), hash(/id) % 4 ] ", "[/a, month(/ts), hash(/id) % 4]"],
  ])("%s are read and printed as %s", (written, printed) => {
    const parsed = parseKeyLevels(written);
    expect(parsed.ok && printKeyLevels(parsed.value)).toBe(printed);
  });

  test.each([
    ["[/a, /b, /c, /d]", 12, "at most 3 levels"],
    ["[]", 1, "a path such as /id"],
    ["[/a", 3, "] is expected after the last level"],
    ["[/a] /b", 5, "should end"],
    ["/a, /b", 2, "in brackets: [/a, /b]"],
  ])("%s is refused at %d: %s", (written, at, message) => {
    const parsed = parseKeyLevels(written);
    expect(parsed).toMatchObject({ ok: false, error: { at } });
    expect(!parsed.ok && parsed.error.message).toContain(message);
  });
});

test("what is printed is read as the same tree", () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 3 }), (seed, count) => {
      const levels: KeyLevels = Array.from(
        { length: count },
        (_, index) => randomPair(seed + index).expression,
      );
      expect(parseKeyExpression(printKeyExpression(levels[0]!))).toEqual({
        ok: true,
        value: levels[0],
      });
      expect(parseKeyLevels(printKeyLevels(levels))).toEqual({ ok: true, value: levels });
    }),
    { numRuns: 2000 },
  );
});

test("every text is answered, with a place inside it", () => {
  const pieces = fc.constantFrom(
    ...["/", "a", "(", ")", "[", "]", ",", "'", '"', "\\", "%", "5", " ", "\ud83d", "\ude00", "é"],
    ...["concat(", "month(/ts)", "hash(/id) % 20", "suffix(", "choose(", "random()", "lower("],
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      const written = parts.join("");
      for (const parse of [parseKeyExpression, parseKeyLevels]) {
        const parsed = parse(written);
        if (parsed.ok) continue;
        expect(parsed.error.message).not.toBe("");
        expect(parsed.error.at).toBeGreaterThanOrEqual(0);
        expect(parsed.error.at).toBeLessThanOrEqual(written.length);
      }
    }),
    { numRuns: 3000 },
  );
});
