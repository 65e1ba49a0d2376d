/**
 * Parses a pattern text into a tree: the syntax that Perl, PCRE and .NET share.
 *
 * Constructs that cannot be searched for in linear time are refused by name: look-around,
 * back-references, atomic groups, possessive quantifiers, conditionals. Nesting, length and the
 * ranges of all classes together are bounded, so the time to parse is, too.
 */
import { parseBracket } from "./bracket.ts";
import { ANY, type CharSet, NOT_LINE_FEED, single } from "./charSet.ts";
import { parseEscape, takeAssertion } from "./escape.ts";
import { choiceOf, EMPTY, type Node, sequenceOf } from "./node.ts";
import { PatternProblem } from "./problem.ts";
import { Scanner } from "./scanner.ts";
import { foldCase } from "./unicode.ts";

const PATTERN_LENGTH_MAX = 10_000;
const DEPTH_MAX = 200;
/** The largest count of a repetition that PCRE accepts. */
const COUNT_MAX = 65_535;
/** Number of range bounds of all classes together; `\p{L}` alone has some 1,300. */
const BOUNDS_MAX = 200_000;

interface Modifiers {
  /** True when upper and lower case are not told apart. */
  readonly i: boolean;
  /** True when `^` and `$` hold at every line. */
  readonly m: boolean;
  /** True when `.` matches line feeds, too. */
  readonly s: boolean;
  /** True when white space and `#` comments in the pattern mean nothing. */
  readonly x: boolean;
}

interface ParsedPattern {
  readonly node: Node;
  readonly groupCount: number;
}

/** Reads the modifiers that a caller passes beside the pattern: any of `imsx`, in any order. */
export function parseModifiers(text: string): Modifiers {
  const unknown = /[^imsx]/u.exec(text);
  if (unknown !== null) {
    throw new PatternProblem(`Invalid regular expression modifier '${unknown[0]}'.`);
  }
  const [i, m, s, x] = [..."imsx"].map((letter) => text.includes(letter));
  return { i: i!, m: m!, s: s!, x: x! };
}

export function parsePattern(pattern: string, modifiers: Modifiers): ParsedPattern {
  if (pattern.length > PATTERN_LENGTH_MAX) {
    throw new PatternProblem(
      `The regular expression is too large: more than ${PATTERN_LENGTH_MAX} characters.`,
    );
  }
  return new Parser(pattern, modifiers).parse();
}

class Parser {
  readonly #scanner: Scanner;
  /** The modifiers of the group that is being parsed, as they hold from here on. */
  #modifiers: Modifiers;
  #groupCount = 0;
  readonly #groupNames = new Set<string>();
  /** Classes by their source text: the same class again is the same object. */
  readonly #sets = new Map<string, CharSet>();
  #boundCount = 0;

  constructor(pattern: string, modifiers: Modifiers) {
    this.#scanner = new Scanner(pattern);
    this.#modifiers = modifiers;
  }

  parse(): ParsedPattern {
    const node = this.#choice(0);
    if (!this.#scanner.isAtEnd) throw this.#scanner.problem("unmatched closing parenthesis");
    return { node, groupCount: this.#groupCount };
  }

  #choice(depth: number): Node {
    if (depth > DEPTH_MAX) throw this.#scanner.problem("groups are nested too deeply");
    const options: Node[] = [];
    do options.push(this.#sequence(depth));
    while (this.#scanner.take("|"));
    return choiceOf(options);
  }

  #sequence(depth: number): Node {
    const parts: Node[] = [];
    for (;;) {
      this.#skipIgnored();
      const next = this.#scanner.peek();
      if (next === "" || next === "|" || next === ")") return sequenceOf(parts);
      const atom = this.#atom(depth);
      parts.push(atom === undefined ? EMPTY : this.#quantified(atom));
    }
  }

  /** Parses one atom; undefined for a change of modifiers, which is no part of the tree. */
  #atom(depth: number): Node | undefined {
    const scanner = this.#scanner;
    const start = scanner.at;
    const assertion = takeAssertion(scanner);
    if (assertion !== undefined) return { kind: "assertion", assertion };
    const character = scanner.next();
    const { i, m, s } = this.#modifiers;
    switch (character) {
      case "(":
        return this.#group(start, depth + 1);
      case "[":
        return this.#set(start, () => parseBracket(scanner, i));
      case ".":
        return { kind: "set", set: s ? ANY : NOT_LINE_FEED };
      case "^":
        return { kind: "assertion", assertion: m ? "lineStart" : "textStart" };
      case "$":
        return { kind: "assertion", assertion: m ? "lineEnd" : "lastLineEnd" };
      case "\\":
        return this.#set(start, () => {
          const escaped = parseEscape(scanner, false);
          const set = escaped.kind === "set" ? escaped.set : single(escaped.code);
          return i ? foldCase(set) : set;
        });
      case "*":
      case "+":
      case "?":
        throw scanner.problem(`nothing comes before the quantifier '${character}'`, start);
      default:
        if (character === "{" && this.#countAt(start) !== undefined) {
          throw scanner.problem("nothing comes before the quantifier", start);
        }
        return this.#set(start, () => {
          const set = single(character.codePointAt(0)!);
          return i ? foldCase(set) : set;
        });
    }
  }

  /** Parses a class that begins at `start` and whose first character has been taken. */
  #set(start: number, parse: () => CharSet): Node {
    const parsed = parse();
    this.#boundCount += parsed.length;
    if (this.#boundCount > BOUNDS_MAX) {
      throw this.#scanner.problem("the character classes are too large", start);
    }
    const source = this.#scanner.pattern.slice(start, this.#scanner.at);
    const key = `${this.#modifiers.i ? "i" : "c"}${source}`;
    const set = this.#sets.get(key) ?? parsed;
    this.#sets.set(key, set);
    return { kind: "set", set };
  }

  /** Parses a group whose opening parenthesis has been taken. */
  #group(start: number, depth: number): Node | undefined {
    const scanner = this.#scanner;
    const outside = this.#modifiers;
    let number: number | undefined;
    if (scanner.take("?")) {
      const name = scanner.takeMatch(/P?<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)'/y);
      if (name !== undefined) number = this.#named(name[1] ?? name[2]!, start);
      else if (!scanner.take(":") && !this.#takeModifiers(start)) return undefined;
    } else if (scanner.peek() === "*") {
      throw scanner.problem("a control verb is not supported", start);
    } else {
      number = ++this.#groupCount;
    }
    const body = this.#choice(depth);
    if (!scanner.take(")")) throw scanner.problem("a group is not closed", start);
    this.#modifiers = outside;
    return number === undefined ? body : { kind: "group", body, number };
  }

  #named(name: string, start: number): number {
    if (this.#groupNames.has(name)) {
      throw this.#scanner.problem("two groups have the same name", start);
    }
    this.#groupNames.add(name);
    return ++this.#groupCount;
  }

  /**
   * Reads modifiers after `(?`. Returns true for `(?i:`, which opens a group, and false for `(?i)`,
   * which is complete.
   */
  #takeModifiers(start: number): boolean {
    const scanner = this.#scanner;
    const found = scanner.takeMatch(/([imsx]*)(?:-([imsx]*))?([:)])/y);
    if (found === undefined) throw scanner.problem(refusedGroup(scanner), start);
    const [, on = "", off = "", end] = found;
    const is = (letter: keyof Modifiers): boolean =>
      !off.includes(letter) && (on.includes(letter) || this.#modifiers[letter]);
    this.#modifiers = { i: is("i"), m: is("m"), s: is("s"), x: is("x") };
    return end === ":";
  }

  #quantified(body: Node): Node {
    this.#skipIgnored();
    const scanner = this.#scanner;
    const start = scanner.at;
    const count = this.#takeCount();
    if (count === undefined) return body;
    const { min, max } = count;
    if (min > max) throw scanner.problem("a quantifier's bounds run backwards", start);
    if (min > COUNT_MAX || (max > COUNT_MAX && max !== Infinity)) {
      throw scanner.problem("a quantifier's count is too large", start);
    }
    const isGreedy = !scanner.take("?");
    if (scanner.peek() === "+") {
      throw scanner.problem("a possessive quantifier is not supported", start);
    }
    this.#skipIgnored();
    const again = scanner.at;
    if (this.#takeCount() !== undefined) throw scanner.problem("nested quantifier", again);
    if (body.kind === "empty" || max === 0) return EMPTY;
    return { kind: "repeat", body, min, max, isGreedy };
  }

  #takeCount(): Count | undefined {
    if (this.#scanner.take("*")) return { min: 0, max: Infinity };
    if (this.#scanner.take("+")) return { min: 1, max: Infinity };
    if (this.#scanner.take("?")) return { min: 0, max: 1 };
    const count = this.#countAt(this.#scanner.at);
    if (count !== undefined) this.#scanner.at = count.end;
    return count;
  }

  /** Returns the count that a brace opens; undefined when the brace stands for itself. */
  #countAt(start: number): (Count & { readonly end: number }) | undefined {
    const sticky = /\{(\d{1,9})(,(\d{1,9})?)?\}/y;
    sticky.lastIndex = start;
    const found = sticky.exec(this.#scanner.pattern);
    if (found === null) return undefined;
    const min = Number(found[1]);
    const max = found[2] === undefined ? min : Number(found[3] ?? Infinity);
    return { min, max, end: sticky.lastIndex };
  }

  /** Skips comments, and white space under `x`. */
  #skipIgnored(): void {
    const scanner = this.#scanner;
    for (;;) {
      const start = scanner.at;
      if (scanner.take("(?#")) {
        if (scanner.takeMatch(/[^)]*\)/y) === undefined) {
          throw scanner.problem("a comment is not closed", start);
        }
      } else if (!this.#modifiers.x || scanner.takeMatch(/\s+|#[^\n]*/y) === undefined) {
        return;
      }
    }
  }
}

interface Count {
  readonly min: number;
  readonly max: number;
}

/** Returns the name of the construct that begins with `(?` and is not supported. */
function refusedGroup(scanner: Scanner): string {
  const REFUSED: readonly (readonly [opening: string, what: string])[] = [
    ["=", "look-ahead"],
    ["!", "look-ahead"],
    ["<=", "look-behind"],
    ["<!", "look-behind"],
    [">", "an atomic group"],
    ["(", "a conditional"],
    ["|", "a branch reset"],
    ["P=", "a back-reference"],
    ["P>", "a recursion"],
    ["R", "a recursion"],
    ["&", "a recursion"],
  ];
  const found = REFUSED.find(([opening]) => scanner.pattern.startsWith(opening, scanner.at));
  return found === undefined ? "unknown kind of group" : `${found[1]} is not supported`;
}
