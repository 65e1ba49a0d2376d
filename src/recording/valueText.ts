/**
 * Values as short texts, by which they are counted, and the way back. Different values have
 * different texts; a long one is cut, and what tells it from others is a hash at its end.
 *
 * A secret has no way back: its text is a digest, and it is shown by a number. The first letter
 * tells what it is: `"` a string, `!` a secret, `[` a list of such texts; all others are JSON.
 */
import { Buffer } from "node:buffer";
import type { JsonValue } from "../json/value.ts";
import type { SaltedHash } from "./saltedHash.ts";

/** In UTF-16 units. */
const LENGTH_MAX = 100;
const CUT_LENGTH = 80;

/** What is left of a value without a value: a parameter nobody gave, a key that is not there. */
const NOTHING = "undefined";

export function valueText(value: JsonValue | undefined, hash: SaltedHash): string {
  if (typeof value === "string") return bounded(value, hash);
  if (value === undefined) return NOTHING;
  if (typeof value === "object" && value !== null) return bounded(JSON.stringify(value), hash);
  return String(value);
}

export function secretText(value: JsonValue | undefined, hash: SaltedHash): string {
  return `!${hash.digestOf(value === undefined ? NOTHING : JSON.stringify(value))}`;
}

/** The texts of a partition key's components as one. */
export function tupleText(texts: readonly string[]): string {
  return `[${JSON.stringify(texts)}`;
}

function bounded(text: string, hash: SaltedHash): string {
  if (text.length <= LENGTH_MAX) return `"${text}`;
  return copied(`"${text.slice(0, CUT_LENGTH)}…${hash.numberOf(text).toString(36)}`);
}

/** A text made of parts of another keeps all of that one alive; its copy does not. */
export function copied(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}

/** Numbers for secrets, in the order in which they are met: the same value, the same number. */
export class SecretNames {
  readonly #numbers = new Map<string, number>();

  nameOf(digest: string): string {
    const number = this.#numbers.get(digest) ?? this.#numbers.size + 1;
    this.#numbers.set(digest, number);
    return `secret-${number}`;
  }
}

export function shownValue(text: string, names: SecretNames): JsonValue {
  if (text.startsWith('"')) return text.slice(1);
  if (text.startsWith("!")) return names.nameOf(text);
  if (text === NOTHING) return null;
  if (!text.startsWith("[")) return JSON.parse(text) as JsonValue;
  const texts = JSON.parse(text.slice(1)) as readonly string[];
  return texts.map((each) => shownValue(each, names));
}
