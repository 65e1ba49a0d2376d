/**
 * JSON that travels in a header: ASCII only, and without the two characters that clients take for
 * an escape of their own when they decode the header as if it were part of a URL.
 */
import type { JsonValue } from "../json/value.ts";

export function headerJson(value: JsonValue): string {
  return JSON.stringify(value).replace(UNSAFE, escaped);
}

/** None of them is part of JSON outside of its strings. */
const UNSAFE = /[^\x20-\x7e]|[%+]/g;

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
