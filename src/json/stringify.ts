/**
 * JSON text of a value, with the one thing `JSON.stringify` loses: the sign of a negative zero. To
 * the hash of a partition key zero and negative zero are two values, so an item must not change
 * from the one to the other by being written down.
 */
import type { JsonValue } from "./value.ts";
import { isObject } from "./value.ts";

export function stringifyKeepingSigns(value: JsonValue): string {
  if (Object.is(value, -0)) return "-0";
  if (Array.isArray(value)) {
    return `[${(value as readonly JsonValue[]).map(stringifyKeepingSigns).join(",")}]`;
  }
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).map(
    (key) => `${JSON.stringify(key)}:${stringifyKeepingSigns(value[key]!)}`,
  );
  return `{${members.join(",")}}`;
}
