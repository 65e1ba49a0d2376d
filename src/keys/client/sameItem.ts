/** Whether a stored item is the one that was to be written, apart from what the service adds. */
import { withoutSystemProperties } from "../../base/systemProperties.ts";

export function isSameItem(stored: unknown, body: unknown): boolean {
  if (!isObject(stored) || !isObject(body)) return false;
  // As it was sent: what JSON leaves out or changes is not there.
  const sent: unknown = JSON.parse(JSON.stringify(body));
  return isObject(sent) && isEqual(withoutSystemProperties(stored), withoutSystemProperties(sent));
}

type JsonObject = Readonly<Record<string, unknown>>;

function isEqual(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((value, index) => isEqual(value, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return a === b;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isEqual(a[name], b[name]))
  );
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
