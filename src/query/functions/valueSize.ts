/**
 * How large a value is when every part of it is counted as often as it occurs. An expression can
 * put one value into another many times, and the result into a third: it takes no memory, but more
 * time than there is to walk through, or more memory than there is to write down. So whatever walks
 * through all of a value that a query may have made asks here first.
 */
import { canonicalText } from "../../json/canonical.ts";
import { isObject, type JsonValue } from "../../json/value.ts";

/** Ours: many times the largest item. Units of strings and names, and a few for each value. */
export const VALUE_UNITS_MAX: number = 2 ** 25;
const UNITS_OF_ONE = 8;

/** Never more than a little above `max`: counting ends there. */
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

/** One text for equal values, as `canonicalText` makes it, of one that is not too large. */
export function boundedText(value: JsonValue): string {
  checkSize(value);
  return canonicalText(value);
}

/** Throws what a query that makes too large a value is refused with. */
export function checkSize(value: JsonValue): void {
  if (typeof value === "object" && sizeOf(value) > VALUE_UNITS_MAX) {
    throw new RangeError("the value is too large");
  }
}
