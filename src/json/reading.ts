/**
 * Small readers for the members of a body that a client sent, such as a container's definition.
 *
 * Each reader returns a value of the asked shape or unwinds with a `ReadingProblem`, which the
 * parser of the whole body turns into a value: the exception does not leave that parser. `null`
 * stands for an absent member, because some clients write their unset fields. Members that no
 * reader reads are dropped.
 *
 * The readers called `…Of` are told what they read, as the beginning of a sentence. Those called
 * `…Named` are told the member's name.
 */
import { isObject, type JsonObject, type JsonValue, property } from "./value.ts";

export class ReadingProblem extends Error {
  override readonly name = "ReadingProblem";
}

export function refuse(message: string): never {
  throw new ReadingProblem(message);
}

/**
 * Returns the message for a wrong policy or patch, beginning with the sentence that clients' tests
 * look for.
 */
export function invalidInput(what: string): string {
  return `One of the specified inputs is invalid: ${what}`;
}

export function member(object: JsonObject, name: string): JsonValue | undefined {
  return property(object, name) ?? undefined;
}

export function has(object: JsonObject, name: string): boolean {
  return member(object, name) !== undefined;
}

/** Returns a member to spread into an object; an empty object when there is no value. */
export function optional<K extends string, T>(
  name: K,
  value: T | undefined,
): { readonly [P in K]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [P in K]: T });
}

/**
 * Returns a member under its own name when the object has it, else an empty object; made to be
 * spread.
 */
export function optionalMember<K extends string, T>(
  object: JsonObject,
  name: K,
  read: (value: JsonValue) => T,
): { readonly [P in K]?: T } {
  const value = member(object, name);
  return optional(name, value === undefined ? undefined : read(value));
}

export function objectOf(value: JsonValue | undefined, what: string): JsonObject {
  return isObject(value) ? value : refuse(`${what} must be an object.`);
}

/**
 * A bound of our own, where the service documents none: as many entries as an index may have paths.
 */
const ENTRY_COUNT_MAX = 1_500;

export function listOf(
  value: JsonValue | undefined,
  what: string,
  countMax: number = ENTRY_COUNT_MAX,
): readonly JsonValue[] {
  if (!Array.isArray(value)) refuse(`${what} must be an array.`);
  if (value.length > countMax) refuse(`${what} has more than ${countMax} entries.`);
  return value;
}

/** Reads a list; an absent list is empty. */
export function listNamed(
  value: JsonValue | undefined,
  name: string,
  countMax: number,
): readonly JsonValue[] {
  return value === undefined ? [] : listOf(value, memberCalled(name), countMax);
}

export function textOf(value: JsonValue | undefined, what: string): string {
  return typeof value === "string" ? value : refuse(`${what} must be a string.`);
}

export function textNamed(value: JsonValue | undefined, name: string): string {
  return textOf(value, memberCalled(name));
}

export function wordOf<W extends string>(
  value: JsonValue | undefined,
  what: string,
  words: readonly W[],
): W {
  const word = words.find((candidate) => candidate === value);
  return word ?? refuse(`${what} must be one of ${words.join(", ")}.`);
}

/** Reads one of the words in any case, and returns it as the list spells it. */
export function wordNamed<W extends string>(
  value: JsonValue | undefined,
  name: string,
  words: readonly W[],
): W {
  const word = wordInAnyCase(textNamed(value, name), words);
  return word ?? refuse(`${memberCalled(name)} must be one of ${words.join(", ")}.`);
}

export function wordInAnyCase<W extends string>(text: string, words: readonly W[]): W | undefined {
  const lowerCase = text.toLowerCase();
  return words.find((candidate) => candidate.toLowerCase() === lowerCase);
}

export function wholeNumberOf(value: JsonValue | undefined, what: string): number {
  if (typeof value === "number" && Number.isInteger(value)) return value;
  return refuse(`${what} must be a whole number.`);
}

export function wholeNumberNamed(
  value: JsonValue | undefined,
  name: string,
  min: number,
  max: number,
): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) {
    return value;
  }
  return refuse(`${memberCalled(name)} must be a whole number from ${min} to ${max}.`);
}

/** Returns the first entry that occurs a second time. */
export function repeated(texts: readonly string[]): string | undefined {
  return texts.find((text, index) => texts.indexOf(text) < index);
}

function memberCalled(name: string): string {
  return `The member '${name}'`;
}
