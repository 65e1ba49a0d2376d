/**
 * What items, databases and containers may be called.
 *
 * Each check returns the sentence that the client is told, or `undefined` when the name is fine.
 * - An item's id is any Unicode text, and that of a new item has no backslash: the backslash is the
 *   one character that the service refuses. Some of the official clients refuse `/` and `#` by
 *   themselves; the service does not. The tests of the .NET and Java clients create ids with both,
 *   with `?`, with control characters and with spaces at either end.
 * - The names of databases and containers are narrower, because they stand in every path.
 *
 * Not here: whether a name is taken.
 */
import type { JsonValue } from "../json/value.ts";
import type { Limits } from "./limits.ts";

export function checkItemId(id: JsonValue | undefined, limits: Limits): string | undefined {
  // The message says "characters" because clients' tests look for that word; bytes are counted.
  const limit = `'${limits.itemIdBytesMax + 1}' characters`;
  if (typeof id !== "string" || id === "") return invalidName(id, limit);
  // This check comes before the length: half a surrogate pair has no bytes of its own in UTF-8.
  if (hasLoneSurrogate(id)) return brokenText(id);
  return Buffer.byteLength(id, "utf8") > limits.itemIdBytesMax ? invalidName(id, limit) : undefined;
}

/**
 * Checks the id of a new item further. Items that were stored with a backslash can still be read,
 * written and deleted.
 */
export function checkNewItemId(id: string): string | undefined {
  if (!id.includes("\\")) return undefined;
  return `The input name '${shown(id)}' is invalid: it must not contain '\\'.`;
}

export function checkName(name: JsonValue | undefined, limits: Limits): string | undefined {
  // The message says "less than" because clients' tests look for it; a name of exactly as many
  // characters is fine.
  const limit = `'${limits.nameCharactersMax}' characters`;
  if (typeof name !== "string" || name === "") return invalidName(name, limit);
  if (name.length > limits.nameCharactersMax) return invalidName(name, limit);
  if (hasLoneSurrogate(name)) return brokenText(name);
  if (/[/\\?#]/.test(name)) {
    const rule = "it must not contain '/', '\\', '?' and '#'";
    return `The input name '${shown(name)}' is invalid: ${rule}.`;
  }
  return name.endsWith(" ")
    ? `The input name '${shown(name)}' is invalid: it must not end with a space.`
    : undefined;
}

function invalidName(name: JsonValue | undefined, limit: string): string {
  return (
    `The input name '${shown(name)}' is invalid. ` +
    `Ensure to provide a unique non-empty string less than ${limit}.`
  );
}

function brokenText(name: string): string {
  return `The input name '${shown(name)}' is invalid: it holds half of a surrogate pair.`;
}

/**
 * True for a text with half a surrogate pair. Different texts of that kind have the same UTF-8, so
 * they could not be told apart on disk.
 */
function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

const SHOWN_CHARACTERS_MAX = 64;

/** Returns enough of a name to recognise it: a wrong name may be as long as a request. */
function shown(name: JsonValue | undefined): string {
  if (name === undefined) return "";
  const text = typeof name === "string" ? name : JSON.stringify(name);
  return text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text;
}
