/**
 * What a text is made of. The rows say `kind:text`; what has a value shows it after an arrow.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { tokensOf } from "./lexer.ts";
import { isPlainName, isReserved, type Token } from "./token.ts";

const TEXTS: readonly (readonly [rule: string, text: string, ...tokens: string[]])[] = [
  ["nothing at all", ""],
  ["white space is space, tab, CR and LF", " \t\r\n"],
  ["a comment runs to the end of its line", "a -- b\nc", "name:a", "name:c"],
  ["or to the end of the text", "a --", "name:a"],
  ["a carriage return ends a line, too", "a --b\rc", "name:a", "name:c"],
  ["the other kind of comment runs over lines", "a/* b\n-- */c", "name:a", "name:c"],
  ["comments do not nest", "/* /* */ a", "name:a"],
  ["reserved words in any case", "SELECT from", "reserved:SELECT", "reserved:from"],
  ["contextual words are names", "RANK let", "name:RANK", "name:let"],
  ["names have letters, digits, underscores", "_a1 Select_", "name:_a1", "name:Select_"],
  ["words that are numbers stay names", "NaN Infinity", "name:NaN", "name:Infinity"],
  ["parameters are case-sensitive names", "@a @A_1", "parameter:@a", "parameter:@A_1"],
  ["strings in either quotes", `'a' "b"`, "string:'a' → a", 'string:"b" → b'],
  ["each holds the other", `'"' "'"`, `string:'"' → "`, `string:"'" → '`],
  ["no doubling of quotes", "'a''b'", "string:'a' → a", "string:'b' → b"],
  ["escapes", String.raw`'\'\"\\\/'`, String.raw`string:'\'\"\\\/' → '"\/`],
  [
    "escapes of control characters",
    String.raw`"\b\f\n\r\t"`,
    'string:"\\b\\f\\n\\r\\t" → \b\f\n\r\t',
  ],
  ["escapes by code", String.raw`"\u00e9\uD83D"`, 'string:"\\u00e9\\uD83D" → é\ud83d'],
  ["comments in strings are text", "'--' '/*'", "string:'--' → --", "string:'/*' → /*"],
  ["whole numbers", "0 42 007", "number:0 → 0", "number:42 → 42", "number:007 → 7"],
  [
    "fractions, also without a side",
    "1.5 .5 1.",
    "number:1.5 → 1.5",
    "number:.5 → 0.5",
    "number:1. → 1",
  ],
  ["exponents", "1e3 2E+1 5.e-1", "number:1e3 → 1000", "number:2E+1 → 20", "number:5.e-1 → 0.5"],
  ["too large for a double", "1e999", "number:1e999 → Infinity"],
  ["hexadecimals", "0xfF 0X10", "number:0xfF → 255", "number:0X10 → 16"],
  ["a sign is an operator", "-1", "symbol:-", "number:1 → 1"],
  ["the longest operator wins", ">>>>=", "symbol:>>>", "symbol:>="],
  ["two question marks or one", "???", "symbol:??", "symbol:?"],
  ["a path", "c.a[0]", "name:c", "symbol:.", "name:a", "symbol:[", "number:0 → 0", "symbol:]"],
];

const SYMBOLS = "= != <> < <= > >= + - * / % & | ^ ~ << >> >>> || ?? ? : . [ ] ( ) { } ,";

/** The place is that of the whole wrong token. */
const INVALID: readonly (readonly [text: string, code: string, token: string, start: number])[] = [
  ["SELECT 1;", "SC1010", ";", 8],
  ["a ! b", "SC1010", "!", 2],
  ["@", "SC1010", "@", 0],
  ["@1", "SC1010", "@", 0],
  ["c.é", "SC1010", "é", 2],
  ["\ud83d\ude00", "SC1010", "\ud83d\ude00", 0],
  ["a\u2003b", "SC1010", "\u2003", 1],
  ["a # b", "SC1010", "#", 2],
  ["$1", "SC1010", "$", 0],
  ["`a`", "SC1010", "`", 0],
  ["a /* b", "SC1010", "/*", 2],
  ["'abc", "SC1012", "'abc", 0],
  [" '", "SC1012", "'", 1],
  [String.raw`'abc\'`, "SC1012", String.raw`'abc\'`, 0],
  ["'\\", "SC1012", "'\\", 0],
  [String.raw`"\x"`, "SC1012", String.raw`"\x"`, 0],
  [String.raw`"\u12g4"`, "SC1012", String.raw`"\u12g4"`, 0],
  ["'a\nb'", "SC1012", "'a\nb'", 0],
  ["12abc", "SC1001", "12abc", 0],
  ["0x", "SC1001", "0x", 0],
  ["1e", "SC1001", "1e", 0],
];

describe("tokens", () => {
  test.each(TEXTS)("%s", (_rule, text, ...expected) => {
    expect(tokensOf(text).slice(0, -1).map(shown)).toEqual(expected);
  });

  test.each(SYMBOLS.split(" "))("the symbol %s", (symbol) => {
    expect(tokensOf(symbol).map(({ code }) => code)).toEqual([symbol, ""]);
  });

  test.each(INVALID)("invalid: %j", (text, code, token, start) => {
    const found = tokensOf(text).at(-2)!;
    const location = { start, end: start + token.length };
    expect(found).toMatchObject({
      kind: "invalid",
      span: location,
      problem: { diagnostics: [{ code, location }] },
    });
    const message = found.kind === "invalid" && JSON.stringify(found.problem);
    expect(message).toContain(JSON.stringify(`'${token}'.`).slice(1, -1));
  });

  test("which names need quotes", () => {
    expect(["a", "_", "A1", "rank", "NaN"].filter(isPlainName)).toHaveLength(5);
    expect(["", "1a", "a-b", "a b", "é", "value", "Order", "a\n"].filter(isPlainName)).toEqual([]);
    expect(["undefined", "WITH", "between"].every(isReserved)).toBe(true);
    expect(["ALL", "FIRST", "LAST", "LET", "RANK", "ı"].some(isReserved)).toBe(false);
  });
});

describe("properties", () => {
  const anyText = fc
    .array(fc.oneof(fc.constantFrom(...SYMBOLS, ..."'\"\\\n @1eEx-*/;"), fc.string()))
    .map((parts) => parts.join(""));

  test("tokens lie in the text in order, and what is between them is blank", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const tokens = tokensOf(text);
        let end = 0;
        for (const token of tokens) {
          expect(text.slice(token.span.start, token.span.end)).toBe(token.text);
          if (tokens.at(-2)?.kind !== "invalid" || token.kind !== "end") {
            expect(tokensOf(text.slice(end, token.span.start))).toHaveLength(1);
          }
          end = token.span.end;
        }
        expect(end).toBe(text.length);
      }),
    );
  });

  test("any string comes back from its JSON", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff)), (units) => {
        const value = String.fromCharCode(...units);
        expect(tokensOf(JSON.stringify(value))[0]).toMatchObject({ kind: "string", value });
      }),
    );
  });

  test("any number comes back from its text", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(tokensOf(String(value))[0]).toMatchObject({ kind: "number", value: value + 0 });
      }),
    );
  });

  test("long runs of anything are read at once", () => {
    for (const unit of [
      "a",
      "1",
      "'",
      "'\\",
      "\\",
      "/*",
      "--\n",
      " ",
      "0x",
      ".",
      "e1",
      "@a",
      "(",
    ]) {
      expect(tokensOf(unit.repeat(100_000 / unit.length)).at(-1)).toMatchObject({ kind: "end" });
    }
  });
});

function shown(token: Token): string {
  const value = token.kind === "number" || token.kind === "string" ? ` → ${token.value}` : "";
  return `${token.kind}:${token.text}${value}`;
}
