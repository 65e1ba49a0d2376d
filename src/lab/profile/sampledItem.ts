/** What single items look like, asked of sampled ones only: it would take too long for all. */

import { Buffer } from "node:buffer";
import { withoutSystemProperties } from "../../base/systemProperties.ts";
import { isObject, type JsonObject, type JsonValue } from "../../json/value.ts";

/** What the service takes. */
const DEPTH_MAX = 128;

/** Bytes of its JSON text. */
export function bytesOfItem(item: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(item));
}

/** Number of scalars, those in arrays included. `id` is indexed by itself and does not count. */
export function leafCountOf(item: JsonObject): number {
  const isId = Object.hasOwn(item, "id") && !isNested(item["id"]!);
  return leavesIn(item) - (isId ? 1 : 0);
}

function leavesIn(value: JsonValue): number {
  if (!isNested(value)) return 1;
  const members: readonly JsonValue[] = isObject(value) ? Object.values(value) : (value as []);
  return members.reduce((sum: number, member) => sum + leavesIn(member), 0);
}

/** True when the value nests no deeper than the service accepts, so that recursion is safe. */
export function isShallow(value: JsonValue, depth: number = DEPTH_MAX): boolean {
  if (!isNested(value)) return true;
  if (depth === 0) return false;
  const members: readonly JsonValue[] = isObject(value) ? Object.values(value) : (value as []);
  return members.every((member) => isShallow(member, depth - 1));
}

function isNested(value: JsonValue): boolean {
  return typeof value === "object" && value !== null;
}

/** Bytes of items as JSON texts over the bytes that they took where they were read. */
export function byteScaleOf(
  sample: readonly { readonly item: JsonObject; readonly bytes: number }[],
): number {
  const some = sample.slice(0, SCALED_MAX);
  const read = some.reduce((sum, { bytes }) => sum + bytes, 0);
  const written = some.reduce(
    (sum, { item }) => sum + bytesOfItem(withoutSystemProperties(item)),
    0,
  );
  return read === 0 ? 1 : written / read;
}

/** Number of items from which the scale is taken; more would not make it better. */
const SCALED_MAX = 2000;
