/**
 * All functions of the language, by name. Names are the same in any case, and some have a second
 * spelling with underscores, or without.
 */
import { ARRAY_FUNCTIONS } from "./arrays.ts";
import type { BuiltIn } from "./builtIn.ts";
import { CONVERSIONS } from "./conversion.ts";
import { DATE_TIME_FUNCTIONS } from "./dateTime.ts";
import { FULL_TEXT_FUNCTIONS } from "./fullText.ts";
import { INTEGER_FUNCTIONS } from "./integers.ts";
import { ITEM_FUNCTIONS } from "./items.ts";
import { MATH_FUNCTIONS } from "./math.ts";
import { REGEX_FUNCTIONS } from "./regex.ts";
import { SET_FUNCTIONS } from "./sets.ts";
import { SPATIAL_FUNCTIONS } from "./spatial.ts";
import { STRING_FUNCTIONS } from "./strings.ts";
import { TYPE_CHECKS } from "./typeChecks.ts";
import { VECTOR_DISTANCE } from "./vector.ts";

/** Returns undefined when there is no such function, or only an aggregate of that name. */
export function builtInOf(name: string): BuiltIn | undefined {
  const spelled = name.toUpperCase();
  return BY_NAME.get(ALIASES.get(spelled) ?? spelled);
}

/** Names of the aggregates, in capitals; `evaluate/aggregates.ts` implements them. */
export const AGGREGATE_NAMES: ReadonlySet<string> = new Set([
  "AVG",
  "COUNT",
  "COUNTIF",
  "MAKELIST",
  "MAKESET",
  "MAX",
  "MIN",
  "SUM",
]);

/** Functions of the service that this server does not have, in capitals. */
export const UNSUPPORTED_FUNCTIONS: ReadonlySet<string> = new Set(["HASH"]);

const BY_NAME: ReadonlyMap<string, BuiltIn> = new Map(
  [
    ...ARRAY_FUNCTIONS,
    ...CONVERSIONS,
    ...DATE_TIME_FUNCTIONS,
    ...FULL_TEXT_FUNCTIONS,
    ...INTEGER_FUNCTIONS,
    ...ITEM_FUNCTIONS,
    ...MATH_FUNCTIONS,
    ...REGEX_FUNCTIONS,
    ...SET_FUNCTIONS,
    ...SPATIAL_FUNCTIONS,
    ...STRING_FUNCTIONS,
    ...TYPE_CHECKS,
    VECTOR_DISTANCE,
  ].map((builtIn) => [builtIn.name, builtIn]),
);

/** Names of all functions, in capitals, without second spellings. */
export const BUILT_IN_NAMES: readonly string[] = [...BY_NAME.keys()];

const ALIASES: ReadonlyMap<string, string> = new Map([
  ["CONTAINSALLCI", "CONTAINS_ALL_CI"],
  ["CONTAINSALLCS", "CONTAINS_ALL_CS"],
  ["CONTAINSANYCI", "CONTAINS_ANY_CI"],
  ["CONTAINSANYCS", "CONTAINS_ANY_CS"],
  ["FULLTEXT_CONTAINS", "FULLTEXTCONTAINS"],
  ["FULLTEXT_CONTAINS_ALL", "FULLTEXTCONTAINSALL"],
  ["FULLTEXT_CONTAINS_ANY", "FULLTEXTCONTAINSANY"],
  ["INTMULTIPLY", "INTMUL"],
  ["IS_BOOLEAN", "IS_BOOL"],
  ["OBJECT_TO_ARRAY", "OBJECTTOARRAY"],
  ["SET_DIFFERENCE", "SETDIFFERENCE"],
  ["SET_EQUAL", "SETEQUAL"],
  ["SET_INTERSECT", "SETINTERSECT"],
  ["SET_UNION", "SETUNION"],
  ["STRING_EQUALS", "STRINGEQUALS"],
  ["STRING_JOIN", "STRINGJOIN"],
  ["STRING_SPLIT", "STRINGSPLIT"],
  ["STRING_TO_ARRAY", "STRINGTOARRAY"],
  ["STRING_TO_BOOLEAN", "STRINGTOBOOLEAN"],
  ["STRING_TO_NULL", "STRINGTONULL"],
  ["STRING_TO_NUMBER", "STRINGTONUMBER"],
  ["STRING_TO_OBJECT", "STRINGTOOBJECT"],
  ["TO_STRING", "TOSTRING"],
  ["VECTOR_DISTANCE", "VECTORDISTANCE"],
  // The queries of client plans write this name, because an order by it may go either way.
  ["_VECTORDISTANCE", "VECTORDISTANCE"],
]);
