/**
 * The charge of a page, explained: its parts, and the index that would have made it less, with what
 * the page would have cost then. Both come from the price list that made the charge, applied to the
 * work that was counted.
 */
import { orderingComposite, utilizationOf } from "../../query/explain/utilization.ts";
import type { PageWork, VisitWork } from "../../throughput/charge.ts";
import { ruOfPage } from "../../throughput/charge.ts";
import { type PricedPart, partsOfPage } from "../../throughput/chargeParts.ts";
import type { QueryAnswer } from "./queryItems.ts";
import type { PartitionSource } from "./querySource.ts";

export interface ChargeExplained {
  /** The charge that the client was told. */
  readonly ru: number;
  /** The parts of the charge, the dearest first. */
  readonly parts: readonly PricedPart[];
  readonly advice: readonly IndexAdvice[];
  /** The shares of the physical partitions, the dearest first; they add up to `ru` exactly. */
  readonly partitions: readonly PartitionShare[];
}

/** What a page did in one physical partition, and its share of the charge. */
export interface PartitionShare {
  /** The range id. */
  readonly id: string;
  readonly ru: number;
  /** Items that were read, and those of them whose rows did not pass the filter. */
  readonly items: number;
  readonly misses: number;
  /** Rows that were given from here; 0 where rows are sorted or grouped over all. */
  readonly rows: number;
  /** Milliseconds spent in the index and on loading items here. */
  readonly ms: number;
}

interface IndexAdvice {
  /**
   * `path` means a path to be included in the policy; `composite` means `paths` with directions, in
   * this order.
   */
  readonly index: "path" | "composite";
  readonly paths: readonly string[];
  /** The order that the query has to ask for, so that the index can be used. */
  readonly orderBy?: readonly string[] | undefined;
  /** The charge that the page would have had with this index. */
  readonly ru: number;
  readonly saving: number;
}

/** Advice that saves less RU than this is not given. */
const SAVING_MIN = 0.5;

type Answered = Pick<
  QueryAnswer,
  "charge" | "charges" | "paid" | "consistency" | "work" | "prepared"
>;

export function chargeExplained(answer: Answered): ChargeExplained {
  const { charge, paid, consistency } = answer;
  const parts = partsOfPage(paid, consistency);
  return {
    ru: charge,
    parts: [...parts].sort((a, b) => b.ru - a.ru),
    advice: adviceOn(answer).sort((a, b) => b.saving - a.saving),
    partitions: sharesOf(answer),
  };
}

/** A physical partition that was asked in vain has a share, too, and no items. */
function sharesOf({ charges, work }: Answered): PartitionShare[] {
  const visits = new Map(
    work.visits.map((visit) => [(visit.source as PartitionSource).partition, visit] as const),
  );
  const times = new Map(
    [...work.readMs].map(([source, ms]) => [(source as PartitionSource).partition, ms] as const),
  );
  const partitions = new Set([...charges.keys(), ...visits.keys()]);
  return [...partitions]
    .map((partition) => {
      const visit = visits.get(partition);
      return {
        id: partition.entry.id,
        ru: charges.get(partition) ?? 0,
        items: visit?.itemCount ?? 0,
        misses: visit?.missCount ?? 0,
        rows: visit?.rowCount ?? 0,
        ms: hundredths(times.get(partition) ?? 0),
      };
    })
    .sort((a, b) => b.ru - a.ru);
}

function adviceOn(answer: Answered): IndexAdvice[] {
  const { plan, index } = answer.prepared;
  const found: IndexAdvice[] = [];
  const add = (advice: Pick<IndexAdvice, "index" | "paths" | "orderBy">, other: PageWork): void => {
    const before = ruOfPage(answer.paid, answer.consistency);
    const saving = hundredths(before - ruOfPage(other, answer.consistency));
    if (saving < SAVING_MIN) return;
    found.push({ ...advice, ru: hundredths(answer.charge - saving), saving });
  };
  const composite = orderingComposite(plan, index);
  if (composite !== undefined) {
    add({ index: "composite", paths: composite, orderBy: composite }, inOrder(answer));
  }
  const { potentialSingle } = utilizationOf(plan, index, answer.work);
  if (potentialSingle.length > 0) {
    add({ index: "path", paths: potentialSingle }, lookedUp(answer, potentialSingle.length));
  }
  return found;
}

/**
 * Work of the page with an index that has the order: only items on the page are read, with one
 * lookup in each physical partition, and no entry is passed over.
 */
function inOrder({ paid, work }: Answered): PageWork {
  const read = work.itemCount === 0 ? 1 : Math.min(1, work.rowCount / work.itemCount);
  return withVisits(paid, (visit) => ({
    ...itemsIn(visit, read),
    postingCount: visit.itemCount * read,
    lookupCount: Math.min(1, visit.lookupCount),
    orderedEntryCount: 0,
  }));
}

/**
 * Work of the page with an index for the filter: items that do not pass the filter are not read.
 */
function lookedUp({ paid, work }: Answered, lookupCount: number): PageWork {
  const read = work.itemCount === 0 ? 1 : 1 - work.missCount / work.itemCount;
  return withVisits(paid, (visit) => ({
    ...itemsIn(visit, read),
    postingCount: visit.itemCount * read,
    lookupCount: visit.isOpened ? visit.lookupCount + lookupCount : visit.lookupCount,
  }));
}

function itemsIn(visit: VisitWork, share: number): VisitWork {
  return {
    ...visit,
    itemCount: visit.itemCount * share,
    itemBytes: visit.itemBytes * share,
    largeItemBytes: visit.largeItemBytes * share,
  };
}

function withVisits(paid: PageWork, change: (visit: VisitWork) => VisitWork): PageWork {
  return { ...paid, visits: paid.visits.map(change) };
}

function hundredths(ru: number): number {
  return Math.round(100 * ru) / 100;
}
