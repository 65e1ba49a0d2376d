/**
 * The counted work of a page. Charges, query metrics and explain all read these numbers, and
 * nothing else is said about what a query did.
 *
 * What is paid for is the way from where the page began to where it ended, source by source. Rows
 * that stream are looked for one beyond the page's end, to know whether there is a next page; what
 * that took is left to the page that goes on from there. So what is counted depends on the data and
 * the positions alone, not on how much was read at once or how long it took, and the pages of a
 * query add up to the whole.
 */
import type { TermLookup } from "../plan/lookup.ts";
import type { OrderAccess } from "../plan/orderAccess.ts";
import type { Source, SourceItem } from "./source.ts";

/** Longer items and rows have a price of their own. */
export const LARGE_BYTES: number = 512 * 1024;

/** What was looked at. */
class Tally {
  itemCount = 0;
  itemBytes = 0;
  /** Of items that are larger than `LARGE_BYTES`; the others are in `itemBytes`. */
  largeItemBytes = 0;
  /** Items that were looked at in vain: the filter let none of their rows through. */
  missCount = 0;
  /** Rows that the filter was tried on, and those that passed it. */
  triedRowCount = 0;
  passedRowCount = 0;
  /** Entries that were walked in the order of an index, to find those that pass a filter. */
  orderedEntryCount = 0;

  /** Moves all of it there. */
  moveTo(other: Tally): void {
    other.itemCount += this.itemCount;
    other.itemBytes += this.itemBytes;
    other.largeItemBytes += this.largeItemBytes;
    other.missCount += this.missCount;
    other.triedRowCount += this.triedRowCount;
    other.passedRowCount += this.passedRowCount;
    other.orderedEntryCount += this.orderedEntryCount;
    this.itemCount = 0;
    this.itemBytes = 0;
    this.largeItemBytes = 0;
    this.missCount = 0;
    this.triedRowCount = 0;
    this.passedRowCount = 0;
    this.orderedEntryCount = 0;
  }
}

/** What a page did in one source. */
export class Visit extends Tally {
  readonly source: Source;
  /** An earlier page has begun here. */
  readonly isResumed: boolean;
  /** False when this page goes on in what an earlier one opened. */
  isOpened: boolean;
  /** Ranges of the index that were asked for. */
  lookupCount = 0;
  /** Entries that were read for what they hold: values tried or added up. */
  scannedEntryCount = 0;
  /** Items were reached through the index. */
  isFound = false;
  /** The index alone tells which items pass: one that does not need not have been read. */
  isAnswered = false;
  rowCount = 0;
  /** Of rows that are not larger than `LARGE_BYTES`. */
  rowBytes = 0;
  /** Looked at since the last row that was given. */
  readonly ahead: Tally = new Tally();
  /** The page has come as far as this. */
  isReached = false;

  constructor(source: Source, isResumed: boolean, isOpened: boolean) {
    super();
    this.source = source;
    this.isResumed = isResumed;
    this.isOpened = isOpened;
  }

  look({ body }: SourceItem, isMiss: boolean): void {
    if (isMiss && this.isAnswered) return;
    const { ahead } = this;
    ahead.itemCount++;
    if (body.length > LARGE_BYTES) ahead.largeItemBytes += body.length;
    else ahead.itemBytes += body.length;
    if (isMiss) ahead.missCount++;
  }

  /** The page has come to the end of what was looked at here. */
  reach(): void {
    this.isReached = true;
    this.ahead.moveTo(this);
  }

  forgetRows(): void {
    this.rowCount = 0;
    this.rowBytes = 0;
  }
}

export class Work {
  /** Entries of the index that were read, for whatever reason. */
  termCount = 0;
  /** Of those, the ones that were tried, ordered or added up. */
  scannedTermCount = 0;
  rowCount = 0;
  rowBytes = 0;
  /** Of rows that are not larger than `LARGE_BYTES`. */
  paidRowBytes = 0;
  /** As in `Visit`, where rows were sorted and the entries of all sources walked in one go. */
  orderedEntryCount = 0;
  /** The page before was cut off before it was full: this one opens nothing that it had opened. */
  isContinued = false;
  /** Milliseconds. */
  indexMs = 0;
  loadMs = 0;
  /** In user-defined functions, the way there and back included. */
  functionMs = 0;
  totalMs = 0;
  /** How each source was read, for explain. */
  readonly access: string[] = [];
  /** The lookups that had a say in which items were read. */
  readonly usedLookups: Set<TermLookup> = new Set();
  /** Items of one scope were found by their placement terms. */
  isPlacementUsed = false;
  /** The index that gave the rows their order. */
  usedOrder: OrderAccess | undefined;
  readonly #visits = new Map<Source, Visit>();
  /** The one that the next row comes from is opened. */
  #opensNext = false;

  /** Those that the page has come to, in the order of their sources. */
  get visits(): readonly Visit[] {
    return [...this.#visits.values()].filter(({ isReached }) => isReached);
  }

  /** Ranges of the index that were asked for. */
  get lookupCount(): number {
    return this.#sum(({ lookupCount }) => lookupCount);
  }

  /** Items that were looked at on the way. */
  get itemCount(): number {
    return this.#sum(({ itemCount }) => itemCount);
  }

  get itemBytes(): number {
    return this.#sum(({ itemBytes, largeItemBytes }) => itemBytes + largeItemBytes);
  }

  get missCount(): number {
    return this.#sum(({ missCount }) => missCount);
  }

  /** The visit of a source; there is one on each page. */
  visit(source: Source, isResumed: boolean): Visit {
    const known = this.#visits.get(source);
    if (known !== undefined) return known;
    const visit = new Visit(source, isResumed, !isResumed || !this.isContinued);
    this.#visits.set(source, visit);
    return visit;
  }

  /** All sources are read side by side, and only the one that the page goes on in is opened. */
  openOnlyNext(): void {
    for (const visit of this.#visits.values()) visit.isOpened = false;
    this.#opensNext = !this.isContinued;
  }

  /** A row was given: what was looked at for it is paid for. */
  give(visit: Visit, rowBytes: number): void {
    if (this.#opensNext) {
      visit.isOpened = true;
      this.#opensNext = false;
    }
    visit.rowCount++;
    if (rowBytes <= LARGE_BYTES) visit.rowBytes += rowBytes;
    this.reach();
  }

  /** The page has come as far as this: whatever was looked at is paid for. */
  reach(): void {
    for (const visit of this.#visits.values()) visit.reach();
  }

  countScanned(count: number): void {
    this.termCount += count;
    this.scannedTermCount += count;
  }

  /** The rows so far are not given out: they are made anew, or others are made from them. */
  forgetRows(): void {
    this.rowCount = 0;
    this.rowBytes = 0;
    this.paidRowBytes = 0;
    for (const visit of this.#visits.values()) visit.forgetRows();
  }

  /** What was done there led to nothing, or was paid for by an earlier page. */
  forgetVisits(): void {
    this.#visits.clear();
  }

  #sum(of: (visit: Visit) => number): number {
    return this.visits.reduce((sum, visit) => sum + of(visit), 0);
  }
}
