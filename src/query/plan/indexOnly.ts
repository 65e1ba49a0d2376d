/**
 * Queries that the index can answer without an item: how many items pass a filter, aggregates of
 * the values at one path, and the distinct values at a path.
 */
import type { PathHash } from "../../index/hash.ts";
import { pathHashOf } from "../../index/hash.ts";
import type { AggregateName, Bound, BoundQuery } from "../bind/bound.ts";
import type { FilterLookups } from "./filterLookup.ts";
import type { IndexView } from "./indexView.ts";
import type { ItemPath, SlotPaths } from "./itemPaths.ts";
import { itemPathOf } from "./itemPaths.ts";
import type { TermLookup } from "./lookup.ts";

export type IndexOnly =
  /** COUNT of items, whatever they hold. */
  | { readonly kind: "count" }
  | {
      readonly kind: "values";
      readonly path: ItemPath;
      readonly hash: PathHash;
      /** Conditions on the same path; without any, all values count. */
      readonly within: readonly TermLookup[];
      /** Absent when the distinct values themselves are selected. */
      readonly aggregates: readonly AggregateName[] | undefined;
    };

const FROM_VALUES: ReadonlySet<AggregateName> = new Set(["COUNT", "SUM", "AVG", "MIN", "MAX"]);

export function indexOnlyOf(
  query: BoundQuery,
  filter: FilterLookups,
  paths: SlotPaths,
  index: IndexView,
): IndexOnly | undefined {
  const isOther =
    query.sources.length !== 1 ||
    query.groupBy !== undefined ||
    query.orderBy.length > 0 ||
    !filter.isWhole;
  if (isOther) return undefined;
  const { aggregates } = query;
  if (aggregates.length > 0 && aggregates.every(isItemCount)) return { kind: "count" };
  const names = aggregates.map(({ name }) => name);
  const isDistinctValue =
    aggregates.length === 0 && query.isDistinct && query.selection.kind === "value";
  const isOfValues = aggregates.length > 0 && names.every((name) => FROM_VALUES.has(name));
  if (!isDistinctValue && !isOfValues) return undefined;
  const read = isDistinctValue
    ? [(query.selection as { readonly expression: Bound }).expression]
    : aggregates.map(({ argument }) => argument);
  const path = onePath(read, paths);
  if (path === undefined || !path.isOne || path.segments.length === 0) return undefined;
  if (!index.isIndexed(path.segments)) return undefined;
  const within = filter.lookups.filter(
    (lookup): lookup is TermLookup =>
      lookup.kind === "terms" && lookup.isOfParts !== true && isSame(lookup.path, path),
  );
  if (within.length < filter.lookups.length) return undefined;
  const hash = pathHashOf(path.segments);
  return { kind: "values", path, hash, within, aggregates: isOfValues ? names : undefined };
}

function isItemCount({ name, argument }: BoundQuery["aggregates"][number]): boolean {
  const isConstant = argument.kind === "constant" && argument.value !== undefined;
  return name === "COUNT" && isConstant;
}

function onePath(read: readonly Bound[], paths: SlotPaths): ItemPath | undefined {
  const found = read.map((bound) => itemPathOf(bound, paths));
  const [first] = found;
  return first !== undefined && found.every((path) => path !== undefined && isSame(path, first))
    ? first
    : undefined;
}

function isSame(left: ItemPath, right: ItemPath): boolean {
  return (
    left.isOne === right.isOne &&
    left.segments.length === right.segments.length &&
    left.segments.every((segment, depth) => segment === right.segments[depth])
  );
}
