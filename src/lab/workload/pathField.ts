/**
 * Paths in a workload file: "/tenantId", "/Item/id". Each path is put into one form, so that paths
 * from members, queries and key expressions can be compared as texts.
 */

import type { JsonObject, JsonValue } from "../../json/value.ts";
import { parseKeyLevels } from "../../keys/expressionText.ts";
import { pathText, valueAt } from "../../keys/paths.ts";
import type { SourceNode } from "../../yaml/sourceTree.ts";
import { elementsOf, type Reading, textOf } from "./reading.ts";

export function pathIn(text: string, node: SourceNode, reading: Reading): string | undefined {
  const steps = stepsOf(text);
  if (steps !== undefined) return pathText({ kind: "path", steps });
  const hint = text.startsWith("/")
    ? "names between slashes, in double quotes if they hold other than letters and digits"
    : `it begins with a slash: ${suggested(text)}`;
  return reading.problem(node, `'${text}' is not the path of a property; ${hint}.`);
}

export function pathFrom(node: SourceNode | undefined, reading: Reading): string | undefined {
  const text = textOf(node, reading);
  return node === undefined || text === undefined ? undefined : pathIn(text, node, reading);
}

export function pathsFrom(
  node: SourceNode | undefined,
  reading: Reading,
): readonly string[] | undefined {
  const elements = elementsOf(node, reading);
  return elements?.flatMap((element) => pathFrom(element, reading) ?? []);
}

/** The names in a path; undefined when the text is no path. */
export function stepsOf(path: string): readonly string[] | undefined {
  const parsed = parseKeyLevels(path);
  if (!parsed.ok || parsed.value.length !== 1) return undefined;
  const [level] = parsed.value;
  return level?.kind === "path" ? level.steps : undefined;
}

/** The value of an item at a path. */
export function valueIn(item: JsonObject | undefined, path: string): JsonValue | undefined {
  const steps = item === undefined ? undefined : stepsOf(path);
  return steps === undefined ? undefined : (valueAt(item, steps) as JsonValue | undefined);
}

function suggested(text: string): string {
  return `/${text.replace(/^c\./, "").replaceAll(".", "/")}`;
}
