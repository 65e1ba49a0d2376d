/**
 * Values as short texts, by which they are counted, and the way back. Different values have
 * different texts; a long text is cut and ends in a hash that tells it from others.
 *
 * A secret has no way back: its text is a digest, and it is shown by a number. The first character
 * tells the kind: `"` a string, `!` a secret, `[` a list of such texts; all others are JSON.
 */
import { Buffer } from "node:buffer";
import type { JsonValue } from "../json/value.ts";
import type { SaltedHash } from "./saltedHash.ts";

/** Lengths in UTF-16 units. */
const LENGTH_MAX = 100;
const CUT_LENGTH = 80;

/** The text of a missing value: a parameter without a value, a key that is not there. */
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

/** Returns the texts of a partition key's components as one text. */
export function tupleText(texts: readonly string[]): string {
  return `[${JSON.stringify(texts)}`;
}

function bounded(text: string, hash: SaltedHash): string {
  if (text.length <= LENGTH_MAX) return `"${text}`;
  return copied(`"${text.slice(0, CUT_LENGTH)}…${hash.numberOf(text).toString(36)}`);
}

/** Copies a text: a text cut from a longer one would keep the longer one in memory. */
export function copied(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}

/** Numbers for secrets, in order of appearance: the same value has the same number. */
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
