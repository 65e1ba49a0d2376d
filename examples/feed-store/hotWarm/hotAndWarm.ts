/**
 * A feed in two containers: the last days in a hot one, everything older in a warm one. Whoever
 * asks does not notice, because `orrery/router` knows which of them has which days, and gives an
 * article once that is in both for a while.
 *
 * Not here: who moves articles from one to the other (`moving.ts`).
 */
import { hotWarmRouter, type RouteReport, type RouteWatermark } from "orrery/router";
import type { Answer, Cost } from "../ask.ts";
import type { FeedContainers, ProviderCount } from "../feedContainers.ts";
import type { StoredFeedItem } from "../feedItem.ts";
import { BY_MONTH, type DateRange, isEmptyRange } from "../months.ts";
import { BY_PROVIDER_AND_DATE, type HotAndWarm } from "../setUp.ts";

interface Sharing {
  readonly ageProperty: string;
  /** Older articles are moved. */
  readonly ageSeconds: number;
  /** A moved article stays in the hot container for so long. */
  readonly markTtlSeconds: number;
}

/** How the two containers share the articles; router and mover have to agree about it. */
export const SHARING: Sharing = {
  ageProperty: "/publishedDate",
  ageSeconds: 30 * 86_400,
  markTtlSeconds: 86_400,
};

interface HotAndWarmOptions extends HotAndWarm {
  readonly now: () => Date;
  /** How far everything is moved; without it history is looked for in both containers. */
  readonly watermark?: RouteWatermark;
}

export function hotAndWarm(options: HotAndWarmOptions): FeedContainers {
  const { current, historical, now, watermark } = options;
  const router = hotWarmRouter({
    ...SHARING,
    hot: current,
    warm: historical,
    clock: { now: () => now().getTime() },
    strategy: BY_MONTH,
    // `parseFeedItem` spells all dates in UTC with milliseconds.
    isoDigits: 3,
    compositeIndexes: { hot: [BY_PROVIDER_AND_DATE] },
    ...(watermark !== undefined && { watermark }),
  });
  const costOf = costIn(options);
  return {
    current,
    historical,
    async ask({ range, providerId, where, term }, limit) {
      if (isEmptyRange(range)) return NOTHING;
      const { rows, report } = await router
        .query<StoredFeedItem>({
          ...endsOf(range),
          order: { direction: "descending" },
          ...(providerId !== undefined && { values: { "/feedProviderId": providerId } }),
          ...(where !== undefined && { where }),
          ...(term !== undefined && { parameters: { term } }),
          ...(limit !== undefined && { limit }),
        })
        .all();
      return { rows, cost: costOf(report) };
    },
    async countsByProvider(range) {
      if (isEmptyRange(range)) return NOTHING;
      const select = "{ providerId: c.feedProviderId, date: c.publishedDate }";
      // Each container would make groups of its own, with articles in them that are in both.
      const articles = router.query<Published>({ ...endsOf(range), select, pageSize: 1000 });
      const counts = new Map<string, ProviderCount>();
      for await (const article of articles) count(counts, article);
      return { rows: [...counts.values()], cost: costOf(articles.report()) };
    },
  };
}

const NOTHING: Answer<never> = {
  rows: [],
  cost: { ru: 0, pageCount: 0, months: [], containers: [], physicalPartitions: [] },
};

/** Both ends of a router's range belong to it. */
function endsOf({ from, to }: DateRange): { readonly from: string; readonly to: Date } {
  return { from, to: new Date(Date.parse(to) - 1) };
}

interface Published {
  readonly providerId: string;
  readonly date: string;
}

function count(counts: Map<string, ProviderCount>, { providerId, date }: Published): void {
  const { itemCount = 0, newest = date } = counts.get(providerId) ?? {};
  counts.set(providerId, {
    providerId,
    itemCount: itemCount + 1,
    newest: newest > date ? newest : date,
  });
}

function costIn({ current, historical }: HotAndWarm): (report: RouteReport) => Cost {
  const names = { hot: current.id, warm: historical.id, only: current.id } as const;
  return ({ ru, requestCount, byKey, asked, fanOut }) => {
    const months = new Set(byKey.flatMap(({ key }) => (key === undefined ? [] : String(key[0]))));
    return {
      ru,
      pageCount: requestCount,
      months: fanOut === "all" ? undefined : [...months].sort().toReversed(),
      containers: asked.map((tier) => names[tier]),
      physicalPartitions: [],
    };
  };
}
