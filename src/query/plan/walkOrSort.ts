/**
 * The rule by which rows that an index has in order, but of which a filter or a scope lets only
 * some through, are walked along the index or found and sorted. Whoever prices a query before it
 * runs goes by the same rule.
 */

/** More candidates than this are never sorted while the index has the order. */
export const SORT_COUNT_MAX = 2_000;
/** Reading an item, for its values, takes as long as passing over so many entries. */
const ENTRIES_FOR_ITEM = 16;

/** What there is to be walked or sorted, over all that a query asks. */
interface OrderedAmount {
  /** Items that pass all conditions of the index but those on the path of the order. */
  readonly candidateCount: number;
  /** Entries of the index, which has those of items outside the scope as well. */
  readonly itemCount: number;
  /** Items within the scope. */
  readonly scopeCount: number;
  /** Rows that the first page wants: it decides for all pages, so that they choose alike. */
  readonly wantedCount: number;
}

export function isSortCheaper(amount: OrderedAmount): boolean {
  const { candidateCount, itemCount, scopeCount } = amount;
  if (candidateCount > SORT_COUNT_MAX) return false;
  const walkCost = walkedShareOf(amount) * (itemCount + scopeCount * ENTRIES_FOR_ITEM);
  return candidateCount * ENTRIES_FOR_ITEM <= walkCost;
}

/** A walk meets the candidates, and the items of the scope that do not pass, in proportion. */
export function walkedShareOf({ candidateCount, wantedCount }: OrderedAmount): number {
  return candidateCount === 0 ? 1 : wantedCount / candidateCount;
}
