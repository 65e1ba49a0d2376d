/**
 * The keys that a range of time needs, in groups that follow each other in time.
 *
 * The range is cut where any period of the key begins, and a strategy says for each piece which
 * keys to visit. Pieces that share a key (a quarter among months) become one group, so that
 * everything under the keys of one group is earlier than everything under those of the next.
 */
import type { KeyComponent } from "../component.ts";
import { pathsOf, pathText, periodsIn } from "../paths.ts";
import { periodStartsBetween } from "../period.ts";
import type { KeyStrategy } from "../strategy.ts";
import type { Known, TimeRange } from "../visits.ts";
import { keyText } from "./partitionKey.ts";

export type KeyGroup = readonly (readonly KeyComponent[])[];

/**
 * The earliest first; undefined if the keys cannot be listed, or are too many. A range without a
 * moment has no groups.
 */
export function keyGroups(
  strategy: KeyStrategy,
  values: Known["values"],
  range: TimeRange,
): readonly KeyGroup[] | undefined {
  // The range as a whole is asked about first, because it may have more pieces than can be counted.
  if (strategy.visits({ values, range }) === undefined) return undefined;
  const groups: Map<string, readonly KeyComponent[]>[] = [];
  for (const piece of piecesOf(strategy, range)) {
    const visits = strategy.visits({ values, range: piece });
    if (visits === undefined) return undefined;
    const keys = visits.keys.map((key) => [keyText(key), key] as const);
    const last = groups.at(-1);
    const isShared = last !== undefined && keys.some(([name]) => last.has(name));
    const group = isShared ? last : new Map<string, readonly KeyComponent[]>();
    for (const [name, key] of keys) group.set(name, key);
    if (!isShared) groups.push(group);
  }
  return groups.map((group) => [...group.values()]);
}

/** Why `keyGroups` has no answer, as a sentence. */
export function unlistedText(
  strategy: KeyStrategy,
  values: Known["values"],
  range: TimeRange,
): string {
  const paths = new Set(strategy.expression.flatMap(pathsOf).map(pathText));
  const unknown = [...paths].filter((path) => path !== range.path && !values.has(path));
  return unknown.length === 0
    ? `the keys of ${strategy.name} for this range are too many to visit; make it shorter`
    : `the keys of ${strategy.name} cannot be listed without values for ${unknown.join(", ")}`;
}

/** A key may be shared by pieces that do not touch only if all between share it, too. */
function piecesOf(strategy: KeyStrategy, range: TimeRange): readonly TimeRange[] {
  const { path, from, to } = range;
  if (!(from <= to)) return [];
  const periods = strategy.expression.flatMap(periodsIn);
  const grains = new Set(
    periods.filter(({ of }) => pathText(of) === path).map(({ grain }) => grain),
  );
  const starts = [...grains].flatMap((grain) => periodStartsBetween(grain, from, to));
  const cuts = [...new Set([from, ...starts.filter((start) => start > from)])];
  cuts.sort((a, b) => a - b);
  return cuts.map((start, index) => ({ path, from: start, to: (cuts[index + 1] ?? to + 1) - 1 }));
}
