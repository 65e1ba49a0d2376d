/**
 * Small readers for the members of an indexing policy.
 *
 * Each returns a value of the asked shape or unwinds with a `PolicyProblem`, which
 * `parseIndexingPolicy` turns into a value: the exception does not leave this folder. `null`
 * stands for an absent member, because some clients write their unset fields.
 */
import { isObject, type JsonObject, type JsonValue, property } from "../json/value.ts";

export class PolicyProblem extends Error {
  override readonly name = "PolicyProblem";
}

export function refuse(message: string): never {
  throw new PolicyProblem(message);
}

export function refusePath(path: string, offset: number): never {
  refuse(
    `The indexing path '${path}' could not be accepted, failed near position '${offset}'. ` +
      "Names with other characters than letters, digits and '_' must be quoted.",
  );
}

export function member(object: JsonObject, name: string): JsonValue | undefined {
  return property(object, name) ?? undefined;
}

export function has(object: JsonObject, name: string): boolean {
  return member(object, name) !== undefined;
}

/** The member under its own name when the object has it, else nothing: made to be spread. */
export function optional<K extends string, T>(
  object: JsonObject,
  name: K,
  read: (value: JsonValue) => T,
): { readonly [P in K]?: T } {
  const value = member(object, name);
  return value === undefined ? {} : ({ [name]: read(value) } as { readonly [P in K]: T });
}

export function objectOf(value: JsonValue | undefined, what: string): JsonObject {
  return isObject(value) ? value : refuse(`${what} must be an object.`);
}

/** An absent list is empty. */
export function listOf(
  value: JsonValue | undefined,
  name: string,
  countMax: number,
): readonly JsonValue[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) refuse(`The member '${name}' must be an array.`);
  if (value.length > countMax) refuse(`The member '${name}' has more than ${countMax} entries.`);
  return value;
}

export function textOf(value: JsonValue | undefined, name: string): string {
  return typeof value === "string" ? value : refuse(`The member '${name}' must be a string.`);
}

/** One of the words, whatever the case it is written in; answered as the list spells it. */
export function wordOf<W extends string>(
  value: JsonValue | undefined,
  name: string,
  words: readonly W[],
): W {
  const text = textOf(value, name).toLowerCase();
  const word = words.find((candidate) => candidate.toLowerCase() === text);
  return word ?? refuse(`The member '${name}' must be one of ${words.join(", ")}.`);
}

export function wholeNumberOf(
  value: JsonValue | undefined,
  name: string,
  min: number,
  max: number,
): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) {
    return value;
  }
  return refuse(`The member '${name}' must be a whole number from ${min} to ${max}.`);
}
