/**
 * How large a value is when every part of it is counted as often as it occurs. An expression can
 * put one value into another many times, and the result into a third. Such a value takes little
 * memory, but walking through it may take too much time, and writing it too much memory. So code
 * that walks through all of a value that a query may have made calls `checkSize` first.
 */
import { canonicalText } from "../../json/canonical.ts";
import { isObject, type JsonValue } from "../../json/value.ts";

/**
 * A bound of our own, many times the largest item, in units of strings and names and a few units
 * for each value.
 */
export const VALUE_UNITS_MAX: number = 2 ** 25;
const UNITS_OF_ONE = 8;

/** Returns the size; counting ends a little above `max`. */
export function sizeOf(value: JsonValue, max: number = VALUE_UNITS_MAX): number {
  if (typeof value === "string") return UNITS_OF_ONE + value.length;
  if (typeof value !== "object" || value === null) return UNITS_OF_ONE;
  let size = UNITS_OF_ONE;
  if (isObject(value)) {
    for (const name of Object.keys(value)) {
      size += name.length + sizeOf(value[name]!, max - size);
      if (size > max) break;
    }
    return size;
  }
  for (const element of value as readonly JsonValue[]) {
    size += sizeOf(element, max - size);
    if (size > max) break;
  }
  return size;
}

/**
 * Returns the canonical text of a value, which is the same for equal values; refuses too large a
 * value.
 */
export function boundedText(value: JsonValue): string {
  checkSize(value);
  return canonicalText(value);
}

/** Throws a `RangeError` for too large a value; the query is refused with it. */
export function checkSize(value: JsonValue): void {
  if (typeof value === "object" && sizeOf(value) > VALUE_UNITS_MAX) {
    throw new RangeError("the value is too large");
  }
}
