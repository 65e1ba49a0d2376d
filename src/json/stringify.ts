/**
 * JSON text of a value, with what `JSON.stringify` loses: digits that a double does not hold
 * (`digits.ts`), and the sign of a negative zero. To the hash of a partition key zero and negative
 * zero are two values, so an item must not change from the one to the other by being written down.
 */
import { type Carried, CarriedNumber, carriesDigits, digitsAt, type Member } from "./digits.ts";
import type { JsonValue } from "./value.ts";
import { isObject } from "./value.ts";

/** For values that may have either. A large one that has neither is better off with `jsonText`. */
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

/** As `JSON.stringify`, which writes it as long as there are no digits to be kept. */
export function jsonText(value: Carried): string {
  if (value instanceof CarriedNumber) return value.digits;
  return carriesDigits(value) ? stringifyKeepingDigits(value) : JSON.stringify(value);
}

function memberText(holder: JsonValue & object, member: Member, value: JsonValue): string {
  const digits = typeof value === "number" ? digitsAt(holder, member) : undefined;
  return digits ?? stringifyKeepingDigits(value);
}
