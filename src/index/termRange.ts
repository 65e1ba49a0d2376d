/**
 * Ranges of terms that answer a comparison: all values at a path that are of a type, equal to,
 * above or below a value, or begin with a text.
 *
 * A range is *exact* when the terms in it are those of the values that pass, and no others. Around
 * long strings, of which a term holds only the beginning, a range may have to take in more.
 */
import type { PathHash } from "./hash.ts";
import { PATH_HASH_BYTES } from "./hash.ts";
import type { Scalar, TermRange } from "./term.ts";
import { isTruncated, termOf, termRangeOfPath } from "./term.ts";
import type { ValueBound, ValueSpan } from "./valueSpan.ts";
import { cutsOf, rangeBetween } from "./valueSpan.ts";

export interface ValueRange extends TermRange {
  /** True when the range holds one term only, so that its entries are in order of item numbers. */
  readonly isTerm?: true;
}

export interface TermRanges {
  /** The ranges, sorted; none overlaps another. */
  readonly ranges: readonly ValueRange[];
  readonly isExact: boolean;
}

export type TypeName = "null" | "boolean" | "number" | "string" | "array" | "object";

const NONE: TermRanges = { ranges: [], isExact: true };
/**
 * A byte above every byte that can follow a whole term, which is the first byte of an item number.
 */
const AFTER = "\xff";
export function equalTo(path: PathHash, value: Scalar): TermRanges {
  const term = termOf(path, value);
  const isExact = !isTruncated(term.slice(PATH_HASH_BYTES));
  return { ranges: [{ min: term, max: term + AFTER, isTerm: true }], isExact };
}

export function different(path: PathHash, value: Scalar): TermRanges {
  const { ranges, isExact } = equalTo(path, value);
  const all = termRangeOfPath(path);
  // Another long string may share the hash, so items with an equal term have to be looked at.
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

/**
 * Returns the values between two bounds of the same type; a missing bound is the end of that type.
 */
export function between(
  path: PathHash,
  min: ValueBound | undefined,
  max: ValueBound | undefined,
): TermRanges {
  const type = typeOf((min ?? max)!.value);
  if (min !== undefined && max !== undefined && typeOf(max.value) !== type) return NONE;
  // Null is not less than itself, so both bounds must be inclusive.
  if (type === "null") {
    const isEqual = (min?.isInclusive ?? true) && (max?.isInclusive ?? true);
    return isEqual ? equalTo(path, null) : NONE;
  }
  return inSpan(path, { kind: "between", ...(min && { min }), ...(max && { max }) });
}

export function ofTypes(path: PathHash, types: readonly TypeName[]): TermRanges {
  const ranges = types.flatMap((type) => inSpan(path, { kind: "type", type }).ranges);
  return { ranges: ranges.sort((a, b) => (a.min < b.min ? -1 : 1)), isExact: true };
}

export function defined(path: PathHash): TermRanges {
  return { ranges: [termRangeOfPath(path)], isExact: true };
}

export function beginningWith(path: PathHash, text: string): TermRanges {
  return inSpan(path, { kind: "startsWith", text });
}

function inSpan(path: PathHash, span: ValueSpan): TermRanges {
  const { min, max, isExact } = rangeBetween(path, cutsOf(span));
  return min < max ? { ranges: [{ min, max }], isExact } : NONE;
}

function typeOf(value: Scalar): TypeName {
  return value === null ? "null" : (typeof value as "boolean" | "number" | "string");
}
