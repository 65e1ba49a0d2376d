/**
 * The order of all JSON values, as queries and the index see it:
 *
 *     undefined < null < false < true < numbers < strings < arrays < objects
 *
 * Numbers compare numerically (-0 is 0). Strings compare by code point, which is the order of
 * their UTF-8 bytes; JavaScript's `<` compares UTF-16 units and puts U+1F600 before U+FF5E.
 * A lone surrogate counts as the code point it is. The service leaves the order among arrays and
 * among objects open; here arrays compare element by element and objects by their members in the
 * order of names, so that the order is total and agrees with equality.
 *
 * `compareValues(a, b) === 0` exactly when `equalValues(a, b)`: deep, the order of names in an
 * object does not matter. Values nest to a bounded depth (`depth.ts`), so recursion is safe.
 */
import { isObject, type JsonObject, type JsonValue } from "./value.ts";

/** Returns a negative number, zero or a positive one, as for `Array.prototype.sort`. */
export function compareValues(a: JsonValue | undefined, b: JsonValue | undefined): number {
  const rank = rankOf(a);
  const byRank = rank - rankOf(b);
  if (byRank !== 0 || rank < RANK_NUMBER) return byRank;
  if (typeof a === "number") return compareNumbers(a, b as number);
  if (typeof a === "string") return compareStrings(a, b as string);
  return isObject(a)
    ? compareObjects(a, b as JsonObject)
    : compareArrays(a as readonly JsonValue[], b as readonly JsonValue[]);
}

export function equalValues(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return compareValues(a, b) === 0;
}

/** Compares by code point, which is the order of the UTF-8 bytes. */
export function compareStrings(a: string, b: string): number {
  const lengthMin = Math.min(a.length, b.length);
  let index = lengthMin > LONG_UNITS ? commonBlocks(a, b, lengthMin) : 0;
  while (index < lengthMin && a.charCodeAt(index) === b.charCodeAt(index)) index++;
  if (index === lengthMin) return a.length - b.length;
  // The first unit that differs may be the second half of a pair that both strings have begun.
  if (index > 0 && isHighSurrogate(a.charCodeAt(index - 1))) {
    const byPair = a.codePointAt(index - 1)! - b.codePointAt(index - 1)!;
    if (byPair !== 0) return byPair;
  }
  return a.codePointAt(index)! - b.codePointAt(index)!;
}

/** Number of units up to which comparing one by one is as quick as anything. */
const LONG_UNITS = 1024;

/**
 * Returns a place before which both strings are the same. The JavaScript engine compares whole
 * blocks much faster than units.
 */
function commonBlocks(a: string, b: string, lengthMin: number): number {
  let index = 0;
  for (let size = LONG_UNITS; size >= LONG_UNITS; ) {
    const end = index + size;
    if (end <= lengthMin && a.slice(index, end) === b.slice(index, end)) {
      index = end;
      size *= 2;
    } else size >>= 1;
  }
  return index;
}

const RANK_NUMBER = 4;

function rankOf(value: JsonValue | undefined): number {
  if (value === undefined) return 0;
  if (value === null) return 1;
  if (typeof value === "boolean") return value ? 3 : 2;
  if (typeof value === "number") return RANK_NUMBER;
  if (typeof value === "string") return 5;
  return Array.isArray(value) ? 6 : 7;
}

/**
 * Compares without subtracting: `1e400` parses to infinity, and infinity minus itself is no number.
 * NaN, which only an expression makes, is the lowest and equals itself, so that the order is total.
 */
function compareNumbers(a: number, b: number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return a === b ? 0 : Number(Number.isNaN(b)) - Number(Number.isNaN(a));
}

function compareArrays(a: readonly JsonValue[], b: readonly JsonValue[]): number {
  const lengthMin = Math.min(a.length, b.length);
  for (let index = 0; index < lengthMin; index++) {
    const byElement = compareValues(a[index], b[index]);
    if (byElement !== 0) return byElement;
  }
  return a.length - b.length;
}

function compareObjects(a: JsonObject, b: JsonObject): number {
  const namesA = Object.keys(a).sort(compareStrings);
  const namesB = Object.keys(b).sort(compareStrings);
  const countMin = Math.min(namesA.length, namesB.length);
  for (let index = 0; index < countMin; index++) {
    const nameA = namesA[index]!;
    const nameB = namesB[index]!;
    const byMember = compareStrings(nameA, nameB) || compareValues(a[nameA], b[nameB]);
    if (byMember !== 0) return byMember;
  }
  return namesA.length - namesB.length;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
