/**
 * Functions of strings. Positions count UTF-16 units from zero. The length of every result is
 * linear in the arguments, except for CONCAT, REPLACE and STRINGJOIN, whose results are bounded:
 * otherwise nested calls would double a string until the process has no memory left.
 *
 * Not here: patterns (`regex.ts`), strings made from or into other types (`conversion.ts`).
 */
import type { BuiltIn, Value } from "./builtIn.ts";
import {
  allOf,
  anyOf,
  flagOf,
  isArray,
  isNumber,
  isString,
  isWhole,
  ofString,
  ofStrings,
  pure,
  STRING_UNITS_MAX,
} from "./define.ts";
import { foldCase, lowerCase, upperCase } from "./letterCase.ts";

/** The bound that is documented for REPLICATE. */
const REPLICATED_UNITS_MAX = 10_000;

export const STRING_FUNCTIONS: readonly BuiltIn[] = [
  pure("CONCAT", 2, Infinity, (args) => (args.every(isString) ? joined(args, "") : undefined)),
  comparison("CONTAINS", contains),
  comparison("ENDSWITH", (text, end) => text.endsWith(end)),
  comparison("STARTSWITH", (text, start) => text.startsWith(start)),
  comparison("STRINGEQUALS", (text, other) => text === other),
  containsMany("CONTAINS_ALL_CI", allOf, foldCase),
  containsMany("CONTAINS_ALL_CS", allOf, asItIs),
  containsMany("CONTAINS_ANY_CI", anyOf, foldCase),
  containsMany("CONTAINS_ANY_CS", anyOf, asItIs),

  pure("INDEX_OF", 2, 3, (args) => {
    const [text, sought, start] = args.length === 2 ? [...args, 0] : args;
    if (!isString(text) || !isString(sought) || !isWhole(start)) return undefined;
    return start > text.length ? -1 : text.indexOf(sought, start);
  }),
  pure("LASTINDEXOF", 2, 3, (args) => {
    const [text, sought, end] = args.length === 2 ? [...args, Infinity] : args;
    if (!isString(text) || !isString(sought)) return undefined;
    if (end !== Infinity && !isWhole(end)) return undefined;
    // The search goes backwards from `end`, the last position that may belong to the match.
    const start = end - sought.length + 1;
    return start < 0 ? -1 : text.lastIndexOf(sought, start);
  }),

  pure("LEFT", 2, 2, ([text, length]) => substring(text, 0, length)),
  pure("RIGHT", 2, 2, ([text, length]) => {
    if (!isString(text) || !isWhole(length)) return undefined;
    return substring(text, Math.max(text.length - length, 0), length);
  }),
  pure("SUBSTRING", 3, 3, ([text, start, length]) => substring(text, start, length)),
  ofStrings("SUBSTRINGAFTER", (text, mark) => after(text, mark, text.indexOf(mark))),
  ofStrings("SUBSTRINGBEFORE", (text, mark) => before(text, text.indexOf(mark))),
  ofStrings("LASTSUBSTRINGAFTER", (text, mark) => after(text, mark, text.lastIndexOf(mark))),
  ofStrings("LASTSUBSTRINGBEFORE", (text, mark) => before(text, text.lastIndexOf(mark))),

  ofString("LENGTH", (text) => text.length),
  ofString("LOWER", lowerCase),
  ofString("UPPER", upperCase),
  // The text is reversed by characters, not by units: half a surrogate pair is not text.
  ofString("REVERSE", (text) => [...text].reverse().join("")),
  trimming("LTRIM", (text) => text.trimStart(), trimStart),
  trimming("RTRIM", (text) => text.trimEnd(), trimEnd),
  trimming(
    "TRIM",
    (text) => text.trim(),
    (text, characters) => trimEnd(trimStart(text, characters), characters),
  ),

  pure("REPLACE", 3, 3, ([text, sought, replacement]) => {
    if (!isString(text) || !isString(sought) || !isString(replacement)) return undefined;
    return sought === "" ? text : joined(text.split(sought), replacement);
  }),
  pure("REPLICATE", 2, 2, ([text, times]) => {
    if (!isString(text) || !isNumber(times)) return undefined;
    if (!Number.isFinite(times) || times < 0) return undefined;
    const count = Math.trunc(times);
    return text.length * count <= REPLICATED_UNITS_MAX ? text.repeat(count) : undefined;
  }),
  pure("STRINGJOIN", 2, 2, ([texts, separator]) => {
    if (!isArray(texts) || !texts.every(isString) || !isString(separator)) return undefined;
    return joined(texts, separator);
  }),
  ofStrings("STRINGSPLIT", (text, separator) =>
    separator === "" ? [text] : text.split(separator),
  ),
];

/** Defines a function of two strings and whether to ignore their case. */
function comparison(name: string, holds: (text: string, other: string) => boolean): BuiltIn {
  return pure(name, 2, 3, ([text, other, option]) => {
    const ignoresCase = flagOf(option);
    if (!isString(text) || !isString(other) || ignoresCase === undefined) return undefined;
    return ignoresCase ? holds(foldCase(text), foldCase(other)) : holds(text, other);
  });
}

function contains(text: string, part: string): boolean {
  return text.includes(part);
}

function asItIs(text: string): string {
  return text;
}

/** Defines a function that means a chain of CONTAINS, joined by AND or OR. */
function containsMany(name: string, combine: typeof allOf, fold: typeof foldCase): BuiltIn {
  return pure(name, 2, Infinity, ([whole, ...parts]) => {
    if (!isString(whole)) return undefined;
    const text = fold(whole);
    return combine(parts.map((part) => (isString(part) ? contains(text, fold(part)) : undefined)));
  });
}

/** Returns a part of a string; empty when it starts before the string, however long it is. */
function substring(text: Value, start: Value, length: Value): string | undefined {
  if (!isString(text) || !isWhole(start) || !isWhole(length)) return undefined;
  return start < 0 || length <= 0 ? "" : text.slice(start, start + length);
}

function before(text: string, markIndex: number): string | undefined {
  return markIndex === -1 ? undefined : text.slice(0, markIndex);
}

function after(text: string, mark: string, markIndex: number): string | undefined {
  return markIndex === -1 ? undefined : text.slice(markIndex + mark.length);
}

function joined(texts: readonly string[], separator: string): string | undefined {
  let unitCount = (texts.length - 1) * separator.length;
  for (const text of texts) unitCount += text.length;
  return unitCount > STRING_UNITS_MAX ? undefined : texts.join(separator);
}

/** Defines a function that trims white space, or the characters that its second argument lists. */
function trimming(
  name: string,
  trimSpace: (text: string) => string,
  trimSet: (text: string, characters: ReadonlySet<string>) => string,
): BuiltIn {
  return pure(name, 1, 2, (args) => {
    const [text, characters] = args;
    if (!isString(text)) return undefined;
    if (args.length === 1) return trimSpace(text);
    return isString(characters) ? trimSet(text, new Set(characters)) : undefined;
  });
}

function trimStart(text: string, characters: ReadonlySet<string>): string {
  let start = 0;
  for (const character of text) {
    if (!characters.has(character)) break;
    start += character.length;
  }
  return text.slice(start);
}

function trimEnd(text: string, characters: ReadonlySet<string>): string {
  let end = text.length;
  while (end > 0) {
    const character = [...text.slice(Math.max(end - 2, 0), end)].at(-1)!;
    if (!characters.has(character)) break;
    end -= character.length;
  }
  return text.slice(0, end);
}
