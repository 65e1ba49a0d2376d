/**
 * An item like the recorded ones, made of what is known about each place: a frequent value if it is
 * not secret, else as many letters as its values have on average. No recorded item as such was
 * kept.
 */

import { setMember } from "../../json/member.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { parseItemPath } from "../../recording/itemPath.ts";
import type { ItemsRecord, JsonType, PathRecord } from "../../recording/recording.ts";

/** Share of the items that must have a place for it to be in the example. */
const PRESENCE_MIN = 0.5;
const ELEMENT_COUNT_MAX = 20;

interface Branch {
  record: PathRecord | undefined;
  readonly children: Map<string, Branch>;
  elements: Branch | undefined;
}

export function exampleOf({ count, paths }: ItemsRecord): JsonObject | undefined {
  if (count === 0) return undefined;
  const root = branch();
  for (const record of paths) {
    if (record.presentCount >= PRESENCE_MIN * count) place(root, record);
  }
  return objectOf(root);
}

function branch(): Branch {
  return { record: undefined, children: new Map(), elements: undefined };
}

function place(root: Branch, record: PathRecord): void {
  let at = root;
  for (const segment of parseItemPath(record.path) ?? []) {
    if (typeof segment === "number") {
      at.elements ??= branch();
      at = at.elements;
    } else {
      const child = at.children.get(segment) ?? branch();
      at.children.set(segment, child);
      at = child;
    }
  }
  at.record = record;
}

function objectOf({ children }: Branch): JsonObject {
  const object: Record<string, JsonValue> = {};
  for (const [name, child] of children) setMember(object, name, likely(child));
  return object;
}

function likely(at: Branch): JsonValue {
  const { record, elements } = at;
  if (record === undefined) return objectOf(at);
  const type = usualType(record);
  if (type === "object" && !record.isSecret) return objectOf(at);
  if (type === "object" && at.children.size > 0) return objectOf(at);
  if (type !== "array") return scalarOf(record, type);
  if (elements === undefined) return [];
  const perItem = valueCount(elements.record) / record.presentCount;
  const length = Math.min(ELEMENT_COUNT_MAX, Math.max(1, Math.round(perItem)));
  return Array.from({ length }, () => likely(elements));
}

function scalarOf(record: PathRecord, type: JsonType): JsonValue {
  const { isSecret, values, bytesMean } = record;
  const frequent = isSecret ? undefined : values?.heaviest.find((each) => isOf(each.value, type));
  const isWhole = typeof frequent?.value !== "string" || !frequent.value.includes("…");
  if (frequent !== undefined && isWhole) return frequent.value;
  const length = Math.max(1, Math.round(bytesMean));
  if (type === "number") return 10 ** Math.min(15, length - 1);
  if (type === "boolean") return true;
  return type === "null" ? null : "x".repeat(Math.max(0, length - 2));
}

function usualType({ types }: PathRecord): JsonType {
  const counts = Object.entries(types) as [JsonType, number][];
  return counts.reduce((a, b) => (b[1] > a[1] ? b : a))[0];
}

function isOf(value: JsonValue, type: JsonType): boolean {
  return value === null ? type === "null" : typeof value === type;
}

function valueCount(record: PathRecord | undefined): number {
  const counts = Object.values(record?.types ?? {});
  return counts.reduce((sum, count) => sum + count, 0);
}
