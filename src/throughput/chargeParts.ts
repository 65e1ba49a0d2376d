/**
 * What the charge of a page is made of: each part with how many there were and what they cost, by
 * the prices of `charge.ts`. The parts add up to the cost of the page before it is rounded.
 */

import type { Consistency } from "../model/consistency.ts";
import type { PageWork, VisitWork } from "./charge.ts";
import { QUERY_RU, readReplicaCount } from "./charge.ts";

/** The parts, in the order of a visit. */
type ChargePart =
  | "open"
  | "lookups"
  | "postings"
  | "scannedEntries"
  | "orderedEntries"
  | "items"
  | "loaded"
  | "largeItems"
  | "rows"
  | "textCalls"
  | "otherCalls";

export interface PricedPart {
  readonly part: ChargePart;
  /** How many there were; for sizes, in bytes. */
  readonly count: number;
  readonly ru: number;
}

const KIB = 1024;

/** Returns the parts of all visits together; parts that cost nothing are left out. */
export function partsOfPage(
  { visits }: Pick<PageWork, "visits">,
  consistency: Consistency = "session",
): readonly PricedPart[] {
  const replicaCount = readReplicaCount(consistency);
  const totals = new Map<ChargePart, { count: number; ru: number }>();
  for (const { part, count, ru } of visits.flatMap(partsOfVisit)) {
    const total = totals.get(part) ?? { count: 0, ru: 0 };
    totals.set(part, { count: total.count + count, ru: total.ru + ru * replicaCount });
  }
  return [...totals]
    .map(([part, total]): PricedPart => ({ part, ...total }))
    .filter(({ ru }) => ru > 0);
}

/** Returns the parts of one visit, on one replica. */
function partsOfVisit(visit: VisitWork): readonly PricedPart[] {
  const priced = (part: ChargePart, count: number, each: number): PricedPart => ({
    part,
    count,
    ru: each * count,
  });
  const sized = (part: ChargePart, bytes: number, eachKib: number): PricedPart => ({
    part,
    count: bytes,
    ru: (eachKib * bytes) / KIB,
  });
  const { lookupCount } = visit;
  const firstCount = Math.min(lookupCount, 1);
  const lookupRu =
    QUERY_RU.firstLookup * firstCount + QUERY_RU.furtherLookup * (lookupCount - firstCount);
  return [
    priced("open", visit.isOpened ? 1 : 0, QUERY_RU.open),
    { part: "lookups", count: lookupCount, ru: lookupRu },
    priced("postings", visit.postingCount, QUERY_RU.posting),
    priced("scannedEntries", visit.scannedEntryCount, QUERY_RU.scannedEntry),
    priced("orderedEntries", visit.orderedEntryCount, QUERY_RU.orderedEntry),
    priced("items", visit.itemCount, QUERY_RU.item),
    sized("loaded", visit.itemBytes, QUERY_RU.kibLoaded),
    sized("largeItems", visit.largeItemBytes, QUERY_RU.kibOfLarge),
    sized("rows", visit.rowBytes, QUERY_RU.kibOut),
    priced("textCalls", visit.textCallCount, QUERY_RU.textCall),
    priced("otherCalls", visit.otherCallCount, QUERY_RU.otherCall),
  ];
}
