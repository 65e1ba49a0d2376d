/** What routers are asked, and what they answer: the shapes, and nothing that acts. */
import type { ClientContainer, JsonLike } from "../keys/client/container.ts";
import type { Key } from "../keys/client/partitionKey.ts";
import type { GivenValues } from "../keys/client/queryText.ts";
import type { KeyComponent } from "../keys/component.ts";
import type { TierName } from "./pieces.ts";

/** A container of the official client, or anything else that answers queries as one does. */
export type RoutedContainer = Pick<ClientContainer, "items">;

/** An `AbortSignal`. Its type is spelled out, because not every project has the types of one. */
export interface StopSignal {
  readonly aborted: boolean;
  readonly reason?: unknown;
}

/** A moment: a `Date`, ISO 8601 text, or a number since 1970 (of twelve digits in milliseconds). */
export type RouteMoment = Date | string | number;

export interface RouteOrder {
  /** Path of the property, such as "/speed"; that of the date unless told. */
  readonly by?: string;
  /** `ascending` unless told. */
  readonly direction?: "ascending" | "descending";
}

/** Which items are meant. */
export interface CountQuery {
  /** Both ends belong to the range; where one is left out it is open. */
  readonly from?: RouteMoment;
  readonly to?: RouteMoment;
  /** The partition key, if it is known: its component, or a list of them. */
  readonly key?: Key;
  /** Path to the value, or values, that items must have there; a key strategy uses them, too. */
  readonly values?: GivenValues;
  /** A further condition on an item `c`: "c.speed > @least". */
  readonly where?: string;
  readonly parameters?: Readonly<Record<string, JsonLike>>;
  /** Rows of one request; 100 unless told. */
  readonly pageSize?: number;
  /** Requests under way at a time; 8 unless told. */
  readonly concurrency?: number;
  readonly signal?: StopSignal;
}

export interface RouteQuery extends CountQuery {
  /** What becomes of an item `c`: "{ id: c.id, speed: c.speed }". All of it unless told. */
  readonly select?: string;
  readonly order?: RouteOrder;
  /** At most so many rows. */
  readonly limit?: number;
  /** Goes on after the last row of another reading of the same query: what it had as `next`. */
  readonly after?: string;
}

/** What was asked of one container. */
export interface TierTotals {
  readonly ru: number;
  readonly requestCount: number;
  /** Rows that came, whether or not they were given on. */
  readonly rowCount: number;
  /** Of the requests, those that asked for other versions of rows. */
  readonly checkCount: number;
}

/** What was asked of one container under one key. */
export interface RouteKeyTotals extends TierTotals {
  readonly tier: TierName;
  /** Undefined: it was asked about all keys at once. */
  readonly key: readonly KeyComponent[] | undefined;
}

export interface RouteReport {
  /** Containers that the range needs. */
  readonly planned: readonly TierName[];
  /** Containers that were asked; with a limit not all that were planned. */
  readonly asked: readonly TierName[];
  readonly ru: number;
  readonly requestCount: number;
  readonly byTier: Readonly<Partial<Record<TierName, TierTotals>>>;
  readonly byKey: readonly RouteKeyTotals[];
  /** `key`: the one that was given. `keys`: those of the strategy. `all`: a query over all keys. */
  readonly fanOut: "key" | "keys" | "all";
  /** Why `fanOut` is `all` although there is a strategy. */
  readonly fanOutReason?: string;
  /** Keys to ask, counted for each container that is planned; 0 for a query over all keys. */
  readonly plannedKeyCount: number;
  /** Rows that were left out because the item came from elsewhere, or in a newer version. */
  readonly leftOutCount: number;
  /** Of hot and warm: no item with a later date has been moved. Milliseconds since 1970. */
  readonly threshold?: number;
  /** Of hot and warm: what the watermark said. */
  readonly settledBefore?: number;
  /** Why there is no watermark, if one was asked for. */
  readonly watermarkProblem?: string;
}

/** Iterate over it for rows as they come, or have all at once. It asks when it is read, once. */
export interface RoutedRows<Row> extends AsyncIterable<Row> {
  all(): Promise<{
    readonly rows: readonly Row[];
    readonly report: RouteReport;
    /** Where to go on, if there may be more rows. */
    readonly next?: string;
  }>;
  /** What was asked so far. */
  report(): RouteReport;
  /** Where to go on after the last row that was given; undefined when there are no more. */
  next(): string | undefined;
}

export interface RangeRouter {
  /** Throws a `BadRoute` if it cannot be asked. Nothing is asked before it is read. */
  query<Row>(query: RouteQuery): RoutedRows<Row>;
  /** How many items there are, each counted once. */
  count(query: CountQuery): Promise<{ readonly count: number; readonly report: RouteReport }>;
}
