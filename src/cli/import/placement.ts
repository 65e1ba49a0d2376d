/**
 * Where items of a container belong, by the server's own rules: which partition key an item has,
 * what that hashes to, and which physical partition owns it.
 *
 * The ranges are as the server told them and may be old; whoever sends by them is told so, reads
 * them again and makes another `RangeMap`.
 */
import { no, ok, type Result } from "../../base/result.ts";
import { isObject, type JsonObject, type JsonValue, property } from "../../json/value.ts";
import type { PartitionKey, PartitionKeyDefinition } from "../../model/partitionKey.ts";
import { epkOf } from "../../partition/epk.ts";
import {
  type Epk,
  type EpkRange,
  ownerOf,
  parseEpk,
  tilingProblem,
} from "../../partition/epkRange.ts";
import { compileKeyPaths, type KeyReader, parseKeyPath } from "../../partition/partitionKeyOf.ts";

export interface Placement {
  readonly definition: PartitionKeyDefinition;
  /** The partition key of an item, or why it can have none. */
  readonly keyOf: KeyReader;
}

export interface RangeMap {
  /** The range id of the physical partition that owns an EPK. */
  rangeIdOf(epk: string): string;
  readonly rangeIds: readonly string[];
}

export function placementOf(definition: PartitionKeyDefinition): Placement {
  return { definition, keyOf: compileKeyPaths(definition) };
}

export function epkText({ definition }: Placement, key: PartitionKey): string {
  return epkOf(definition, key);
}

/** From the body of a container, or from what is wrong with it. */
export function parseDefinition(body: JsonObject): Result<PartitionKeyDefinition, string> {
  const told = property(body, "partitionKey");
  if (!isObject(told)) return no("it has no partition key");
  const paths = property(told, "paths");
  if (!Array.isArray(paths) || !paths.every(isKeyPath)) return no("its key paths make no sense");
  const kind = property(told, "kind") ?? "Hash";
  const version = property(told, "version") ?? 1;
  if (kind !== "Hash" && kind !== "MultiHash") return no("its partition key is of an unknown kind");
  if (version !== 1 && version !== 2) return no("its partition key is of an unknown version");
  const isSystem = property(told, "systemKey") === true;
  return ok({ paths: paths as string[], kind, version, ...(isSystem && { systemKey: true }) });
}

function isKeyPath(path: JsonValue): boolean {
  return typeof path === "string" && parseKeyPath(path) !== undefined;
}

/** A definition that a user gave as `/a` or `/a,/b`; undefined when it is none. */
export function definitionOfPaths(text: string): PartitionKeyDefinition | undefined {
  const paths = text.split(",").map((path) => path.trim());
  if (!paths.every(isKeyPath)) return undefined;
  return { paths, kind: paths.length === 1 ? "Hash" : "MultiHash", version: 2 };
}

/** From the list of physical partitions that a server gives. */
export function parseRanges(body: JsonValue): Result<RangeMap, string> {
  const list = isObject(body) ? property(body, "PartitionKeyRanges") : undefined;
  if (!Array.isArray(list)) return no("it is no list of physical partitions");
  const entries: { readonly id: string; readonly range: EpkRange }[] = [];
  for (const told of list as readonly JsonValue[]) {
    const entry = isObject(told) ? parseRange(told) : undefined;
    if (entry === undefined) return no("one of its physical partitions makes no sense");
    entries.push(entry);
  }
  entries.sort((a, b) => (a.range.min < b.range.min ? -1 : 1));
  const ranges = entries.map(({ range }) => range);
  const problem = tilingProblem(ranges);
  if (problem !== undefined) return no(problem);
  return ok({
    rangeIdOf: (epk) => entries[ownerOf(ranges, epk as Epk)]!.id,
    rangeIds: entries.map(({ id }) => id),
  });
}

function parseRange(told: JsonObject): { id: string; range: EpkRange } | undefined {
  const [id, from, to] = ["id", "minInclusive", "maxExclusive"].map((name) => property(told, name));
  if (typeof id !== "string" || typeof from !== "string" || typeof to !== "string")
    return undefined;
  const [min, max] = [parseEpk(from), parseEpk(to)];
  return min === undefined || max === undefined ? undefined : { id, range: { min, max } };
}
