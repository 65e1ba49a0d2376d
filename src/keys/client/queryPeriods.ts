/**
 * A query over a range of time, where time is part of the partition key: asked of the keys that the
 * range needs and of no others, in parallel, and merged into one ordered result.
 *
 * The text is made here, because rows of several keys can only be merged by a value that each row
 * brings along. By the time itself, keys of later (or, descending, earlier) periods are not asked
 * before those before them are used up: with a limit the newest rows cost the newest periods only.
 * By another property all keys are asked at once, for at most `limit` rows each.
 */
import type { KeyComponent } from "../component.ts";
import type { KeyStrategy } from "../strategy.ts";
import { timeOf } from "../time.ts";
import { compareValues } from "./compareValues.ts";
import type { ClientContainer, JsonLike, QuerySpec } from "./container.ts";
import type { KeyTotals } from "./mergedQuery.ts";
import { keySource, MergedQuery } from "./mergedQuery.ts";
import { countOf } from "./parallel.ts";
import { keyGroups, unlistedText } from "./periodKeys.ts";
import type { GivenValues, NamedValue } from "./queryText.ts";
import { listedValues, namedParameters, propertyAt, valueConditions } from "./queryText.ts";

export interface PeriodsOptions {
  readonly strategy: KeyStrategy;
  /** From the first, up to but without the last, spelled as the items spell their times. */
  readonly range: {
    readonly path: string;
    readonly from: string | number | Date;
    readonly to: string | number | Date;
  };
  /** Path to the value, or values, that items must have there: `{ "/deviceId": "d-7" }`. */
  readonly values?: GivenValues;
  /** A further condition on an item `c`: `c.speed > @min`. */
  readonly where?: string;
  readonly parameters?: Readonly<Record<string, JsonLike>>;
  /** What becomes of an item `c`: `{ id: c.id, speed: c.speed }`. All of it unless told. */
  readonly select?: string;
  readonly order?: {
    /** The path of the time unless told. */
    readonly by?: string;
    /** `ascending` unless told. */
    readonly direction?: "ascending" | "descending";
  };
  readonly limit?: number;
  /** Requests under way at a time; 8 unless told. */
  readonly concurrency?: number;
  readonly pageSize?: number;
}

export interface PeriodsResult<Row> {
  readonly rows: readonly Row[];
  readonly ru: number;
  /** Keys that were asked; with a limit not all that were planned. */
  readonly byKey: readonly KeyTotals[];
  readonly plannedKeyCount: number;
}

/** Iterate over it for rows as they come, or have all at once. It asks when it is read, once. */
export interface PeriodsQuery<Row> extends AsyncIterable<Row> {
  readonly query: QuerySpec;
  readonly keys: readonly (readonly KeyComponent[])[];
  all(): Promise<PeriodsResult<Row>>;
  /** What was asked so far. */
  totals(): Omit<PeriodsResult<Row>, "rows">;
}

interface Ordered<Row> {
  readonly by?: unknown;
  readonly row: Row;
}

export function queryPeriods<Row>(
  container: Pick<ClientContainer, "items">,
  options: PeriodsOptions,
): PeriodsQuery<Row> {
  const { strategy, range, order = {} } = options;
  const values = listedValues(options.values);
  const span = { path: range.path, from: millisOf("from", range), to: millisOf("to", range) - 1 };
  const isDescending = order.direction === "descending";
  const isByTime = order.by === undefined || order.by === range.path;
  const limit = options.limit === undefined ? undefined : countOf("limit", options.limit, 1);
  const query = queryOf(options, values, limit);
  const inTime = keyGroups(strategy, values, span);
  if (inTime === undefined) throw new Error(unlistedText(strategy, values, span));
  const groups = isDescending ? inTime.toReversed() : inTime;
  const keys = groups.flat();
  const pageSize = countOf("pageSize", options.pageSize, 100);
  const merged = new MergedQuery<Ordered<Row>>({
    groups: (isByTime ? groups : [keys]).map((group) =>
      group.map((key) => keySource(key, { container, query, pageSize, limit })),
    ),
    compare: (a, b) => compareValues(a.by, b.by) * (isDescending ? -1 : 1),
    limit,
    concurrency: countOf("concurrency", options.concurrency, 8),
  });
  const totals = (): Omit<PeriodsResult<Row>, "rows"> => {
    const byKey = merged.totals;
    const ru = byKey.reduce((sum, each) => sum + each.ru, 0);
    return { ru, byKey, plannedKeyCount: keys.length };
  };
  async function* rows(): AsyncGenerator<Row, void, undefined> {
    for await (const { row } of merged.rows()) yield row;
  }
  return {
    query,
    keys,
    totals,
    [Symbol.asyncIterator]: rows,
    async all() {
      const found: Row[] = [];
      for await (const row of rows()) found.push(row);
      return { rows: found, ...totals() };
    },
  };
}

function queryOf(
  options: PeriodsOptions,
  values: ReadonlyMap<string, readonly KeyComponent[]>,
  limit: number | undefined,
): QuerySpec {
  const { range, where, select = "c", order = {} } = options;
  const parameters: NamedValue[] = [
    { name: "@rangeFrom", value: storedForm(range.from) },
    { name: "@rangeTo", value: storedForm(range.to) },
  ];
  const time = propertyAt(range.path);
  const conditions = [`${time} >= @rangeFrom`, `${time} < @rangeTo`];
  conditions.push(...valueConditions(values, parameters));
  if (where !== undefined) conditions.push(`(${where})`);
  parameters.push(...namedParameters(options.parameters));
  const by = propertyAt(order.by ?? range.path);
  return {
    query:
      `SELECT ${limit === undefined ? "" : `TOP ${limit} `}` +
      `VALUE { "by": ${by}, "row": ${select} } FROM c WHERE ${conditions.join(" AND ")} ` +
      `ORDER BY ${by} ${order.direction === "descending" ? "DESC" : "ASC"}`,
    parameters,
  };
}

function storedForm(time: string | number | Date): string | number {
  return time instanceof Date ? time.toISOString() : time;
}

function millisOf(end: "from" | "to", range: PeriodsOptions["range"]): number {
  const millis = timeOf(range[end]);
  if (millis !== undefined) return millis;
  throw new TypeError(
    `range.${end}: ${String(range[end])} is no time; write it as "2026-01-31T12:00:00Z"`,
  );
}
