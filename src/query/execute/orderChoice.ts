/**
 * Whether to read in the order of the index and look which items pass, or to find those that pass
 * and sort them. The second is better when few pass; how many do, the index is asked.
 */

import { countsOf } from "../evaluate/counts.ts";
import type { Lookup, TermLookup } from "../plan/lookup.ts";
import type { OrderAccess } from "../plan/orderAccess.ts";
import type { ItemPlan } from "../plan/plan.ts";
import type { TermBounds } from "../plan/termBounds.ts";
import { overlap } from "../plan/termLookup.ts";
import { candidatesOf } from "./candidates.ts";
import type { IndexedOrder } from "./orderedStream.ts";
import type { CollectSetting, StreamedOrder } from "./streamRows.ts";

export type ChosenOrder =
  | StreamedOrder
  /** `isFiltered`: an index has the order, and would be walked past entries that do not pass. */
  | { readonly kind: "sort"; readonly isFiltered: boolean };

/** More candidates than this are never sorted while the index has the order. */
const SORT_COUNT_MAX = 2_000;

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
  // What the filter leaves of a composite index is without gaps.
  const isNarrowed = order.kind === "composite" && within !== undefined;
  const isFiltered = !isNarrowed && (others.length > 0 || isScoped);
  const inOrder = { ...order, within, isFiltered };
  if (others.length === 0 && !isScoped) return inOrder;
  let candidateCount = 0;
  let itemCount = 0;
  for (const source of sources) {
    const gathering = { ...page.gathering(source), gatherMax: SORT_COUNT_MAX, isTrial: true };
    const candidates = await page.timedIndex(() => candidatesOf(others, gathering));
    itemCount += source.itemCount;
    const count = await countOf(candidates, source, SORT_COUNT_MAX);
    if (count === undefined) return inOrder;
    candidateCount += count;
    if (candidateCount > SORT_COUNT_MAX) return inOrder;
  }
  // In the order of the index, one item in so many passes, and a page's worth has to be found.
  const wantedCount = wantedOnFirst(plan, page, rows);
  const readInOrder = candidateCount === 0 ? itemCount : (wantedCount * itemCount) / candidateCount;
  return candidateCount <= readInOrder ? { kind: "sort", isFiltered } : inOrder;
}

/** All pages of a query choose alike, so what the first one wants decides. */
function wantedOnFirst(
  { query }: ItemPlan,
  { run }: CollectSetting["page"],
  { countMax }: CollectSetting["rows"],
): number {
  const { skip, take = Number.POSITIVE_INFINITY } = countsOf(query, run.parameters);
  return skip + Math.min(countMax, take) + 1;
}

async function countOf(
  candidates: Awaited<ReturnType<typeof candidatesOf>>,
  source: CollectSetting["sources"][number],
  countMax: number,
): Promise<number | undefined> {
  if (candidates.kind === "everything") return undefined;
  if (candidates.kind === "numbers") return candidates.numbers.length;
  const { bounds } = candidates;
  const scan = { bounds, isReverse: false, countMax };
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

/** The narrowest of the conditions on the path that is ordered by. */
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
