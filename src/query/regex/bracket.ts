/** Parses character classes: what stands between `[` and `]`. */
import { type CharSet, charSet, complement, POSIX_CLASSES } from "./charSet.ts";
import { parseEscape } from "./escape.ts";
import type { Scanner } from "./scanner.ts";
import { foldCase } from "./unicode.ts";

/**
 * Number of ranges at which they are merged: a class that names the same sets again and again would
 * otherwise pile up thousands of them.
 */
const COMPACT_AT_MIN = 10_000;

/** Parses a class whose opening bracket has been taken. */
export function parseBracket(scanner: Scanner, ignoresCase: boolean): CharSet {
  const start = scanner.at - 1;
  const isNegated = scanner.take("^");
  let ranges: number[] = [];
  let compactAt = COMPACT_AT_MIN;
  // A closing bracket that comes first stands for itself.
  for (let isFirst = true; isFirst || !scanner.take("]"); isFirst = false) {
    if (scanner.isAtEnd) throw scanner.problem("a character class is not closed", start);
    if (!isFirst) refuseSubtraction(scanner);
    parseItem(scanner, ranges);
    if (ranges.length < compactAt) continue;
    ranges = [...charSet(ranges)];
    compactAt = Math.max(COMPACT_AT_MIN, 2 * ranges.length);
  }
  const listed = charSet(ranges);
  const members = ignoresCase ? foldCase(listed) : listed;
  return isNegated ? complement(members) : members;
}

function parseItem(scanner: Scanner, ranges: number[]): void {
  const start = scanner.at;
  const low = parseMember(scanner, ranges);
  if (!scanner.pattern.startsWith("-", scanner.at)) {
    if (low !== undefined) ranges.push(low, low);
    return;
  }
  const afterHyphen = scanner.pattern[scanner.at + 1];
  refuseSubtraction(scanner);
  // A hyphen before the end, or beside a class, stands for itself.
  if (low === undefined || afterHyphen === "]" || afterHyphen === undefined) {
    if (low !== undefined) ranges.push(low, low);
    return;
  }
  scanner.take("-");
  const high = parseMember(scanner, ranges);
  if (high === undefined) ranges.push(low, low, 0x2d, 0x2d);
  else if (high < low) throw scanner.problem("a range runs backwards", start);
  else ranges.push(low, high);
}

/** Refuses `[a-z-[aeiou]]`, which takes the vowels out in .NET and means something else in PCRE. */
function refuseSubtraction(scanner: Scanner): void {
  if (/^-\[(?!:)/.test(scanner.pattern.slice(scanner.at, scanner.at + 3))) {
    throw scanner.problem("class subtraction is not supported");
  }
}

/** Parses one character, or a class, whose ranges are added at once. */
function parseMember(scanner: Scanner, ranges: number[]): number | undefined {
  const start = scanner.at;
  const posix = scanner.takeMatch(/\[:(\^?)([a-z]+):\]/y);
  if (posix !== undefined) {
    const set = POSIX_CLASSES.get(posix[2]!);
    if (set === undefined) throw scanner.problem("unknown POSIX class", start);
    append(ranges, posix[1] === "^" ? complement(set) : set);
    return undefined;
  }
  const character = scanner.next();
  if (character !== "\\") return character.codePointAt(0)!;
  const escaped = parseEscape(scanner, true);
  if (escaped.kind === "character") return escaped.code;
  append(ranges, escaped.set);
  return undefined;
}

function append(ranges: number[], set: CharSet): void {
  for (const bound of set) ranges.push(bound);
}
