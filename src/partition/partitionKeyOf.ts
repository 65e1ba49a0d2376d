/**
 * Reading partition keys: from an item, by the paths of its container's definition, and from
 * the JSON array in which clients state a key.
 *
 * - A component is a string, a finite number, a boolean or null. A place without a value gives
 *   `undefined`, which clients write as `{}`. An item with an object or an array there counts as
 *   having no value: the service's own query plans send `c.key = [1]` to the same place.
 * - In a container that was created without a partition key, an item without a value has the
 *   empty key `[]`; that is how clients address it.
 * - Only own properties of objects are walked, so `/constructor` is a path like any other.
 *
 * Not here: whether a definition's paths are acceptable, how long a key may be, or how many
 * components a request needs.
 */
import { assert } from "../base/assert.ts";
import { no, ok, type Result } from "../base/result.ts";
import { isObject, type JsonObject, type JsonValue, property } from "../json/value.ts";
import type { KeyComponent, PartitionKey, PartitionKeyDefinition } from "../model/partitionKey.ts";

/** Reads the partition key of one item of a container. */
export type KeyReader = (item: JsonObject) => Result<PartitionKey, string>;

/** Parses the paths of a definition once; a container keeps the reader for all its items. */
export function compileKeyPaths(definition: PartitionKeyDefinition): KeyReader {
  const paths = definition.paths.map((path) => {
    const segments = parseKeyPath(path);
    assert(segments !== undefined, "a definition's paths were parsed when it was accepted");
    return segments;
  });
  const isSystemKey = definition.systemKey === true;

  return (item) => {
    const key: KeyComponent[] = [];
    for (const segments of paths) {
      const component = componentAt(item, segments);
      if (typeof component === "number" && !Number.isFinite(component)) {
        return no(`The partition key value at /${segments.join("/")} is not a finite number.`);
      }
      if (isSystemKey && component === undefined) return ok([]);
      key.push(component);
    }
    return ok(key);
  };
}

/**
 * Reads the key of a single item. Code that reads many keys keeps the reader of `compileKeyPaths`.
 */
export function partitionKeyOf(
  definition: PartitionKeyDefinition,
  item: JsonObject,
): Result<PartitionKey, string> {
  return compileKeyPaths(definition)(item);
}

/**
 * Returns the property names along a path such as `/address/"zip code"`; `undefined` when it is not
 * a path. A segment in single or double quotes may hold slashes. A backslash keeps a quote from
 * ending the segment and stays part of the name: the JavaScript client reads items that way, and
 * the key it states must be the one found here.
 */
export function parseKeyPath(path: string): readonly string[] | undefined {
  const segments: string[] = [];
  // The expression is sticky, so that a match starts exactly where the one before it ended.
  const segment = /\/(?:(["'])((?:(?!\1).|(?<=\\)\1)*)(?<!\\)\1|([^/"'][^/]*))(?=\/|$)/sy;
  while (segment.lastIndex < path.length) {
    const match = segment.exec(path);
    if (match === null) return undefined;
    const name = match[2] ?? match[3]!.trim();
    if (name === "") return undefined;
    segments.push(name);
  }
  return segments.length > 0 ? segments : undefined;
}

/** A key of one string without escapes: the text between the quotes is the value. */
const PLAIN_STRING_KEY = /^\["[ !#-[\]-~]*"\]$/;

/** Reads the array in which a client states a key: `["a"]`, `[5, null]`, `[{}]`, `[]`. */
export function parseKeyHeader(text: string): Result<PartitionKey, string> {
  // Nearly every key is one plain string, and nearly every request carries one.
  if (PLAIN_STRING_KEY.test(text)) return ok([text.slice(2, -2)]);
  const refuse = (): Result<PartitionKey, string> => no(`Partition key ${text} is invalid.`);
  let parsed: JsonValue;
  try {
    parsed = JSON.parse(text);
  } catch {
    return refuse();
  }
  if (!Array.isArray(parsed)) return refuse();

  const key: KeyComponent[] = [];
  for (const written of parsed as readonly JsonValue[]) {
    if (typeof written === "object" && written !== null) {
      if (!isObject(written) || Object.keys(written).length > 0) return refuse();
      key.push(undefined);
    } else {
      // JSON has no word for infinity, but 1e999 is read as one.
      if (typeof written === "number" && !Number.isFinite(written)) return refuse();
      key.push(written);
    }
  }
  return ok(key);
}

/**
 * True when two keys name the same logical partition. Keys with 0 and -0 do not: their EPKs differ.
 */
export function sameKey(a: PartitionKey, b: PartitionKey): boolean {
  return a.length === b.length && a.every((component, index) => Object.is(component, b[index]));
}

function componentAt(item: JsonObject, segments: readonly string[]): KeyComponent {
  let found: JsonValue | undefined = item;
  for (const name of segments) {
    if (!isObject(found)) return undefined;
    found = property(found, name);
  }
  return typeof found === "object" && found !== null ? undefined : found;
}
