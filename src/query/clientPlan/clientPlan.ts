/**
 * The plan of a query for clients that ask each range by themselves and merge the rows: which
 * ranges to ask, what to send them, and what to do with the rows.
 *
 * The query must have passed `bind`; only what plans cannot do is checked here. Plans that are not
 * made yet are refused by name.
 */
import { no, ok, type Result } from "../../base/result.ts";
import type { JsonObject } from "../../json/value.ts";
import { isPoint, WHOLE_RANGE } from "../../partition/epkRange.ts";
import { countProblem } from "../bind/bind.ts";
import { memberNames } from "../bind/memberNames.ts";
import { isRankOfDistance } from "../bind/ranked.ts";
import { builtInOf } from "../functions/registry.ts";
import { VECTOR_DISTANCE } from "../functions/vector.ts";
import {
  type AggregateKind,
  aggregateOf,
  hasAggregate,
  isAggregating,
  selectedBy,
} from "../keyRanges/aggregates.ts";
import type { KnownParameters } from "../keyRanges/constants.ts";
import { firstAliasOf } from "../keyRanges/itemPaths.ts";
import {
  type KeyRanges,
  type KeySetting,
  keyRangesOf,
  readsItems,
} from "../keyRanges/keyRanges.ts";
import type { Expression, FromSource, Query } from "../language/ast.ts";
import { printExpression, printQuery } from "../language/printer.ts";
import { sourcesOf } from "../language/visitor.ts";
import { diagnostic, type QueryProblem, refusedQuery } from "../problem.ts";
import { hybridPlanOf } from "./hybridPlan.ts";
import {
  missingFeatures,
  missingFeaturesMessage,
  neededFeatures,
  type SupportedFeatures,
} from "./planFeatures.ts";
import {
  type Counts,
  rewriteGroups,
  rewriteOrderBy,
  withFirstRows,
  withoutCounts,
} from "./planRewrite.ts";
import { NOTHING_TO_DO, type QueryInfo } from "./queryInfo.ts";

export interface PlanSetting extends KeySetting {
  /** The features that the client says it has, see `parseFeatures`. */
  readonly supportedFeatures: SupportedFeatures;
  /**
   * For each expression of ORDER BY, whether it is descending, as it was bound: the order of a
   * distance follows from its metric.
   */
  readonly ordersDown?: readonly boolean[];
  /** True when one physical partition has the whole container, and so all groups of a subquery. */
  readonly isOneRange?: boolean;
  /** For each score of ORDER BY RANK, whether larger is better, as it was bound. */
  readonly scoresDown?: readonly boolean[];
}

const PLAN_VERSION = 2;

type Planned = Result<QueryInfo, QueryProblem>;

/**
 * The plan on the wire; either `queryInfo` or `hybridSearchQueryInfo` says what to do with the
 * rows. A type, not an interface, so that it counts as JSON.
 */
export type ClientPlan = {
  readonly partitionedQueryExecutionInfoVersion: number;
  readonly queryInfo?: QueryInfo;
  readonly hybridSearchQueryInfo?: JsonObject;
  readonly queryRanges: readonly WireRange[];
};

type WireRange = {
  readonly min: string;
  readonly max: string;
  readonly isMinInclusive: boolean;
  readonly isMaxInclusive: boolean;
};

/**
 * Returns the plan as JSON. Weights are written with a point, as the service writes doubles,
 * because Java's client insists on it.
 */
export function planText(plan: JsonObject): string {
  return JSON.stringify(plan).replace(/"componentWeights":\[[^\]]*\]/, (list) =>
    list.replace(/(?<=[[,])-?\d+(?=[,\]])/g, "$&.0"),
  );
}

/**
 * True when the service leaves a query with this plan to its clients, who then ask each range by
 * themselves. The kind of query decides, not the number of physical partitions. Where a filter
 * names one full key there is nothing to merge, yet two kinds of queries are left to clients all
 * the same: those with distinct rows, and aggregates without VALUE or GROUP BY.
 */
export function isLeftToClients(plan: ClientPlan, isParallel: boolean): boolean {
  const { queryInfo } = plan;
  if (!isAboutOneKey(plan)) {
    return isParallel || queryInfo === undefined || neededFeatures(queryInfo).length > 0;
  }
  if (queryInfo === undefined) return false;
  const { distinctType, groupByAliases, groupByExpressions } = queryInfo;
  return distinctType !== "None" || (groupByAliases.length > 0 && groupByExpressions.length === 0);
}

/**
 * True when the plan is about one key, or about none: the latter asks the range of the first key.
 */
export function isAboutOneKey({ queryRanges }: ClientPlan): boolean {
  return queryRanges.length === 1 && queryRanges[0]!.isMaxInclusive;
}

export function clientPlanOf(query: Query, setting: PlanSetting): Result<ClientPlan, QueryProblem> {
  const counts = countsOf(query, setting.parameters);
  if (!counts.ok) return counts;
  const ranges = keyRangesOf(query, setting);
  const isOneKeyAsked = setting.asked !== undefined && isPoint(setting.asked);
  const tasks = tasksOf(query, counts.value, isOneKeyAsked || isOnePoint(ranges), setting);
  if (!tasks.ok && !isOneKeyAsked) return tasks;
  return ok({
    partitionedQueryExecutionInfoVersion: PLAN_VERSION,
    // A plan that no client could carry out is not needed: the one key's physical partition has all
    // rows.
    ...(tasks.ok ? tasks.value : { queryInfo: nothingToDo(query) }),
    queryRanges: wireRangesOf(ranges),
  });
}

type Tasks = Pick<ClientPlan, "queryInfo" | "hybridSearchQueryInfo">;

/**
 * Returns what the client has to do with the rows, if it can. `isPinned` means that the query is
 * about one key.
 */
function tasksOf(
  query: Query,
  counts: Counts,
  isPinned: boolean,
  setting: PlanSetting,
): Result<Tasks, QueryProblem> {
  if (query.orderBy?.kind === "rank" && !isRankOfDistance(query.orderBy)) {
    const hybrid = hybridPlanOf(query, counts, setting);
    return hybrid.ok ? ok({ hybridSearchQueryInfo: hybrid.value }) : hybrid;
  }
  const planned = queryInfoOf(withPlainOrder(query), counts, isPinned, setting.isOneRange === true);
  if (!planned.ok) return planned;
  const queryInfo = directed(planned.value, setting.ordersDown);
  const missing = missingFeatures(queryInfo, setting.supportedFeatures);
  if (missing.length > 0) return no(refusedQuery(missingFeaturesMessage(missing)));
  return ok({ queryInfo });
}

function nothingToDo({ select }: Query): QueryInfo {
  return { ...NOTHING_TO_DO, hasSelectValue: select.selection.kind === "value" };
}

/** Turns a rank of one distance into an order by that distance, which is what clients are told. */
function withPlainOrder(query: Query): Query {
  const { orderBy } = query;
  return orderBy === undefined ? query : { ...query, orderBy: { ...orderBy, kind: "items" } };
}

function isOnePoint(ranges: KeyRanges): boolean {
  return typeof ranges !== "string" && ranges.length === 1 && ranges[0]!.isPoint;
}

/**
 * Returns the bounds as clients expect them. Where no key can match, clients ask the range of the
 * first key.
 */
function wireRangesOf(ranges: KeyRanges): readonly WireRange[] {
  if (ranges === "everything") return [wireRange(WHOLE_RANGE.min, WHOLE_RANGE.max, false)];
  if (ranges === "nothing") return [wireRange(WHOLE_RANGE.min, WHOLE_RANGE.min, true)];
  return ranges.map(({ range: { min, max }, isPoint: isOne }) =>
    isOne ? wireRange(min, min, true) : wireRange(min, max, false),
  );
}

function wireRange(min: string, max: string, isMaxInclusive: boolean): WireRange {
  return { min, max, isMinInclusive: true, isMaxInclusive };
}

/** Returns TOP, OFFSET and LIMIT as numbers, with the values of parameters. */
function countsOf(
  { select, offsetLimit }: Query,
  parameters: KnownParameters,
): Result<Counts, QueryProblem> {
  const counts: { top?: number; offset?: number; limit?: number } = {};
  const written = [
    ["top", "TOP", select.top],
    ["offset", "OFFSET", offsetLimit?.offset],
    ["limit", "LIMIT", offsetLimit?.limit],
  ] as const;
  for (const [name, clause, count] of written) {
    if (count === undefined) continue;
    const value = count.kind === "number" ? count.value : parameters.get(count.name);
    const problem = countProblem(value, clause);
    if (problem !== undefined) return no(diagnostic(problem.code, problem.message, count.span));
    counts[name] = value as number;
  }
  return ok(counts);
}

function queryInfoOf(
  query: Query,
  counts: Counts,
  isPinned: boolean,
  isOneRange: boolean,
): Planned {
  const { select, from, groupBy, orderBy } = query;
  // There is nothing to merge: any range that is asked gives the whole answer.
  if (!readsItems(from)) return ok(nothingToDo(query));
  const distinctCount = distinctCountPlan(query);
  if (distinctCount !== undefined) return ok(distinctCount);
  if (hasWholeSubquery(from) && (!isPinned || orderBy !== undefined)) {
    // The range that has all rows of the subquery also puts them in order and cuts them.
    const hasAll = isPinned || (isOneRange && hasGroups(from));
    return hasAll ? ok(nothingToDo(query)) : no(refusedQuery(WHOLE_SUBQUERY));
  }

  const { top = null, offset = null, limit = null } = counts;
  const distinctType = select.isDistinct ? "Unordered" : "None";
  const start: QueryInfo = { ...nothingToDo(query), distinctType, top, offset, limit };
  if (groupBy !== undefined || isAggregating(query)) return groupedPlan(query, start);
  if (orderBy !== undefined) return orderedPlan(query, counts, start);
  if (select.isDistinct) {
    const isCut = top !== null || offset !== null;
    return ok({ ...start, rewrittenQuery: isCut ? printQuery(withoutCounts(query)) : "" });
  }
  if (offset === null) return ok(start);
  // All rows are in one logical partition, so the server can skip rows itself.
  if (isPinned) return ok({ ...start, offset: null, limit: null });
  return ok({ ...start, rewrittenQuery: printQuery(withFirstRows(query, counts)) });
}

function groupedPlan(query: Query, start: QueryInfo): Planned {
  const { selection } = query.select;
  if (selection.kind === "star") {
    return no(refusedQuery("'SELECT *' is not allowed with GROUP BY."));
  }
  const isComposition = (expression: Expression): boolean =>
    aggregateOf(expression) === undefined && hasAggregate(expression);
  if (selectedBy(selection).some(isComposition)) {
    return no(refusedQuery("Compositions of aggregates and other expressions are not allowed."));
  }
  const grouped = {
    ...start,
    groupByExpressions: query.groupBy?.map(printExpression) ?? [],
    rewrittenQuery: printQuery(rewriteGroups(withoutCounts(query), selection)),
  };
  if (selection.kind === "value") {
    const aggregate = aggregateOf(selection.expression);
    return ok({ ...grouped, aggregates: aggregate === undefined ? [] : [aggregate.kind] });
  }
  const names = memberNames(selection.items);
  const kinds = selection.items.map(({ expression }, at): [string, AggregateKind | null] => [
    names[at]!,
    aggregateOf(expression)?.kind ?? null,
  ]);
  return ok({
    ...grouped,
    groupByAliases: names,
    groupByAliasToAggregateType: Object.fromEntries(kinds),
  });
}

function orderedPlan(query: Query, counts: Counts, start: QueryInfo): Planned {
  const items = query.orderBy?.items ?? [];
  const alias = firstAliasOf(query.from);
  if (alias === undefined) {
    return no(refusedQuery("Order-by over correlated collections is not supported."));
  }
  const { isDistinct } = query.select;
  const rows = isDistinct ? withoutCounts(query) : withFirstRows(query, counts);
  const isOrdered = isDistinct && isSortedValue(query);
  return ok({
    ...start,
    distinctType: isOrdered ? "Ordered" : start.distinctType,
    orderBy: items.map(({ direction }) => (direction === "DESC" ? "Descending" : "Ascending")),
    orderByExpressions: items.map(({ expression }) => printExpression(expression)),
    hasNonStreamingOrderBy: items.some(({ expression }) => isDistance(expression)),
    rewrittenQuery: printQuery(rewriteOrderBy(rows, alias)),
  });
}

/**
 * True when equal rows come one after the other, because the rows are sorted by the selected value.
 */
function isSortedValue({ select, orderBy }: Query): boolean {
  const [first, ...rest] = orderBy?.items ?? [];
  if (select.selection.kind !== "value" || first === undefined || rest.length > 0) return false;
  return printExpression(select.selection.expression) === printExpression(first.expression);
}

/**
 * True for a distance. Distances are computed, so a range cannot give a row before it has seen all
 * items.
 */
function isDistance(expression: Expression): boolean {
  return expression.kind === "call" && builtInOf(expression.name) === VECTOR_DISTANCE;
}

/** Returns the plan with directions as they were bound, where there is an order. */
function directed(info: QueryInfo, ordersDown: readonly boolean[] | undefined): QueryInfo {
  if (ordersDown === undefined) return info;
  const orderBy = info.orderBy.map((_, at) => (ordersDown[at] ? "Descending" : "Ascending"));
  return { ...info, orderBy };
}

/**
 * Returns the plan of `SELECT COUNT(1) FROM (SELECT DISTINCT …)`: the client counts the distinct
 * rows of all ranges.
 */
function distinctCountPlan(query: Query): QueryInfo | undefined {
  const { selection } = query.select;
  const [selected, ...others] = selectedBy(selection);
  const counted = selected && aggregateOf(selected);
  if (counted?.kind !== "Count" || counted.argument.kind !== "number") return undefined;
  if (others.length > 0 || query.where !== undefined || hasFurtherClauses(query)) return undefined;

  const inner = query.from?.kind === "collection" ? query.from.collection : undefined;
  if (inner?.kind !== "subquery" || !inner.query.select.isDistinct) return undefined;
  const isPlain = !hasFurtherClauses(inner.query) && !isAggregating(inner.query);
  if (!isPlain || hasWholeSubquery(inner.query.from)) return undefined;
  const names = selection.kind === "list" ? memberNames(selection.items) : [];
  return {
    ...NOTHING_TO_DO,
    distinctType: "Unordered",
    hasSelectValue: selection.kind === "value",
    rewrittenQuery: printQuery(inner.query),
    dCountInfo: { dCountAlias: names[0] ?? "" },
  };
}

const WHOLE_SUBQUERY =
  "A subquery in FROM with DISTINCT, TOP, OFFSET, GROUP BY or aggregates is not supported across " +
  "partitions, except in SELECT COUNT(1) FROM (SELECT DISTINCT ...).";

/** True when the first source is made of all rows of the container, which no single range has. */
function hasWholeSubquery(from: FromSource | undefined): boolean {
  const collection = sourcesOf(from)[0]?.collection;
  if (collection?.kind !== "subquery") return false;
  const { query } = collection;
  const compares = query.select.isDistinct && !isOfItems(query);
  if (compares || hasFurtherClauses(query) || isAggregating(query)) return true;
  return hasWholeSubquery(query.from);
}

/** True when the first source is made of groups or aggregates. */
function hasGroups(from: FromSource | undefined): boolean {
  const collection = sourcesOf(from)[0]?.collection;
  if (collection?.kind !== "subquery") return false;
  return collection.query.groupBy !== undefined || isAggregating(collection.query);
}

/** True for `SELECT * FROM c`, where DISTINCT changes nothing: no two items are equal. */
function isOfItems({ select, from }: Query): boolean {
  if (select.selection.kind !== "star" || from?.kind !== "collection") return false;
  return from.collection.kind === "path" && from.collection.steps.length === 0;
}

function hasFurtherClauses({ select, groupBy, orderBy, offsetLimit }: Query): boolean {
  return [select.top, groupBy, orderBy, offsetLimit].some((clause) => clause !== undefined);
}
