/**
 * Spans of values that lie together in a composite index, and the ranges of terms that hold them:
 * all numbers from 3 up, all strings that start with "ab", all arrays.
 *
 * A span is cut out of the order of encoded values (`term.ts`) by two cuts, each before or after
 * all encodings with some beginning. Where an index holds values with all bytes turned over, the
 * cuts are turned over too and change places.
 *
 * A range is exact when every term in it has a value of the span. Long strings are in terms by
 * their first bytes only: a span bounded by a long string takes in other strings, and a query has
 * to look at the items. A range never misses a value of its span.
 *
 * Not here: ranges of the terms of single values (`termRange.ts`).
 */
import {
  encodeBeginning,
  encodeValue,
  isTruncated,
  type Scalar,
  TAG_ARRAY,
  TAG_FALSE,
  TAG_NULL,
  TAG_NUMBER,
  TAG_OBJECT,
  TAG_STRING,
  TAG_TRUE,
  TAG_UNDEFINED,
  type TermRange,
} from "./term.ts";

export type ValueSpan =
  /** Values of the type of the bounds, as comparisons see them; both bounds have the same type. */
  | { readonly kind: "between"; readonly min?: ValueBound; readonly max?: ValueBound }
  | { readonly kind: "startsWith"; readonly text: string }
  | { readonly kind: "type"; readonly type: ValueType }
  /** Any value that is defined. */
  | { readonly kind: "defined" };

export interface ValueBound {
  readonly value: Scalar;
  readonly isInclusive: boolean;
}

type ValueType = "undefined" | "null" | "boolean" | "number" | "string" | "array" | "object";

export interface SpanRange extends TermRange {
  /**
   * False when terms in the range may have other values, so that the items have to be looked at.
   */
  readonly isExact: boolean;
}

/** A place before or after all encodings with this beginning. */
interface Cut {
  readonly beginning: string;
  readonly isAfter: boolean;
}

interface SpanCuts {
  readonly min: Cut;
  readonly max: Cut;
  readonly isExact: boolean;
}

export function cutsOf(span: ValueSpan): SpanCuts {
  switch (span.kind) {
    case "between":
      return cutsBetween(span.min, span.max);
    case "startsWith":
      return cutsOfBeginning(span.text);
    case "type":
      return { ...CUTS_OF_TYPES[span.type], isExact: true };
    case "defined":
      return { min: after(TAG_UNDEFINED), max: after(TAG_OBJECT), isExact: true };
  }
}

/** Returns the same span for an index in which every byte of an encoded value is turned over. */
export function turnedCuts({ min, max, isExact }: SpanCuts): SpanCuts {
  return { min: turnedCut(max), max: turnedCut(min), isExact };
}

export function rangeBetween(prefix: string, { min, max, isExact }: SpanCuts): SpanRange {
  return { min: boundAt(prefix, min), max: boundAt(prefix, max), isExact };
}

/** Turns every byte over. Encodings of which none begins another sort the other way then. */
export function turned(bytes: string): string {
  let answer = "";
  for (let index = 0; index < bytes.length; index++) {
    answer += String.fromCharCode(bytes.charCodeAt(index) ^ 0xff);
  }
  return answer;
}

/** Returns the first string behind all that have this beginning. */
export function afterAll(beginning: string): string {
  let last = beginning.length - 1;
  while (last >= 0 && beginning.charCodeAt(last) === 0xff) last--;
  if (last < 0) return `${beginning}\xff`;
  return beginning.slice(0, last) + String.fromCharCode(beginning.charCodeAt(last) + 1);
}

const CUTS_OF_TYPES: Readonly<Record<ValueType, { readonly min: Cut; readonly max: Cut }>> = {
  undefined: around(TAG_UNDEFINED),
  null: around(TAG_NULL),
  boolean: { min: before(TAG_FALSE), max: after(TAG_TRUE) },
  number: around(TAG_NUMBER),
  string: around(TAG_STRING),
  array: around(TAG_ARRAY),
  object: around(TAG_OBJECT),
};

function cutsBetween(min: ValueBound | undefined, max: ValueBound | undefined): SpanCuts {
  const known = min ?? max;
  if (known === undefined) return cutsOf({ kind: "defined" });
  const ofType = CUTS_OF_TYPES[typeOf(known.value)];
  return {
    min: min === undefined ? ofType.min : cutAt(min.value, !min.isInclusive, false),
    max: max === undefined ? ofType.max : cutAt(max.value, max.isInclusive, true),
    isExact: [min, max].every((bound) => bound === undefined || !isLong(bound.value)),
  };
}

/**
 * Returns the cut at a value. Strings that share the first bytes of a long string may lie on either
 * side of it, so the cut takes them all in.
 */
function cutAt(value: Scalar, isAfter: boolean, isMax: boolean): Cut {
  if (isLong(value)) return { beginning: encodeBeginning(value), isAfter: isMax };
  return { beginning: encodeValue(value), isAfter };
}

function cutsOfBeginning(text: string): SpanCuts {
  const lastUnit = text.charCodeAt(text.length - 1);
  // The text may end with the first half of a surrogate pair, whose bytes depend on the other half.
  const isHalf = lastUnit >= 0xd800 && lastUnit <= 0xdbff;
  const known = isHalf ? text.slice(0, -1) : text;
  return { ...around(encodeBeginning(known)), isExact: !isHalf && !isLong(text) };
}

function isLong(value: Scalar): value is string {
  return typeof value === "string" && isTruncated(encodeValue(value));
}

function typeOf(value: Scalar): ValueType {
  return value === null ? "null" : (typeof value as "boolean" | "number" | "string");
}

function around(beginning: string): { readonly min: Cut; readonly max: Cut } {
  return { min: before(beginning), max: after(beginning) };
}

function before(beginning: string): Cut {
  return { beginning, isAfter: false };
}

function after(beginning: string): Cut {
  return { beginning, isAfter: true };
}

function turnedCut({ beginning, isAfter }: Cut): Cut {
  return { beginning: turned(beginning), isAfter: !isAfter };
}

function boundAt(prefix: string, { beginning, isAfter }: Cut): string {
  return isAfter ? afterAll(prefix + beginning) : prefix + beginning;
}
