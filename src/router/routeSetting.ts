/** What a router knows before it is asked anything, and what it finds out for each query. */
import type { KeyStrategy } from "../keys/strategy.ts";
import type { ReadIndex } from "./compositeOrder.ts";
import type { DateFormat } from "./dateFormat.ts";
import type { RoutePiece, TierName } from "./pieces.ts";
import type { RouteRequest } from "./routeRequest.ts";
import type { RoutedContainer } from "./routeTypes.ts";

/** Milliseconds since 1970: `Date` is one. */
export interface RouteClock {
  now(): number;
}

export interface RouteSetting {
  readonly containers: ReadonlyMap<TierName, RoutedContainer>;
  readonly datePath: string;
  readonly format: DateFormat;
  /** The containers' partition key paths; none if no item can come twice. */
  readonly paths: readonly string[];
  readonly strategy: KeyStrategy | undefined;
  /** By container. */
  readonly compositeIndexes: ReadonlyMap<TierName, readonly ReadIndex[]>;
  readonly markProperty: string | undefined;
  /** An item without what the lifecycle put into it. */
  readonly unmarked: ((item: unknown) => unknown) | undefined;
  /** Whether items may be edited while they are in both containers. */
  readonly isChecked: boolean;
  readonly clock: RouteClock | undefined;
  /** Which containers a query needs. */
  readonly survey: (request: RouteRequest) => Promise<RouteSurvey>;
}

export interface RouteSurvey {
  /** In the order of time, and together the span of the request. */
  readonly pieces: readonly RoutePiece[];
  readonly threshold?: number;
  readonly settledBefore?: number;
  readonly watermarkProblem?: string;
  /** How long marked items stay in hot, if that is known. */
  readonly markTtlMs?: number;
}
