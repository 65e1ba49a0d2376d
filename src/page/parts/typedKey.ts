/** A partition key as somebody types it: a JSON array, or plain text for a key of one text. */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";

/** The JSON array that the server wants, or what is wrong. */
export function typedKey(text: string, paths: readonly string[]): Result<string, string> {
  const trimmed = text.trim();
  if (trimmed.startsWith("[")) {
    try {
      const parts: unknown = JSON.parse(trimmed);
      if (Array.isArray(parts) && parts.length > paths.length) {
        return no(`The key has ${paths.length} parts at most: ${paths.join(", ")}.`);
      }
      return ok(JSON.stringify(parts));
    } catch {
      return no('This is no JSON array. Write ["text"], [5] or ["a", "b"].');
    }
  }
  if (paths.length > 1) {
    return no(`The key has ${paths.length} parts: write ["a", "b"] for ${paths.join(", ")}.`);
  }
  // Somebody who writes the quotation marks means the text between them.
  if (/^".*"$/.test(trimmed)) {
    try {
      return ok(JSON.stringify([JSON.parse(trimmed)]));
    } catch {
      return ok(JSON.stringify([trimmed]));
    }
  }
  return ok(JSON.stringify([trimmed]));
}
