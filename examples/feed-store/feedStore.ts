/**
 * The feed store: what an application calls. Articles are kept under the month in which they were
 * published, so what is new lies in one or two logical partitions, and what is old can be put away
 * month by month.
 *
 * It works with containers of Orrery and of the service alike, through the official client. Not
 * here: which containers there are (`feedContainers.ts`), the queries (`questions.ts`), asking them
 * (`ask.ts`), files (`archive/`).
 */
import { type Container, ErrorResponse } from "@azure/cosmos";
import type { ArchiveFolder } from "./archive/archiveFolder.ts";
import { type ArchivedMonth, archiveMonths } from "./archive/archiveMonths.ts";
import { type RestoredMonth, restoreMonths } from "./archive/restoreMonths.ts";
import type { Answer } from "./ask.ts";
import type { FeedContainers, ProviderCount } from "./feedContainers.ts";
import {
  BadFeedInput,
  dateTextOf,
  type FeedItem,
  parseFeedItem,
  type StoredFeedItem,
  textOf,
} from "./feedItem.ts";
import { dateRangeOf, firstYoungMonth, monthOf, monthStart, withMonth } from "./months.ts";
import { having, ofProvider, published, type SearchMethod } from "./questions.ts";

const DAY_MS = 86_400_000;
/** Whoever searches and names no time searches this month and the two before it. */
const SEARCHED_MONTHS = 3;
const STATUS_NOT_FOUND = 404;

interface FeedStoreOptions {
  /** The time that "recent" and "old" refer to. */
  readonly now: () => Date;
  /** How `search` finds texts; "words" needs a container with full-text indexes. */
  readonly searchMethod?: SearchMethod;
}

type FeedAnswer = Answer<StoredFeedItem>;

export class FeedStore {
  readonly #containers: FeedContainers;
  readonly #now: () => Date;
  readonly searchMethod: SearchMethod;

  constructor(containers: FeedContainers, { now, searchMethod = "parts" }: FeedStoreOptions) {
    this.#containers = containers;
    this.#now = now;
    this.searchMethod = searchMethod;
  }

  /** Searches by words if all containers have the indexes for it, and by parts of texts if not. */
  static async open(
    containers: FeedContainers,
    options: Omit<FeedStoreOptions, "searchMethod">,
  ): Promise<FeedStore> {
    const { current, historical } = containers;
    const hasWords = (await hasWordIndexes(current)) && (await hasWordIndexes(historical));
    return new FeedStore(containers, { ...options, searchMethod: hasWords ? "words" : "parts" });
  }

  /**
   * Creates the item, or replaces the one with this id in the same month.
   *
   * An id is unique within its month only. Whoever corrects the date of an item passes the date it
   * had before: if that was in another month, the item there is deleted once the new one is stored.
   */
  async store(
    given: FeedItem,
    { dateBefore }: { readonly dateBefore?: string | Date } = {},
  ): Promise<{ readonly item: StoredFeedItem; readonly ru: number }> {
    const item = withMonth(parseFeedItem(given));
    const monthBefore =
      dateBefore === undefined ? undefined : monthOf(dateTextOf("dateBefore", dateBefore));
    const { requestCharge } = await this.#containers.current.items.upsert<StoredFeedItem>(item);
    if (monthBefore === undefined || monthBefore === item.partitionKey) {
      return { item, ru: requestCharge };
    }
    return { item, ru: requestCharge + (await this.#remove(item.id, monthBefore)) };
  }

  /** What was published in the last days, the newest first; of one provider or of all. */
  async recent(
    question: {
      readonly providerId?: string;
      readonly days?: number;
      readonly limit?: number;
    } = {},
  ): Promise<FeedAnswer> {
    const { providerId, days = 7, limit } = question;
    if (!(days > 0)) throw new BadFeedInput(`days: a number above 0 is needed, not ${days}.`);
    const now = this.#now();
    // An item of this very millisecond belongs to it: a range does not include its end.
    const end = new Date(now.getTime() + 1);
    const range = dateRangeOf(new Date(now.getTime() - days * DAY_MS), end);
    const query =
      providerId === undefined
        ? published(range)
        : ofProvider(textOf("providerId", providerId), range);
    return this.#containers.ask(query, limitOf(limit));
  }

  /** What one provider published from a first moment up to, but without, a last one. */
  async byProvider(
    providerId: string,
    from: string | Date,
    to: string | Date,
    { limit }: { readonly limit?: number } = {},
  ): Promise<FeedAnswer> {
    const range = dateRangeOf(from, to);
    const query = ofProvider(textOf("providerId", providerId), range);
    return this.#containers.ask(query, limitOf(limit));
  }

  /**
   * Items that have the term in title, content or a tag, in any case of letters. Without `from` the
   * search begins with the month before last, without `to` it ends now.
   */
  async search(
    term: string,
    question: {
      readonly from?: string | Date;
      readonly to?: string | Date;
      readonly limit?: number;
    } = {},
  ): Promise<FeedAnswer> {
    const now = this.#now();
    const {
      from = monthStart(now, SEARCHED_MONTHS - 1),
      to = new Date(now.getTime() + 1),
      limit,
    } = question;
    const range = dateRangeOf(from, to);
    const query = having(textOf("term", term), range, this.searchMethod);
    return this.#containers.ask(query, limitOf(limit));
  }

  /** How much each provider published, the busiest first: a question to all partitions. */
  async countsByProvider(from: string | Date, to: string | Date): Promise<Answer<ProviderCount>> {
    const { rows, cost } = await this.#containers.countsByProvider(dateRangeOf(from, to));
    const sorted = rows.toSorted(
      (a, b) => b.itemCount - a.itemCount || (a.providerId < b.providerId ? -1 : 1),
    );
    return { rows: sorted, cost };
  }

  /** Moves every month that is older as a whole into the folder; `archive/` says how. */
  async archive(
    folder: ArchiveFolder,
    { olderThanYears = 2 }: { readonly olderThanYears?: number } = {},
  ): Promise<readonly ArchivedMonth[]> {
    if (!Number.isInteger(olderThanYears) || olderThanYears < 0) {
      throw new BadFeedInput(`olderThanYears: a whole number is needed, not ${olderThanYears}.`);
    }
    const now = this.#now();
    const before = firstYoungMonth(now, olderThanYears);
    const { historical } = this.#containers;
    return archiveMonths(historical, folder, { before, at: now.toISOString() });
  }

  /** Puts months back, all or those that are named; into this container or into another one. */
  async restore(
    folder: ArchiveFolder,
    question: { readonly months?: readonly string[]; readonly into?: Container } = {},
  ): Promise<readonly RestoredMonth[]> {
    const { months, into } = question;
    const { historical } = this.#containers;
    const target = { container: into ?? historical, isElsewhere: into !== undefined };
    return restoreMonths(folder, target, months);
  }

  /** Deletes an article where it is: what moves articles deletes the copy of one by itself. */
  async #remove(id: string, month: string): Promise<number> {
    const { current, historical } = this.#containers;
    const charge = await removed(current, id, month);
    if (charge !== undefined || historical === current) return charge ?? 0;
    return (await removed(historical, id, month)) ?? 0;
  }
}

async function hasWordIndexes(container: Container): Promise<boolean> {
  const { resource } = await container.read();
  const indexed = resource?.indexingPolicy?.fullTextIndexes?.map(({ path }) => path) ?? [];
  return indexed.includes("/title") && indexed.includes("/content");
}

/** What the deletion cost; undefined if there was nothing to delete. */
async function removed(
  container: Container,
  id: string,
  month: string,
): Promise<number | undefined> {
  try {
    return (await container.item(id, month).delete()).requestCharge;
  } catch (error) {
    if (error instanceof ErrorResponse && error.code === STATUS_NOT_FOUND) return undefined;
    throw error;
  }
}

function limitOf(given: number | undefined): number | undefined {
  if (given === undefined || (Number.isInteger(given) && given > 0)) return given;
  throw new BadFeedInput(`limit: a whole number above 0 is needed, not ${given}.`);
}
