/**
 * The queries of the feed as texts with parameters. Each is asked of one month at a time, except
 * `countsByProvider`, which is about the whole container.
 *
 * The composite index on provider and date has the order of a query only if that query sorts by
 * both. Of one provider both orders are the same, so `ofProvider` names both. `sort: "date"` is the
 * guide's own text, which sorts by the date alone and cannot use the index.
 */
import type { SqlParameter, SqlQuerySpec } from "@azure/cosmos";
import type { DateRange } from "./months.ts";

const IN_RANGE = "c.publishedDate >= @from AND c.publishedDate < @to";
const NEWEST_FIRST = "ORDER BY c.publishedDate DESC";
const BY_COMPOSITE_INDEX = "ORDER BY c.feedProviderId ASC, c.publishedDate DESC";

export function published(range: DateRange): SqlQuerySpec {
  return spec(`SELECT * FROM c WHERE ${IN_RANGE} ${NEWEST_FIRST}`, range, []);
}

export function ofProvider(
  providerId: string,
  range: DateRange,
  { sort }: { readonly sort: "index" | "date" } = { sort: "index" },
): SqlQuerySpec {
  const order = sort === "index" ? BY_COMPOSITE_INDEX : NEWEST_FIRST;
  const text = `SELECT * FROM c WHERE c.feedProviderId = @providerId AND ${IN_RANGE} ${order}`;
  return spec(text, range, [{ name: "@providerId", value: providerId }]);
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

export function having(term: string, range: DateRange, method: SearchMethod): SqlQuerySpec {
  const text = `SELECT * FROM c WHERE ${IN_RANGE} AND (${FOUND[method]}) ${NEWEST_FIRST}`;
  return spec(text, range, [{ name: "@term", value: term }]);
}

export function countsByProvider(range: DateRange): SqlQuerySpec {
  const text =
    "SELECT c.feedProviderId AS providerId, COUNT(1) AS itemCount, " +
    `MAX(c.publishedDate) AS newest FROM c WHERE ${IN_RANGE} GROUP BY c.feedProviderId`;
  return spec(text, range, []);
}

function spec(query: string, { from, to }: DateRange, others: SqlParameter[]): SqlQuerySpec {
  const range = [
    { name: "@from", value: from },
    { name: "@to", value: to },
  ];
  return { query, parameters: [...range, ...others] };
}
