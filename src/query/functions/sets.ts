/**
 * Arrays as sets: no result has an element twice. Elements with the same canonical text are deeply
 * equal, so all functions here take time in proportion to their arguments.
 */
import { canonicalText } from "../../json/canonical.ts";
import type { JsonValue } from "../../json/value.ts";
import type { BuiltIn, Value } from "./builtIn.ts";
import { isArray, pure } from "./define.ts";
import { checkSize } from "./valueSize.ts";

/** Elements by their canonical texts, in order of first occurrence. */
type Elements = ReadonlyMap<string, JsonValue>;

export const SET_FUNCTIONS: readonly BuiltIn[] = [
  ofSets("SETDIFFERENCE", (a, b) => elementsOf(a, (text) => !b.has(text))),
  ofSets("SETEQUAL", (a, b) => a.size === b.size && [...a.keys()].every((text) => b.has(text))),
  // In the order of the second array, as documented.
  ofSets("SETINTERSECT", (a, b) => elementsOf(b, (text) => a.has(text))),
  ofSets("SETUNION", (a, b) => [...a.values(), ...elementsOf(b, (text) => !a.has(text))]),
];

function ofSets(name: string, call: (a: Elements, b: Elements) => Value): BuiltIn {
  return pure(name, 2, 2, ([a, b]) =>
    isArray(a) && isArray(b) ? call(distinct(a), distinct(b)) : undefined,
  );
}

function distinct(elements: readonly JsonValue[]): Elements {
  checkSize(elements);
  const byText = new Map<string, JsonValue>();
  for (const element of elements) {
    const text = canonicalText(element);
    if (!byText.has(text)) byText.set(text, element);
  }
  return byText;
}

function elementsOf(set: Elements, isWanted: (text: string) => boolean): readonly JsonValue[] {
  const wanted: JsonValue[] = [];
  for (const [text, element] of set) if (isWanted(text)) wanted.push(element);
  return wanted;
}
