/**
 * What a backslash introduces. The same letters mean the same inside brackets and outside, except
 * for `\b` and the assertions, which exist only outside.
 */
import {
  type CharSet,
  CODE_POINT_MAX,
  complement,
  DIGIT,
  HORIZONTAL_SPACE,
  NOT_LINE_FEED,
  SPACE,
  WORD,
} from "./charSet.ts";
import type { Assertion } from "./node.ts";
import type { Scanner } from "./scanner.ts";
import { propertySet } from "./unicode.ts";

/**
 * Number of Unicode properties that a pattern may name, by rule of thumb: each may have to be
 * looked up, which takes a while.
 */
const PROPERTY_COUNT_MAX = 10;

type Escape =
  | { readonly kind: "character"; readonly code: number }
  | { readonly kind: "set"; readonly set: CharSet };

const SETS: ReadonlyMap<string, CharSet> = new Map([
  ["d", DIGIT],
  ["D", complement(DIGIT)],
  ["w", WORD],
  ["W", complement(WORD)],
  ["s", SPACE],
  ["S", complement(SPACE)],
  ["h", HORIZONTAL_SPACE],
  ["H", complement(HORIZONTAL_SPACE)],
  ["N", NOT_LINE_FEED],
]);

const CHARACTERS: ReadonlyMap<string, number> = new Map([
  ["a", 7],
  ["t", 9],
  ["n", 10],
  ["v", 11],
  ["f", 12],
  ["r", 13],
  ["e", 27],
]);

const ASSERTIONS: ReadonlyMap<string, Assertion> = new Map<string, Assertion>([
  ["b", "wordBoundary"],
  ["B", "notWordBoundary"],
  ["A", "textStart"],
  ["z", "textEnd"],
  ["Z", "lastLineEnd"],
]);

const REFUSED: ReadonlyMap<string, string> = new Map([
  ["G", "\\G"],
  ["K", "\\K"],
  ["k", "a back-reference"],
  ["g", "a back-reference"],
  ["Q", "\\Q"],
  ["R", "\\R"],
  ["X", "\\X"],
  ["C", "\\C"],
]);

/** Takes an assertion with its backslash, if one comes next. */
export function takeAssertion(scanner: Scanner): Assertion | undefined {
  if (scanner.peek() !== "\\") return undefined;
  const assertion = ASSERTIONS.get(scanner.pattern[scanner.at + 1] ?? "");
  if (assertion !== undefined) scanner.at += 2;
  return assertion;
}

/** Parses an escape whose backslash has been taken. */
export function parseEscape(scanner: Scanner, isInBracket: boolean): Escape {
  const start = scanner.at - 1;
  const letter = scanner.next();
  if (letter === "") throw scanner.problem("a backslash ends the pattern", start);
  const set = SETS.get(letter);
  if (set !== undefined) return { kind: "set", set };
  if (letter === "p" || letter === "P") {
    const found = parseProperty(scanner, start);
    return { kind: "set", set: letter === "P" ? complement(found) : found };
  }
  if (isInBracket && letter === "b") return { kind: "character", code: 8 };
  const code = CHARACTERS.get(letter) ?? parseCode(scanner, letter, start);
  if (code !== undefined) return { kind: "character", code };
  const refused = /[1-9]/.test(letter) ? "a back-reference" : REFUSED.get(letter);
  if (refused !== undefined) throw scanner.problem(`${refused} is not supported`, start);
  if (/[A-Za-z]/.test(letter)) throw scanner.problem(`unknown escape \\${letter}`, start);
  return { kind: "character", code: letter.codePointAt(0)! };
}

/** Returns a character that is written by its number; undefined when the letter introduces none. */
function parseCode(scanner: Scanner, letter: string, start: number): number | undefined {
  switch (letter) {
    case "0":
      return Number.parseInt(`0${scanner.takeMatch(/[0-7]{1,2}/y)?.[0] ?? ""}`, 8);
    case "x": {
      const digits = scanner.takeMatch(/\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2})/y);
      const code = Number.parseInt(digits?.[1] ?? digits?.[2] ?? "", 16);
      if (!(code <= CODE_POINT_MAX)) throw scanner.problem("\\x needs a character's number", start);
      return code;
    }
    case "u": {
      const digits = scanner.takeMatch(/[0-9A-Fa-f]{4}/y)?.[0];
      if (digits === undefined) throw scanner.problem("\\u needs four digits", start);
      return withSecondHalf(scanner, Number.parseInt(digits, 16));
    }
    case "c": {
      const control = scanner.next();
      if (!/^[@-_a-z]$/.test(control)) throw scanner.problem("\\c needs a letter", start);
      return control.toUpperCase().charCodeAt(0) ^ 0x40;
    }
    default:
      return undefined;
  }
}

/** Returns the whole character where two escapes spell its two halves. */
function withSecondHalf(scanner: Scanner, code: number): number {
  if (code < 0xd800 || code > 0xdbff) return code;
  const second = scanner.takeMatch(/\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})/y)?.[1];
  if (second === undefined) return code;
  return 0x10000 + ((code - 0xd800) << 10) + (Number.parseInt(second, 16) - 0xdc00);
}

function parseProperty(scanner: Scanner, start: number): CharSet {
  const found = scanner.takeMatch(/\{(\^?)([^{}]{1,48})\}|([A-Za-z])/y);
  const name = found?.[2] ?? found?.[3] ?? "";
  if (scanner.properties.add(name).size > PROPERTY_COUNT_MAX) {
    throw scanner.problem("too many Unicode properties", start);
  }
  const set = propertySet(name);
  if (set === undefined) throw scanner.problem("unknown Unicode property", start);
  return found?.[1] === "^" ? complement(set) : set;
}
