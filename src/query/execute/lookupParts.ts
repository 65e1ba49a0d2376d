/**
 * A part is a lookup with the parameters of one execution: ranges of terms, and how they are
 * joined. The scope that a source is confined to is a part, too.
 */

import type { Run } from "../evaluate/run.ts";
import type { Lookup, TermLookup } from "../plan/lookup.ts";
import type { TermBounds } from "../plan/termBounds.ts";

export type Part =
  | {
      readonly kind: "terms";
      /** Absent when the part stands for the scope of the source. */
      readonly lookup: TermLookup | undefined;
      readonly ranges: readonly TermBounds[];
      readonly isExact: boolean;
      readonly mayRepeat: boolean;
      readonly test: ((term: string) => boolean) | undefined;
    }
  | { readonly kind: "and" | "or"; readonly parts: readonly Part[]; readonly isWhole: boolean };

export function resolve(lookup: Lookup, run: Run): Part | undefined {
  if (lookup.kind === "terms") {
    const found = lookup.resolve(run);
    return found && { kind: "terms", lookup, test: undefined, ...found };
  }
  if (lookup.kind === "prefer") {
    const { first, others } = lookup;
    return resolve(first, run) ?? resolve({ kind: "and", parts: others }, run);
  }
  const parts = lookup.parts.map((part) => resolve(part, run));
  const known = parts.filter((part) => part !== undefined);
  const isWhole = known.length === parts.length;
  if (known.length === 0 || (lookup.kind === "or" && !isWhole)) return undefined;
  // A long chain of AND or OR is a tree of pairs; it is made flat here.
  const flat = known.flatMap((part) =>
    part.kind === lookup.kind && part.isWhole ? part.parts : [part],
  );
  return { kind: lookup.kind, parts: flat, isWhole };
}

export function isExactPart(part: Part): boolean {
  return part.kind === "terms" ? part.isExact : part.isWhole && part.parts.every(isExactPart);
}

/** True when the part stands for the scope of the source. */
export function isScope(part: Part): boolean {
  return part.kind === "terms" && part.lookup === undefined;
}

export function isTried(part: Part): boolean {
  return part.kind === "terms" ? part.test !== undefined : part.parts.some(isTried);
}

export function singleTermOf(
  part: Part,
): { readonly kind: "term"; readonly bounds: TermBounds; readonly isExact: boolean } | undefined {
  if (part.kind !== "terms" || part.ranges.length !== 1 || part.test !== undefined)
    return undefined;
  const [bounds] = part.ranges;
  return bounds!.isTerm === true && !part.mayRepeat
    ? { kind: "term", bounds: bounds!, isExact: part.isExact }
    : undefined;
}

/**
 * Returns how many ranges a part asks for. A lookup that no value can satisfy has no range, and
 * still counts as one question.
 */
export function rangeCountOf(part: Part): number {
  if (part.kind === "terms") return Math.max(1, part.ranges.length);
  return part.parts.reduce((sum, inner) => sum + rangeCountOf(inner), 0);
}

/**
 * True when the part alone says which items pass. Trying a value in the index is as good as looking
 * at the item, except for strings too long to be in a term.
 */
export function isAnswer(part: Part): boolean {
  if (part.kind === "terms") return part.isExact || part.test !== undefined;
  return part.isWhole && part.parts.every(isAnswer);
}

export function partOf(ranges: readonly TermBounds[], mayRepeat: boolean): Part {
  const lookup = undefined;
  return { kind: "terms", lookup, ranges, isExact: true, mayRepeat, test: undefined };
}
