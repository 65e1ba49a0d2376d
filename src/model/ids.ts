/**
 * What items, databases and containers may be called.
 *
 * Each check answers with the sentence the client is told, or `undefined` when the name is fine.
 * - An item's id is any Unicode text, and a new item's has no backslash: that is the one character
 *   that the service refuses. Some of the official clients refuse `/` and `#` by themselves; the
 *   service does not, and both, `?`, control characters and spaces at either end are in ids that
 *   the tests of the .NET and Java clients create.
 * - The names of databases and containers are narrower, because they stand in every path.
 *
 * Not here: whether a name is taken.
 */
import type { JsonValue } from "../json/value.ts";
import type { Limits } from "./limits.ts";

export function checkItemId(id: JsonValue | undefined, limits: Limits): string | undefined {
  // "Characters" is what clients' tests look for; it is bytes that are counted.
  const limit = `'${limits.itemIdBytesMax + 1}' characters`;
  if (typeof id !== "string" || id === "") return invalidName(id, limit);
  // Before the length: half a surrogate pair has no bytes of its own in UTF-8.
  if (hasLoneSurrogate(id)) return brokenText(id);
  return Buffer.byteLength(id, "utf8") > limits.itemIdBytesMax ? invalidName(id, limit) : undefined;
}

/** Besides: items that were stored with such an id can still be read, written and deleted. */
export function checkNewItemId(id: string): string | undefined {
  if (!id.includes("\\")) return undefined;
  return `The input name '${shown(id)}' is invalid: it must not contain '\\'.`;
}

export function checkName(name: JsonValue | undefined, limits: Limits): string | undefined {
  // "Less than" is what clients' tests look for; a name of just as many characters is fine.
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

/** Two different broken texts have the same UTF-8, so they could not be told apart on disk. */
function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

const SHOWN_CHARACTERS_MAX = 64;

/** Enough of a name to recognise it: the wrong one may be as long as a request. */
function shown(name: JsonValue | undefined): string {
  if (name === undefined) return "";
  const text = typeof name === "string" ? name : JSON.stringify(name);
  return text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text;
}
