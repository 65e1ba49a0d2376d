/**
 * One text for each value: `canonicalText(a) === canonicalText(b)` exactly when `equalValues(a,
 * b)`, so a set or a map of values is a set or a map of their texts.
 *
 * The text is compact JSON with the members of every object in one fixed order and no sign on a
 * zero. Like JSON, a text needs no mark for its end: several texts, joined by commas, can still be
 * told apart. Not here: the order of values (`compare.ts`); the order of the texts is a different
 * one.
 */
import { digitsAt } from "./digits.ts";
import { isObject, type JsonObject, type JsonValue } from "./value.ts";

export function canonicalText(value: JsonValue): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
      // `JSON.stringify` would write `null` for a number that is not finite. Both write -0 as 0.
      return `${value}`;
    case "boolean":
      return value ? "true" : "false";
  }
  if (value === null) return "null";
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  return objectText(value as JsonObject);
}

/**
 * Returns the canonical text with the digits that doubles do not hold: one text for each item as it
 * is written.
 */
export function exactText(value: JsonValue): string {
  if (Object.is(value, -0)) return "-0";
  if (typeof value !== "object" || value === null) return canonicalText(value);
  if (!isObject(value)) {
    const array = value as readonly JsonValue[];
    const texts = array.map((element, index) => digitsAt(array, index) ?? exactText(element));
    return `[${texts.join(",")}]`;
  }
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${digitsAt(value, name) ?? exactText(value[name]!)}`);
  return `{${members.join(",")}}`;
}

function objectText(object: JsonObject): string {
  const members = Object.keys(object)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalText(object[name]!)}`);
  return `{${members.join(",")}}`;
}
