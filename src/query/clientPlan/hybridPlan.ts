/**
 * The plan of an `ORDER BY RANK` for clients that rank rows themselves: one query for the
 * statistics of all texts, and one for each score that gives the best rows by it, every row with
 * all its scores. The client adds the statistics up, puts them where the placeholders are, asks
 * every range, and fuses the ranks.
 *
 * Clients with the feature `HybridSearchSkipOrderByRewrite` get rows without order values, and all
 * scores of a row are then the better the larger. A rank of one score always has its order: there
 * is nothing to fuse, and the client merges by that order. The weights of a plan are never
 * negative: the order of a score is turned round instead.
 */
import { no, ok, type Result } from "../../base/result.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { rankFunctionOf, writtenRankOf } from "../bind/ranked.ts";
import { NO_SEARCH_TERM } from "../functions/fullText.ts";
import { constantOf } from "../keyRanges/constants.ts";
import { firstAliasOf } from "../keyRanges/itemPaths.ts";
import type { Expression, Query, Selection } from "../language/ast.ts";
import { printExpression, printQuery } from "../language/printer.ts";
import { textLimitProblem } from "../language/queryLimits.ts";
import { type QueryProblem, refusedQuery } from "../problem.ts";
import type { PlanSetting } from "./clientPlan.ts";
import { missingFeaturesMessage, missingForRank } from "./planFeatures.ts";
import {
  and,
  array,
  COUNT_MAX,
  type Counts,
  call,
  identifier,
  itemList,
  member,
  named,
  nowhere,
  number,
  object,
  payloadOf,
  RESUME_FILTER,
  selectList,
  withoutCounts,
} from "./planRewrite.ts";
import { NOTHING_TO_DO, type QueryInfo } from "./queryInfo.ts";
import { isText, statisticsQuery, textOf, textScore } from "./rankedTexts.ts";

/**
 * Number of rows that each range gives by each score at least: a row far down by one score may win
 * by the others.
 */
const COMPONENT_ROWS_MIN = 120;
/** The distance of a row without a vector, which puts it behind all rows that have one. */
const FARTHEST = 1.79769e308;

/** Returns the plan of a query that has passed `bind`. */
export function hybridPlanOf(
  query: Query,
  counts: Counts,
  setting: PlanSetting,
): Result<JsonObject, QueryProblem> {
  const { components, weights: written } = writtenRankOf(query.orderBy!);
  const missing = missingForRank(written !== undefined, setting.supportedFeatures);
  if (missing.length > 0) return no(refusedQuery(missingFeaturesMessage(missing)));
  const weights = weightsOf(written, components.length, setting);
  if (!weights.ok) return weights;
  const texts = components.filter(isText).map((component) => textOf(component, setting));
  if (!texts.every(({ isFine }) => isFine)) return no(refusedQuery(NO_SEARCH_TERM));
  let textCount = 0;
  const scores = components.map((component, at): Score => {
    const isDown = setting.scoresDown?.[at] ?? true;
    const isTurned = (weights.value[at] ?? 1) < 0;
    return isText(component)
      ? { expression: textScore(texts[textCount]!, textCount++), isDown: !isTurned, missing: 1 }
      : { expression: component, isDown: isDown !== isTurned, missing: FARTHEST };
  });
  const isSkipping =
    components.length > 1 &&
    setting.supportedFeatures?.has("HybridSearchSkipOrderByRewrite") === true;
  const shape = { query, scores, counts: reachOf(counts), isSkipping };
  const infos = scores.map((score) => componentOf(score, shape));
  if (infos.some(({ rewrittenQuery }) => textLimitProblem(rewrittenQuery) !== undefined)) {
    return no(refusedQuery(TOO_LONG));
  }
  return ok({
    globalStatisticsQuery: printQuery(statisticsQuery(query, texts)),
    componentQueryInfos: infos,
    componentWithoutPayloadQueryInfos: [],
    projectionQueryInfo: null,
    componentWeights: weights.value.map(Math.abs),
    skip: counts.offset ?? null,
    take: counts.top ?? counts.limit ?? null,
    requiresGlobalStatistics: texts.length > 0,
  });
}

/**
 * The check is made here; otherwise a client would hear about the length of a text that nobody
 * wrote.
 */
const TOO_LONG =
  "The queries that ORDER BY RANK is divided into would be too long: each of them has all " +
  "scores, with terms and vectors as they are written. Pass vectors as parameters, or use fewer " +
  "terms.";

interface Score {
  readonly expression: Expression;
  /** True when the best rows have the largest scores. */
  readonly isDown: boolean;
  /** The size of the number that stands for a missing score. */
  readonly missing: number;
}

/** Returns the weights; empty when the query has none, and all scores count alike. */
function weightsOf(
  written: Expression | undefined,
  componentCount: number,
  { parameters }: PlanSetting,
): Result<readonly number[], QueryProblem> {
  if (written === undefined) return ok([]);
  const weights = constantOf(written, parameters)?.value;
  const isFine =
    Array.isArray(weights) &&
    weights.length === componentCount &&
    weights.every((weight: JsonValue) => Number.isFinite(weight));
  if (isFine) return ok(weights as readonly number[]);
  return no(
    refusedQuery(
      `The weights of RRF must be an array of ${componentCount} numbers, one for each score.`,
    ),
  );
}

/**
 * Returns how many rows each range is asked for, up to the largest count that a query text may
 * have.
 */
function reachOf({ top, offset, limit }: Counts): Counts {
  const countOf = (rows: number): number =>
    Math.min(COUNT_MAX, Math.max(COMPONENT_ROWS_MIN, 2 * rows));
  if (top !== undefined) return { top: countOf(top) };
  if (offset === undefined || limit === undefined) return {};
  return { offset: 0, limit: countOf(offset + limit) };
}

interface Shape {
  readonly query: Query;
  readonly scores: readonly Score[];
  readonly counts: Counts;
  readonly isSkipping: boolean;
}

function componentOf(score: Score, { query, scores, counts, isSkipping }: Shape): QueryInfo {
  const item = identifier(firstAliasOf(query.from)!);
  const { selection } = query.select;
  const payload = selection.kind === "star" ? item : payloadOf(selection);
  const known = array(scores.map((each) => (isSkipping ? risingScore(each) : givenScore(each))));
  const rid = { span: nowhere(), expression: member(item, "_rid") };
  const select = isSkipping
    ? [rid, named("payload", payload), named("componentScores", known)]
    : [
        rid,
        named("orderByItems", itemList([score.expression])),
        named(
          "payload",
          object([
            ["payload", payload],
            ["componentScores", known],
          ]),
        ),
      ];
  const where = filterOf(query, selection, isSkipping);
  const direction = score.isDown ? "DESC" : "ASC";
  const { expression } = score;
  const rows: Query = {
    ...withCounts(query, counts),
    select: { ...selectList(query.select, select), ...topOf(counts) },
    ...(where && { where }),
    orderBy: {
      kind: "items",
      span: nowhere(),
      items: [{ span: nowhere(), expression: directed(expression), direction }],
    },
  };
  const rewritten = { ...NOTHING_TO_DO, rewrittenQuery: printQuery(rows) };
  // Rows without order values are not merged, so the client must not cut them off.
  if (isSkipping) return rewritten;
  return {
    ...rewritten,
    top: counts.top ?? null,
    offset: counts.offset ?? null,
    limit: counts.limit ?? null,
    orderBy: [score.isDown ? "Descending" : "Ascending"],
    orderByExpressions: [printExpression(expression)],
    hasNonStreamingOrderBy: true,
  };
}

/** Returns a distance under the name by which it may be ordered in either direction. */
function directed(score: Expression): Expression {
  const isDistance = score.kind === "call" && rankFunctionOf(score) === "VECTORDISTANCE";
  return isDistance ? { ...score, name: "_VectorDistance" } : score;
}

/** Returns the expression of a score; a missing score counts as worse than any other. */
function givenScore({ expression, isDown, missing }: Score): Expression {
  return orElse(expression, isDown ? -missing : FARTHEST);
}

/** Returns the same expression, turned round where needed so that larger is always better. */
function risingScore({ expression, isDown, missing }: Score): Expression {
  if (isDown) return orElse(expression, -missing);
  const negative: Expression = {
    kind: "unary",
    span: nowhere(),
    operator: "-",
    operand: expression,
  };
  return orElse(negative, -FARTHEST);
}

function orElse(left: Expression, value: number): Expression {
  return { kind: "binary", span: nowhere(), operator: "??", left, right: number(value) };
}

function filterOf(
  { where }: Query,
  selection: Selection,
  isSkipping: boolean,
): Expression | undefined {
  const resumed = where === undefined ? RESUME_FILTER : and(where, RESUME_FILTER);
  const filter = isSkipping ? where : resumed;
  if (selection.kind !== "value") return filter;
  // A row whose value is undefined is not given, but would be with a score beside the value.
  const isDefined = call("IS_DEFINED", selection.expression);
  return filter === undefined ? isDefined : and(filter, isDefined);
}

function topOf({ top }: Counts): Pick<Query["select"], "top"> {
  return top === undefined ? {} : { top: number(top) };
}

function withCounts(query: Query, { offset, limit }: Counts): Query {
  const bare = withoutCounts(query);
  if (offset === undefined || limit === undefined) return bare;
  return {
    ...bare,
    offsetLimit: { span: nowhere(), offset: number(offset), limit: number(limit) },
  };
}
