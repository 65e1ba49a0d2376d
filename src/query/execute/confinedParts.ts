/**
 * What is left to look up within a source that is confined to a partition key.
 *
 * The most common filter of all names the key that the query is confined to anyway. Every item in
 * scope passes such a filter, so the index need not be asked for it a second time. The filter is
 * still evaluated on each item that is read, so it does no harm that different keys may share an
 * EPK. Where the index alone has to have the answer it is the other way round: an item that has the
 * very values of the key is in scope, so the scope need not be looked up.
 */

import type { TermBounds } from "../plan/termBounds.ts";
import type { Part } from "./lookupParts.ts";
import { isExactPart, partOf, singleTermOf } from "./lookupParts.ts";
import type { KeyTerms, Source } from "./source.ts";

interface Confined {
  /** The parts that are looked up; the scope of the source may be one of them. */
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
  // The scope comes first, in the place of the parts that it implies: of two parts that cost the
  // same, `cheapestFirst` leaves the first one first.
  return { parts: [scope, ...parts.filter((part) => !implied.includes(part))], implied };
}

/**
 * True when every item in scope passes the part, and the index alone is enough to say so: no other
 * key can share the scope, and no value is cut short in its term.
 */
export function isImpliedExactly(part: Part, { placement, keyTerms }: Source): boolean {
  if (placement === undefined || keyTerms === undefined || !keyTerms.isOnly) return false;
  return isExactPart(part) && isImplied(part, keyTerms);
}

/** True when every item that has one of the terms of each level passes the part. */
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

/**
 * Returns one part for each level that pins the level; together these parts let no item outside the
 * scope through. Empty if a level has no such part.
 */
function pinnedBy(parts: readonly Part[], { levels, isWhole }: KeyTerms): readonly Part[] {
  if (!isWhole) return [];
  const pinning = levels.map((terms) => parts.find((part) => isPinning(part, terms)));
  return pinning.every((part) => part !== undefined) ? pinning : [];
}

/** True when every item that passes the part has one of these terms. */
function isPinning(part: Part, terms: ReadonlySet<string>): boolean {
  if (part.kind !== "terms" || !isExactPart(part) || part.test !== undefined) return false;
  return part.ranges.every(({ min, isTerm }) => isTerm === true && terms.has(min));
}
