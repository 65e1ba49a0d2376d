/**
 * Tests of the type of a value. Every answer is true or false, also about undefined.
 *
 * Not here: IS_DATETIME, which needs to know what a date is (`dateTime.ts`).
 */
import { isObject } from "../../json/value.ts";
import type { BuiltIn, Value } from "./builtIn.ts";
import { isArray, isNumber, isString, pure } from "./define.ts";
import { isInteger64 } from "./integers.ts";

const check = (name: string, holds: (value: Value) => boolean): BuiltIn =>
  pure(name, 1, 1, ([value]) => holds(value));

const isBoolean = (value: Value): boolean => typeof value === "boolean";

export const TYPE_CHECKS: readonly BuiltIn[] = [
  check("IS_ARRAY", isArray),
  check("IS_BOOL", isBoolean),
  check("IS_DEFINED", (value) => value !== undefined),
  check("IS_FINITE_NUMBER", Number.isFinite),
  check("IS_INTEGER", isInteger64),
  check("IS_NULL", (value) => value === null),
  check("IS_NUMBER", isNumber),
  check("IS_OBJECT", isObject),
  check(
    "IS_PRIMITIVE",
    (value) => value === null || isBoolean(value) || isNumber(value) || isString(value),
  ),
  check("IS_STRING", isString),
];
