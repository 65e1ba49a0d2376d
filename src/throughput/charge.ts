/**
 * The price list: what an operation costs, in request units, given the work it did.
 *
 * Published charges of the service lie on a lattice of 1/21 RU, and writes on every fourth point of
 * it (a write runs on four replicas). So prices are whole numbers of 1/21 RU here, and a charge is
 * rounded to hundredths exactly once, when it is made: the charges that clients are told add up to
 * what budgets pay. The size of an item enters in steps, by the power of two of KiB it fits in. How
 * far the list is from measured charges is in docs/use/charges.md.
 *
 * Bytes are those of the stored item, system properties included. Leaves are counted by
 * `index/terms.ts`. Entries of composite indexes and unique keys have no published price; they are
 * taken to cost what a leaf costs.
 *
 * Charges of queries are not on the lattice: they were fitted to published figures, piece by piece.
 * A page is paid for physical partition by physical partition, and rounded as a whole.
 *
 * Not here: who pays (`budget.ts`), and what a page did (`engine/query/queryCharge.ts`).
 */
import { assert } from "../base/assert.ts";
import { type Ru, ru } from "../base/units.ts";
import type { Consistency } from "../model/consistency.ts";

/** What an operation did, as far as it is paid for. */
export type Work =
  | { readonly kind: "read"; readonly bytes: number }
  /** A read of an item that does not exist. */
  | { readonly kind: "readMissing" }
  /** A read whose client has this version already. */
  | { readonly kind: "readUnchanged" }
  | ({ readonly kind: "create" } & ItemWork)
  | ({ readonly kind: "delete" } & ItemWork)
  | ({ readonly kind: "replace" } & ChangeWork)
  | ({ readonly kind: "patch"; readonly operationCount: number } & ChangeWork)
  | { readonly kind: "feedPage"; readonly itemBytes: readonly number[] }
  | { readonly kind: "feedUnchanged" }
  | ({ readonly kind: "queryPage" } & PageWork)
  /** A stored procedure, with the charges of what it did to items. */
  | {
      readonly kind: "script";
      readonly innerCharges: readonly Ru[];
      readonly hasWritten: boolean;
    }
  /** Operations that were sent together. */
  | { readonly kind: "batch"; readonly charges: readonly Ru[] }
  /** Work on databases, containers, users, scripts: anything but items. */
  | { readonly kind: "metadata" }
  /**
   * A refusal after a look at an item, such as a conflict or a wrong etag; 0 bytes when there was
   * no item.
   */
  | { readonly kind: "refused"; readonly examinedBytes: number }
  /** A refusal before any work, because the budget was empty. */
  | { readonly kind: "throttled" };

/** The work on an item that was created or deleted. */
export interface ItemWork {
  readonly bytes: number;
  readonly leafCount: number;
  /** Number of entries of composite indexes and unique keys. */
  readonly compoundEntryCount: number;
  /** False under indexing mode `none`. */
  readonly isIndexed: boolean;
}

/** What a page of a query did. */
export interface PageWork {
  readonly visits: readonly VisitWork[];
  /**
   * What the page had cost when it was cut off, before rounding: the page is rounded as a whole.
   */
  readonly ruBefore?: number | undefined;
}

/** What a page of a query did in one physical partition. */
export interface VisitWork {
  /** False when the page went on in what an earlier page had opened. */
  readonly isOpened: boolean;
  /** Number of index ranges that were asked for. */
  readonly lookupCount: number;
  /** Number of items that were reached through the index. */
  readonly postingCount: number;
  /** Number of index entries that were read for their values, to add them up or to try them. */
  readonly scannedEntryCount: number;
  /**
   * Number of index entries that were walked in the order of the rows, including those that a
   * filter leaves out.
   */
  readonly orderedEntryCount: number;
  readonly itemCount: number;
  readonly itemBytes: number;
  /** Bytes of items beyond 512 KiB; `itemBytes` does not have them. */
  readonly largeItemBytes: number;
  /**
   * Bytes of rows, without those of rows beyond 512 KiB: such rows come from large items, whose
   * price has them.
   */
  readonly rowBytes: number;
  /**
   * Number of calls of functions that read a text through; `otherCallCount` has those of all
   * others.
   */
  readonly textCallCount: number;
  readonly otherCallCount: number;
}

export const NO_WORK: VisitWork = {
  isOpened: false,
  lookupCount: 0,
  postingCount: 0,
  scannedEntryCount: 0,
  orderedEntryCount: 0,
  itemCount: 0,
  itemBytes: 0,
  largeItemBytes: 0,
  rowBytes: 0,
  textCallCount: 0,
  otherCallCount: 0,
};

/** The work on an item whose content changed. */
export interface ChangeWork {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  readonly changedLeafCount: number;
  /** Number of entries of composite indexes and unique keys that changed. */
  readonly changedCompoundEntryCount: number;
  readonly isIndexed: boolean;
}

export function chargeOf(work: Work, consistency: Consistency = "session"): Ru {
  const hundredths = hundredthsOf(work, consistency);
  assert(hundredths >= 0, "a charge is never negative");
  return ru(hundredths / 100);
}

function hundredthsOf(work: Work, consistency: Consistency): number {
  switch (work.kind) {
    case "queryPage":
      return sumOf(visitHundredths(work, consistency));
    case "batch":
      return sumOfCharges(work.charges);
    case "script":
      return sumOfCharges(work.innerCharges) + scriptHundredths(work.hasWritten);
    case "patch":
      return latticeHundredths(work, consistency) + work.operationCount * PATCH_HUNDREDTHS;
    default:
      return latticeHundredths(work, consistency);
  }
}

function latticeHundredths(work: LatticeWork, consistency: Consistency): number {
  return Math.round((unitsOf(work, consistency) * 100) / UNITS_PER_RU);
}

/** Adds charges up in hundredths, so that the sum is whole hundredths, too. */
function sumOfCharges(charges: readonly Ru[]): number {
  return sumOf(charges.map((charge) => Math.round(charge * 100)));
}

function sumOf(list: readonly number[]): number {
  return list.reduce((sum, each) => sum + each, 0);
}

/**
 * Returns the charge of a page, divided: what each physical partition has to pay. The parts are
 * whole hundredths and add up to the charge exactly.
 */
export function chargesOfVisits(
  page: PageWork,
  consistency: Consistency = "session",
): readonly Ru[] {
  return visitHundredths(page, consistency).map((hundredths) => ru(hundredths / 100));
}

/** Returns what a page has cost so far, before rounding. */
export function ruOfPage(
  { visits, ruBefore = 0 }: PageWork,
  consistency: Consistency = "session",
): number {
  return ruBefore + readReplicaCount(consistency) * sumOf(visits.map(visitRu));
}

/** Rounds the whole once: each part is what the rounded sum has grown by with its visit. */
function visitHundredths(
  { visits, ruBefore = 0 }: PageWork,
  consistency: Consistency,
): readonly number[] {
  const replicaCount = readReplicaCount(consistency);
  let total = ruBefore;
  let rounded = roundedHundredths(total);
  return visits.map((visit) => {
    total += visitRu(visit) * replicaCount;
    const before = rounded;
    rounded = roundedHundredths(total);
    return rounded - before;
  });
}

/**
 * Rounds to whole hundredths. The inner rounding keeps an error of the last bit from deciding where
 * a number is close to a half.
 */
function roundedHundredths(total: number): number {
  return Math.round(Math.round(total * 1e8) / 1e6);
}

const UNITS_PER_RU = 21;
const WRITE_REPLICA_COUNT = 4;
/** Strong and bounded-staleness reads ask two replicas. */
const QUORUM_REPLICA_COUNT = 2;
const PATCH_HUNDREDTHS = 40;
/** Price of running a script at all; it is higher if the script writes. */
const SCRIPT_HUNDREDTHS = 460;
const WRITING_SCRIPT_HUNDREDTHS = 540;

/** Prices of a read and of a write on one replica, for items of up to 1, 2, 4 … 2,048 KiB. */
const READ_UNITS = [21, 22, 24, 28, 35, 46, 100, 209, 426, 860, 3064, 6128] as const;
const WRITE_UNITS = [26, 33, 35, 37, 50, 59, 119, 253, 516, 969, 3281, 6563] as const;

const ONE_RU_UNITS = UNITS_PER_RU;
const THROTTLED_UNITS = 8;
/**
 * Price of a leaf: one entry for the path and one for the value. When a value changes, one entry
 * goes and one comes.
 */
const LEAF_UNITS = 2;
/** Price of the entries of `id`, of `_ts`, and of one more entry that nobody has explained. */
const SYSTEM_ENTRY_UNITS = 3;
/** `_ts` changes with every write, `id` with none. */
const SYSTEM_CHANGE_UNITS = LEAF_UNITS;

/** Prices of queries in RU, on one replica. `chargeParts.ts` divides charges by the same prices. */
export const QUERY_RU = {
  open: 2.24,
  firstLookup: 0.55,
  furtherLookup: 0.1,
  posting: 0.0135,
  scannedEntry: 0.0035,
  orderedEntry: 0.0041,
  item: 0.011,
  kibLoaded: 0.0062,
  /** Price of a KiB of a large item, loaded and given out. */
  kibOfLarge: 0.083,
  kibOut: 0.0119,
  textCall: 0.016,
  otherCall: 0.005,
} as const;
const KIB = 1024;

function visitRu(visit: VisitWork): number {
  const { lookupCount } = visit;
  const firstCount = Math.min(lookupCount, 1);
  return (
    (visit.isOpened ? QUERY_RU.open : 0) +
    QUERY_RU.firstLookup * firstCount +
    QUERY_RU.furtherLookup * (lookupCount - firstCount) +
    QUERY_RU.posting * visit.postingCount +
    QUERY_RU.scannedEntry * visit.scannedEntryCount +
    QUERY_RU.orderedEntry * visit.orderedEntryCount +
    QUERY_RU.item * visit.itemCount +
    (QUERY_RU.kibLoaded * visit.itemBytes) / KIB +
    (QUERY_RU.kibOfLarge * visit.largeItemBytes) / KIB +
    (QUERY_RU.kibOut * visit.rowBytes) / KIB +
    QUERY_RU.textCall * visit.textCallCount +
    QUERY_RU.otherCall * visit.otherCallCount
  );
}

function scriptHundredths(hasWritten: boolean): number {
  return hasWritten ? WRITING_SCRIPT_HUNDREDTHS : SCRIPT_HUNDREDTHS;
}

type LatticeWork = Exclude<Work, { readonly kind: "queryPage" | "script" | "batch" }>;

function unitsOf(work: LatticeWork, consistency: Consistency): number {
  switch (work.kind) {
    case "read":
      return readUnits(work.bytes) * readReplicaCount(consistency);
    case "create":
    case "delete":
      return WRITE_REPLICA_COUNT * itemUnits(work);
    case "replace":
    case "patch":
      return WRITE_REPLICA_COUNT * changeUnits(work);
    case "feedPage": {
      const total = work.itemBytes.reduce((units, bytes) => units + readUnits(bytes), 0);
      return Math.max(ONE_RU_UNITS, total) * readReplicaCount(consistency);
    }
    case "refused":
      return readUnits(work.examinedBytes);
    case "readMissing":
    case "readUnchanged":
    case "feedUnchanged":
    case "metadata":
      return ONE_RU_UNITS;
    case "throttled":
      return THROTTLED_UNITS;
  }
}

function itemUnits({ bytes, leafCount, compoundEntryCount, isIndexed }: ItemWork): number {
  const entries = LEAF_UNITS * (leafCount + compoundEntryCount);
  return writeUnits(bytes) + (isIndexed ? SYSTEM_ENTRY_UNITS + entries : 0);
}

/** Prices a change: the former item is taken out, and the new one is put in. */
function changeUnits(work: ChangeWork): number {
  const entries = LEAF_UNITS * (work.changedLeafCount + work.changedCompoundEntryCount);
  const sizes = writeUnits(work.bytesBefore) + writeUnits(work.bytesAfter);
  return sizes + (work.isIndexed ? SYSTEM_CHANGE_UNITS + entries : 0);
}

export function readReplicaCount(consistency: Consistency): number {
  return consistency === "strong" || consistency === "boundedStaleness" ? QUORUM_REPLICA_COUNT : 1;
}

function readUnits(bytes: number): number {
  return READ_UNITS[sizeStep(bytes)]!;
}

function writeUnits(bytes: number): number {
  return WRITE_UNITS[sizeStep(bytes)]!;
}

/** The last step has no upper end: an item at the size limit grows by its system properties. */
function sizeStep(bytes: number): number {
  if (bytes <= 1024) return 0;
  return Math.min(22 - Math.clz32(bytes - 1), READ_UNITS.length - 1);
}
