/**
 * Values as the language reference tells of them: equality, order, the operators, LIKE. Written
 * a second time on purpose, so that it can judge the engine; `undefined` is the language's own.
 *
 * Everything here is a plain function of its operands. Expressions are in `naive.ts`.
 */

import type { JsonObject, JsonValue } from "../../src/json/value.ts";
import type { BinaryOperator, UnaryOperator } from "../../src/query/language/ast.ts";

export type Value = JsonValue | undefined;

const TYPES = ["undefined", "null", "boolean", "number", "string", "array", "object"] as const;
type TypeName = (typeof TYPES)[number];

export function typeOf(value: Value): TypeName {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value as TypeName;
}

export function isEqual(a: Value, b: Value): boolean {
  const type = typeOf(a);
  if (type !== typeOf(b)) return false;
  if (type === "array") {
    const [left, right] = [a as readonly JsonValue[], b as readonly JsonValue[]];
    return left.length === right.length && left.every((one, index) => isEqual(one, right[index]));
  }
  if (type === "object") {
    const [left, right] = [a as JsonObject, b as JsonObject];
    const names = Object.keys(left);
    if (names.length !== Object.keys(right).length) return false;
    return names.every((name) => Object.hasOwn(right, name) && isEqual(left[name], right[name]));
  }
  return a === b;
}

/** For ORDER BY, MIN and MAX: by type, then by value; arrays tie with arrays, objects likewise. */
export function orderOf(a: Value, b: Value): number {
  const byType = TYPES.indexOf(typeOf(a)) - TYPES.indexOf(typeOf(b));
  if (byType !== 0) return byType;
  if (typeof a === "boolean") return Number(a) - Number(b);
  if (typeof a === "number") return a < (b as number) ? -1 : Number(a > (b as number));
  if (typeof a === "string") return orderOfTexts(a, b as string);
  return 0;
}

function orderOfTexts(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (let index = 0; index < left.length && index < right.length; index++) {
    const difference = left[index]!.codePointAt(0)! - right[index]!.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** `object.name`, `object["name"]`, `array[0]`. */
export function memberOf(holder: Value, step: Value): Value {
  if (typeOf(holder) === "object" && typeof step === "string") {
    return Object.hasOwn(holder as JsonObject, step) ? (holder as JsonObject)[step] : undefined;
  }
  if (typeOf(holder) === "array" && typeof step === "number" && Number.isInteger(step)) {
    return step < 0 ? undefined : (holder as readonly JsonValue[])[step];
  }
  return undefined;
}

export function unary(operator: UnaryOperator, operand: Value): Value {
  if (operator === "NOT") return typeof operand === "boolean" ? !operand : undefined;
  if (typeof operand !== "number") return undefined;
  if (operator === "-") return -operand;
  return operator === "+" ? operand : ~operand;
}

export function binary(operator: BinaryOperator, left: Value, right: Value): Value {
  switch (operator) {
    case "AND":
      if (left === false || right === false) return false;
      return left === true && right === true ? true : undefined;
    case "OR":
      if (left === true || right === true) return true;
      return left === false && right === false ? false : undefined;
    case "??":
      return left === undefined ? right : left;
    case "||":
      return typeof left === "string" && typeof right === "string" ? left + right : undefined;
    case "=":
    case "!=":
      if (left === undefined || right === undefined) return undefined;
      return isEqual(left, right) === (operator === "=");
    case "<":
    case "<=":
    case ">":
    case ">=":
      return comparison(operator, left, right);
    default:
      if (typeof left !== "number" || typeof right !== "number") return undefined;
      return arithmetic(operator, left, right);
  }
}

function comparison(operator: "<" | "<=" | ">" | ">=", left: Value, right: Value): Value {
  const type = typeOf(left);
  if (type !== typeOf(right) || ["undefined", "array", "object"].includes(type)) return undefined;
  const order = orderOf(left, right);
  if (operator === "<") return order < 0;
  if (operator === "<=") return order <= 0;
  return operator === ">" ? order > 0 : order >= 0;
}

type Arithmetic = "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" | "<<" | ">>" | ">>>";

function arithmetic(operator: Arithmetic, left: number, right: number): number {
  const results: Readonly<Record<Arithmetic, number>> = {
    "+": left + right,
    "-": left - right,
    "*": left * right,
    "/": left / right,
    "%": left % right,
    "&": left & right,
    "|": left | right,
    "^": left ^ right,
    "<<": left << right,
    ">>": left >> right,
    ">>>": left >>> right,
  };
  return results[operator];
}

/** One place of a LIKE pattern: what a character must be, or `undefined` for `%`. */
type Place = ((character: string) => boolean) | undefined;

export function like(text: Value, pattern: Value, escapeWith: string | undefined): Value {
  if (typeof text !== "string" || typeof pattern !== "string") return undefined;
  // A character is a code point.
  const characters = [...text];
  const places = placesOf([...pattern], escapeWith);
  // Which numbers of characters the places so far can have eaten.
  let reached = new Set([0]);
  for (const place of places) {
    const next = new Set<number>();
    for (const from of reached) {
      if (place === undefined) for (let to = from; to <= characters.length; to++) next.add(to);
      else if (from < characters.length && place(characters[from]!)) next.add(from + 1);
    }
    reached = next;
  }
  return reached.has(characters.length);
}

function placesOf(pattern: readonly string[], escapeWith: string | undefined): readonly Place[] {
  const places: Place[] = [];
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index]!;
    const close = pattern.indexOf("]", index + 2);
    if (character === escapeWith && index + 1 < pattern.length) {
      const escaped = pattern[++index]!;
      places.push((one) => one === escaped);
    } else if (character === "%") {
      places.push(undefined);
    } else if (character === "_") {
      places.push(() => true);
    } else if (character === "[" && close !== -1) {
      places.push(setOf(pattern.slice(index + 1, close).join("")));
      index = close;
    } else {
      places.push((one) => one === character);
    }
  }
  return places;
}

/** The inside of `[…]`: single characters and ranges, all of it negated by a leading `^`. */
function setOf(inside: string): Place {
  const isNegated = inside.startsWith("^") && inside.length > 1;
  const ranges = [...inside.slice(isNegated ? 1 : 0).matchAll(/(.)-(.)|(.)/gsu)].map(
    ([, low, high, single]) => [low ?? single!, high ?? single!] as const,
  );
  return (one) =>
    ranges.some(([low, high]) => orderOfTexts(low, one) <= 0 && orderOfTexts(one, high) <= 0) !==
    isNegated;
}
