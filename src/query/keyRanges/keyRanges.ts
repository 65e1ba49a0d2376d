/**
 * Which part of the key space a query can select items from, by what its filter says about the
 * partition key.
 *
 * No item that the filter could select lies outside of the answer; an answer may be wider than it
 * had to be. The answer is about items, not about rows: an aggregate over nothing still has its
 * row.
 *
 * Not here: which conditions of a filter narrow (`filterKeys.ts`).
 */
import type { PartitionKey, PartitionKeyDefinition } from "../../model/partitionKey.ts";
import { type EpkRange, intersect, isPoint, rangeOfKey } from "../../partition/epkRange.ts";
import { parseKeyPath } from "../../partition/partitionKeyOf.ts";
import type { FromSource, Query } from "../language/ast.ts";
import { sourcesOf } from "../language/visitor.ts";
import type { KnownParameters } from "./constants.ts";
import { keysSelected } from "./filterKeys.ts";
import { type KeySet, keysWithin } from "./keySet.ts";

/** Ranges in order, none overlapping another. */
export type KeyRanges = "everything" | "nothing" | readonly SelectedRange[];

export interface SelectedRange {
  readonly range: EpkRange;
  /** True for the one EPK of a full key; false for all EPKs that start with a prefix. */
  readonly isPoint: boolean;
  /** The key that the filter names; absent when only the request names one. */
  readonly key?: PartitionKey | undefined;
}

export interface KeySetting {
  readonly partitionKey: PartitionKeyDefinition;
  readonly parameters: KnownParameters;
  /** Names of computed properties, which hide stored ones of the same name. */
  readonly computedNames?: ReadonlySet<string>;
  /** The range that the request confines the query to, by a key or the beginning of one. */
  readonly asked?: EpkRange | undefined;
}

export function keyRangesOf(query: Query, setting: KeySetting): KeyRanges {
  if (!readsItems(query.from)) return "nothing";
  const { asked } = setting;
  const filtered = rangesOfFilter(query, setting);
  if (asked === undefined || filtered === "nothing") return filtered;
  if (filtered === "everything") return [{ range: asked, isPoint: isPoint(asked) }];
  const within = filtered.flatMap((one) => {
    const shared = intersect(one.range, asked);
    return shared === undefined ? [] : [{ ...one, range: shared }];
  });
  return within.length === 0 ? "nothing" : within;
}

function rangesOfFilter(query: Query, setting: KeySetting): KeyRanges {
  const { partitionKey, parameters, computedNames } = setting;
  const paths = partitionKey.paths.map((path) => {
    const steps = parseKeyPath(path);
    return steps !== undefined && !computedNames?.has(steps[0]!) ? steps : undefined;
  });
  return rangesOf(keysSelected(query, { paths, parameters }), partitionKey);
}

/** True when FROM starts at the container, and not with rows that are made of constants. */
export function readsItems(from: FromSource | undefined): boolean {
  const collection = sourcesOf(from)[0]?.collection;
  if (collection?.kind === "subquery") return readsItems(collection.query.from);
  return collection !== undefined;
}

/** Returns the EPK ranges of a set of keys. */
function rangesOf(set: KeySet, definition: PartitionKeyDefinition): KeyRanges {
  const levelCount = definition.paths.length;
  const keys = keysWithin(set, levelCount);
  if (keys.length === 0) return "nothing";
  const hasPrefixes = definition.kind === "MultiHash";
  const lengthMin = hasPrefixes ? 1 : levelCount;
  if (keys.some((key) => key.length < lengthMin)) return "everything";
  const ranges = keys.map((named) => {
    const key = storedKeyOf(named, definition);
    return { range: rangeOfKey(definition, key), isPoint: named.length === levelCount, key };
  });
  return withoutOverlaps(ranges);
}

/**
 * In a container that was created without a partition key, the key of an item without a value has
 * no component.
 */
function storedKeyOf(key: PartitionKey, definition: PartitionKeyDefinition): PartitionKey {
  return definition.systemKey === true && key[0] === undefined ? [] : key;
}

/**
 * Drops ranges that lie inside others. Ranges of keys never overlap in part: one holds the other,
 * or they are apart.
 */
function withoutOverlaps(ranges: readonly SelectedRange[]): readonly SelectedRange[] {
  const inOrder = ranges.toSorted(({ range: a }, { range: b }) => {
    if (a.min !== b.min) return a.min < b.min ? -1 : 1;
    return a.max > b.max ? -1 : 1;
  });
  const apart: SelectedRange[] = [];
  for (const next of inOrder) {
    const last = apart.at(-1);
    if (last === undefined || last.range.max <= next.range.min) apart.push(next);
  }
  return apart;
}
