/** What a plan tells a client to do with the rows of each range. Names are those on the wire. */
import type { AggregateKind } from "../keyRanges/aggregates.ts";

/** A type, not an interface, so that it counts as JSON. */
export type QueryInfo = {
  readonly distinctType: "None" | "Ordered" | "Unordered";
  readonly top: number | null;
  readonly offset: number | null;
  readonly limit: number | null;
  readonly orderBy: readonly ("Ascending" | "Descending")[];
  readonly orderByExpressions: readonly string[];
  readonly groupByExpressions: readonly string[];
  /** Names of the members of a row that the client puts together. */
  readonly groupByAliases: readonly string[];
  /** Aggregates of `SELECT VALUE`; those of a list are in `groupByAliasToAggregateType`. */
  readonly aggregates: readonly AggregateKind[];
  /** The aggregate of each member; null for a member that is taken as it is. */
  readonly groupByAliasToAggregateType: Readonly<Record<string, AggregateKind | null>>;
  /** The query to send to the ranges; empty when it is the text as written. */
  readonly rewrittenQuery: string;
  readonly hasSelectValue: boolean;
  /** The name of a count of distinct rows; empty when it has none. */
  readonly dCountInfo: { readonly dCountAlias: string } | null;
  /** True when the rows of a range come in no order, and are few. */
  readonly hasNonStreamingOrderBy: boolean;
};

/** The plan for a client that only puts the rows of all ranges behind each other. */
export const NOTHING_TO_DO: QueryInfo = {
  distinctType: "None",
  top: null,
  offset: null,
  limit: null,
  orderBy: [],
  orderByExpressions: [],
  groupByExpressions: [],
  groupByAliases: [],
  aggregates: [],
  groupByAliasToAggregateType: {},
  rewrittenQuery: "",
  hasSelectValue: false,
  dCountInfo: null,
  hasNonStreamingOrderBy: false,
};
