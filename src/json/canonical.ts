/**
 * One text for each value: `canonicalText(a) === canonicalText(b)` exactly when
 * `equalValues(a, b)`, so a set or a map of values is a set or a map of their texts.
 *
 * The text is compact JSON with the members of every object in one fixed order and no sign on a
 * zero. Like JSON it ends by itself: texts may be strung together, with a comma between them, and
 * are still told apart. Not here: the order of values (`compare.ts`); that of the texts is another.
 */
import type { JsonObject, JsonValue } from "./value.ts";

export function canonicalText(value: JsonValue): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
      // Not `JSON.stringify`, which calls what is not finite `null`. Both write -0 as 0.
      return `${value}`;
    case "boolean":
      return value ? "true" : "false";
  }
  if (value === null) return "null";
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  return objectText(value as JsonObject);
}

function objectText(object: JsonObject): string {
  const members = Object.keys(object)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalText(object[name]!)}`);
  return `{${members.join(",")}}`;
}
