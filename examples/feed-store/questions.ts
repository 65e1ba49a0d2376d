/**
 * The queries of the feed as texts with parameters. Each is asked of one month at a time, except
 * `countsByProvider`, which is about a whole container.
 *
 * The composite index on provider and date has the order of a query only if that query sorts by
 * both. Of one provider both orders are the same, so `ofProvider` names both. `sort: "date"` is the
 * guide's own text, which sorts by the date alone and cannot use the index.
 */
import type { SqlParameter, SqlQuerySpec } from "@azure/cosmos";
import type { DateRange } from "./months.ts";

/** The text of a query over one container, and the parts that a router over two needs of it. */
export interface FeedQuestion extends SqlQuerySpec {
  readonly range: DateRange;
  /** Of one provider, if it is about one. */
  readonly providerId?: string;
  /** A further condition on an article `c`, about the term. */
  readonly where?: string;
  readonly term?: string;
}

const IN_RANGE = "c.publishedDate >= @from AND c.publishedDate < @to";
const NEWEST_FIRST = "ORDER BY c.publishedDate DESC";
const BY_COMPOSITE_INDEX = "ORDER BY c.feedProviderId ASC, c.publishedDate DESC";

export function published(range: DateRange): FeedQuestion {
  return question({ range }, NEWEST_FIRST);
}

export function ofProvider(
  providerId: string,
  range: DateRange,
  { sort }: { readonly sort: "index" | "date" } = { sort: "index" },
): FeedQuestion {
  return question({ range, providerId }, sort === "index" ? BY_COMPOSITE_INDEX : NEWEST_FIRST);
}

/**
 * Parts of texts, or whole words in any of their forms. Parts are found by any account, and by
 * looking at each article of the range; words need the full-text indexes of `setUp.ts`.
 */
export type SearchMethod = "parts" | "words";

const TAGGED = "EXISTS(SELECT VALUE tag FROM tag IN c.tags WHERE CONTAINS(tag, @term, true))";

const FOUND: Readonly<Record<SearchMethod, string>> = {
  parts: `CONTAINS(c.title, @term, true) OR CONTAINS(c.content, @term, true) OR ${TAGGED}`,
  words: `FullTextContains(c.title, @term) OR FullTextContains(c.content, @term) OR ${TAGGED}`,
};

export function having(term: string, range: DateRange, method: SearchMethod): FeedQuestion {
  return question({ range, where: FOUND[method], term }, NEWEST_FIRST);
}

export function countsByProvider(range: DateRange): SqlQuerySpec {
  const query =
    "SELECT c.feedProviderId AS providerId, COUNT(1) AS itemCount, " +
    `MAX(c.publishedDate) AS newest FROM c WHERE ${IN_RANGE} GROUP BY c.feedProviderId`;
  return { query, parameters: parametersOf({ ...range }) };
}

function question(parts: Omit<FeedQuestion, "query" | "parameters">, order: string): FeedQuestion {
  const { range, providerId, where, term } = parts;
  const conditions = [
    ...(providerId === undefined ? [] : ["c.feedProviderId = @providerId"]),
    IN_RANGE,
    ...(where === undefined ? [] : [`(${where})`]),
  ];
  return {
    ...parts,
    query: `SELECT * FROM c WHERE ${conditions.join(" AND ")} ${order}`,
    parameters: parametersOf({
      ...range,
      ...(providerId !== undefined && { providerId }),
      ...(term !== undefined && { term }),
    }),
  };
}

function parametersOf(named: Readonly<Record<string, string>>): SqlParameter[] {
  return Object.entries(named).map(([name, value]) => ({ name: `@${name}`, value }));
}
