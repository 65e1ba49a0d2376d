/** A partition key that somebody types: a JSON array with a value for each path. */
import type { Result } from "../../../base/result.ts";
import { no, ok } from "../../../base/result.ts";

export function parsedKeys(text: string, count: number): Result<readonly unknown[], string> {
  try {
    const keys: unknown = JSON.parse(text);
    if (Array.isArray(keys) && keys.length === count) return ok(keys as readonly unknown[]);
  } catch {
    // Said below, with what would be right.
  }
  return no(`A partition key is a JSON array with ${count} of its values, such as ["ada"].`);
}
