/**
 * The counted work of a page. Charges, query metrics and explain all read these numbers, and
 * nothing else is said about what a query did.
 */
import type { TermLookup } from "../plan/lookup.ts";
import type { OrderAccess } from "../plan/orderAccess.ts";

export class Work {
  /** Entries of the index that were read. */
  termCount = 0;
  /** Of those, the ones that were read for what they hold: values tried, ordered or added up. */
  scannedTermCount = 0;
  /** Items that were reached through the index. */
  postingCount = 0;
  /** Ranges of the index that were asked for. */
  lookupCount = 0;
  /** Items that were fetched and looked at. */
  itemCount = 0;
  itemBytes = 0;
  /** Of those, the ones that were looked at in vain: the filter let none of their rows through. */
  missCount = 0;
  rowCount = 0;
  rowBytes = 0;
  /** Milliseconds. */
  indexMs = 0;
  loadMs = 0;
  totalMs = 0;
  /** How each source was read, for explain. */
  readonly access: string[] = [];
  /** The lookups that had a say in which items were read. */
  readonly usedLookups: Set<TermLookup> = new Set();
  /** Items of one scope were found by their placement terms. */
  isPlacementUsed = false;
  /** The index that gave the rows their order. */
  usedOrder: OrderAccess | undefined;

  countScanned(count: number): void {
    this.termCount += count;
    this.scannedTermCount += count;
  }

  /** The rows so far are not given out: they are made anew, or others are made from them. */
  forgetRows(): void {
    this.rowCount = 0;
    this.rowBytes = 0;
  }
}
