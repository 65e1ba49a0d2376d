/** The ways in which rows come about, each with the work it makes in every partition. */
import { isSortCheaper } from "../../query/plan/walkOrSort.ts";
import type { VisitWork } from "../../throughput/charge.ts";
import { NO_WORK } from "../../throughput/charge.ts";
import type { Extent } from "./extent.ts";
import { extentOf, isReached, pageEndsIn, pagesOf, placeOf, rowsIn } from "./extent.ts";
import type { FoundItems } from "./price.ts";
import type { PricedAccess, PricedQuery, Way } from "./queryShape.ts";
import type { Paid, VisitSetting } from "./visits.ts";
import { candidatesIn, openingOf, shared, sumOf, workOf } from "./visits.ts";

/** For each partition, in their order. */
type PaidVisits = readonly (readonly Paid[])[];

export function visitsOf(setting: VisitSetting, found: readonly FoundItems[]): PaidVisits {
  const { way, take } = setting.shape;
  if (take === 0) return onlyFirst(setting, found, 0);
  switch (way.kind) {
    case "constant":
      return onlyFirst(setting, found, 1);
    case "values":
      return found.every(isWholePartition)
        ? valueVisits(setting, way, found)
        : collectedVisits(setting, found);
    case "derived":
      return derivedVisits(setting, way.inner, found);
    case "stream":
      return streamVisits(setting, found);
    case "collected":
      return collectedVisits(setting, found);
    case "sorted":
      return sortedVisits(setting, found, false);
    case "ordered": {
      const isFiltered = !way.isGapless && (way.otherCount > 0 || !found.every(isWholePartition));
      const isSorted = isSortChosen(setting, way, found);
      if (isSorted) return sortedVisits(setting, found, isFiltered);
      return orderedVisits(setting, way, found, isFiltered);
    }
  }
}

function isWholePartition({ partitionItems }: FoundItems): boolean {
  return partitionItems === undefined;
}

function partitionItemsOf({ partitionItems, heldItems }: FoundItems): number {
  return partitionItems ?? heldItems;
}

const OPENED: VisitWork = { ...NO_WORK, isOpened: true };

/** A query that comes to no item opens one partition all the same. */
function onlyFirst(setting: VisitSetting, found: readonly FoundItems[], rows: number): PaidVisits {
  const work = shared(setting, OPENED, rows);
  return found.map((_, index) => (index === 0 ? [{ work, times: 1 }] : []));
}

/** Partition by partition, until enough is found. */
function streamVisits(setting: VisitSetting, found: readonly FoundItems[]): PaidVisits {
  const { shape, row } = setting;
  const extent = extentOf(setting, found);
  const { end, pages } = extent;
  let passed = 0;
  let given = 0;
  let isEnded = false;
  return found.map((each) => {
    if (isEnded) return [];
    const opening = openingOf(shape, each);
    const available = rowsIn(setting, each);
    const passedRows = Math.min(available, extent.passed - passed);
    passed += passedRows;
    const givenBefore = given;
    given = Math.max(0, passed - shape.skip);
    isEnded = end !== "exhausted" && isReached(passed, extent.passed);
    const { candidateCount } = opening;
    const share = available === 0 ? 1 : passedRows / available;
    const read = isEnded ? placeOf(share, each.matchCount, candidateCount) : candidateCount;
    // One item more than TOP says is read, if there is one.
    const isOneMore = isEnded && end === "taken";
    const work = workOf(setting, {
      opening,
      itemCount: isOneMore ? Math.min(read + 1, candidateCount) : read,
      triedRows: read * row.rowsPerItem,
      passedRows,
      givenRows: given - givenBefore,
    });
    const again = { ...OPENED, lookupCount: Math.min(1, opening.lookupCount) };
    const pageEndCount = pageEndsIn(pages, givenBefore, given);
    return [
      { work, times: 1 },
      { work: again, times: pageEndCount },
    ];
  });
}

/** All matches are looked at by the first page; later ones open the first partition. */
function collectedVisits(setting: VisitSetting, found: readonly FoundItems[]): PaidVisits {
  const { shape } = setting;
  const rowSum = sumOf(found, ({ rowCount }) => rowCount);
  const rows = shape.isOneRow ? 1 : Math.min(rowSum, shape.take);
  return collected(setting, found, {
    rows,
    pageCount: pagesOf(setting, rows, found).count,
    furtherLookups: 0,
    orderedEntries: 0,
  });
}

/** The inner query gives nothing out; the rows that are made of its rows belong to no partition. */
function derivedVisits(
  setting: VisitSetting,
  shape: PricedQuery,
  found: readonly FoundItems[],
): PaidVisits {
  const { rowsPerItem } = setting.row;
  const inner: VisitSetting = { ...setting, shape, row: { bytes: 0, rowsPerItem }, isInner: true };
  const all = found.map((each) => ({ ...each, rowCount: each.matchCount * rowsPerItem }));
  const rowSum = sumOf(found, ({ rowCount }) => rowCount);
  const rows = setting.shape.isOneRow ? 1 : rowSum;
  const given = { work: shared(setting, NO_WORK, rows / found.length), times: 1 };
  const again = { work: OPENED, times: pagesOf(setting, rows, found).count - 1 };
  return visitsOf(inner, all).map((paid, index) => [
    ...paid,
    given,
    ...(index === 0 ? [again] : []),
  ]);
}

/** `isFiltered`: an index has the order, and is paid for as if it had been walked. */
function sortedVisits(
  setting: VisitSetting,
  found: readonly FoundItems[],
  isFiltered: boolean,
): PaidVisits {
  const { given, pages, end, passed, available } = extentOf(setting, found);
  const walkedShare = end === "left" ? passed / available : 1;
  const entryCount = sumOf(found, partitionItemsOf);
  return collected(setting, found, {
    rows: given,
    pageCount: pages.count,
    furtherLookups: isFiltered ? 1 : 0,
    orderedEntries: isFiltered ? entryCount * walkedShare : 0,
  });
}

interface Collecting {
  readonly rows: number;
  readonly pageCount: number;
  readonly furtherLookups: number;
  readonly orderedEntries: number;
}

function collected(
  setting: VisitSetting,
  found: readonly FoundItems[],
  { rows, pageCount, furtherLookups, orderedEntries }: Collecting,
): PaidVisits {
  const { shape, row } = setting;
  return found.map((each, index) => {
    const opening = openingOf(shape, each);
    const itemCount = opening.candidateCount;
    const work = workOf(setting, {
      opening: { ...opening, lookupCount: opening.lookupCount + furtherLookups },
      itemCount,
      triedRows: itemCount * row.rowsPerItem,
      passedRows: rowsIn(setting, each),
      givenRows: 0,
    });
    const { length } = found;
    const whole = shared(setting, work, rows / length, orderedEntries / length);
    return [
      { work: whole, times: 1 },
      ...(index === 0 ? [{ work: OPENED, times: pageCount - 1 }] : []),
    ];
  });
}

/** Values that are read at once before those that are left of the last one are stepped over. */
const DISTINCT_STEP = 32;

/** From the index alone. */
function valueVisits(
  setting: VisitSetting,
  { what, rangeCount }: Extract<Way, { readonly kind: "values" }>,
  found: readonly FoundItems[],
): PaidVisits {
  const { shape } = setting;
  const rowSum = sumOf(found, ({ rowCount }) => rowCount);
  const rows = shape.isOneRow ? 1 : Math.min(rowSum, shape.take);
  const pages = pagesOf(setting, rows, found);
  return found.map((each, index) => {
    const { matchCount, rowCount, heldItems } = each;
    const entryCounts = {
      aggregates: matchCount,
      // The lowest and the highest.
      ends: Math.min(matchCount, 2),
      distinct: Math.min(
        matchCount,
        DISTINCT_STEP * Math.min(rowCount, shape.skip + pages.size + 1),
      ),
    };
    const work: VisitWork = {
      ...OPENED,
      lookupCount: rangeCount ?? 0,
      scannedEntryCount: rangeCount === undefined ? heldItems : entryCounts[what],
    };
    return [
      { work: shared(setting, work, rows / found.length), times: 1 },
      ...(index === 0 ? [{ work: OPENED, times: pages.count - 1 }] : []),
    ];
  });
}

type OrderedWay = Extract<Way, { readonly kind: "ordered" }>;

function isSortChosen(
  setting: VisitSetting,
  way: OrderedWay,
  found: readonly FoundItems[],
): boolean {
  const { shape } = setting;
  const isScoped = !found.every(isWholePartition);
  if (way.otherCount === 0 && !isScoped) return false;
  if (!way.areOthersKnown && !isScoped) return false;
  const { size } = pagesOf(setting, 0, found);
  return isSortCheaper({
    candidateCount: sumOf(found, (each) => othersIn(way, each, shape.access)),
    itemCount: sumOf(found, partitionItemsOf),
    scopeCount: sumOf(found, ({ heldItems }) => heldItems),
    wantedCount: shape.skip + Math.min(size, shape.take) + 1,
  });
}

/** Items that pass all conditions of the index but those on the path of the order. */
function othersIn(way: OrderedWay, found: FoundItems, access: PricedAccess): number {
  if (way.otherCount === 0) return found.heldItems;
  const share = way.isNarrowed && !way.isGapless ? heldOrderedShareOf(found) : 1;
  if (share === 0) return found.heldItems;
  return Math.min(found.heldItems, candidatesIn(found, access) / share);
}

const ORDERED_SHARE = 0.1;

function orderedShareOf(found: FoundItems): number {
  const { orderedShare, matchCount, heldItems } = found;
  if (orderedShare !== undefined) return orderedShare;
  if (isWholePartition(found)) return ORDERED_SHARE;
  return heldItems === 0 ? 0 : matchCount / heldItems;
}

function heldOrderedShareOf(found: FoundItems): number {
  return found.heldOrderedShare ?? orderedShareOf(found);
}

/** In the order of an index, all partitions side by side. */
function orderedVisits(
  setting: VisitSetting,
  way: OrderedWay,
  found: readonly FoundItems[],
  isFiltered: boolean,
): PaidVisits {
  const { shape, row } = setting;
  const { access } = shape;
  const extent = extentOf(setting, found);
  const passedShare = extent.available === 0 ? 1 : extent.passed / extent.available;
  const share = walkedShare(way, found, extent);
  const lookupCount = access.lookupCount + (way.isNarrowed ? 0 : 1);
  return found.map((each) => {
    const opening = { ...openingOf(shape, each), lookupCount, isFound: true, scannedEntryCount: 0 };
    const walked = way.isNarrowed ? orderedShareOf(each) : 1;
    const heldWalked = each.heldItems * (way.isNarrowed ? heldOrderedShareOf(each) : 1) * share;
    const available = rowsIn(setting, each);
    const rowShare = extent.available === 0 ? 0 : available / extent.available;
    const work = workOf(setting, {
      opening,
      itemCount: access.isAnswered ? each.matchCount * passedShare : heldWalked,
      triedRows: heldWalked * row.rowsPerItem,
      passedRows: available * passedShare,
      givenRows: extent.given * rowShare,
    });
    const orderedEntryCount = isFiltered ? partitionItemsOf(each) * walked * share : 0;
    const again = { ...OPENED, lookupCount: Math.min(1, lookupCount) };
    return [
      { work: { ...work, orderedEntryCount }, times: 1 },
      // Which partition the next page begins in depends on the order.
      { work: again, times: (extent.pages.count - 1) * rowShare },
    ];
  });
}

/** Of what could be walked, until enough is found. */
function walkedShare(way: OrderedWay, found: readonly FoundItems[], extent: Extent): number {
  if (extent.end === "exhausted") return 1;
  const entryCount = sumOf(
    found,
    (each) => partitionItemsOf(each) * (way.isNarrowed ? orderedShareOf(each) : 1),
  );
  const matchCount = sumOf(found, (each) => each.matchCount);
  const share = extent.passed / extent.available;
  return entryCount === 0 ? 1 : Math.min(1, placeOf(share, matchCount, entryCount) / entryCount);
}
