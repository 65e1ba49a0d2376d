/**
 * The table is the language of patterns, row by row. Then every short pattern is compared with a
 * model that tries all there is to try, and hostile patterns are held to their bound of steps.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { compileLike } from "./likePattern.ts";

interface Rule {
  readonly rule: string;
  readonly pattern: string;
  readonly escapeChar?: string;
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

const RULES: readonly Rule[] = [
  { rule: "without wildcards it is equality", pattern: "ab", yes: ["ab"], no: ["a", "abc", "AB"] },
  { rule: "nothing matches nothing", pattern: "", yes: [""], no: ["a"] },
  { rule: "% is any run, empty too", pattern: "%", yes: ["", "a", "line\nline"], no: [] },
  { rule: "% behind: starts with", pattern: "fruit%", yes: ["fruit", "fruits"], no: ["a fruit"] },
  { rule: "% before: ends with", pattern: "%Road", yes: ["Road", "LL Road"], no: ["Roads"] },
  { rule: "% around: contains", pattern: "%driver%", yes: ["driver", "a driver b"], no: ["drive"] },
  { rule: "order counts", pattern: "%SO%PS%", yes: ["SOPS", "xSOyPSz"], no: ["PSSO", "SO"] },
  {
    rule: "start and end share no text",
    pattern: "aba%aba",
    yes: ["abaaba"],
    no: ["aba", "ababa"],
  },
  { rule: "a run may be met twice", pattern: "%ab%b", yes: ["abb", "abab"], no: ["ab"] },
  { rule: "_ is one character", pattern: "SO_PS", yes: ["SOAPS", "SO PS"], no: ["SOPS", "SOaaPS"] },
  { rule: "_ and %", pattern: "_%_", yes: ["ab", "abc"], no: ["", "a"] },
  { rule: "a surrogate pair is one character", pattern: "_", yes: ["😀", "é"], no: ["😀😀"] },
  { rule: "a set", pattern: "[abc]", yes: ["a", "b", "c"], no: ["d", "ab", "", "A"] },
  { rule: "a range", pattern: "SO[t-z]PS", yes: ["SOtPS", "SOzPS"], no: ["SOaPS", "SOPS"] },
  { rule: "ranges and members", pattern: "[a-c_x-z]", yes: ["b", "_", "y"], no: ["d", "-"] },
  { rule: "beyond the basic plane", pattern: "[😀-😂]", yes: ["😁"], no: ["😃", "\ud83d"] },
  { rule: "a range upside down is empty", pattern: "[f-a]", yes: [], no: ["a", "f", "c", "-"] },
  { rule: "none of a set", pattern: "SO[^abc]PS", yes: ["SOxPS"], no: ["SOaPS", "SOPS"] },
  { rule: "none of a range", pattern: "[^a-f]", yes: ["g", "-", "^"], no: ["a", "f", ""] },
  { rule: "^ elsewhere is plain", pattern: "[a^]^", yes: ["a^", "^^"], no: ["b^"] },
  { rule: "an empty set has no member", pattern: "[]", yes: [], no: ["", "a", "[]"] },
  { rule: "none of nothing is any", pattern: "[^]", yes: ["a", "]"], no: ["", "ab"] },
  { rule: "- first or last is plain", pattern: "[-a][b-]", yes: ["-b", "a-"], no: ["bb"] },
  { rule: "- behind a range is plain", pattern: "[xa-c-e]", yes: ["x", "b", "-", "e"], no: ["d"] },
  { rule: "brackets quote %", pattern: "20-30[%]", yes: ["20-30%"], no: ["20-30", "20-30x"] },
  { rule: "brackets quote _", pattern: "[_]n", yes: ["_n"], no: ["an"] },
  { rule: "brackets quote [", pattern: "[[]", yes: ["["], no: ["[]", "[[]"] },
  { rule: "blanks in brackets count", pattern: "[ [ ]", yes: ["[", " "], no: ["[ [ ]"] },
  { rule: "] alone is plain", pattern: "]", yes: ["]"], no: ["", "[]"] },
  { rule: "[ never closed is plain", pattern: "%[%", yes: ["[", "a[1]"], no: ["a]"] },
  { rule: "[ never closed hides nothing", pattern: "[a_", yes: ["[ab"], no: ["[a_b", "ab"] },
  {
    rule: "escaped wildcards are plain",
    pattern: "%20^%%",
    escapeChar: "^",
    yes: ["20%", "save 20% now"],
    no: ["20", "200"],
  },
  { rule: "escaped _", pattern: "a!_b", escapeChar: "!", yes: ["a_b"], no: ["acb", "a!_b"] },
  { rule: "escaped escape", pattern: "a!!b", escapeChar: "!", yes: ["a!b"], no: ["a!!b", "ab"] },
  { rule: "escaped letter", pattern: "!a%", escapeChar: "!", yes: ["ab"], no: ["!ab"] },
  { rule: "escaped [", pattern: "![a]", escapeChar: "!", yes: ["[a]"], no: ["a"] },
  { rule: "escaped ]", pattern: "[!]]", escapeChar: "!", yes: ["]"], no: ["!]", "!"] },
  { rule: "escaped - in a set", pattern: "[a!-c]", escapeChar: "!", yes: ["-"], no: ["b", "!"] },
  { rule: "escaped ^ in a set", pattern: "[!^a]", escapeChar: "!", yes: ["^", "a"], no: ["b"] },
  { rule: "^ as escape negates nothing", pattern: "[^a]", escapeChar: "^", yes: ["a"], no: ["b"] },
  { rule: "% can be the escape", pattern: "%%a", escapeChar: "%", yes: ["%a"], no: ["a", "ba"] },
  { rule: "an escape at the end", pattern: "a!", escapeChar: "!", yes: [], no: ["a", "a!", "!"] },
  { rule: "half a pair is not in a pair", pattern: "%\ude00", yes: ["a\ude00"], no: ["😀"] },
];

describe("like patterns", () => {
  test.each(RULES)("$rule: $pattern", ({ pattern, escapeChar, yes, no }) => {
    const { matches } = compileLike(pattern, escapeChar);
    expect(yes.filter((text) => !matches(text))).toEqual([]);
    expect(no.filter((text) => matches(text))).toEqual([]);
  });

  test.each([
    { pattern: "ab", prefix: "ab", shape: "literal" },
    { pattern: "", prefix: "", shape: "literal" },
    { pattern: "20[%]", prefix: "20%", shape: "literal" },
    { pattern: "a!%", prefix: "a%", shape: "literal" },
    { pattern: "ab%", prefix: "ab", shape: "prefix" },
    { pattern: "ab%%", prefix: "ab", shape: "prefix" },
    { pattern: "%", prefix: "", shape: "prefix" },
    { pattern: "a[_]b%", prefix: "a_b", shape: "prefix" },
    { pattern: "ab%c", prefix: "ab", shape: "other" },
    { pattern: "ab_", prefix: "ab", shape: "other" },
    { pattern: "ab[cd]e%", prefix: "ab", shape: "other" },
    { pattern: "a!", prefix: "a", shape: "other" },
  ])("$pattern has the prefix '$prefix' and is of shape $shape", ({ pattern, prefix, shape }) => {
    const like = compileLike(pattern, "!");
    expect(like.prefix).toBe(prefix);
    expect(like.isLiteral).toBe(shape === "literal");
    expect(like.isPrefix).toBe(shape === "prefix");
  });
});

describe("like properties", () => {
  const anyOf = (signs: readonly string[], maxLength: number): fc.Arbitrary<string> =>
    fc.array(fc.constantFrom(...signs), { maxLength }).map((chars) => chars.join(""));
  const anyPattern = anyOf(["a", "b", "%", "%", "_", "[", "]", "^", "-", "!", "😀", "\ud83d"], 9);
  const anyText = anyOf(["a", "b", "c", "-", "[", "]", "^", "!", "😀", "\ud83d", "\ude00"], 7);
  const anyEscape = fc.constantFrom(undefined, "!", "^");

  test("it matches what the model matches, and says the truth about its prefix", () => {
    fc.assert(
      fc.property(anyPattern, anyText, anyEscape, (pattern, text, escapeChar) => {
        const like = compileLike(pattern, escapeChar);
        const isMatch = modelMatches([...pattern], [...text], escapeChar);
        expect(like.matches(text)).toBe(isMatch);
        if (isMatch) expect(text.startsWith(like.prefix)).toBe(true);
        if (like.isLiteral) expect(isMatch).toBe(text === like.prefix);
        if (like.isPrefix) expect(isMatch).toBe(text.startsWith(like.prefix));
      }),
      { numRuns: 5_000 },
    );
  });

  test.each([
    ["%a", "b"],
    ["%_a", "b"],
    ["%[ab]a", "b"],
    ["_%", "b"],
    ["%a_a_a", "b%"],
    ["%", "[^a]%b"],
  ])("%s, many times, then %s: never more steps than text × pattern", (repeated, last) => {
    const pattern = repeated.repeat(30) + last;
    const text = "a".repeat(600);
    const like = compileLike(pattern, undefined);
    const { answer, steps } = countSteps(() => like.matches(text));
    expect(answer).toBe(false);
    expect(steps).toBeLessThanOrEqual(text.length * pattern.length);
  });
});

/** Characters in, answer out: each `%` tries every length. */
function modelMatches(
  pattern: readonly string[],
  text: readonly string[],
  escapeChar: string | undefined,
): boolean {
  const [sign, ...rest] = pattern;
  if (sign === undefined) return text.length === 0;
  if (sign === escapeChar) {
    return rest[0] !== undefined && rest[0] === text[0] && next(rest.slice(1));
  }
  if (sign === "%") {
    const isMatch = (_: unknown, skipped: number): boolean =>
      modelMatches(rest, text.slice(skipped), escapeChar);
    return ["", ...text].some(isMatch);
  }
  if (text[0] === undefined) return false;
  if (sign === "_") return next(rest);
  const set = sign === "[" ? modelSet(rest, escapeChar) : undefined;
  if (set !== undefined) return set.pattern.test(text[0]) && next(rest.slice(set.length));
  return sign === text[0] && next(rest);

  function next(remaining: readonly string[]): boolean {
    return modelMatches(remaining, text.slice(1), escapeChar);
  }
}

/** The set as a regular expression, and how many characters of the pattern it takes. */
function modelSet(
  pattern: readonly string[],
  escapeChar: string | undefined,
): { readonly pattern: RegExp; readonly length: number } | undefined {
  const quote = (char: string): string => `\\u{${char.codePointAt(0)!.toString(16)}}`;
  const isNegated = pattern[0] === "^" && escapeChar !== "^";
  const members: string[] = [];
  for (let index = isNegated ? 1 : 0; index < pattern.length; index += 1) {
    const char = pattern[index]!;
    if (char === "]") return { pattern: setPattern(), length: index + 1 };
    if (char === escapeChar) index += 1;
    if (pattern[index] === undefined) return undefined;
    // An escaped dash is told from a plain one by what it is quoted as.
    members.push(char === "-" ? "-" : quote(pattern[index]!));
  }
  return undefined;

  function setPattern(): RegExp {
    const alternatives: string[] = [];
    for (let index = 0; index < members.length; index += 1) {
      const [first, dash, last] = members.slice(index, index + 3);
      const from = first === "-" ? quote("-") : first!;
      const to = last === "-" ? quote("-") : last;
      const isRange = dash === "-" && to !== undefined;
      if (!isRange) alternatives.push(`[${from}]`);
      else if (codePointIn(from) <= codePointIn(to)) alternatives.push(`[${from}-${to}]`);
      if (isRange) index += 2;
    }
    const oneOf = alternatives.length === 0 ? "(?!)" : `(?:${alternatives.join("|")})`;
    return new RegExp(isNegated ? `^(?!${oneOf})` : `^${oneOf}`, "u");
  }
}

const codePointIn = (quoted: string): number => Number.parseInt(quoted.slice(3, -1), 16);

/** How many characters are looked at: reads and searches of strings, counted while `act` runs. */
function countSteps<T>(act: () => T): { readonly answer: T; readonly steps: number } {
  const { codePointAt, indexOf, startsWith } = String.prototype;
  let steps = 0;
  String.prototype.codePointAt = function (offset) {
    steps += 1;
    return codePointAt.call(this, offset);
  };
  String.prototype.indexOf = function (searched, from = 0) {
    const found = indexOf.call(this, searched, from);
    steps += (found === -1 ? this.length : found + searched.length) - from;
    return found;
  };
  String.prototype.startsWith = function (searched, from) {
    steps += searched.length;
    return startsWith.call(this, searched, from);
  };
  try {
    const answer = act();
    return { answer, steps };
  } finally {
    Object.assign(String.prototype, { codePointAt, indexOf, startsWith });
  }
}
