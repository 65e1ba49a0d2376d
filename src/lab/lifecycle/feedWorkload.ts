/**
 * The workload that stands for a feed of which only a few figures are known: so many items a day of
 * such a size, kept for so long, and so many queries a second. Its queries are those of the guides'
 * own example; what share each has follows from the figures.
 */
import { assert } from "../../base/assert.ts";
import { DAY_SECONDS, DAYS_PER_MONTH } from "../../base/units.ts";
import { storedBytesOf } from "../price/itemPrice.ts";
import type { Workload } from "../workload/workload.ts";
import { readWorkload } from "../workload/workloadText.ts";

export interface FeedFigures {
  readonly itemsPerDay: number;
  readonly itemBytes: number;
  readonly retentionDays: number;
  /** All queries together, at the mean. */
  readonly queriesPerSecond: number;
  /** Share of them that are about the last days; the others reach back over months. */
  readonly recentShare: number;
  /** Queries a second that add up over a year, beside the others. */
  readonly analyticsPerSecond: number;
  readonly peakFactor: number;
}

export const FEED_DEFAULTS: {
  readonly itemBytes: number;
  readonly retentionDays: number;
  readonly recentShare: number;
  readonly analyticsPerSecond: number;
  readonly peakFactor: number;
} = {
  itemBytes: 4096,
  retentionDays: 730,
  recentShare: 0.8,
  analyticsPerSecond: 1 / 60,
  peakFactor: 2,
};

/** The hybrid key of the guides: who, and which month. */
export const FEED_KEY = "concat(/feedProviderId, '_', month(/publishedDate))";

const PROVIDERS = 300;
const TOPICS = 40;

export function feedWorkload(figures: FeedFigures): Workload {
  const { itemsPerDay, itemBytes, retentionDays, queriesPerSecond, recentShare } = figures;
  const recent = (queriesPerSecond * recentShare) / 2;
  const search = queriesPerSecond * (1 - recentShare);
  const read = readWorkload(TEXT, "yaml", "feed");
  assert(read.ok, "the workload of a feed has problems");
  const rates: Readonly<Record<string, number>> = {
    store: itemsPerDay / DAY_SECONDS,
    recent,
    "of-provider": recent,
    search,
    analytics: figures.analyticsPerSecond,
  };
  return {
    ...read.value,
    item: { ...read.value.item, bytes: itemBytes },
    growth: {
      ...read.value.growth,
      itemsPerDay,
      retentionDays,
      peakFactor: figures.peakFactor,
    },
    horizonMonths: Math.ceil(retentionDays / DAYS_PER_MONTH),
    operations: read.value.operations
      .map((operation) => ({ ...operation, ratePerSecond: rates[operation.id]! }))
      .filter(({ ratePerSecond }) => ratePerSecond > 0),
  };
}

/** Bytes that are stored in the end. */
export function volumeOf({
  itemsPerDay,
  itemBytes,
  retentionDays,
}: Pick<FeedFigures, "itemsPerDay" | "itemBytes" | "retentionDays">): number {
  return itemsPerDay * retentionDays * storedBytesOf(itemBytes);
}

/** Items a day that come to such a volume in the end. */
export function itemsPerDayFor(
  volumeBytes: number,
  { itemBytes, retentionDays }: Pick<FeedFigures, "itemBytes" | "retentionDays">,
): number {
  return volumeBytes / retentionDays / storedBytesOf(itemBytes);
}

const TEXT = `\
name: feed
title: Items of many feeds

item:
  bytes: 4 KB
  example:
    id: item-1
    feedProviderId: reuters
    topic: economy
    title: A title
    content: A text
    publishedDate: "2025-10-03T08:00:00Z"
    crawledDate: "2025-10-03T08:01:00Z"
    sourceUrl: https://example.com/1

properties:
  /feedProviderId: {distinct: ${PROVIDERS}, items: zipf 1}
  /topic: {distinct: ${TOPICS}}
  /publishedDate: {time: second}

growth: {itemsPerDay: 86400, retentionDays: 1}

indexing:
  excludedPaths: [{path: /content/*}]
  compositeIndexes:
    - [{path: /feedProviderId}, {path: /publishedDate, order: descending}]

operations:
  - {id: store, kind: create, rate: 1}
  - id: recent
    kind: query
    rate: 1
    sql: SELECT TOP 50 * FROM c WHERE c.publishedDate >= @from ORDER BY c.publishedDate DESC
    params: {"@from": now - 7 days}
  - id: of-provider
    kind: query
    rate: 1
    sql: >-
      SELECT TOP 50 * FROM c WHERE c.feedProviderId = @provider
      AND c.publishedDate >= @from ORDER BY c.feedProviderId, c.publishedDate DESC
    params: {"@from": now - 30 days}
  - id: search
    kind: query
    rate: 1
    sql: >-
      SELECT TOP 50 * FROM c WHERE c.topic = @topic
      AND c.publishedDate >= @from ORDER BY c.publishedDate DESC
    params: {"@from": now - 90 days}
  - id: analytics
    kind: query
    rate: 1
    sql: >-
      SELECT c.feedProviderId, COUNT(1) AS items FROM c
      WHERE c.publishedDate >= @from GROUP BY c.feedProviderId
    params: {"@from": now - 365 days}

candidates:
  - {id: provider-month, key: "${FEED_KEY}"}
`;
