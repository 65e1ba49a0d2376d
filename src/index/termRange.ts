/**
 * Ranges of terms that answer a comparison: all values at a path that are of a type, equal to,
 * above or below a value, or begin with a text.
 *
 * A range is *exact* when every term in it belongs to a value that passes, and no other does.
 * Around long strings, of which a term holds only the beginning, it may have to take in more.
 */
import type { PathHash } from "./hash.ts";
import { PATH_HASH_BYTES } from "./hash.ts";
import type { Scalar, TermRange } from "./term.ts";
import { encodeValue, isTruncated, termOf, termOfNode, termRangeOfPath } from "./term.ts";

export interface ValueRange extends TermRange {
  /** One term and no other is in it, so what is in it is in order of item numbers. */
  readonly isTerm?: true;
}

export interface TermRanges {
  /** Sorted, and none overlaps another. */
  readonly ranges: readonly ValueRange[];
  readonly isExact: boolean;
}

export type TypeName = "null" | "boolean" | "number" | "string" | "array" | "object";

const NONE: TermRanges = { ranges: [], isExact: true };
/** Above every byte that follows a whole term, which is the first of an item's number. */
const AFTER = "\xff";
/** What the first 200 bytes of a long string are followed by, and the next byte up. */
const LONG_END = "\x02";
const HASH_BYTES = 8;

const TAG_NULL = encodeValue(null);
const TAG_NUMBER = encodeValue(0)[0]!;
const TAG_STRING = encodeValue("")[0]!;

export function equalTo(path: PathHash, value: Scalar): TermRanges {
  const term = termOf(path, value);
  const isExact = !isTruncated(term.slice(PATH_HASH_BYTES));
  return { ranges: [{ min: term, max: term + AFTER, isTerm: true }], isExact };
}

export function different(path: PathHash, value: Scalar): TermRanges {
  const { ranges, isExact } = equalTo(path, value);
  const all = termRangeOfPath(path);
  // Another long string may share the hash, so equal terms have to be looked at.
  if (!isExact) return { ranges: [all], isExact };
  const [equal] = ranges;
  return {
    ranges: [
      { min: all.min, max: equal!.min },
      { min: equal!.max, max: all.max },
    ],
    isExact,
  };
}

export type Bound = { readonly value: Scalar; readonly isInclusive: boolean };

/** Values of the bounds' one type between them; a missing bound is that of the type. */
export function between(
  path: PathHash,
  low: Bound | undefined,
  high: Bound | undefined,
): TermRanges {
  const type = typeOf((low ?? high)!.value);
  if (low !== undefined && high !== undefined && typeOf(high.value) !== type) return NONE;
  // Null is no less than itself.
  if (type === "null") {
    const isEqual = (low?.isInclusive ?? true) && (high?.isInclusive ?? true);
    return isEqual ? equalTo(path, null) : NONE;
  }
  const all = rangeOfType(path, type);
  const from = low === undefined ? { at: all.min, isExact: true } : lowEnd(path, low);
  const to = high === undefined ? { at: all.max, isExact: true } : highEnd(path, high);
  if (from.at >= to.at) return NONE;
  return { ranges: [{ min: from.at, max: to.at }], isExact: from.isExact && to.isExact };
}

export function ofTypes(path: PathHash, types: readonly TypeName[]): TermRanges {
  const ranges = types.map((type) => rangeOfType(path, type));
  return { ranges: ranges.sort((a, b) => (a.min < b.min ? -1 : 1)), isExact: true };
}

export function defined(path: PathHash): TermRanges {
  return { ranges: [termRangeOfPath(path)], isExact: true };
}

export function beginningWith(path: PathHash, text: string): TermRanges {
  // Half a pair at the end is written in other bytes than the pair it may be half of.
  const isHalfPair = /[\ud800-\udbff]$/.test(text);
  const encoded = encodeValue(isHalfPair ? text.slice(0, -1) : text);
  const isLong = isTruncated(encoded);
  const begin = path + (isLong ? encoded.slice(0, -1 - HASH_BYTES) : encoded.slice(0, -1));
  return { ranges: [{ min: begin, max: begin + AFTER }], isExact: !isLong && !isHalfPair };
}

function lowEnd(path: PathHash, { value, isInclusive }: Bound): { at: string; isExact: boolean } {
  const term = termOf(path, value);
  if (isTruncated(term.slice(PATH_HASH_BYTES))) {
    return { at: term.slice(0, -1 - HASH_BYTES), isExact: false };
  }
  return { at: isInclusive ? term : term + AFTER, isExact: true };
}

function highEnd(path: PathHash, { value, isInclusive }: Bound): { at: string; isExact: boolean } {
  const term = termOf(path, value);
  if (isTruncated(term.slice(PATH_HASH_BYTES))) {
    return { at: term.slice(0, -1 - HASH_BYTES) + LONG_END, isExact: false };
  }
  return { at: isInclusive ? term + AFTER : term, isExact: true };
}

function rangeOfType(path: PathHash, type: TypeName): TermRange {
  switch (type) {
    case "null":
      return { min: path + TAG_NULL, max: path + TAG_NULL + AFTER };
    case "boolean":
      return { min: path + encodeValue(false), max: path + encodeValue(true) + AFTER };
    case "number":
      return tagRange(path + TAG_NUMBER);
    case "string":
      return tagRange(path + TAG_STRING);
    case "array":
    case "object": {
      const term = termOfNode(path, type);
      return { min: term, max: term + AFTER };
    }
  }
}

/** The tags of types are small and next to each other. */
function tagRange(tagged: string): TermRange {
  const last = tagged.length - 1;
  const next = String.fromCharCode(tagged.charCodeAt(last) + 1);
  return { min: tagged, max: tagged.slice(0, last) + next };
}

export function typeOf(value: Scalar): TypeName {
  if (value === null) return "null";
  return typeof value as "boolean" | "number" | "string";
}
