/**
 * Lookups of one path of the item: how one is made, and how several on the same path become one.
 */
import type { PathHash } from "../../index/hash.ts";
import { pathHashOf } from "../../index/hash.ts";
import type { TermRanges, ValueRange } from "../../index/termRange.ts";
import type { Run } from "../evaluate/run.ts";
import type { IndexView } from "./indexView.ts";
import type { ItemPath, SlotPaths } from "./itemPaths.ts";
import { pathText } from "./itemPaths.ts";
import type { Lookup, ResolvedTerms, TermLookup } from "./lookup.ts";

export interface LookupSetting {
  readonly index: IndexView;
  readonly paths: SlotPaths;
}

export function lookupAt(
  path: ItemPath,
  what: string,
  resolve: (path: PathHash, run: Run) => TermRanges | undefined,
): TermLookup {
  const hash = pathHashOf(path.segments);
  return {
    kind: "terms",
    path,
    what,
    resolve: (run) => {
      const found = resolve(hash, run);
      if (found === undefined) return undefined;
      return { ...found, isExact: found.isExact && path.isOne, mayRepeat: !path.isOne };
    },
  };
}

export function isIndexed({ segments }: ItemPath, { index }: LookupSetting): boolean {
  return segments.length > 0 && index.isIndexed(segments);
}

/**
 * Joins the lookups on the same path into one: `c.n >= 5` and `c.n < 7` are a range, not the half
 * of the index above 5 and the half below 7.
 */
export function mergedByPath(lookups: readonly Lookup[]): readonly Lookup[] {
  const byPath = new Map<string, TermLookup[]>();
  const others: Lookup[] = [];
  for (const lookup of lookups) {
    // Below an array, each condition may be met by another element.
    if (lookup.kind !== "terms" || !lookup.path.isOne || lookup.isOfParts === true) {
      others.push(lookup);
      continue;
    }
    const name = pathText(lookup.path);
    const known = byPath.get(name);
    if (known === undefined) byPath.set(name, [lookup]);
    else known.push(lookup);
  }
  return [...[...byPath.values()].map(allOf), ...others];
}

function allOf(lookups: readonly TermLookup[]): TermLookup {
  const [first] = lookups;
  if (lookups.length === 1) return first!;
  return {
    kind: "terms",
    path: first!.path,
    what: lookups.map(({ what }) => what).join(", "),
    resolve: (run) => {
      const known = lookups
        .map((lookup) => lookup.resolve(run))
        .filter((found) => found !== undefined);
      return known.length === 0 ? undefined : overlapOf(known, known.length === lookups.length);
    },
  };
}

function overlapOf(list: readonly ResolvedTerms[], isWhole: boolean): ResolvedTerms {
  const tests = list.map(({ test }) => test).filter((test) => test !== undefined);
  return {
    ranges: overlapOfAll(list.map(({ ranges }) => ranges)),
    isExact: isWhole && list.every(({ isExact }) => isExact),
    mayRepeat: false,
    ...(tests.length > 0 && { test: (term) => tests.every((test) => test(term)) }),
  };
}

/**
 * Overlaps the lists pair by pair: list by list, what is left would be gone through again for each.
 */
function overlapOfAll(lists: readonly (readonly ValueRange[])[]): readonly ValueRange[] {
  if (lists.length === 1) return lists[0]!;
  const middle = lists.length >> 1;
  return overlap(overlapOfAll(lists.slice(0, middle)), overlapOfAll(lists.slice(middle)));
}

/** Returns the ranges that lie in both lists, which are sorted and may be long. */
export function overlap(
  left: readonly ValueRange[],
  right: readonly ValueRange[],
): readonly ValueRange[] {
  const found: ValueRange[] = [];
  let first = 0;
  for (const a of left) {
    while (first < right.length && right[first]!.max <= a.min) first++;
    for (let at = first; at < right.length && right[at]!.min < a.max; at++) {
      const b = right[at]!;
      const { min } = a.min > b.min ? a : b;
      const { max } = a.max < b.max ? a : b;
      const isTerm = a.isTerm === true || b.isTerm === true;
      found.push(isTerm ? { min, max, isTerm } : { min, max });
    }
  }
  return found;
}
