/**
 * The tables are the pattern language, one rule a line: read them first. The properties hold the
 * engine against JavaScript's own, on patterns that mean the same to both, and its two searches
 * against each other. What evil patterns cost is in `evil.test.ts`.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PatternProblem } from "./problem.ts";
import { Regex } from "./regex.ts";

/** All matches, each in brackets, inside the text. */
function marked(pattern: string, modifiers: string, text: string): string {
  let kept = 0;
  let shown = "";
  for (const { start, end } of new Regex(pattern, modifiers).matches(text)) {
    shown += `${text.slice(kept, start)}<${text.slice(start, end)}>`;
    kept = end;
  }
  return shown + text.slice(kept);
}

type Rule = readonly [rule: string, pattern: string, modifiers: string, marked: string];

const MATCHING: readonly Rule[] = [
  ["letters match themselves, anywhere", "bc", "", "a<bc>d"],
  ["case matters", "BC", "", "abcd"],
  ["with i it does not", "BC", "i", "a<bc>d"],
  ["a dot is any character", "b.", "", "a<bc>d"],
  ["but a line feed", "a.", "", "a\n<ab>"],
  ["which it is with s", "a.", "s", "<a\n><ab>"],
  ["a dot is a whole character, not half of one", "^.$", "", "<😀>"],
  ["a class lists characters and ranges", "[a-cx]+", "", "<abc>d<x>"],
  ["a negated class is all others", "[^a-c]+", "", "abc<d\n>a"],
  ["a closing bracket may come first", "[]a]+[^]a]", "", "<]a[>"],
  ["a hyphen may come first or last", "[-a]+[b-]+", "", "<-a-b->"],
  ["a hyphen beside a class is a hyphen", "[\\d-x]+", "", "a<1-x>"],
  ["a class may hold classes", "[\\d\\s]+", "", "a<1 2>b"],
  ["a class may hold POSIX classes", "[[:alpha:][:digit:]_]+", "", "-<a1_>-"],
  ["which can be negated", "[[:^alpha:]]+", "", "a<1->b"],
  ["inside a class \\b is a backspace", "[\\b]", "", "a<\b>"],
  ["\\d is a digit", "\\d+", "", "a<12>b٣"],
  ["\\w is a letter, digit or underscore", "\\w+", "", "<a_1>-<b>é"],
  ["\\s is white space", "\\s+", "", "a< \t\n>b"],
  ["\\D \\W \\S are the others", "\\D\\W\\S", "", "<a-b>"],
  ["\\p is a Unicode category", "\\p{Lu}\\p{L}+", "", "a<Éa>1"],
  ["of one letter without braces", "\\pN+", "", "a<1٣>"],
  ["or a script", "\\p{Greek}+", "", "a<αβγ>"],
  ["\\P is all others", "\\P{L}+", "", "a<1->b"],
  ["and so is \\p{^…}", "[\\p{^L}]+", "", "a<1->b"],
  ["characters can be written by number", "\\x41\\u0042\\x{43}\\0", "", "<ABC\0>"],
  ["both halves of one, too", "\\uD83D\\uDE00", "", "<😀>"],
  ["half of one is not found in a whole one", "\\uD83D", "", "😀"],
  ["controls have letters", "\\t\\n\\r\\f\\v\\e\\a\\cA", "", "<\t\n\r\f\v\x1b\x07\x01>"],
  ["an escaped sign is that sign", "\\.\\*\\\\\\/", "", "<.*\\/>"],
  ["^ and $ hold at the ends", "^a$", "", "<a>"],
  ["not elsewhere", "^a", "", "<a>a"],
  ["$ holds before the last line feed", "a$", "", "a\n<a>\n"],
  ["and so does \\Z", "a\\Z", "", "<a>\n"],
  ["but \\z does not", "a\\z", "", "a\n<a>"],
  ["with m they hold at every line", "^a$", "m", "<a>\n<a>\nab\n<a>"],
  ["\\A holds at the start even then", "\\Aa", "m", "<a>\na"],
  ["\\b holds between a word and no word", "\\ba", "", "<a>ba <a>"],
  ["\\B holds elsewhere", "\\Ba", "", "ab<a> a"],
  ["a choice prefers the first", "a|ab", "", "<a>b"],
  ["the leftmost match wins", "b|ab", "", "<ab>"],
  ["groups bind", "(?:ab)+", "", "<abab>a"],
  ["groups may have names", "(?<x>a)(?'y'b)(?P<z>c)", "", "<abc>"],
  ["* takes as many as it can", "ba*", "", "<baa>"],
  ["+ needs one", "ba+", "", "b<ba>"],
  ["? takes one if it can", "ba?", "", "<ba>a"],
  ["a question mark makes them take few", "ba*?a|ba+?|ba??", "", "<ba>a"],
  ["{n} counts", "a{2}", "", "<aa><aa>a"],
  ["{n,} has no end", "a{2,}", "", "<aaaaa>"],
  ["{n,m} has two", "a{2,3}", "", "<aaa><aa>"],
  ["{n,m}? takes few", "a{2,3}?", "", "<aa><aa>a"],
  ["{0} is nothing", "ba{0}", "", "<b>a"],
  ["a brace that counts nothing is a brace", "a{x}|{,3}", "", "<a{x}> <{,3}>"],
  ["an empty pattern matches everywhere", "", "", "<>a<>b<>"],
  ["an empty match follows a full one", "a*", "", "<>b<aa><>"],
  ["an empty match does not cut a character", "", "", "<>😀<>"],
  ["a loop ends when its body matches nothing", "(?:|a)*", "", "<>a<>"],
  ["x ignores white space and comments", "a b # c\n c\\ [ ]", "x", "<abc  >"],
  ["comments are ignored always", "a(?#b)c", "", "<ac>"],
  ["modifiers may stand inside", "a(?i)b", "", "<aB> Ab"],
  ["up to the end of the group", "(?:a(?i)b)c", "", "<aBc> abC"],
  ["or for a group alone", "a(?i:b)c", "", "<aBc> abC"],
  ["they can be switched off", "a(?-i)b", "i", "<Ab> aB"],
  ["several at once", "(?is-m:A.B)", "m", "<a\nb>"],
  ["i folds beyond ASCII", "É[Σ]", "i", "<éς>"],
  ["i widens a class before it is negated", "[^A]", "i", "a<b>"],
  ["i widens categories", "\\p{Lu}+", "i", "<abC>"],
  ["i keeps the dotless i apart", "ı", "i", "iI<ı>"],
];

describe("matching", () => {
  test.each(MATCHING)("%s: %s", (_, pattern, modifiers, shown) => {
    const text = shown.replaceAll(/[<>]/g, "");
    expect(marked(pattern, modifiers, text)).toBe(shown);
    expect(new Regex(pattern, modifiers).isMatch(text)).toBe(shown !== text);
  });
});

const GROUPS: readonly (readonly [pattern: string, text: string, groups: string])[] = [
  ["(a)(b)?", "ab", "ab a b"],
  ["(a)(b)?", "ac", "a a -"],
  ["(?<x>a)(b)", "ab", "ab a b"],
  ["((a)(b))", "ab", "ab ab a b"],
  ["(a|b)+", "abab", "abab b"],
  ["(?:(a)|b)+", "ab", "ab a"],
  ["(a*)(a*)", "aa", "aa aa "],
  ["(a*?)(a*)", "aa", "aa  aa"],
  ["(?:(x)|(y))z", "yz", "yz - y"],
];

describe("groups", () => {
  test.each(GROUPS)("%s on %s", (pattern, text, groups) => {
    const regex = new Regex(pattern, "");
    const seen = Array.from({ length: regex.groupCount + 1 }, (_, number) => {
      const group = regex.matches(text, number).next().value?.group;
      return group === undefined ? "-" : text.slice(group.start, group.end);
    });
    expect(seen.join(" ")).toBe(groups);
  });
});

const REFUSED: readonly (readonly [pattern: string, problem: string])[] = [
  ["a(?=b)", "at offset 1: look-ahead is not supported"],
  ["(?!b)", "look-ahead is not supported"],
  ["(?<=b)", "look-behind is not supported"],
  ["(?<!b)", "look-behind is not supported"],
  ["(?>b)", "an atomic group is not supported"],
  ["(?(1)a|b)", "a conditional is not supported"],
  ["(?|a|b)", "a branch reset is not supported"],
  ["(?R)", "a recursion is not supported"],
  ["(*FAIL)", "a control verb is not supported"],
  ["(a)\\1", "at offset 3: a back-reference is not supported"],
  ["(?<x>a)\\k<x>", "a back-reference is not supported"],
  ["a*+", "a possessive quantifier is not supported"],
  ["a{2}+", "a possessive quantifier is not supported"],
  ["\\Ga", "\\G is not supported"],
  ["[a-z-[aeiou]]", "class subtraction is not supported"],
  ["\\y", "unknown escape \\y"],
  ["\\p{Nope}", "unknown Unicode property"],
  ["[[:nope:]]", "unknown POSIX class"],
  ["\\u12", "\\u needs four digits"],
  ["\\x{110000}", "\\x needs a character's number"],
  ["\\c1", "\\c needs a letter"],
  ["a\\", "a backslash ends the pattern"],
  ["[a", "a character class is not closed"],
  ["[b-a]", "a range runs backwards"],
  ["(a", "a group is not closed"],
  ["a)", "at offset 1: unmatched closing parenthesis"],
  ["(?#a", "a comment is not closed"],
  ["(?q)", "unknown kind of group"],
  ["(?<x>a)(?<x>b)", "two groups have the same name"],
  ["*a", "nothing comes before the quantifier '*'"],
  ["a|+", "nothing comes before the quantifier '+'"],
  ["{2}", "nothing comes before the quantifier"],
  ["a**", "nested quantifier"],
  ["a{2}{3}", "nested quantifier"],
  ["a{3,2}", "a quantifier's bounds run backwards"],
  ["a{70000}", "a quantifier's count is too large"],
  ["(a{1000}){1000}", "too large"],
  ["((a{100}){100}){100}", "too large"],
  ["(?:a?){20000}", "too large"],
  ["(".repeat(300) + ")".repeat(300), "groups are nested too deeply"],
  ["a".repeat(10_001), "too large"],
  ["[\\p{L}]".repeat(1_000), "the character classes are too large"],
];

describe("refusals", () => {
  const named = REFUSED.map(([pattern, problem]) => [pattern.slice(0, 30), problem, pattern]);
  test.each(named)("%s: %s", (_, problem, pattern) => {
    expect(() => new Regex(pattern!, "")).toThrow(PatternProblem);
    expect(() => new Regex(pattern!, "")).toThrow(problem);
  });

  test("unknown modifiers", () => {
    expect(() => new Regex("a", "ig")).toThrow("Invalid regular expression modifier 'g'.");
    expect(() => new Regex("a", "I")).toThrow(PatternProblem);
  });
});

/** Stands for a character of two units, which JavaScript sometimes finds matches inside of. */
const WIDE = "☃";

/** A pattern for this engine and one for JavaScript that means the same. */
interface Twin {
  readonly ours: string;
  readonly theirs: string;
  readonly mayBeEmpty: boolean;
  /** A loop around what may be empty: there Perl and JavaScript prefer different matches. */
  readonly isPeculiar: boolean;
}

const twin = (ours: string, mayBeEmpty = false, theirs = ours): Twin => ({
  ours,
  theirs: theirs.replaceAll("😀", WIDE),
  mayBeEmpty,
  isPeculiar: false,
});

const LEAVES: readonly Twin[] = [
  ...["a", "b", "ab", ".", "[ab]", "[^a]", "\\d", "\\w", "\\W", "\\s", "é", "\\p{L}"].map((leaf) =>
    twin(leaf),
  ),
  ...["[\\w-]", "[^\\d\\s]", "😀", "\\n", "[a-é]", "\\x61", "\\u{0}"].map((leaf) =>
    twin(leaf.replace("\\u{0}", "\\x00"), false, leaf),
  ),
  ...["\\b", "\\B", "^", ""].map((leaf) => twin(leaf, true)),
  twin("\\z", true, "(?![^])"),
];

const QUANTIFIERS = ["*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{0,2}?", "{2,}"];

const anyTwin: fc.Arbitrary<Twin> = fc.letrec<{ tree: Twin }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom(...LEAVES),
    fc.array(tie("tree"), { minLength: 2, maxLength: 3 }).map((parts) => ({
      ours: parts.map(({ ours }) => ours).join(""),
      theirs: parts.map(({ theirs }) => theirs).join(""),
      mayBeEmpty: parts.every(({ mayBeEmpty }) => mayBeEmpty),
      isPeculiar: parts.some(({ isPeculiar }) => isPeculiar),
    })),
    fc.array(tie("tree"), { minLength: 2, maxLength: 3 }).map((options) => ({
      ours: `(?:${options.map(({ ours }) => ours).join("|")})`,
      theirs: `(?:${options.map(({ theirs }) => theirs).join("|")})`,
      mayBeEmpty: options.some(({ mayBeEmpty }) => mayBeEmpty),
      isPeculiar: options.some(({ isPeculiar }) => isPeculiar),
    })),
    fc.tuple(tie("tree"), fc.constantFrom(...QUANTIFIERS)).map(([body, quantifier]) => ({
      ours: `(${body.ours})${quantifier}`,
      theirs: `(${body.theirs})${quantifier}`,
      mayBeEmpty: body.mayBeEmpty || /^[*?]|^\{0/.test(quantifier),
      isPeculiar: body.isPeculiar || body.mayBeEmpty,
    })),
  ),
})).tree;

const anyText = fc.string({ unit: fc.constantFrom(..."aabb1 _-\néA😀"), maxLength: 12 });
const anyModifiers = fc.constantFrom("", "i", "m", "s", "ims");

describe("agreement with JavaScript", () => {
  test("on whether there is a match", () => {
    fc.assert(
      fc.property(anyTwin, anyText, anyModifiers, ({ ours, theirs }, text, modifiers) => {
        const expected = new RegExp(theirs, `${modifiers}u`).test(text.replaceAll("😀", WIDE));
        expect(new Regex(ours, modifiers).isMatch(text)).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  test("on where all matches are", () => {
    fc.assert(
      fc.property(anyTwin, anyText, anyModifiers, (pair, text, modifiers) => {
        fc.pre(!pair.isPeculiar);
        const shown = text.replaceAll("😀", WIDE);
        const theirs = [...shown.matchAll(new RegExp(pair.theirs, `${modifiers}gu`))];
        const ours = [...new Regex(pair.ours, modifiers).matches(text)];
        const characterAt = (at: number): number => [...text.slice(0, at)].length;
        expect(ours.map(({ start, end }) => [start, end].map(characterAt))).toEqual(
          theirs.map(({ 0: match, index }) => [index, index + match.length]),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  test("on what differs in case only, for every character that has a case", () => {
    const differing: string[] = [];
    for (let code = 0; code < 0x1f000; code++) {
      const character = String.fromCodePoint(code);
      if (!/\p{Changes_When_Casemapped}/u.test(character)) continue;
      const regex = new Regex(`^\\x{${code.toString(16)}}\\z`, "i");
      const theirs = new RegExp(`^\\u{${code.toString(16)}}$`, "iu");
      for (const other of [character.toLowerCase(), character.toUpperCase(), "i", "k", "s"]) {
        if (regex.isMatch(other) !== theirs.test(other)) differing.push(`${character}/${other}`);
      }
    }
    expect(differing).toEqual([]);
  });
});

describe("the two searches", () => {
  test("agree, from every place of the text on", () => {
    fc.assert(
      fc.property(anyTwin, anyText, anyModifiers, ({ ours }, text, modifiers) => {
        const regex = new Regex(ours, modifiers);
        const first = regex.matches(text).next().value;
        expect(regex.isMatch(text)).toBe(first !== undefined);
        for (const { start } of regex.matches(text)) {
          expect(regex.isMatch(text, undefined, start)).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

test("any text is a pattern or a problem, never a defect", () => {
  const anyPattern = fc.string({ unit: fc.constantFrom(..."ab()[]{}?*+|^$\\.:<>=!-,012pdwsQxuP") });
  fc.assert(
    fc.property(anyPattern, anyText, anyModifiers, (pattern, text, modifiers) => {
      try {
        const regex = new Regex(pattern, modifiers);
        expect(regex.isMatch(text)).toBe(!regex.matches(text).next().done);
      } catch (problem) {
        expect(problem).toBeInstanceOf(PatternProblem);
      }
    }),
    { numRuns: 1_000 },
  );
});
