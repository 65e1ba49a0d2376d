/**
 * Parts of query texts about an item `c`: paths, values that items must have, parameters.
 *
 * Values always travel as parameters, never inside the text.
 */
import type { KeyComponent } from "../component.ts";
import { parseKeyExpression } from "../expressionText.ts";
import type { JsonLike } from "./container.ts";

/** Path to the value, or values, that items must have there. */
export type GivenValues = Readonly<Record<string, KeyComponent | readonly KeyComponent[]>>;

export interface NamedValue {
  name: string;
  value: JsonLike;
}

/** "/a/b" as a query names it. */
export function propertyAt(path: string): string {
  return `c${stepsOf(path)
    .map((step) => `[${JSON.stringify(step)}]`)
    .join("")}`;
}

/** The names along a path, from the outermost. */
export function stepsOf(path: string): readonly string[] {
  const parsed = parseKeyExpression(path);
  if (parsed.ok && parsed.value.kind === "path") return parsed.value.steps;
  throw new TypeError(`${JSON.stringify(path)} is no path; write it as "/ts"`);
}

export function listedValues(
  given: GivenValues = {},
): ReadonlyMap<string, readonly KeyComponent[]> {
  return new Map(Object.entries(given).map(([path, value]) => [path, listOf(value)]));
}

/**
 * One condition for each path. Its values are appended to `parameters`. A single value is compared
 * by itself: an index with further paths has the order of items only behind an equality.
 */
export function valueConditions(
  values: ReadonlyMap<string, readonly KeyComponent[]>,
  parameters: NamedValue[],
): readonly string[] {
  return [...values].map(([path, list]) => {
    const name = `@values${parameters.length}`;
    const [only] = list;
    if (list.length === 1 && only !== undefined) {
      parameters.push({ name, value: only });
      return `${propertyAt(path)} = ${name}`;
    }
    const present = list.filter((value) => value !== undefined);
    parameters.push({ name, value: present });
    const isPresent = `ARRAY_CONTAINS(${name}, ${propertyAt(path)})`;
    const mayMiss = present.length < list.length;
    return mayMiss ? `(${isPresent} OR NOT IS_DEFINED(${propertyAt(path)}))` : isPresent;
  });
}

/** Parameters of a caller, who may leave out the "@". */
export function namedParameters(
  given: Readonly<Record<string, JsonLike>> = {},
): readonly NamedValue[] {
  return Object.entries(given).map(([name, value]) => ({
    name: name.startsWith("@") ? name : `@${name}`,
    value,
  }));
}

function listOf(value: KeyComponent | readonly KeyComponent[]): readonly KeyComponent[] {
  return Array.isArray(value) ? (value as readonly KeyComponent[]) : [value as KeyComponent];
}
