/**
 * JSON that travels in a header: ASCII only, and without the two characters that clients take for
 * an escape of their own when they decode the header as if it were part of a URL.
 */
import type { JsonValue } from "../../json/value.ts";

export function headerJson(value: JsonValue): string {
  return JSON.stringify(value).replace(STRING_OR_PLUS, (part) =>
    part === "e+" ? "e" : part.replace(UNSAFE, escaped),
  );
}

/** Outside of strings only the exponent of a number has a plus, and does not need it. */
const STRING_OR_PLUS = /"(?:[^"\\]|\\.)*"|e\+/g;
const UNSAFE = /[^\x20-\x7e]|[%+]/g;

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
