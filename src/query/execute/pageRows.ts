/**
 * The rows of a page as they come. Rows that OFFSET counts are passed over, a row beyond TOP or
 * LIMIT ends the query, and a row beyond the page's own limits ends the page.
 */
import type { PageLimits } from "./page.ts";
import type { Cut, Remaining } from "./position.ts";
import type { QueryWork } from "./work.ts";
import { LARGE_BYTES } from "./work.ts";

type Added =
  /** The row is in the page, or OFFSET passed over it. */
  | "taken"
  /** The row is in the page, and is the last one that the query gives. */
  | "last"
  /** The row is not in the page: the page is full, and the row begins the next one. */
  | "full";

export class PageRows {
  readonly texts: Buffer[] = [];
  readonly #limits: PageLimits;
  readonly #work: QueryWork;
  /** What the earlier part of this page gave before it was cut off. */
  readonly #before: Cut;
  /** Bytes of the row that was added last; 0 when the row was passed over. */
  lastBytes = 0;
  #bytes = 0;
  #skip: number;
  #take: number | undefined;
  #given: number;

  constructor(limits: PageLimits, { skip, take, given = 0, cut }: Remaining, work: QueryWork) {
    this.#limits = limits;
    this.#before = cut ?? { rowCount: 0, rowBytes: 0 };
    this.#skip = skip;
    this.#take = take;
    this.#given = given;
    this.#work = work;
  }

  get countMax(): number {
    return this.#limits.countMax;
  }

  get remaining(): Remaining {
    return { skip: this.#skip, take: this.#take, given: this.#given };
  }

  /** `remaining` for a page that ends before it is full: it says what has been given so far. */
  get remainingOfCut(): Remaining {
    const { rowCount, rowBytes } = this.#before;
    const cut = { rowCount: rowCount + this.texts.length, rowBytes: rowBytes + this.#bytes };
    return { ...this.remaining, cut };
  }

  /** True when the page is full and must not look for a row more. */
  get isEndOfScan(): boolean {
    return this.#limits.isScanBlind === true && this.#count >= this.#limits.countMax;
  }

  get isOfOneSource(): boolean {
    return this.#limits.isOfOneSource === true;
  }

  get #count(): number {
    return this.#before.rowCount + this.texts.length;
  }

  /** Number of rows that can still decide what this page gives, and one more. */
  get wantedCount(): number {
    const room = Math.max(0, this.#limits.countMax - this.#count);
    return this.#skip + Math.min(room, this.#take ?? Number.POSITIVE_INFINITY) + 1;
  }

  /** Adds a row. Its text is made only if the row gets into the page. */
  add(textOf: () => Buffer): Added {
    this.lastBytes = 0;
    if (this.#skip > 0) {
      this.#skip--;
      this.#given++;
      return "taken";
    }
    const count = this.#count;
    const bytes = this.#before.rowBytes + this.#bytes;
    const { countMax, bytesMax } = this.#limits;
    if (count >= countMax || (bytes >= bytesMax && count > 0)) return "full";
    const text = textOf();
    // A page holds at least one row, however large.
    if (bytes + text.length > bytesMax && count > 0) return "full";
    this.texts.push(text);
    this.#given++;
    this.#bytes += text.length;
    this.lastBytes = text.length;
    this.#work.rowCount++;
    this.#work.rowBytes += text.length;
    if (text.length <= LARGE_BYTES) this.#work.paidRowBytes += text.length;
    if (this.#take === undefined) return "taken";
    this.#take--;
    return this.#take === 0 ? "last" : "taken";
  }
}
