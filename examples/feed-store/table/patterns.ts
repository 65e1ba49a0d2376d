/**
 * The five query patterns of the guide's performance table, each with what the guide says of it and
 * with a query that can be asked. Two of them occur twice: in the guide's own words, which sort by
 * date alone, and in those of the store, which the composite index answers.
 *
 * A question ends just after now: a range does not include its end.
 */
import type { SqlQuerySpec } from "@azure/cosmos";
import { PROVIDERS, TOPICS } from "../generate.ts";
import { type DateRange, dateRangeOf, monthStart } from "../months.ts";
import { countsByProvider, having, ofProvider, published } from "../questions.ts";

export interface Pattern {
  readonly id: string;
  readonly name: string;
  readonly guide: GuideEstimate;
  readonly range: DateRange;
  readonly query: SqlQuerySpec;
  /** Each month of the range by itself, or all physical partitions at once. */
  readonly asks: "months" | "everywhere";
  /** Of the items in the range, those that match. */
  readonly share: number;
  /** Rows of the answer, where several matches make one; undefined: each match is a row. */
  readonly rowCount?: number;
}

interface GuideEstimate {
  /** Logical partitions. */
  readonly partitions: Span;
  readonly ru: Span;
}

export interface Span {
  readonly min: number;
  /** Undefined: the guide names no upper end. */
  readonly max?: number;
}

interface PatternSetting {
  readonly now: Date;
  /** When the first item was published. */
  readonly start: Date;
  readonly providerId: string;
}

const DAY_MS = 86_400_000;

/** The topic that is searched for; it is in a tenth of all articles. */
const TERM = TOPICS[0]!;

export function patternsOf(setting: PatternSetting): readonly Pattern[] {
  const { now, start } = setting;
  const recent = daysBefore(now, 7);
  const end = endAt(now);
  const quarter = dateRangeOf(monthStart(now, 2), end);
  const all = dateRangeOf(start, end);
  return [
    ...ofOneProvider(setting),
    {
      id: "search",
      name: "Search across 3 months",
      guide: guide([3, 3], [50, 200]),
      range: quarter,
      query: having(TERM, quarter, "parts"),
      asks: "months",
      share: 1 / TOPICS.length,
    },
    {
      id: "all",
      name: "All providers (recent)",
      guide: guide([1, 2], [50, 300]),
      range: recent,
      query: published(recent),
      asks: "months",
      share: 1,
    },
    {
      id: "analytics",
      name: "Cross-provider analytics",
      guide: guide([2], [200]),
      range: all,
      query: countsByProvider(all),
      asks: "everywhere",
      share: 1,
      rowCount: PROVIDERS.size,
    },
  ];
}

function ofOneProvider({ now, providerId }: PatternSetting): readonly Pattern[] {
  const share = PROVIDERS.get(providerId);
  if (share === undefined) {
    const known = [...PROVIDERS.keys()].join(", ");
    throw new Error(`There is no provider ${providerId}; one of: ${known}`);
  }
  const asked = [
    {
      id: "recent",
      name: "Recent feeds (7 days)",
      guide: guide([1, 2], [10, 50]),
      range: daysBefore(now, 7),
    },
    {
      id: "provider",
      name: "Provider feeds (30 days)",
      guide: guide([1, 2], [20, 100]),
      range: daysBefore(now, 30),
    },
  ];
  return asked.flatMap((pattern) => {
    const { id, range } = pattern;
    const both = { ...pattern, asks: "months", share } as const;
    const indexed = { id: `${id}-indexed`, name: "  by the composite index" };
    return [
      { ...both, query: ofProvider(providerId, range, { sort: "date" }) },
      { ...both, ...indexed, query: ofProvider(providerId, range) },
    ];
  });
}

function daysBefore(now: Date, count: number): DateRange {
  return dateRangeOf(new Date(now.getTime() - count * DAY_MS), endAt(now));
}

function endAt(now: Date): Date {
  return new Date(now.getTime() + 1);
}

function guide(
  partitions: readonly [number, number?],
  ru: readonly [number, number?],
): GuideEstimate {
  return { partitions: spanOf(partitions), ru: spanOf(ru) };
}

function spanOf([min, max]: readonly [number, number?]): Span {
  return max === undefined ? { min } : { min, max };
}
