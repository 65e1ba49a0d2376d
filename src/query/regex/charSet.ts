/**
 * Sets of code points: what one step of a pattern may consume.
 *
 * A set is a flat list of inclusive ranges, ascending, and no two of them touch; so equal sets have
 * equal lists. The named classes are those of PCRE without its Unicode option, which is what the
 * service documents: digits, word characters and white space are ASCII.
 */

/** `[low, high, low, high, …]` */
export type CharSet = readonly number[];

export const CODE_POINT_MAX = 0x10ffff;
export const LINE_FEED = 10;

/** Makes a set from any ranges, in any order. */
export function charSet(ranges: readonly number[]): CharSet {
  const order: number[] = [];
  for (let at = 0; at < ranges.length; at += 2) order.push(at);
  order.sort((a, b) => ranges[a]! - ranges[b]!);
  const merged: number[] = [];
  for (const at of order) {
    const low = ranges[at]!;
    const high = ranges[at + 1]!;
    const last = merged.length - 1;
    if (last > 0 && low <= merged[last]! + 1) merged[last] = Math.max(merged[last]!, high);
    else merged.push(low, high);
  }
  return merged;
}

export function single(codePoint: number): CharSet {
  return [codePoint, codePoint];
}

export function complement(set: CharSet): CharSet {
  const gaps: number[] = [];
  let low = 0;
  for (let at = 0; at < set.length; at += 2) {
    if (set[at]! > low) gaps.push(low, set[at]! - 1);
    low = set[at + 1]! + 1;
  }
  if (low <= CODE_POINT_MAX) gaps.push(low, CODE_POINT_MAX);
  return gaps;
}

export function contains(set: CharSet, codePoint: number): boolean {
  // The first range that does not end before the character is the only one that can hold it.
  let low = 0;
  let high = set.length >> 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (set[2 * middle + 1]! < codePoint) low = middle + 1;
    else high = middle;
  }
  return 2 * low < set.length && set[2 * low]! <= codePoint;
}

/** Makes a set from characters and ranges written `a-z`, as in a bracket without escapes. */
function bracket(text: string): CharSet {
  const ranges: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const isRange = text[at + 1] === "-" && at + 2 < text.length;
    ranges.push(text.charCodeAt(at), text.charCodeAt(isRange ? at + 2 : at));
    if (isRange) at += 2;
  }
  return charSet(ranges);
}

export const ANY: CharSet = [0, CODE_POINT_MAX];
export const NOT_LINE_FEED: CharSet = complement(single(LINE_FEED));
export const DIGIT: CharSet = bracket("0-9");
export const WORD: CharSet = bracket("0-9A-Z_a-z");
export const SPACE: CharSet = bracket("\t-\r ");
/** The tab and the spaces that do not end a line. */
export const HORIZONTAL_SPACE: CharSet = charSet([
  ...[0x9, 0x9, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x180e, 0x180e],
  ...[0x2000, 0x200a, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000],
]);

/** The classes that may stand in `[[:name:]]`. */
export const POSIX_CLASSES: ReadonlyMap<string, CharSet> = new Map([
  ["alnum", bracket("0-9A-Za-z")],
  ["alpha", bracket("A-Za-z")],
  ["ascii", bracket("\x00-\x7f")],
  ["blank", bracket("\t ")],
  ["cntrl", bracket("\x00-\x1f\x7f")],
  ["digit", DIGIT],
  ["graph", bracket("!-~")],
  ["lower", bracket("a-z")],
  ["print", bracket(" -~")],
  ["punct", bracket("!-/:-@[-`{-~")],
  ["space", SPACE],
  ["upper", bracket("A-Z")],
  ["word", WORD],
  ["xdigit", bracket("0-9A-Fa-f")],
]);
