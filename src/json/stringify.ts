/**
 * JSON text of a value, with what `JSON.stringify` loses: digits that a double does not hold
 * (`digits.ts`), and the sign of a negative zero. To the hash of a partition key, zero and negative
 * zero are two values, so writing an item must not turn one into the other.
 */
import { type Carried, CarriedNumber, carriesDigits, digitsAt, type Member } from "./digits.ts";
import type { JsonValue } from "./value.ts";
import { isObject } from "./value.ts";

/**
 * Writes values that may have digits or a negative zero. For a large value that has neither,
 * `jsonText` is better.
 */
export function stringifyKeepingDigits(value: JsonValue): string {
  if (Object.is(value, -0)) return "-0";
  if (Array.isArray(value)) {
    const array = value as readonly JsonValue[];
    return `[${array.map((element, index) => memberText(array, index, element)).join(",")}]`;
  }
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).map(
    (key) => `${JSON.stringify(key)}:${memberText(value, key, value[key]!)}`,
  );
  return `{${members.join(",")}}`;
}

/** Writes a value by `JSON.stringify`, unless there are digits to be kept. */
export function jsonText(value: Carried): string {
  if (value instanceof CarriedNumber) return value.digits;
  return carriesDigits(value) ? stringifyKeepingDigits(value) : JSON.stringify(value);
}

function memberText(holder: JsonValue & object, member: Member, value: JsonValue): string {
  const digits = typeof value === "number" ? digitsAt(holder, member) : undefined;
  return digits ?? stringifyKeepingDigits(value);
}
