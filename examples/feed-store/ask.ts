/**
 * Asks a query, of one month after the other or of the whole container, and adds up what it cost.
 *
 * Months follow each other in time and are asked from the newest back, so their answers put one
 * after the other are in order as well, and a question with a limit stops at the month that fills
 * it. All reads of one container go through this file; `hotWarm/` has those of two.
 */
import {
  Constants,
  type Container,
  type FeedOptions,
  type FeedResponse,
  type SqlQuerySpec,
} from "@azure/cosmos";

/** Rows of a page at most; the guide's own number. */
export const PAGE_SIZE = 100;

/** What a question cost, and whom it was asked of. */
export interface Cost {
  /** Request units of all pages. */
  readonly ru: number;
  readonly pageCount: number;
  /** Logical partitions that were named; undefined: none was, and every one was asked. */
  readonly months: readonly string[] | undefined;
  /** Ids of the containers that were asked. */
  readonly containers: readonly string[];
  /** Ids of the physical partitions that answered; none where nobody says. */
  readonly physicalPartitions: readonly string[];
}

export interface Answer<Row> {
  readonly rows: readonly Row[];
  readonly cost: Cost;
}

export async function askMonths<Row>(
  container: Container,
  months: readonly string[],
  query: SqlQuerySpec,
  limit: number = Number.POSITIVE_INFINITY,
): Promise<Answer<Row>> {
  const tally = new Tally();
  const asked: string[] = [];
  const rows: Row[] = [];
  for (const month of months) {
    if (rows.length >= limit) break;
    asked.push(month);
    const maxItemCount = Math.min(PAGE_SIZE, limit - rows.length);
    await readPages<Row>(container, query, { partitionKey: month, maxItemCount }, (page) => {
      tally.add(page);
      rows.push(...(page.resources ?? []));
      return rows.length < limit;
    });
  }
  return { rows: rows.slice(0, limit), cost: tally.cost(container, asked) };
}

/** The client asks every physical partition and merges what they say. */
export async function askAll<Row>(container: Container, query: SqlQuerySpec): Promise<Answer<Row>> {
  const tally = new Tally();
  const rows: Row[] = [];
  await readPages<Row>(container, query, { maxItemCount: PAGE_SIZE }, (page) => {
    tally.add(page);
    rows.push(...(page.resources ?? []));
    return true;
  });
  return { rows, cost: tally.cost(container, undefined) };
}

async function readPages<Row>(
  container: Container,
  query: SqlQuerySpec,
  options: FeedOptions,
  take: (page: FeedResponse<Row>) => boolean,
): Promise<void> {
  const pages = container.items.query<Row>(query, options);
  let wantsMore = true;
  while (wantsMore && pages.hasMoreResults()) wantsMore = take(await pages.fetchNext());
}

class Tally {
  readonly #partitions = new Set<string>();
  #ru = 0;
  #pageCount = 0;

  add(page: FeedResponse<unknown>): void {
    this.#ru += page.requestCharge;
    this.#pageCount += 1;
    for (const id of partitionsOf(page)) this.#partitions.add(id);
  }

  cost({ id }: Container, months: readonly string[] | undefined): Cost {
    return {
      ru: this.#ru,
      pageCount: this.#pageCount,
      months,
      containers: this.#pageCount === 0 ? [] : [id],
      physicalPartitions: [...this.#partitions].sort((a, b) => Number(a) - Number(b)),
    };
  }
}

/** What pages of the client have and its types do not mention. */
interface PlacedPage {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly diagnostics: {
    readonly clientSideRequestStatistics: {
      readonly gatewayStatistics: readonly { readonly partitionKeyRangeId?: string }[];
    };
  };
}

/** A client that merges names the partitions it asks; otherwise the one that answers says so. */
function partitionsOf(page: FeedResponse<unknown>): readonly string[] {
  const { headers, diagnostics } = page as unknown as PlacedPage;
  const { gatewayStatistics } = diagnostics.clientSideRequestStatistics;
  const named = gatewayStatistics.flatMap(({ partitionKeyRangeId }) => partitionKeyRangeId ?? []);
  if (named.length > 0) return named;
  const answering = headers[Constants.HttpHeaders.PartitionKeyRangeID];
  return typeof answering === "string" ? [answering] : [];
}
