/**
 * The counted work of a page. Charges, query metrics and explain all read these numbers, and
 * nothing else is said about what a query did.
 *
 * A page pays for the way from where it began to where it ended, source by source. Rows that stream
 * are looked for one beyond the page's end, to know whether there is a next page; what that took is
 * paid by the page that goes on from there. So the counts depend on the data and the positions
 * alone, not on how much was read at once or how long it took, and the pages of a query add up to
 * the whole.
 */
import type { TermLookup } from "../plan/lookup.ts";
import type { OrderAccess } from "../plan/orderAccess.ts";
import type { Source, SourceItem } from "./source.ts";

/** Size in bytes beyond which items and rows have a price of their own. */
export const LARGE_BYTES: number = 512 * 1024;

/** Counts of what was looked at. */
class Tally {
  itemCount = 0;
  itemBytes = 0;
  /** Bytes of items that are larger than `LARGE_BYTES`; `itemBytes` has those of the others. */
  largeItemBytes = 0;
  /** Items that were looked at in vain: no row of them passed the filter. */
  missCount = 0;
  /** Rows that the filter was evaluated for. */
  triedRowCount = 0;
  passedRowCount = 0;
  /** Index entries that were walked in the order of an index, to find those that pass a filter. */
  orderedEntryCount = 0;

  /** Adds all counts to `other`, and sets them to 0. */
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
  /** True when an earlier page has begun in this source. */
  readonly isResumed: boolean;
  /**
   * True when this page opens the source; false when it goes on where an earlier page opened it.
   */
  isOpened: boolean;
  /** Number of index ranges that were asked for. */
  lookupCount = 0;
  /**
   * Number of index entries that were read for the values that they hold, to try them or to add
   * them up.
   */
  scannedEntryCount = 0;
  /** True when items were reached through the index. */
  isFound = false;
  /**
   * True when the index alone tells which items pass, so that an item that does not pass costs
   * nothing.
   */
  isAnswered = false;
  /** True when every item in scope passes the filter, which then is not evaluated. */
  isPassed = false;
  rowCount = 0;
  /** Bytes of rows that are not larger than `LARGE_BYTES`. */
  rowBytes = 0;
  /** What was looked at, and not paid for yet, since the last row that was given. */
  readonly ahead: Tally = new Tally();
  /** True once `reach` was called: the page has come as far as this source. */
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

  /** Takes what was looked at here into what the page pays for. */
  reach(): void {
    this.isReached = true;
    this.ahead.moveTo(this);
  }

  forgetRows(): void {
    this.rowCount = 0;
    this.rowBytes = 0;
  }
}

export class QueryWork {
  /** Number of index entries that were read, for whatever reason. */
  termCount = 0;
  /** Number of index entries that were read to be tried, put in order or added up. */
  scannedTermCount = 0;
  rowCount = 0;
  rowBytes = 0;
  /** Bytes of rows that are not larger than `LARGE_BYTES`. */
  paidRowBytes = 0;
  /**
   * Index entries that a walk in the order of an index would have met, over all sources; set where
   * rows were sorted although an index has their order.
   */
  orderedEntryCount = 0;
  /**
   * True when the page before was cut off before it was full: this page does not pay again for
   * opening what that page had opened.
   */
  isContinued = false;
  /** Milliseconds spent in the index; `loadMs` is the time for loading items. */
  indexMs = 0;
  loadMs = 0;
  /** Milliseconds spent in user-defined functions, including the way to their thread and back. */
  functionMs = 0;
  totalMs = 0;
  /** How each source was read, for explain. */
  readonly access: string[] = [];
  /** The lookups that decided which items were read. */
  readonly usedLookups: Set<TermLookup> = new Set();
  /** True when items of a scope were found by their placement terms. */
  isPlacementUsed = false;
  /** The index that gave the rows their order. */
  usedOrder: OrderAccess | undefined;
  readonly #visits = new Map<Source, Visit>();
  readonly #readMs = new Map<Source, number>();
  /** True when the source that the next row comes from is to be marked as opened. */
  #opensNext = false;

  /**
   * The visits that the page has reached, in the order in which their sources were first visited.
   */
  get visits(): readonly Visit[] {
    return [...this.#visits.values()].filter(({ isReached }) => isReached);
  }

  /**
   * Milliseconds spent in the index and on loading items, source by source. What is done with items
   * afterwards, such as sorting them, belongs to no source.
   */
  get readMs(): ReadonlyMap<Source, number> {
    return this.#readMs;
  }

  countIndexMs(source: Source, ms: number): void {
    this.indexMs += ms;
    this.#countRead(source, ms);
  }

  countLoadMs(source: Source, ms: number): void {
    this.loadMs += ms;
    this.#countRead(source, ms);
  }

  /** Number of index ranges that were asked for. */
  get lookupCount(): number {
    return this.#sum(({ lookupCount }) => lookupCount);
  }

  /** Number of items that were looked at on the way. */
  get itemCount(): number {
    return this.#sum(({ itemCount }) => itemCount);
  }

  get itemBytes(): number {
    return this.#sum(({ itemBytes, largeItemBytes }) => itemBytes + largeItemBytes);
  }

  get missCount(): number {
    return this.#sum(({ missCount }) => missCount);
  }

  /** Returns the visit of a source on this page; it is made at the first call. */
  visit(source: Source, isResumed: boolean): Visit {
    const known = this.#visits.get(source);
    if (known !== undefined) return known;
    const visit = new Visit(source, isResumed, !isResumed || !this.isContinued);
    this.#visits.set(source, visit);
    return visit;
  }

  /**
   * Marks all sources as not opened by this page, except the one that its first row comes from: an
   * order reads all sources side by side, and a later page goes on in one of them.
   */
  openOnlyNext(): void {
    for (const visit of this.#visits.values()) visit.isOpened = false;
    this.#opensNext = !this.isContinued;
  }

  /** Counts a row that was given; what was looked at for it is now paid for. */
  give(visit: Visit, rowBytes: number): void {
    if (this.#opensNext) {
      visit.isOpened = true;
      this.#opensNext = false;
    }
    visit.rowCount++;
    if (rowBytes <= LARGE_BYTES) visit.rowBytes += rowBytes;
    this.reach();
  }

  /** Takes everything that was looked at so far, in all sources, into what the page pays for. */
  reach(): void {
    for (const visit of this.#visits.values()) visit.reach();
  }

  countScanned(count: number): void {
    this.termCount += count;
    this.scannedTermCount += count;
  }

  /** Forgets the rows so far, because they are made anew, or others are made from them. */
  forgetRows(): void {
    this.rowCount = 0;
    this.rowBytes = 0;
    this.paidRowBytes = 0;
    for (const visit of this.#visits.values()) visit.forgetRows();
  }

  /** Forgets the visits, because they led to nothing, or an earlier page has paid for them. */
  forgetVisits(): void {
    this.#visits.clear();
  }

  #countRead(source: Source, ms: number): void {
    this.#readMs.set(source, (this.#readMs.get(source) ?? 0) + ms);
  }

  #sum(of: (visit: Visit) => number): number {
    return this.visits.reduce((sum, visit) => sum + of(visit), 0);
  }
}
