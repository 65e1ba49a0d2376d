/**
 * What operations on single items cost, by the server's own price list. Exact for an item of the
 * size and the leaves that the setting states; unique keys are not in it.
 */
import { compilePolicy } from "../../index/compiledPolicy.ts";
import type { IndexingPolicy } from "../../index/policy.ts";
import { changedLeafCount, termsOf } from "../../index/terms.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import { chargeOf } from "../../throughput/charge.ts";
import type { PriceSetting } from "./price.ts";

/** System properties of an item; all items have them in the same width. */
export const STAMP: JsonObject = {
  _rid: "r".repeat(24),
  _self: `dbs/${"d".repeat(8)}/colls/${"c".repeat(12)}/docs/${"r".repeat(24)}/`,
  _etag: `"${"e".repeat(36)}"`,
  _attachments: "attachments/",
  _ts: 1_000_000_000,
};
/** They are put before the last brace, behind a comma. */
const STAMP_BYTES = JSON.stringify(STAMP).length - 1;

/** What an item takes in the store, and in answers. */
export function storedBytesOf(itemBytes: number): number {
  return Math.round(itemBytes) + STAMP_BYTES;
}

/** Leaves of an item as the price list counts them. */
export function leafCountOf(item: JsonObject, policy: IndexingPolicy): number {
  return termsOf(compilePolicy(policy), item, STAMP).leafCount;
}

/**
 * How many leaves change with the values at these paths ("/a/b"): those that the example has there.
 * A path that it lacks is taken for one leaf.
 */
export function changedLeavesOf(
  { example, policy }: Pick<PriceSetting, "example" | "policy">,
  paths: readonly string[],
): number {
  const compiled = compilePolicy(policy);
  let count = 0;
  for (const path of paths) {
    const names = path.split("/").slice(1);
    const value = example && valueAt(example, names);
    // Against nothing, whatever is there has changed.
    count += changedLeafCount(compiled, {}, wrapped(names, value ?? 0));
  }
  return count;
}

function valueAt(item: JsonObject, names: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = item;
  for (const name of names) value = isObject(value) ? property(value, name) : undefined;
  return value;
}

function wrapped(names: readonly string[], value: JsonValue): JsonObject {
  const [first, ...rest] = names;
  return { [first ?? ""]: rest.length === 0 ? value : wrapped(rest, value) };
}

export function createRu(setting: PriceSetting): number {
  return chargeOf({ kind: "create", ...itemWorkOf(setting) });
}

export function deleteRu(setting: PriceSetting): number {
  return chargeOf({ kind: "delete", ...itemWorkOf(setting) });
}

export function pointReadRu({ itemBytes, consistency }: PriceSetting): number {
  return chargeOf({ kind: "read", bytes: storedBytesOf(itemBytes) }, consistency);
}

/** `changedPaths` tell which composite indexes change; without them none does. */
export function replaceRu(
  setting: PriceSetting,
  changed: number,
  changedPaths: readonly string[] = [],
): number {
  return chargeOf({ kind: "replace", ...changeWorkOf(setting, changed, changedPaths) });
}

interface UpsertMix {
  /** Share of upserts that create. */
  readonly isNew: number;
  /** Of the others. */
  readonly changedLeafCount: number;
  readonly changedPaths?: readonly string[] | undefined;
}

export function upsertRu(setting: PriceSetting, mix: UpsertMix): number {
  const { isNew, changedLeafCount: changed, changedPaths } = mix;
  return isNew * createRu(setting) + (1 - isNew) * replaceRu(setting, changed, changedPaths);
}

export function patchRu(
  setting: PriceSetting,
  changed: number,
  operationCount: number,
  changedPaths: readonly string[] = [],
): number {
  const work = changeWorkOf(setting, changed, changedPaths);
  return chargeOf({ kind: "patch", ...work, operationCount });
}

function itemWorkOf({ itemBytes, leafCount, policy }: PriceSetting): {
  readonly bytes: number;
  readonly leafCount: number;
  readonly compoundEntryCount: number;
  readonly isIndexed: boolean;
} {
  return {
    bytes: storedBytesOf(itemBytes),
    leafCount,
    compoundEntryCount: policy.compositeIndexes?.length ?? 0,
    isIndexed: isIndexing(policy),
  };
}

function changeWorkOf(
  { itemBytes, policy }: PriceSetting,
  changed: number,
  changedPaths: readonly string[],
): {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  readonly changedLeafCount: number;
  readonly changedCompoundEntryCount: number;
  readonly isIndexed: boolean;
} {
  const bytes = storedBytesOf(itemBytes);
  const composites = policy.compositeIndexes ?? [];
  return {
    bytesBefore: bytes,
    bytesAfter: bytes,
    changedLeafCount: changed + systemLeafCount(policy),
    changedCompoundEntryCount: composites.filter((index) =>
      index.some(({ path }) => changedPaths.some((changedPath) => isWithin(path, changedPath))),
    ).length,
    isIndexed: isIndexing(policy),
  };
}

/** An etag that is indexed changes with every write. */
function systemLeafCount(policy: IndexingPolicy): number {
  return leafCountOf({}, policy);
}

function isIndexing({ indexingMode }: IndexingPolicy): boolean {
  return indexingMode !== "none";
}

function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}
