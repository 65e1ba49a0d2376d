/**
 * Decides whether to read items in the order of the index and drop those that do not pass the
 * filter, or to find those that pass and sort them. Sorting is better when few pass; the index is
 * asked how many do. An entry of a walk is cheap where its item is known to lie outside the scope,
 * and dear where the item has to be read.
 */

import { countsOf } from "../evaluate/counts.ts";
import type { Lookup, TermLookup } from "../plan/lookup.ts";
import type { OrderAccess } from "../plan/orderAccess.ts";
import type { ItemPlan } from "../plan/plan.ts";
import type { TermBounds } from "../plan/termBounds.ts";
import { overlap } from "../plan/termLookup.ts";
import { isSortCheaper, SORT_COUNT_MAX, walkedShareOf } from "../plan/walkOrSort.ts";
import { candidatesOf, isScopeAnswer } from "./candidates.ts";
import type { Gathering } from "./gather.ts";
import type { IndexedOrder } from "./orderedStream.ts";
import type { Source } from "./source.ts";
import type { CollectSetting, StreamedOrder } from "./streamRows.ts";

type ChosenOrder =
  | StreamedOrder
  /**
   * `isFiltered` means that an index has the order, and a walk along it would meet entries that do
   * not pass.
   */
  | { readonly kind: "sort"; readonly isFiltered: boolean };

export async function chooseOrder(
  plan: ItemPlan,
  order: OrderAccess,
  { sources, page, rows }: CollectSetting,
): Promise<ChosenOrder> {
  if (order.kind === "sort") return { kind: "sort", isFiltered: false };
  const { lookups } = plan.filter;
  const within =
    order.kind === "path" ? boundsWithin(lookups, order, page) : compositeWithin(plan, page.run);
  const others = lookups.filter((lookup) => !isOnPath(lookup, order));
  const isScoped = sources.some(({ placement }) => placement !== undefined);
  // A composite index that the filter narrows has only entries that pass.
  const isNarrowed = order.kind === "composite" && within !== undefined;
  const isFiltered = !isNarrowed && (others.length > 0 || isScoped);
  const inOrder = { ...order, within, isFiltered, ...WHOLE_WALK };
  if (others.length === 0 && !isScoped) return inOrder;
  let candidateCount = 0;
  let itemCount = 0;
  let scopeCount = 0;
  for (const source of sources) {
    const gathering = { ...page.gathering(source), gatherMax: SORT_COUNT_MAX, isTrial: true };
    itemCount += source.itemCount;
    scopeCount += await countInKeys(source, page);
    const count = await countLeft(others, gathering, page);
    if (count !== undefined) candidateCount += count;
    if (count === undefined || candidateCount > SORT_COUNT_MAX) {
      return { ...inOrder, entriesPerItem: entriesPerItemOf(sources, itemCount, scopeCount) };
    }
  }
  const wantedCount = wantedOnFirst(plan, page, rows);
  const amount = { candidateCount, itemCount, scopeCount, wantedCount };
  if (isSortCheaper(amount)) return { kind: "sort", isFiltered };
  const entriesPerItem = entriesPerItemOf(sources, itemCount, scopeCount);
  const entriesMax = Math.ceil(PATIENCE * walkedShareOf(amount) * itemCount);
  return { ...inOrder, entriesPerItem, entriesMax };
}

const WHOLE_WALK = { entriesPerItem: 1, entriesMax: Number.POSITIVE_INFINITY };
/**
 * Where the candidates can be sorted, a walk that meets so many times as few of them as it should
 * is given up: in this order they come late.
 */
const PATIENCE = 4;

/** The items of a scope of whole keys are counted; any other scope counts as everything. */
async function countInKeys(source: Source, page: CollectSetting["page"]): Promise<number> {
  const { placement, countInScope, itemCount } = source;
  if (countInScope === undefined || placement === undefined) return itemCount;
  const areKeys = placement.every(({ isTerm }) => isTerm === true);
  return areKeys ? page.timedIndex(source, countInScope) : itemCount;
}

/**
 * About how many entries there are for each of an item in scope: one at least, although a scope may
 * hold more than is counted, such as what an open transaction has written.
 */
function entriesPerItemOf(
  sources: readonly Source[],
  itemCount: number,
  scopeCount: number,
): number {
  const isSkipping = sources.every(({ isOutside }) => isOutside !== undefined);
  return isSkipping ? Math.max(1, itemCount / Math.max(1, scopeCount)) : 1;
}

/**
 * Number of rows that the first page wants; this number decides for all pages, so that they choose
 * alike.
 */
function wantedOnFirst(
  { query }: ItemPlan,
  { run }: CollectSetting["page"],
  { countMax }: CollectSetting["rows"],
): number {
  const { skip, take = Number.POSITIVE_INFINITY } = countsOf(query, run.parameters);
  return skip + Math.min(countMax, take) + 1;
}

/** Resolves with how many candidates there are; undefined where they are too many to be counted. */
async function countLeft(
  lookups: readonly Lookup[],
  gathering: Gathering,
  page: CollectSetting["page"],
): Promise<number | undefined> {
  const { source } = gathering;
  const { countInScope } = source;
  if (countInScope !== undefined && isScopeAnswer(lookups, gathering)) {
    return page.timedIndex(source, countInScope);
  }
  const candidates = await page.timedIndex(source, () => candidatesOf(lookups, gathering));
  if (candidates.kind === "everything") return undefined;
  if (candidates.kind === "numbers") return candidates.numbers.length;
  const scan = { bounds: candidates.bounds, isReverse: false, countMax: SORT_COUNT_MAX };
  const { entries, isLast } = await source.scanTerms(scan);
  return isLast ? entries.length : undefined;
}

function isOnPath(lookup: Lookup, order: IndexedOrder): lookup is TermLookup {
  if (lookup.kind !== "terms" || order.kind !== "path" || !lookup.path.isOne) return false;
  if (lookup.isOfParts === true) return false;
  const { segments } = order.path;
  return (
    lookup.path.segments.length === segments.length &&
    lookup.path.segments.every((segment, depth) => segment === segments[depth])
  );
}

function compositeWithin(
  { compositeBounds }: ItemPlan,
  run: CollectSetting["page"]["run"],
): readonly TermBounds[] | undefined {
  const bounds = compositeBounds?.(run);
  return bounds && [bounds];
}

/**
 * Returns what all conditions on the ordered path leave of its term ranges; undefined without such
 * a condition.
 */
function boundsWithin(
  lookups: readonly Lookup[],
  order: IndexedOrder,
  { run, work }: CollectSetting["page"],
): readonly TermBounds[] | undefined {
  let within: readonly TermBounds[] | undefined;
  for (const lookup of lookups) {
    if (!isOnPath(lookup, order)) continue;
    const found = lookup.resolve(run);
    if (found === undefined || found.test !== undefined) continue;
    within = within === undefined ? found.ranges : overlap(within, found.ranges);
    work.usedLookups.add(lookup);
  }
  return within;
}
