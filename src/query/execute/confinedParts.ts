/**
 * What is left to look up within a source that is confined to a partition key.
 *
 * The most common filter of all names the key that the query is confined to anyway: every item in
 * scope passes it, so the index need not be asked for them a second time. Whoever reads the items
 * evaluates the filter all the same, so it does no harm that different keys may share an EPK. Where
 * the index alone has to have the answer it is the other way round: whoever has the very values of
 * the key is in scope, and the scope need not be looked up.
 */

import type { TermBounds } from "../plan/termBounds.ts";
import type { Part } from "./lookupParts.ts";
import { isExactPart, partOf, singleTermOf } from "./lookupParts.ts";
import type { KeyTerms, Source } from "./source.ts";

export interface Confined {
  /** What is looked up, the scope among it. */
  readonly parts: readonly Part[];
  /** Lookups that are left out because every item in scope passes them. */
  readonly implied: readonly Part[];
}

export function confined(
  parts: readonly Part[],
  { placement, keyTerms }: Source,
  isExactWanted: boolean,
): Confined {
  if (placement === undefined) return { parts, implied: [] };
  const scope = partOf(placement, false);
  if (keyTerms === undefined) return { parts: [...parts, scope], implied: [] };
  const isOneTerm = singleTermOf(scope) !== undefined;
  const pinned = pinnedBy(parts, keyTerms);
  if (pinned.length > 0 && (isExactWanted || (!isOneTerm && pinned.length === 1))) {
    return { parts, implied: [] };
  }
  const isOneKey = keyTerms.levels.every(({ size }) => size === 1);
  if (isExactWanted || !isOneTerm || !isOneKey) return { parts: [...parts, scope], implied: [] };
  const implied = parts.filter((part) => isImplied(part, keyTerms));
  // The scope takes the place of what it implies: of two that are as good the first is taken.
  return { parts: [scope, ...parts.filter((part) => !implied.includes(part))], implied };
}

/** Does every item that has one of the terms of each level pass? */
function isImplied(part: Part, keyTerms: KeyTerms): boolean {
  if (part.kind === "terms") {
    const { ranges, test } = part;
    return keyTerms.levels.some((terms) =>
      [...terms].every((term) => isWithin(term, ranges) && (test === undefined || test(term))),
    );
  }
  const isSo = (inner: Part): boolean => isImplied(inner, keyTerms);
  return part.kind === "or" ? part.parts.some(isSo) : part.parts.every(isSo);
}

function isWithin(term: string, ranges: readonly TermBounds[]): boolean {
  return ranges.some(({ min, max }) => min <= term && term < max);
}

/** Parts that together leave no item outside the scope; none if there are no such parts. */
function pinnedBy(parts: readonly Part[], { levels, isWhole }: KeyTerms): readonly Part[] {
  if (!isWhole) return [];
  const pinning = levels.map((terms) => parts.find((part) => isPinning(part, terms)));
  return pinning.every((part) => part !== undefined) ? pinning : [];
}

/** Has every item that passes one of these terms? */
function isPinning(part: Part, terms: ReadonlySet<string>): boolean {
  if (part.kind !== "terms" || !isExactPart(part) || part.test !== undefined) return false;
  return part.ranges.every(({ min, isTerm }) => isTerm === true && terms.has(min));
}
