/**
 * The queries that clients send to the single ranges in place of the one that was asked: rows that
 * carry what is needed to merge them, and parts of aggregates in place of aggregates.
 *
 * There is one function for each shape. All of them return trees; the printer makes them text.
 * Clauses that a client carries out itself after merging (DISTINCT, TOP and OFFSET LIMIT behind it)
 * are left out.
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

/**
 * The placeholder where clients put a condition when they go on after an interruption, and `true`
 * otherwise.
 */
export const RESUME_FILTER: Identifier = identifier(
  "({documentdb-formattableorderbyquery-filter})",
);

/** Largest count that the server accepts in a query text. */
export const COUNT_MAX: number = 2 ** 32 - 1;

/**
 * Returns a place in the text for parts that nobody wrote. This is a function because other
 * constants of this file need the place before a constant would be defined.
 */
export function nowhere(): Span {
  return { start: 0, end: 0 };
}

/** A selection other than `*`. */
type Projection = Exclude<Selection, { kind: "star" }>;

/** How many rows the whole query gives, with the values of parameters. */
export interface Counts {
  readonly top?: number;
  readonly offset?: number;
  readonly limit?: number;
}

/** Returns the query for the first rows of each range: as many as may be among those asked for. */
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

/**
 * Returns the query for rows with their order values; `alias` is the name of the item in the query.
 */
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
  // A row whose value is undefined is not given, but would be with order values beside it.
  const isDefined = call("IS_DEFINED", select.selection.expression);
  return { ...query, select: rows, where: and(filter, isDefined) };
}

/**
 * Returns the query for parts of aggregates, with GROUP BY or without. A `SELECT VALUE` without
 * GROUP BY keeps its rows bare.
 */
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

/**
 * Returns what one range says about an aggregate; the client computes the whole from all ranges.
 */
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

/** Returns `[{"item": a}, {"item": b}]`. */
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
