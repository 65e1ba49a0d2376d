/** A lookup of one path of the item: what it is made of, and what it is made from. */
import type { PathHash } from "../../index/hash.ts";
import { pathHashOf } from "../../index/hash.ts";
import type { TermRanges, ValueRange } from "../../index/termRange.ts";
import type { Run } from "../execute/run.ts";
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
 * Conditions on one path are one condition: `c.n >= 5` and `c.n < 7` are a range, not the half of
 * the index above 5 and the half below 7.
 */
export function mergedByPath(lookups: readonly Lookup[]): readonly Lookup[] {
  const byPath = new Map<string, TermLookup>();
  const others: Lookup[] = [];
  for (const lookup of lookups) {
    // Below an array each condition may be met by another element.
    if (lookup.kind !== "terms" || !lookup.path.isOne || lookup.isSpatial === true) {
      others.push(lookup);
      continue;
    }
    const name = pathText(lookup.path);
    const known = byPath.get(name);
    byPath.set(name, known === undefined ? lookup : both(known, lookup));
  }
  return [...byPath.values(), ...others];
}

function both(left: TermLookup, right: TermLookup): TermLookup {
  return {
    kind: "terms",
    path: left.path,
    what: `${left.what}, ${right.what}`,
    resolve: (run) => {
      const [first, second] = [left.resolve(run), right.resolve(run)];
      if (first === undefined || second === undefined) {
        const known = first ?? second;
        return known && { ...known, isExact: false };
      }
      return overlapOf(first, second);
    },
  };
}

function overlapOf(left: ResolvedTerms, right: ResolvedTerms): ResolvedTerms {
  const tests = [left.test, right.test].filter((test) => test !== undefined);
  return {
    ranges: overlap(left.ranges, right.ranges),
    isExact: left.isExact && right.isExact,
    mayRepeat: false,
    ...(tests.length > 0 && { test: (term) => tests.every((test) => test(term)) }),
  };
}

/** What lies in a range of both lists, which are sorted and may be long. */
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
