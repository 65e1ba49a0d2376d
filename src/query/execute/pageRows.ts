/**
 * The rows of a page as they come: those of OFFSET are passed over, those beyond TOP or LIMIT end
 * the query, those beyond the page's own limits end the page.
 */
import type { PageLimits } from "./page.ts";
import type { Cut, Remaining } from "./position.ts";
import type { Work } from "./work.ts";
import { LARGE_BYTES } from "./work.ts";

export type Added =
  /** It is in, or was passed over. */
  | "taken"
  /** It is in, and it was the last that the query gives. */
  | "last"
  /** It is not in: the page is full, and this row begins the next one. */
  | "full";

export class PageRows {
  readonly texts: Buffer[] = [];
  readonly #limits: PageLimits;
  readonly #work: Work;
  /** What the page had given before it was cut off. */
  readonly #before: Cut;
  /** Of the row that was added last; none when it was passed over. */
  lastBytes = 0;
  #bytes = 0;
  #skip: number;
  #take: number | undefined;
  #given: number;

  constructor(limits: PageLimits, { skip, take, given = 0, cut }: Remaining, work: Work) {
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

  /** The same, for a page that ends before it is full. */
  get remainingOfCut(): Remaining {
    const { rowCount, rowBytes } = this.#before;
    const cut = { rowCount: rowCount + this.texts.length, rowBytes: rowBytes + this.#bytes };
    return { ...this.remaining, cut };
  }

  /** Full, and that is the end of it. */
  get isEndOfScan(): boolean {
    return this.#limits.isScanBlind === true && this.#count >= this.#limits.countMax;
  }

  get isOfOneSource(): boolean {
    return this.#limits.isOfOneSource === true;
  }

  get #count(): number {
    return this.#before.rowCount + this.texts.length;
  }

  /** Rows that may still have a say in what this page gives, and one more. */
  get wantedCount(): number {
    const room = Math.max(0, this.#limits.countMax - this.#count);
    return this.#skip + Math.min(room, this.#take ?? Number.POSITIVE_INFINITY) + 1;
  }

  /** The text is made only if the row is to be in. */
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
    // A page holds one row at least, however large.
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
