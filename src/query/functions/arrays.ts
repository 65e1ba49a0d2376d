/**
 * Functions of arrays. Elements are compared deeply. Undefined is never an element: an array
 * literal leaves undefined values out before a function sees the array.
 *
 * Not here: arrays as sets (`sets.ts`).
 */
import { canonicalText } from "../../json/canonical.ts";
import { compareValues, equalValues } from "../../json/compare.ts";
import { carryDigits } from "../../json/digits.ts";
import { isObject, type JsonObject, type JsonValue, property } from "../../json/value.ts";
import type { BuiltIn, Value } from "./builtIn.ts";
import { allOf, anyOf, flagOf, isArray, isNumber, isWhole, pure } from "./define.ts";
import { boundedText, checkSize } from "./valueSize.ts";

/**
 * A bound of our own, without which nested calls could double an array without end. No item has so
 * many elements.
 */
const ELEMENT_COUNT_MAX = 2 ** 22;

export const ARRAY_FUNCTIONS: readonly BuiltIn[] = [
  ofArray("ARRAY_AVG", (elements) => {
    const total = sum(elements);
    return total === undefined || elements.length === 0 ? undefined : total / elements.length;
  }),
  pure("ARRAY_CONCAT", 2, Infinity, (arrays) => {
    if (!arrays.every(isArray)) return undefined;
    const elementCount = arrays.reduce((count, elements) => count + elements.length, 0);
    return elementCount > ELEMENT_COUNT_MAX ? undefined : concatenated(arrays);
  }),
  pure("ARRAY_CONTAINS", 2, 3, ([elements, sought, option]) => {
    const isPartial = flagOf(option);
    if (!isArray(elements) || sought === undefined || isPartial === undefined) return undefined;
    if (!isPartial || !isObject(sought)) return contains(elements, sought);
    checkSize(elements);
    return elements.some((element) => hasMembers(element, sought));
  }),
  containsMany("ARRAY_CONTAINS_ALL", allOf),
  containsMany("ARRAY_CONTAINS_ANY", anyOf),
  ofArray("ARRAY_LENGTH", (elements) => elements.length),
  ofArray("ARRAY_MAX", (elements) => extreme(elements, 1)),
  ofArray("ARRAY_MEDIAN", median),
  ofArray("ARRAY_MIN", (elements) => extreme(elements, -1)),
  pure("ARRAY_SLICE", 2, 3, (args) => {
    const [elements, start, count] = args.length === 2 ? [...args, ELEMENT_COUNT_MAX] : args;
    if (!isArray(elements) || !isWhole(start) || !isWhole(count)) return undefined;
    const first = start < 0 ? Math.max(start + elements.length, 0) : start;
    return count <= 0 ? [] : slice(elements, first, first + count);
  }),
  ofArray("ARRAY_SUM", sum),
];

/** `concat` on an empty array replaces `flat`, which takes forty times as long. */
const NO_ELEMENTS: JsonValue[] = [];

function concatenated(arrays: readonly (readonly JsonValue[])[]): readonly JsonValue[] {
  const all = NO_ELEMENTS.concat(...arrays);
  let start = 0;
  for (const elements of arrays) {
    const before = start;
    carryDigits(elements, all, (index) => before + Number(index));
    start += elements.length;
  }
  return all;
}

function slice(elements: readonly JsonValue[], from: number, to: number): readonly JsonValue[] {
  const some = elements.slice(from, to);
  carryDigits(elements, some, (index) => {
    const place = Number(index) - from;
    return place >= 0 && place < some.length ? place : undefined;
  });
  return some;
}

function ofArray(name: string, call: (elements: readonly JsonValue[]) => Value): BuiltIn {
  return pure(name, 1, 1, ([elements]) => (isArray(elements) ? call(elements) : undefined));
}

/** Defines a function that means a chain of ARRAY_CONTAINS, joined by AND or OR. */
function containsMany(name: string, combine: typeof allOf): BuiltIn {
  return pure(name, 2, Infinity, ([elements, ...soughts]) => {
    if (!isArray(elements)) return undefined;
    const isIn = soughts.length < MANY ? asItIs(elements) : byText(elements);
    return combine(soughts.map((sought) => (sought === undefined ? undefined : isIn(sought))));
  });
}

/** Number of sought values from which it is better to look through the elements once. */
const MANY = 8;

function asItIs(elements: readonly JsonValue[]): (sought: JsonValue) => boolean {
  return (sought) => contains(elements, sought);
}

function byText(elements: readonly JsonValue[]): (sought: JsonValue) => boolean {
  checkSize(elements);
  const texts = new Set(elements.map(canonicalText));
  return (sought) => texts.has(boundedText(sought));
}

function contains(elements: readonly JsonValue[], sought: JsonValue): boolean {
  if (typeof sought !== "object" || sought === null) return elements.includes(sought);
  checkSize(elements);
  return elements.some((element) => equalValues(element, sought));
}

/** True when all members of `part` are in `whole`, those of objects within objects included. */
function hasMembers(whole: JsonValue, part: JsonObject): boolean {
  if (!isObject(whole)) return false;
  return Object.keys(part).every((name) => {
    const expected = part[name]!;
    const actual = property(whole, name);
    if (actual === undefined) return false;
    return isObject(expected) ? hasMembers(actual, expected) : equalValues(actual, expected);
  });
}

function sum(elements: readonly JsonValue[]): number | undefined {
  if (!elements.every(isNumber)) return undefined;
  return elements.reduce((total, element) => total + element, 0);
}

function median(elements: readonly JsonValue[]): number | undefined {
  if (!elements.every(isNumber) || elements.length === 0) return undefined;
  const ascending = elements.toSorted((a, b) => a - b);
  const middle = ascending.length >> 1;
  const upper = ascending[middle]!;
  return ascending.length % 2 === 1 ? upper : (ascending[middle - 1]! + upper) / 2;
}

/**
 * Returns the largest element, or with -1 the smallest, in the order of all values; undefined when
 * an element is an array or an object.
 */
function extreme(elements: readonly JsonValue[], direction: 1 | -1): Value {
  let found: Value;
  for (const element of elements) {
    if (typeof element === "object" && element !== null) return undefined;
    if (found === undefined || compareValues(element, found) * direction > 0) found = element;
  }
  return found;
}
