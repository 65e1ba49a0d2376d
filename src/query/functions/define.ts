/**
 * Short ways to define a built-in function, and the type checks that nearly all functions make. A
 * missing or wrongly typed argument gives undefined: that rule is applied here for functions whose
 * arguments are all numbers or all strings; the others check for themselves.
 */
import type { JsonValue } from "../../json/value.ts";
import type { BuiltIn, Value } from "./builtIn.ts";

/**
 * A bound of our own on strings that grow with each nested call: eight of the largest items there
 * can be. A function whose result would be longer gives undefined.
 */
export const STRING_UNITS_MAX: number = 2 ** 24;

export function pure(
  name: string,
  argMin: number,
  argMax: number,
  call: (args: readonly Value[]) => Value,
): BuiltIn {
  return { name, argMin, argMax, isPure: true, call };
}

/**
 * Defines a function of a number. Its result is never a negative zero, which JSON can tell from
 * zero and the service does not.
 */
export function ofNumber(name: string, call: (x: number) => number): BuiltIn {
  return pure(name, 1, 1, ([x]) => (isNumber(x) ? call(x) + 0 : undefined));
}

export function ofNumbers(name: string, call: (x: number, y: number) => number): BuiltIn {
  return pure(name, 2, 2, ([x, y]) => (isNumber(x) && isNumber(y) ? call(x, y) + 0 : undefined));
}

export function ofString(name: string, call: (text: string) => Value): BuiltIn {
  return pure(name, 1, 1, ([text]) => (isString(text) ? call(text) : undefined));
}

export function ofStrings(name: string, call: (text: string, other: string) => Value): BuiltIn {
  return pure(name, 2, 2, ([text, other]) =>
    isString(text) && isString(other) ? call(text, other) : undefined,
  );
}

export const isNumber = (value: Value): value is number => typeof value === "number";

/** True for numbers that can be lengths or positions, which have no fraction. */
export const isWhole = (value: Value): value is number => Number.isInteger(value);

export const isString = (value: Value): value is string => typeof value === "string";

export const isArray = (value: Value): value is readonly JsonValue[] => Array.isArray(value);

/**
 * Reads an option such as "ignore case": a missing one is false, and undefined is returned for one
 * that is no boolean.
 */
export function flagOf(value: Value): boolean | undefined {
  if (value === undefined) return false;
  return typeof value === "boolean" ? value : undefined;
}

/**
 * Returns `a AND b AND …` of the language: false if any value is false, else undefined if any is
 * undefined.
 */
export function allOf(values: Iterable<boolean | undefined>): boolean | undefined {
  let all: boolean | undefined = true;
  for (const value of values) {
    if (value === false) return false;
    if (value === undefined) all = undefined;
  }
  return all;
}

/**
 * Returns `a OR b OR …` of the language: true if any value is true, else undefined if any is
 * undefined.
 */
export function anyOf(values: Iterable<boolean | undefined>): boolean | undefined {
  let any: boolean | undefined = false;
  for (const value of values) {
    if (value === true) return true;
    if (value === undefined) any = undefined;
  }
  return any;
}
