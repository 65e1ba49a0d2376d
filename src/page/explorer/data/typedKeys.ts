/** Partition keys as somebody types them: the values of one, and the paths that define one. */
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

/** Several paths with commas between them are a hierarchical key, as on the command line. */
export function candidateText(typed: string): string {
  const text = typed.trim();
  const isPlainList = text.startsWith("/") && text.includes(",") && !/[("]/.test(text);
  return isPlainList ? `[${text}]` : text;
}
