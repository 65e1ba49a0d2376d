/**
 * From strings to the other types and back, and from objects to arrays.
 *
 * A string converts if it is the JSON text of a value of the wanted kind, with white space around
 * it at most: `'a'` in single quotes, `NULL`, `0xF` and `NaN` are no JSON.
 */
import { depthExceeds } from "../../json/depth.ts";
import { setMember } from "../../json/member.ts";
import { isObject, type JsonObject, type JsonValue } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { BuiltIn, Value } from "./builtIn.ts";
import { isArray, isString, ofString, pure, STRING_UNITS_MAX } from "./define.ts";
import { sizeOf } from "./valueSize.ts";

export const CONVERSIONS: readonly BuiltIn[] = [
  pure("OBJECTTOARRAY", 1, 3, (args) => {
    const [object, nameKey, valueKey] = [...args, ...["k", "v"].slice(args.length - 1)];
    if (!isObject(object) || !isString(nameKey) || !isString(valueKey)) return undefined;
    return pairsOf(object, nameKey, valueKey);
  }),
  parsing("STRINGTOARRAY", isArray),
  parsing("STRINGTOBOOLEAN", (value) => typeof value === "boolean"),
  parsing("STRINGTONULL", (value) => value === null),
  parsing("STRINGTONUMBER", Number.isFinite),
  parsing("STRINGTOOBJECT", isObject),
  pure("TOSTRING", 1, 1, ([value]) => textOf(value)),
];

function pairsOf(object: JsonObject, nameKey: string, valueKey: string): readonly JsonObject[] {
  return Object.keys(object).map((name) => {
    const pair: Record<string, JsonValue> = {};
    setMember(pair, nameKey, name);
    setMember(pair, valueKey, object[name]!);
    return pair;
  });
}

function parsing(name: string, isWanted: (value: Value) => boolean): BuiltIn {
  return ofString(name, (text) => {
    const value = parsed(text);
    return isWanted(value) ? value : undefined;
  });
}

/**
 * Parses JSON; undefined for a text that nests deeper than an item may, because functions recurse
 * into values.
 */
function parsed(text: string): Value {
  if (depthExceeds(Buffer.from(text), SERVICE_LIMITS.nestingMax)) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/**
 * Returns a value as text. Numbers have their shortest text; those that are not finite have a word,
 * unlike in JSON.
 */
function textOf(value: Value): string | undefined {
  if (value === undefined || isString(value)) return value;
  if (typeof value === "number") return `${value}`;
  return sizeOf(value, STRING_UNITS_MAX) > STRING_UNITS_MAX ? undefined : JSON.stringify(value);
}
