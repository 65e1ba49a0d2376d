/**
 * Small readers for the members of a container's body.
 *
 * Each returns a value of the asked shape or unwinds with a `DefinitionProblem`, which
 * `parseContainerDefinition` turns into a value: the exception does not leave this folder and
 * that one caller. `null` stands for an absent member, because some clients write their unset
 * fields. Members nobody asks for are dropped by not being read.
 */
import { isObject, type JsonObject, type JsonValue, property } from "../../json/value.ts";

export class DefinitionProblem extends Error {
  override readonly name = "DefinitionProblem";
}

export function refuse(message: string): never {
  throw new DefinitionProblem(message);
}

export function member(object: JsonObject, name: string): JsonValue | undefined {
  return property(object, name) ?? undefined;
}

export function objectOf(value: JsonValue | undefined, what: string): JsonObject {
  return isObject(value) ? value : refuse(`${what} must be an object.`);
}

/** Our own bound, where the service documents none: as many entries as an index may have paths. */
const ENTRY_COUNT_MAX = 1_500;

export function listOf(value: JsonValue | undefined, what: string): readonly JsonValue[] {
  if (!Array.isArray(value)) refuse(`${what} must be an array.`);
  if (value.length > ENTRY_COUNT_MAX) refuse(`${what} has more than ${ENTRY_COUNT_MAX} entries.`);
  return value;
}

export function textOf(value: JsonValue | undefined, what: string): string {
  return typeof value === "string" ? value : refuse(`${what} must be a string.`);
}

export function wordOf<W extends string>(
  value: JsonValue | undefined,
  what: string,
  words: readonly W[],
): W {
  const word = words.find((candidate) => candidate === value);
  return word ?? refuse(`${what} must be one of ${words.join(", ")}.`);
}

/** The first entry that occurs a second time. */
export function repeated(texts: readonly string[]): string | undefined {
  return texts.find((text, index) => texts.indexOf(text) < index);
}

/** A member to spread into an object: none at all when there is no value. */
export function optional<K extends string, T>(
  name: K,
  value: T | undefined,
): { readonly [P in K]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [P in K]: T });
}
