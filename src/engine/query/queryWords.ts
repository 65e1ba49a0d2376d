/** What can be written in a query over a container: functions, and paths that its items have. */
import type { JsonValue } from "../../json/value.ts";
import { isObject } from "../../json/value.ts";
import { AGGREGATE_NAMES, BUILT_IN_NAMES } from "../../query/functions/registry.ts";

/** Names of all functions, in capitals and in order. */
export const FUNCTION_NAMES: readonly string[] = [
  ...new Set([...BUILT_IN_NAMES, ...AGGREGATE_NAMES]),
].sort();

interface PathCount {
  readonly path: string;
  readonly itemCount: number;
  readonly types: readonly string[];
}

/** Nobody completes deeper paths, and an item may be a map with endless names. */
const DEPTH_MAX = 4;
const PATHS_MAX = 500;

/** Paths of members, `address.city`, the most frequent first; nothing inside of arrays. */
export function pathsIn(items: readonly JsonValue[]): readonly PathCount[] {
  const found = new Map<string, { itemCount: number; readonly types: Set<string> }>();
  const note = (value: JsonValue, prefix: string, depth: number): void => {
    if (!isObject(value) || depth > DEPTH_MAX) return;
    for (const [name, inner] of Object.entries(value)) {
      const path = `${prefix}${stepOf(name, prefix === "")}`;
      const entry = found.get(path) ?? { itemCount: 0, types: new Set<string>() };
      if (!found.has(path)) {
        if (found.size >= PATHS_MAX) continue;
        found.set(path, entry);
      }
      entry.itemCount++;
      entry.types.add(typeOf(inner));
      note(inner, path, depth + 1);
    }
  };
  for (const item of items) note(item, "", 1);
  return [...found]
    .map(([path, { itemCount, types }]) => ({ path, itemCount, types: [...types].sort() }))
    .sort((one, other) => other.itemCount - one.itemCount || (one.path < other.path ? -1 : 1));
}

function stepOf(name: string, isFirst: boolean): string {
  if (!/^[A-Za-z_]\w*$/.test(name)) return `[${JSON.stringify(name)}]`;
  return isFirst ? name : `.${name}`;
}

function typeOf(value: JsonValue): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
