/** Putting values into items that are being made. A property may have any name, `__proto__` too. */
import { type Carried, noteDigits, plainOf } from "../json/digits.ts";
import { setMember } from "../json/member.ts";
import { isObject, type JsonValue } from "../json/value.ts";

type Growing = Record<string, JsonValue>;

/**
 * Puts a value at the end of a way, with objects made as they are needed. False, and nothing has
 * changed, when something on the way is there already and no object.
 */
export function put(holder: Growing, steps: readonly string[], value: Carried): boolean {
  const [step, ...rest] = steps as [string, ...string[]];
  if (rest.length === 0) {
    define(holder, step, value);
    return true;
  }
  const next = Object.hasOwn(holder, step) ? holder[step] : undefined;
  if (next === undefined) {
    const made: Growing = {};
    put(made, rest, value);
    define(holder, step, made);
    return true;
  }
  if (!isObject(next) || !put(next as Growing, rest, value)) return false;
  noteDigits(holder, step, next);
  return true;
}

function define(holder: Growing, name: string, value: Carried): void {
  setMember(holder, name, plainOf(value));
  noteDigits(holder, name, value);
}
