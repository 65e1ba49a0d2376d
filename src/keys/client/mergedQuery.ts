/**
 * Queries over many sources, such as logical partitions, and the rows of all of them as one stream.
 *
 * The sources come in groups: every row of a group stands before every row of the next, so a later
 * group need not be asked before the earlier ones are used up. Within a group rows are merged in
 * the given order; each source's own rows must come in that order, by an ORDER BY of its text. Rows
 * that are equal in that order come by the order of their sources. Without an order rows come
 * source by source.
 *
 * At most `concurrency` requests are under way at a time, and of each source that is open one page
 * is held. A query that is to be read to its end opens the sources that follow ahead, and fetches
 * the next page of each while the one before is used; a query with a limit asks nothing that may
 * turn out not to be needed.
 */
import type { KeyComponent } from "../component.ts";
import { clientKey } from "../strategy.ts";
import type { ClientContainer, ClientPages, QuerySpec } from "./container.ts";

/** Where rows come from: usually one logical partition. */
export interface RowSource<Row> {
  readonly key: readonly KeyComponent[];
  open(): ClientPages<Row>;
}

interface MergedQueryOptions<Row> {
  readonly groups: readonly (readonly RowSource<Row>[])[];
  /** Negative if the first comes before the second. */
  readonly compare?: ((a: Row, b: Row) => number) | undefined;
  readonly limit?: number | undefined;
  /** Whether to ask ahead of what is read. By default a query does so that has no limit. */
  readonly isEager?: boolean | undefined;
  readonly concurrency: number;
}

interface KeyQuery {
  readonly container: Pick<ClientContainer, "items">;
  readonly query: string | QuerySpec;
  readonly pageSize: number;
  readonly limit?: number | undefined;
}

/** One query text, asked of one logical partition. */
export function keySource<Row>(
  key: readonly KeyComponent[],
  { container, query, pageSize, limit }: KeyQuery,
): RowSource<Row> {
  const maxItemCount = Math.min(pageSize, limit ?? pageSize);
  const options = { partitionKey: clientKey(key), maxItemCount };
  return { key, open: () => container.items.query<Row>(query, options) };
}

/** What was asked of one key so far. */
export interface KeyTotals {
  readonly key: readonly KeyComponent[];
  readonly ru: number;
  /** Rows that were fetched; with a limit, more than are in the result. */
  readonly rowCount: number;
  readonly pageCount: number;
}

export class MergedQuery<Row> {
  readonly #options: MergedQueryOptions<Row>;
  readonly #slots: Slots;
  readonly #isEager: boolean;
  readonly #groups: readonly (readonly SourceStream<Row>[])[];
  readonly #opened: SourceStream<Row>[] = [];

  constructor(options: MergedQueryOptions<Row>) {
    this.#options = options;
    this.#slots = new Slots(options.concurrency);
    this.#isEager = options.isEager ?? options.limit === undefined;
    let order = 0;
    this.#groups = options.groups.map((sources) =>
      sources.map((source) => new SourceStream(source, order++, this.#slots, this.#isEager)),
    );
  }

  /** Keys that were asked, in the order in which that was begun. */
  get totals(): readonly KeyTotals[] {
    return this.#opened.map(({ totals }) => totals);
  }

  async *rows(): AsyncGenerator<Row, void, undefined> {
    const { limit = Number.POSITIVE_INFINITY } = this.#options;
    let count = 0;
    try {
      for (let at = 0; at < this.#groups.length && count < limit; at++) {
        this.#openFrom(at);
        for await (const row of this.#merged(this.#groups[at]!)) {
          yield row;
          if (++count >= limit) return;
        }
      }
    } finally {
      this.#slots.close();
      // What was fetched ahead is paid for whether or not it was used.
      await Promise.all(this.#opened.map((stream) => stream.settled()));
    }
  }

  /** All of this group; if it is eager, also as many of the next as can be under way. */
  #openFrom(at: number): void {
    for (const stream of this.#groups[at]!) this.#open(stream);
    if (!this.#isEager) return;
    let openCount = this.#opened.filter(({ isUsedUp }) => !isUsedUp).length;
    for (let next = at + 1; next < this.#groups.length; next++) {
      for (const stream of this.#groups[next]!) {
        if (stream.isOpen) continue;
        if (openCount++ >= this.#options.concurrency) return;
        this.#open(stream);
      }
    }
  }

  #open(stream: SourceStream<Row>): void {
    if (stream.isOpen) return;
    stream.open();
    this.#opened.push(stream);
  }

  async *#merged(streams: readonly SourceStream<Row>[]): AsyncGenerator<Row, void, undefined> {
    const { compare } = this.#options;
    const isBefore = (a: SourceStream<Row>, b: SourceStream<Row>): boolean => {
      const order = compare?.(a.head, b.head) ?? 0;
      return order === 0 ? a.order < b.order : order < 0;
    };
    if (compare === undefined) {
      for (const stream of streams) {
        while (await stream.hasHead()) yield stream.takeHead();
      }
      return;
    }
    const filled = await Promise.all(streams.map((stream) => stream.hasHead()));
    /** Those with rows left, the one with the first row at the end. */
    const waiting = streams
      .filter((_, index) => filled[index])
      .toSorted((a, b) => (isBefore(a, b) ? 1 : -1));
    for (let first = waiting.pop(); first !== undefined; first = waiting.pop()) {
      yield first.takeHead();
      if (await first.hasHead()) waiting.splice(placeOf(first, waiting, isBefore), 0, first);
    }
  }
}

/** Where a stream goes among others that stand last to first. */
function placeOf<T>(one: T, others: readonly T[], isBefore: (a: T, b: T) => boolean): number {
  let [low, high] = [0, others.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(one, others[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The rows of one source, page by page. */
class SourceStream<Row> {
  readonly #source: RowSource<Row>;
  readonly order: number;
  readonly #slots: Slots;
  readonly #isEager: boolean;
  #pages: ClientPages<Row> | undefined;
  #rows: readonly Row[] = [];
  #at = 0;
  #coming: Promise<readonly Row[]> | undefined;
  #ru = 0;
  #rowCount = 0;
  #pageCount = 0;

  constructor(source: RowSource<Row>, order: number, slots: Slots, isEager: boolean) {
    this.#source = source;
    this.order = order;
    this.#slots = slots;
    this.#isEager = isEager;
  }

  get isOpen(): boolean {
    return this.#pages !== undefined;
  }

  get isUsedUp(): boolean {
    return this.#at >= this.#rows.length && this.#coming === undefined && !this.#hasMore;
  }

  get totals(): KeyTotals {
    const [ru, rowCount, pageCount] = [this.#ru, this.#rowCount, this.#pageCount];
    return { key: this.#source.key, ru, rowCount, pageCount };
  }

  open(): void {
    this.#pages = this.#source.open();
    this.#fetchAhead();
  }

  get head(): Row {
    return this.#rows[this.#at]!;
  }

  takeHead(): Row {
    return this.#rows[this.#at++]!;
  }

  /** Whether there is a row; fetches pages until one has some. */
  async hasHead(): Promise<boolean> {
    while (this.#at >= this.#rows.length) {
      if (this.#coming === undefined) {
        if (!this.#hasMore) return false;
        this.#fetchAhead();
      }
      this.#rows = await this.#coming!;
      this.#at = 0;
      this.#coming = undefined;
      if (this.#isEager && this.#hasMore) this.#fetchAhead();
    }
    return true;
  }

  async settled(): Promise<void> {
    await this.#coming?.catch(() => undefined);
  }

  get #hasMore(): boolean {
    return this.#pages?.hasMoreResults() === true;
  }

  #fetchAhead(): void {
    const coming = this.#slots.run(() => this.#fetch());
    // It is looked at when its turn comes; until then nobody else may stumble over it.
    coming.catch(() => undefined);
    this.#coming = coming;
  }

  async #fetch(): Promise<readonly Row[]> {
    const { resources = [], requestCharge } = await this.#pages!.fetchNext();
    this.#ru += requestCharge;
    this.#rowCount += resources.length;
    this.#pageCount++;
    return resources;
  }
}

/** How many requests may be under way. */
class Slots {
  #free: number;
  #isClosed = false;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** What has not begun will not. */
  close(): void {
    this.#isClosed = true;
  }

  async run<T>(action: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      if (this.#isClosed) throw new Error("nobody waits for this any more");
      return await action();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
