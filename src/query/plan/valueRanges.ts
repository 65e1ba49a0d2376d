/**
 * Ranges of terms for values of queries, which may be undefined, arrays or objects. A condition
 * that no value can satisfy has no ranges.
 */
import type { PathHash } from "../../index/hash.ts";
import type { Scalar } from "../../index/term.ts";
import type { TermRanges } from "../../index/termRange.ts";
import * as ranges from "../../index/termRange.ts";
import type { ValueBound } from "../../index/valueSpan.ts";
import { isObject } from "../../json/value.ts";
import type { Value } from "../functions/builtIn.ts";

export const NOTHING: TermRanges = { ranges: [], isExact: true };

export function equalTo(path: PathHash, value: Value): TermRanges {
  if (value === undefined || (typeof value === "number" && Number.isNaN(value))) return NOTHING;
  if (isScalar(value)) return ranges.equalTo(path, value);
  return { ...ranges.ofTypes(path, [isObject(value) ? "object" : "array"]), isExact: false };
}

interface Limit {
  readonly value: Value;
  readonly isInclusive: boolean;
}

export function rangeBetween(
  path: PathHash,
  low: Limit | undefined,
  high: Limit | undefined,
): TermRanges {
  for (const limit of [low, high]) {
    if (limit !== undefined && (limit.value === undefined || !isScalar(limit.value)))
      return NOTHING;
  }
  const scalar = (limit: Limit | undefined): ValueBound | undefined =>
    limit && { value: limit.value as Scalar, isInclusive: limit.isInclusive };
  return ranges.between(path, scalar(low), scalar(high));
}

/** Joins the ranges of equalities; each range is there once. */
export function anyOf(parts: readonly TermRanges[]): TermRanges {
  const byMin = new Map(parts.flatMap((part) => part.ranges).map((range) => [range.min, range]));
  const sorted = [...byMin.values()].sort((a, b) => (a.min < b.min ? -1 : 1));
  return { ranges: sorted, isExact: parts.every(({ isExact }) => isExact) };
}

/**
 * True for a value that a term can hold. NaN has no place in the order of numbers, and no item
 * holds it.
 */
export function isScalar(value: Value): value is Scalar {
  if (typeof value === "number") return !Number.isNaN(value);
  return value === null || (typeof value !== "object" && value !== undefined);
}

export function isLong(value: Value): boolean {
  return typeof value === "string" && value.length > LONG_CHARACTERS;
}

/**
 * Number of UTF-16 units up to which a string is whole in a term, whatever its characters: a unit
 * takes at most 3 bytes.
 */
const LONG_CHARACTERS = 66;
