/** Partition keys as somebody types them: the values of one, and the paths that define one. */
import type { Result } from "../../../base/result.ts";
import { no, ok } from "../../../base/result.ts";
import { counted } from "../../../base/wording.ts";
import { typedKey } from "../../parts/typedKey.ts";

/** A whole key: a value for each of its paths. */
export function parsedKeys(
  text: string,
  paths: readonly string[],
): Result<readonly unknown[], string> {
  if (text.trim() === "") return no("Type a partition key.");
  const typed = typedKey(text, paths);
  if (!typed.ok) return typed;
  const keys = JSON.parse(typed.value) as readonly unknown[];
  return keys.length === paths.length
    ? ok(keys)
    : no(`The key has ${counted(paths.length, "part")}: ${paths.join(", ")}.`);
}

/** What a field for the key of a container shows while it is empty. */
export function keyExample(paths: readonly string[]): string {
  return paths.length === 1
    ? 'ada or ["ada"]'
    : JSON.stringify(paths.map((_, at) => ["a", "b", "c"][at]));
}

/** Several paths with commas between them are a hierarchical key, as on the command line. */
export function candidateText(typed: string): string {
  const text = typed.trim();
  const isPlainList = text.startsWith("/") && text.includes(",") && !/[("]/.test(text);
  return isPlainList ? `[${text}]` : text;
}
