/**
 * Figures of single items, computed for sampled ones only, because it would take too long for all.
 */
import { Buffer } from "node:buffer";
import { isObject, type JsonObject, type JsonValue } from "../../json/value.ts";

const SYSTEM_NAMES: readonly string[] = ["_rid", "_self", "_etag", "_attachments", "_ts"];
/** The nesting that the service accepts. */
const DEPTH_MAX = 128;

/** Returns the item as the user wrote it, without system properties. */
export function withoutSystemProperties(item: JsonObject): JsonObject {
  if (!SYSTEM_NAMES.some((name) => Object.hasOwn(item, name))) return item;
  return Object.fromEntries(Object.entries(item).filter(([name]) => !SYSTEM_NAMES.includes(name)));
}

/** Bytes of the item's JSON text. */
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
