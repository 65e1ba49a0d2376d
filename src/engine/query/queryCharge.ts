/**
 * Computes from the work of a query page what the page costs, as a whole and by physical partition.
 *
 * The rules for a query about several physical partitions that is answered here in one piece:
 *
 * - Every physical partition that the query visits is opened once, with all its lookups. Rows that
 *   stream in key order visit one physical partition after the other; rows that are merged by an
 *   order, or collected, visit all of them on the first page.
 * - Every further page opens the physical partition in which it goes on once more, with one lookup,
 *   unless nothing is left there. Every page opens at least one physical partition.
 * - A page that goes on where another page was cut off for its time opens nothing that was open
 *   already: both together cost what one page would.
 * - Collecting (sorting, grouping, distinct rows) is paid for by the first page; a later page pays
 *   for its opening and its rows, whether the collected rows were kept or are collected again.
 *
 * So n pages over p physical partitions pay for at most n + p - 1 openings. A client that asks each
 * range itself pays for at least one opening of each range and one more for each further page:
 * between the greater of n and p, and n + p.
 *
 * Work that belongs to no single physical partition, such as the output of sorted rows, is divided
 * evenly.
 */
import type { Ru } from "../../base/units.ts";
import type { Consistency } from "../../model/consistency.ts";
import type { QueryWork, Visit } from "../../query/execute/work.ts";
import type { CallCounts, RowCalls } from "../../query/plan/callCounts.ts";
import type { Plan } from "../../query/plan/plan.ts";
import type { PageWork, VisitWork } from "../../throughput/charge.ts";
import { chargeOf, chargesOfVisits, NO_WORK, ruOfPage } from "../../throughput/charge.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";

export interface QueryCharge {
  readonly charge: Ru;
  /** The price of the page so far, before rounding. */
  readonly ru: number;
  /** The work that the charge is for. */
  readonly paid: PageWork;
  /**
   * The shares of the physical partitions that pay anything; the shares add up to the charge
   * exactly.
   */
  readonly charges: ReadonlyMap<PhysicalPartition, Ru>;
}

interface PageDone {
  readonly plan: Plan;
  readonly work: QueryWork;
  /**
   * The physical partitions that the query is about; at least one, because a query about none is
   * run on one.
   */
  readonly partitions: readonly PhysicalPartition[];
  partitionOf(visit: Visit): PhysicalPartition;
  /** The price of the page before this one if that page was cut off. */
  readonly ruBefore: number | undefined;
}

export function queryChargeOf(page: PageDone, consistency: Consistency): QueryCharge {
  const { partitions, work, plan } = page;
  const done = new Map<PhysicalPartition, VisitWork>();
  for (const visit of work.visits) done.set(page.partitionOf(visit), visitWorkOf(visit, plan));
  const [first] = partitions;
  const isOpened = [...done.values()].some((visit) => visit.isOpened);
  if (!isOpened && !work.isContinued) {
    done.set(first!, { ...NO_WORK, ...done.get(first!), isOpened: true });
  }
  share(page, done);
  const paid = { visits: [...done.values()], ruBefore: page.ruBefore };
  const parts = chargesOfVisits(paid, consistency);
  const divided = [...done.keys()].map((partition, index) => [partition, parts[index]!] as const);
  return {
    charge: chargeOf({ kind: "queryPage", ...paid }, consistency),
    ru: ruOfPage(paid, consistency),
    paid,
    charges: new Map(divided.filter(([, part]) => part > 0)),
  };
}

function visitWorkOf(visit: Visit, plan: Plan): VisitWork {
  const { isResumed, itemCount, rowBytes, orderedEntryCount } = visit;
  // An earlier page has visited this physical partition and left nothing there.
  const isEmpty = isResumed && itemCount === 0 && orderedEntryCount === 0;
  const isOpened = visit.isOpened && !isEmpty;
  const lookupCount = isOpened
    ? isResumed
      ? Math.min(1, visit.lookupCount)
      : visit.lookupCount
    : 0;
  const calls = callsIn(plan);
  const callCounts = callsOf(calls, visit);
  const scannedEntryCount = isResumed ? 0 : visit.scannedEntryCount;
  const opened = { ...NO_WORK, isOpened, lookupCount, rowBytes, ...callCounts };
  // The index has the answer, but was not used because some of its entries may have expired.
  if (isOfIndex(plan) && visit.isAnswered && itemCount > 0) {
    return { ...opened, scannedEntryCount: scannedEntryCount + itemCount };
  }
  return {
    ...opened,
    scannedEntryCount,
    orderedEntryCount,
    postingCount: visit.isFound ? itemCount : 0,
    itemCount,
    itemBytes: visit.itemBytes,
    largeItemBytes: visit.largeItemBytes,
  };
}

/** Divides the work that no visit has counted among all physical partitions of the query. */
function share(
  { plan, work, partitions }: PageDone,
  done: Map<PhysicalPartition, VisitWork>,
): void {
  const rowCount = work.rowCount - sumOf(work.visits, (visit) => visit.rowCount);
  const rowBytes = work.paidRowBytes - sumOf(work.visits, (visit) => visit.rowBytes);
  const { orderedEntryCount } = work;
  if (rowCount === 0 && orderedEntryCount === 0) return;
  const { text, others } = callsIn(plan)?.given ?? NO_CALLS;
  const count = partitions.length;
  for (const partition of partitions) {
    const visit = done.get(partition) ?? NO_WORK;
    done.set(partition, {
      ...visit,
      rowBytes: visit.rowBytes + rowBytes / count,
      orderedEntryCount: visit.orderedEntryCount + orderedEntryCount / count,
      textCallCount: visit.textCallCount + (text * rowCount) / count,
      otherCallCount: visit.otherCallCount + (others * rowCount) / count,
    });
  }
}

const NO_CALLS: CallCounts = { text: 0, others: 0 };

function callsIn(plan: Plan): RowCalls | undefined {
  if (plan.kind === "constant") return undefined;
  if (plan.kind === "items") return plan.calls;
  // The inner query computes its output for each row that passes and hands it to the outer query.
  const { tried, passed, given } = plan.inner.calls;
  const made = { text: passed.text + given.text, others: passed.others + given.others };
  return { tried, passed: made, given: NO_CALLS };
}

function isOfIndex(plan: Plan): boolean {
  const inner = plan.kind === "derived" ? plan.inner : plan;
  return inner.kind === "items" && inner.indexOnly !== undefined;
}

function callsOf(
  calls: RowCalls | undefined,
  { triedRowCount, passedRowCount, rowCount }: Visit,
): Pick<VisitWork, "textCallCount" | "otherCallCount"> {
  if (calls === undefined) return { textCallCount: 0, otherCallCount: 0 };
  const { tried, passed, given } = calls;
  const countOf = (kind: keyof CallCounts): number =>
    tried[kind] * triedRowCount + passed[kind] * passedRowCount + given[kind] * rowCount;
  return { textCallCount: countOf("text"), otherCallCount: countOf("others") };
}

function sumOf(visits: readonly Visit[], of: (visit: Visit) => number): number {
  return visits.reduce((sum, visit) => sum + of(visit), 0);
}
