/**
 * The rows of a page as they come: those of OFFSET are passed over, those beyond TOP or LIMIT end
 * the query, those beyond the page's own limits end the page.
 */
import type { PageLimits } from "./page.ts";
import type { Remaining } from "./position.ts";
import type { Work } from "./work.ts";

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
  #bytes = 0;
  #skip: number;
  #take: number | undefined;
  #given: number;

  constructor(limits: PageLimits, { skip, take, given = 0 }: Remaining, work: Work) {
    this.#limits = limits;
    this.#skip = skip;
    this.#take = take;
    this.#given = given;
    this.#work = work;
  }

  get remaining(): Remaining {
    return { skip: this.#skip, take: this.#take, given: this.#given };
  }

  /** Rows that may still have a say in what this page gives, and one more. */
  get wantedCount(): number {
    const room = this.#limits.countMax - this.texts.length;
    return this.#skip + Math.min(room, this.#take ?? Number.POSITIVE_INFINITY) + 1;
  }

  /** The text is made only if the row is to be in. */
  add(textOf: () => Buffer): Added {
    if (this.#skip > 0) {
      this.#skip--;
      this.#given++;
      return "taken";
    }
    const isFull =
      this.texts.length >= this.#limits.countMax ||
      (this.#bytes >= this.#limits.bytesMax && this.texts.length > 0);
    if (isFull) return "full";
    const text = textOf();
    // A page holds one row at least, however large.
    if (this.#bytes + text.length > this.#limits.bytesMax && this.texts.length > 0) return "full";
    this.texts.push(text);
    this.#given++;
    this.#bytes += text.length;
    this.#work.rowCount++;
    this.#work.rowBytes += text.length;
    if (this.#take === undefined) return "taken";
    this.#take--;
    return this.#take === 0 ? "last" : "taken";
  }
}
