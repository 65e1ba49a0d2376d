/**
 * Terms of composite indexes: one for each item and index, whose order is the order of the index.
 *
 * A composite term is a hash of the index and the encoded values at its paths, one after the other
 * (`term.ts`: no encoding is the beginning of another, so it is clear where each ends). A missing
 * value counts as undefined, the lowest; arrays are all equal, and so are objects. The values of a
 * path that goes the other way than the first path have every byte turned over. So the terms are
 * in the order of the index with its first path ascending, and a scan backwards is the order with
 * all directions reversed. An index and its reverse are therefore the same, and share their terms.
 *
 * The longest term is one of eight long strings: 6 + 8 × 210 bytes. The key of the store around it
 * stays below the 1,978 bytes that the embedded engine allows.
 *
 * What always holds: the order of terms is the order of the tuples of values, except among long
 * strings that share their first 200 bytes. A query that reads in order has to sort those by the
 * items (`hasLongString`).
 */
import { assert } from "../base/assert.ts";
import { isObject, type JsonObject, type JsonValue, property } from "../json/value.ts";
import { COMPOSITE_SEED, hashOf, PATH_HASH_BYTES, pathHashText } from "./hash.ts";
import type { CompositeIndex, CompositePath } from "./policyIndexes.ts";
import { parsePolicyPath } from "./policyPath.ts";
import {
  decodeValue,
  encodePresence,
  endOfValue,
  isTruncated,
  type Scalar,
  TAG_ARRAY,
  TAG_OBJECT,
  TAG_UNDEFINED,
  type Term,
} from "./term.ts";
import type { ValueSpan } from "./valueSpan.ts";
import { afterAll, cutsOf, rangeBetween, type SpanRange, turned, turnedCuts } from "./valueSpan.ts";

/** A composite index in normal form: its terms ascend by the first path. */
export interface CompositeLayout {
  readonly steps: readonly CompositeStep[];
  /** The bytes that all terms of the index begin with. */
  readonly hash: string;
}

export interface CompositeStep {
  readonly path: readonly string[];
  /**
   * The direction in the order of the terms, which is the reverse of the policy's if that starts
   * descending.
   */
  readonly isDescending: boolean;
}

/** What a term says about one value. */
type CompositePart =
  | { readonly kind: "value"; readonly value: Scalar }
  | { readonly kind: "undefined" | "array" | "object" }
  /** A string of which the term has only the beginning. */
  | { readonly kind: "longString" };

export function compositeLayoutOf(index: CompositeIndex): CompositeLayout {
  const steps = index.map((step) => ({
    path: namesIn(step),
    isDescending: step.order !== index[0]!.order,
  }));
  const text = JSON.stringify(steps.map(({ path, isDescending }) => [isDescending, ...path]));
  return { steps, hash: pathHashText(hashOf(text, COMPOSITE_SEED)) };
}

/** Returns each index once: some are listed twice, and an index is the same as its reverse. */
export function compositeLayoutsOf(indexes: readonly CompositeIndex[]): readonly CompositeLayout[] {
  const layouts = indexes.map(compositeLayoutOf);
  return [...new Map(layouts.map((layout) => [layout.hash, layout])).values()];
}

/** Returns the term of an item. `stamp` has the properties of the item that are not in `item`. */
export function compositeTermOf(
  { steps, hash }: CompositeLayout,
  item: JsonObject,
  stamp?: JsonObject,
): Term {
  let term = hash;
  for (const { path, isDescending } of steps) {
    const isStamp = stamp !== undefined && Object.hasOwn(stamp, path[0]!);
    const encoded = encodePresence(valueAt(isStamp ? stamp : item, path));
    term += isDescending ? turned(encoded) : encoded;
  }
  return term as Term;
}

/**
 * Returns the range of the terms whose first values are `equal`, and whose next value is in the
 * span. Arrays and objects count by their type alone. The range is not exact if it depends on a
 * long string.
 */
export function compositeRange(
  { steps, hash }: CompositeLayout,
  equal: readonly (JsonValue | undefined)[],
  next?: ValueSpan,
): SpanRange {
  assert(equal.length + (next === undefined ? 0 : 1) <= steps.length, "more values than paths");
  let prefix = hash;
  let isExact = true;
  equal.forEach((value, index) => {
    const encoded = encodePresence(value);
    prefix += steps[index]!.isDescending ? turned(encoded) : encoded;
    const isNode = typeof value === "object" && value !== null;
    if (isNode || isTruncated(encoded)) isExact = false;
  });
  if (next === undefined) return { min: prefix, max: afterAll(prefix), isExact };
  const cuts = cutsOf(next);
  const range = rangeBetween(prefix, steps[equal.length]!.isDescending ? turnedCuts(cuts) : cuts);
  return { ...range, isExact: isExact && range.isExact };
}

/** Returns one part for each path of the index. */
export function decodeComposite(layout: CompositeLayout, term: string): readonly CompositePart[] {
  return encodedParts(layout, term).map((encoded): CompositePart => {
    if (encoded === TAG_UNDEFINED) return { kind: "undefined" };
    if (encoded === TAG_ARRAY) return { kind: "array" };
    if (encoded === TAG_OBJECT) return { kind: "object" };
    const value = decodeValue(encoded);
    return value === undefined ? { kind: "longString" } : { kind: "value", value };
  });
}

/** True when the hash of a long string decides the place of the term among its neighbours. */
export function hasLongString(layout: CompositeLayout, term: string): boolean {
  return encodedParts(layout, term).some(isTruncated);
}

function encodedParts({ steps }: CompositeLayout, term: string): readonly string[] {
  let start = PATH_HASH_BYTES;
  return steps.map(({ isDescending }) => {
    const bytes = isDescending ? turned(term.slice(start)) : term.slice(start);
    const end = endOfValue(bytes, 0);
    start += end;
    return bytes.slice(0, end);
  });
}

function namesIn({ path }: CompositePath): readonly string[] {
  const parsed = parsePolicyPath(path);
  assert(parsed.ok, "a policy in normal form has no broken path");
  return parsed.value.segments.map((segment) => {
    assert(typeof segment === "string", "a composite path names one property");
    return segment;
  });
}

function valueAt(item: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = item;
  for (const name of path) value = isObject(value) ? property(value, name) : undefined;
  return value;
}
