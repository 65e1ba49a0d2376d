/**
 * The queries that clients send to the single ranges in place of the one that was asked: rows that
 * carry what is needed to merge them, and parts of aggregates in place of aggregates.
 *
 * One function for each shape. All of them give trees; the printer makes them text. What a client
 * does by itself after merging (DISTINCT, TOP and OFFSET LIMIT behind it) is left out.
 */
import { memberNames } from "../bind/memberNames.ts";
import { type Aggregate, aggregateOf } from "../keyRanges/aggregates.ts";
import type {
  Call,
  Expression,
  Identifier,
  NumberLiteral,
  ObjectLiteral,
  Query,
  SelectClause,
  SelectItem,
  Selection,
  Span,
} from "../language/ast.ts";

/** Where clients put a condition when they go on after an interruption, `true` otherwise. */
export const RESUME_FILTER: Identifier = identifier(
  "({documentdb-formattableorderbyquery-filter})",
);

/** The text goes to a server that takes no larger number. */
export const COUNT_MAX: number = 2 ** 32 - 1;

/** For parts that nobody wrote. A function, since it is needed before constants are. */
export function nowhere(): Span {
  return { start: 0, end: 0 };
}

/** A selection that names what it wants. */
export type Projection = Exclude<Selection, { kind: "star" }>;

/** How many rows the whole query is to give, with parameters filled in. */
export interface Counts {
  readonly top?: number;
  readonly offset?: number;
  readonly limit?: number;
}

/** The first rows of each range, as many as may be among those asked for. */
export function withFirstRows(query: Query, { top, offset, limit }: Counts): Query {
  const select = top === undefined ? query.select : { ...query.select, top: number(top) };
  if (offset === undefined || limit === undefined) return { ...query, select };
  const reach = number(Math.min(offset + limit, COUNT_MAX));
  return { ...query, select, offsetLimit: { span: nowhere(), offset: number(0), limit: reach } };
}

export function withoutCounts(query: Query): Query {
  const { offsetLimit: _offsetLimit, ...rest } = query;
  const { top: _top, ...select } = query.select;
  return { ...rest, select };
}

/** Rows with their order values; `alias` is the name of the item in the query. */
export function rewriteOrderBy(query: Query, alias: string): Query {
  const { select, where, orderBy } = query;
  const item = identifier(alias);
  const expressions = orderBy?.items.map(({ expression }) => expression) ?? [];
  const rows = selectList(select, [
    { span: nowhere(), expression: member(item, "_rid") },
    named("orderByItems", itemList(expressions)),
    named("payload", select.selection.kind === "star" ? item : payloadOf(select.selection)),
  ]);
  const filter = where === undefined ? RESUME_FILTER : and(where, RESUME_FILTER);
  if (select.selection.kind !== "value") return { ...query, select: rows, where: filter };
  // A row whose value is undefined is none, but would be one with an order value.
  const isDefined = call("IS_DEFINED", select.selection.expression);
  return { ...query, select: rows, where: and(filter, isDefined) };
}

/** Aggregates, with GROUP BY or without. A lone `SELECT VALUE` keeps its rows bare. */
export function rewriteGroups(query: Query, selection: Projection): Query {
  const { select, groupBy } = query;
  if (groupBy === undefined && selection.kind === "value") {
    const { span } = selection;
    const bare: Selection = { kind: "value", span, expression: payloadOf(selection) };
    return { ...query, select: { span, isDistinct: false, selection: bare } };
  }
  const groups = groupBy === undefined ? [] : [named("groupByItems", itemList(groupBy))];
  const payload = named("payload", payloadOf(selection));
  return { ...query, select: selectList(select, [...groups, payload]) };
}

export function payloadOf(selection: Projection): Expression {
  if (selection.kind === "list") {
    const names = memberNames(selection.items);
    return object(selection.items.map(({ expression }, at) => [names[at]!, partOf(expression)]));
  }
  const aggregate = aggregateOf(selection.expression);
  return aggregate === undefined ? selection.expression : array([partsOf(aggregate)]);
}

function partOf(expression: Expression): Expression {
  const aggregate = aggregateOf(expression);
  return aggregate === undefined ? expression : partsOf(aggregate);
}

/** What one range says about an aggregate, so that the whole can be told from all of them. */
function partsOf({ kind, call: written, argument }: Aggregate): ObjectLiteral {
  const count = call("COUNT", argument);
  switch (kind) {
    case "Average":
      return object([
        [
          "item",
          object([
            ["sum", call("SUM", argument)],
            ["count", count],
          ]),
        ],
      ]);
    case "Min":
    case "Max": {
      const extreme = object([
        [kind.toLowerCase(), written],
        ["count", count],
      ]);
      return object([
        ["item", written],
        ["item2", extreme],
      ]);
    }
    default:
      return object([["item", written]]);
  }
}

export function selectList(
  { span, top }: SelectClause,
  items: readonly SelectItem[],
): SelectClause {
  const selection: Selection = { kind: "list", span, items };
  return { span, isDistinct: false, ...(top && { top }), selection };
}

/** `[{"item": a}, {"item": b}]` */
export function itemList(expressions: readonly Expression[]): Expression {
  return array(expressions.map((expression) => object([["item", expression]])));
}

export function named(alias: string, expression: Expression): SelectItem {
  return { span: nowhere(), expression, alias };
}

export function array(elements: readonly Expression[]): Expression {
  return { kind: "array", span: nowhere(), elements };
}

export function object(
  members: readonly (readonly [name: string, value: Expression])[],
): ObjectLiteral {
  const span = nowhere();
  return { kind: "object", span, members: members.map(([name, value]) => ({ span, name, value })) };
}

export function call(name: string, ...args: readonly Expression[]): Call {
  const span = nowhere();
  return { kind: "call", span, name, nameSpan: span, isUdf: false, args };
}

export function member(item: Expression, name: string): Expression {
  return { kind: "member", span: nowhere(), object: item, name };
}

export function and(left: Expression, right: Expression): Expression {
  return { kind: "binary", span: nowhere(), operator: "AND", left, right };
}

export function number(value: number): NumberLiteral {
  return { kind: "number", span: nowhere(), value };
}

export function identifier(name: string): Identifier {
  return { kind: "identifier", span: nowhere(), name };
}
