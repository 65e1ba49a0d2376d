/**
 * Terms: the keys of the index. A term is a path hash and a value, as bytes whose order is the
 * order of values (`json/compare.ts`).
 *
 * A term is held as a string with one byte to a character (latin1): such strings compare with `<`
 * as their bytes do, sort several times as fast as buffers, and go to disk unchanged.
 *
 * After the six bytes of the path comes one byte for the type, in the order of types, then
 * - a number as the bits of its double, in groups of seven from the top. The eighth bit of each
 *   byte says whether more follows, and zeros at the end are left out: 0 takes one byte, 1 takes
 *   two, 1,000 three, a time in seconds six, a random double nine. A negative number is its
 *   absolute value with every bit turned over.
 * - a string as its UTF-8 bytes and an end byte 00. U+0000 and U+0001 become 01 01 and 01 02. A
 *   lone surrogate is written as the three bytes of its code point.
 * - a string of more than 200 such bytes as the first 200, the mark 01 and a hash of the whole.
 * - nothing more for `null`, `false`, `true`, and for arrays and objects: the term of an array or
 *   object says only that there is one. The type byte 01 is "undefined", the lowest of all: a
 *   composite term has it for a missing value.
 *
 * What always holds:
 * - Terms of equal values are equal; for others the order of terms is the order of values, except
 *   among long strings that share their first 200 bytes. A scan bounded by a long string has to
 *   take in all strings that share those bytes, and look at the items.
 * - No term is the beginning of another, so terms with an item number appended to each are in the
 *   order of (term, number).
 *
 * Not here: which values of an item become terms (`terms.ts`), and which terms have the values a
 * query looks for (`valueSpan.ts`).
 */
import { assert } from "../base/assert.ts";
import type { Brand } from "../base/units.ts";
import type { JsonValue } from "../json/value.ts";
import { hashOf, hashText, PATH_HASH_BYTES, type PathHash, ROOT_HASH } from "./hash.ts";

export type Term = Brand<string, "Term">;

export type Scalar = null | boolean | number | string;

/** The terms `t` with `min <= t < max`. */
export interface TermRange {
  readonly min: string;
  readonly max: string;
}

export function termOf(pathHash: PathHash, value: Scalar): Term {
  return (pathHash + encodeValue(value)) as Term;
}

/**
 * Returns the term which says that there is an array or an object at the path, whatever is in it.
 */
export function termOfNode(pathHash: PathHash, kind: "array" | "object"): Term {
  return (pathHash + (kind === "array" ? TAG_ARRAY : TAG_OBJECT)) as Term;
}

/** Returns the range of all terms of a path: the items that have any value there. */
export function termRangeOfPath(pathHash: PathHash): TermRange {
  return { min: pathHash, max: `${pathHash}\xff` };
}

export function encodeValue(value: Scalar): string {
  if (typeof value === "string") return encodeString(value);
  if (typeof value === "number") return encodeNumber(value);
  if (value === null) return TAG_NULL;
  return value ? TAG_TRUE : TAG_FALSE;
}

/** Encodes a value or its absence; of an array or an object only that there is one. */
export function encodePresence(value: JsonValue | undefined): string {
  if (value === undefined) return TAG_UNDEFINED;
  if (typeof value !== "object" || value === null) return encodeValue(value);
  return Array.isArray(value) ? TAG_ARRAY : TAG_OBJECT;
}

/** Returns the bytes that the encodings of all strings beginning with `text` begin with. */
export function encodeBeginning(text: string): string {
  return TAG_STRING + stringBytesOf(text).slice(0, STRING_BYTES_MAX);
}

/** Returns the offset behind the encoded value that starts at `start`. */
export function endOfValue(bytes: string, start: number): number {
  if (bytes[start] === TAG_NUMBER) return endOfNumber(bytes, start + 1);
  if (bytes[start] !== TAG_STRING) return start + 1;
  const endAt = bytes.indexOf(END, start + 1);
  const isWhole = endAt !== -1 && endAt <= start + 1 + STRING_BYTES_MAX;
  return isWhole ? endAt + 1 : start + TRUNCATED_BYTES;
}

/**
 * Returns the value of a term; undefined when the term does not hold all of it: long strings,
 * arrays, objects.
 */
export function decodeValue(encoded: string): Scalar | undefined {
  switch (encoded[0]) {
    case TAG_NULL:
      return null;
    case TAG_FALSE:
      return false;
    case TAG_TRUE:
      return true;
    case TAG_NUMBER:
      return decodeNumber(encoded);
    case TAG_STRING:
      return isTruncated(encoded) ? undefined : decodeString(encoded);
    default:
      assert(encoded === TAG_ARRAY || encoded === TAG_OBJECT, "not an encoded value");
      return undefined;
  }
}

/** True when a hash stands for the end of this string. */
export function isTruncated(encoded: string): boolean {
  return encoded[0] === TAG_STRING && encoded.length === TRUNCATED_BYTES;
}

/** The same of the value of a term, for those who look at many. */
export function isTruncatedTerm(term: string): boolean {
  return term.length === PATH_HASH_BYTES + TRUNCATED_BYTES && term[PATH_HASH_BYTES] === TAG_STRING;
}

export const TAG_UNDEFINED = "\x01";
export const TAG_NULL = "\x02";
export const TAG_FALSE = "\x03";
export const TAG_TRUE = "\x04";
export const TAG_NUMBER = "\x05";
export const TAG_STRING = "\x06";
export const TAG_ARRAY = "\x07";
export const TAG_OBJECT = "\x08";

/**
 * A choice of ours: long enough to tell names and addresses apart, short enough for any store's
 * keys.
 */
const STRING_BYTES_MAX = 200;
const END = "\0";
const TRUNCATED = "\x01";
const TRUNCATED_BYTES = 1 + STRING_BYTES_MAX + 1 + 8;

const double = new DataView(new ArrayBuffer(8));
/** Number of seven-bit groups in a double; the eight bits that are left over need no flag. */
const GROUP_COUNT = 8;

function encodeNumber(value: number): string {
  double.setFloat64(0, Math.abs(value));
  // The sign bit is set for all numbers, and turned over with the other bits for negative ones.
  let high = double.getUint32(0) | 0x80000000;
  let low = double.getUint32(4);
  const turn = value < 0 ? 0xff : 0;
  let encoded = TAG_NUMBER;
  for (let group = 0; group < GROUP_COUNT; group++) {
    const bits = high >>> 25;
    high = (high << 7) | (low >>> 25);
    low <<= 7;
    const isLast = (high | low) === 0;
    encoded += String.fromCharCode(((bits << 1) | (isLast ? 0 : 1)) ^ turn);
    if (isLast) return encoded;
  }
  return encoded + String.fromCharCode((high >>> 24) ^ turn);
}

function decodeNumber(encoded: string): number {
  const isNegative = encoded.charCodeAt(1) < 0x80;
  const turn = isNegative ? 0xff : 0;
  let high = 0;
  let low = 0;
  const shiftIn = (bits: number, count: number): void => {
    high = (high << count) | (low >>> (32 - count));
    low = (low << count) | bits;
  };
  for (let group = 0; group < GROUP_COUNT; group++) {
    const index = group + 1;
    shiftIn(index < encoded.length ? (encoded.charCodeAt(index) ^ turn) >>> 1 : 0, 7);
  }
  const lastIndex = GROUP_COUNT + 1;
  shiftIn(lastIndex < encoded.length ? encoded.charCodeAt(lastIndex) ^ turn : 0, 8);
  double.setUint32(0, high & 0x7fffffff);
  double.setUint32(4, low);
  const absolute = double.getFloat64(0);
  return isNegative ? -absolute : absolute;
}

function endOfNumber(bytes: string, start: number): number {
  const turn = bytes.charCodeAt(start) < 0x80 ? 1 : 0;
  for (let at = start; at < start + GROUP_COUNT; at++) {
    const isLast = ((bytes.charCodeAt(at) ^ turn) & 1) === 0;
    if (isLast) return at + 1;
  }
  return start + GROUP_COUNT + 1;
}

/** Returns all bytes of a text, or at least more than fit into a term. */
function stringBytesOf(text: string): string {
  // Every unit takes at least a byte, so the first units decide whether the text fits.
  const head = text.length > STRING_BYTES_MAX ? text.slice(0, STRING_BYTES_MAX + 1) : text;
  return isPlain(head) ? head : escapedUtf8Of(head);
}

function encodeString(text: string): string {
  const bytes = stringBytesOf(text);
  if (bytes.length <= STRING_BYTES_MAX) return TAG_STRING + bytes + END;
  const hash = hashText(hashOf(text, ROOT_HASH));
  return TAG_STRING + bytes.slice(0, STRING_BYTES_MAX) + TRUNCATED + hash;
}

function decodeString(encoded: string): string {
  const bytes = encoded.slice(1, -END.length);
  return isPlain(bytes) ? bytes : textOfEscapedUtf8(bytes);
}

/** True when these characters are their own bytes, as in most strings. */
function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f || unit < 2) return false;
  }
  return true;
}

function escapedUtf8Of(text: string): string {
  const bytes: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const point = text.codePointAt(index)!;
    if (point > 0xffff) index++;
    if (point < 2) bytes.push(1, point + 1);
    else if (point < 0x80) bytes.push(point);
    else if (point < 0x800) bytes.push(0xc0 | (point >> 6), follow(point));
    else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), follow(point >> 6), follow(point));
    else {
      bytes.push(0xf0 | (point >> 18), follow(point >> 12), follow(point >> 6), follow(point));
    }
  }
  return String.fromCharCode(...bytes);
}

function follow(bits: number): number {
  return 0x80 | (bits & 0x3f);
}

function textOfEscapedUtf8(bytes: string): string {
  const points: number[] = [];
  for (let index = 0; index < bytes.length; index++) {
    const first = bytes.charCodeAt(index);
    if (first === 1) {
      points.push(bytes.charCodeAt(++index) - 1);
      continue;
    }
    const followCount = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    let point = followCount === 0 ? first : first & (0x3f >> followCount);
    for (let count = 0; count < followCount; count++) {
      point = (point << 6) | (bytes.charCodeAt(++index) & 0x3f);
    }
    points.push(point);
  }
  return String.fromCodePoint(...points);
}
