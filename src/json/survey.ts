/**
 * Tells whether a client's JSON text may be stored as it came. It may when it is compact, repeats
 * no name, and writes its numbers in their normal form (`parse.ts`): then its bytes are those that
 * would be written for the value, and writing them is saved.
 *
 * One pass over the bytes counts members and looks at white space and numbers outside strings; one
 * walk over the parsed value counts the members that survived parsing. A repeated name survives
 * only once.
 */
import { closingQuoteOffset } from "./depth.ts";
import { mayHaveDigits } from "./digits.ts";
import type { JsonObject, JsonValue } from "./value.ts";

const QUOTE = 0x22;
const COLON = 0x3a;
const SPACE = 0x20;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
/** `e` and `E` differ in this bit only. */
const CASE_BIT = 0x20;
const EXPONENT = 0x65;
/**
 * Number of digits up to which no two decimals are one double, so that each is the shortest text of
 * its own.
 */
const DECIMAL_DIGITS_MAX = 15;
const LEADING_ZEROS = 6;
/** Number of numbers beyond which writing the whole text is quicker than looking at each. */
const COMPARED_MAX = 16;

interface ValueSurvey {
  readonly memberCount: number;
  /** Number of levels of objects and arrays; a scalar has none. */
  readonly depth: number;
  /** False when a number is too large for a double: it was read as infinity. */
  readonly isFinite: boolean;
  readonly hasNegativeZero: boolean;
  /** True when some number may have digits that its double does not hold. */
  readonly isUnsure: boolean;
}

/** True when `bytes`, which parsed to a value of `memberCount` members, is its compact form. */
export function isCompact(bytes: Buffer, memberCount: number): boolean {
  let colonCount = 0;
  let comparedCount = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) at = closingQuoteOffset(bytes, at);
    else if (byte === COLON) colonCount++;
    else if (byte <= SPACE) return false;
    else if (byte <= NINE && (byte >= ZERO || byte === MINUS)) {
      const end = endOfNumber(bytes, at);
      if (end < 0 && (++comparedCount > COMPARED_MAX || !isNormal(bytes, at, -end))) return false;
      at = Math.abs(end) - 1;
    }
  }
  return colonCount === memberCount;
}

/**
 * Returns where the number that begins here ends; below zero when the number has to be read to know
 * whether it is in its normal form. Which digits an integer has makes no difference: all of them
 * stay.
 */
function endOfNumber(bytes: Buffer, start: number): number {
  const first = bytes[start] === MINUS ? start + 1 : start;
  let end = first;
  let isInteger = true;
  let hasExponent = false;
  for (; end < bytes.length; end++) {
    const byte = bytes[end]!;
    if (byte >= ZERO && byte <= NINE) continue;
    if (byte === POINT) isInteger = false;
    else if ((byte | CASE_BIT) === EXPONENT || byte === PLUS || byte === MINUS) hasExponent = true;
    else break;
  }
  if (hasExponent) return -end;
  if (isInteger) return end;
  const isLong = end - first - 1 > DECIMAL_DIGITS_MAX;
  return isLong || bytes[end - 1] === ZERO || isTiny(bytes, first) ? -end : end;
}

/** True when the number begins with `0.000000`. Such a double is written with an exponent. */
function isTiny(bytes: Buffer, first: number): boolean {
  if (bytes[first] !== ZERO) return false;
  for (let at = first + 2; at < first + 2 + LEADING_ZEROS; at++) {
    if (bytes[at] !== ZERO) return false;
  }
  return true;
}

function isNormal(bytes: Buffer, start: number, end: number): boolean {
  const text = bytes.toString("latin1", start, end);
  return String(Number(text)) === text;
}

export function surveyOf(value: JsonValue): ValueSurvey {
  const survey = {
    memberCount: 0,
    depth: 0,
    isFinite: true,
    hasNegativeZero: false,
    isUnsure: false,
  };
  walk(value, 1, survey);
  return survey;
}

function walk(
  value: JsonValue,
  level: number,
  survey: { -readonly [K in keyof ValueSurvey]: ValueSurvey[K] },
): void {
  if (typeof value === "number") {
    if (!mayHaveDigits(value)) return;
    survey.isUnsure = true;
    if (!Number.isFinite(value)) survey.isFinite = false;
    if (Object.is(value, -0)) survey.hasNegativeZero = true;
    return;
  }
  if (typeof value !== "object" || value === null) return;
  if (level > survey.depth) survey.depth = level;
  if (Array.isArray(value)) {
    for (const element of value) walk(element, level + 1, survey);
    return;
  }
  for (const key of Object.keys(value)) {
    survey.memberCount++;
    walk((value as JsonObject)[key]!, level + 1, survey);
  }
}
