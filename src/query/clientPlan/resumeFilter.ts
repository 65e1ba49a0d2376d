/**
 * A query with an order as clients send it to a single range, without the condition by which they
 * go on after an interruption.
 *
 * Clients put that condition where the rewritten text has its placeholder (`planRewrite.ts`). The
 * condition is `true` at first, and says "not before these values" when a query goes on; with it
 * clients send the continuation that they got under `true`. So both texts are one query, and this
 * file recognises it.
 *
 * Only a condition about the order is ever taken away: comparisons of order expressions with
 * literals, tests of their types, and AND, OR and NOT of those.
 */
import type { Binary, Expression, Query } from "../language/ast.ts";
import { printExpression } from "../language/printer.ts";

/** Returns the query without the condition, or the very same query if it has none. */
export function withoutResumeFilter(query: Query): Query {
  const { where, orderBy } = query;
  const payload = payloadIn(query);
  if (where === undefined || orderBy === undefined || payload === undefined) return query;
  const order = orderBy.items.map(({ expression }) => printExpression(expression));
  const isDefined = `IS_DEFINED(${printExpression(payload)})`;
  const isGuarded = isAnd(where) && printExpression(where.right) === isDefined;
  const kept = filterWithout(isGuarded ? where.left : where, order);
  const { where: _where, ...rest } = query;
  if (kept === undefined) return isGuarded ? { ...rest, where: where.right } : rest;
  return { ...rest, where: isGuarded ? { ...where, left: kept } : kept };
}

/**
 * Returns the payload of rows that carry their order values; undefined if the query has other rows.
 */
function payloadIn({ select: { selection } }: Query): Expression | undefined {
  if (selection.kind !== "list" || selection.items.length !== 3) return undefined;
  const [rid, values, payload] = selection.items;
  const isRid = rid!.expression.kind === "member" && rid!.expression.name === "_rid";
  if (!isRid || values!.alias !== "orderByItems" || payload!.alias !== "payload") return undefined;
  return payload!.expression;
}

/** Returns the filter that the user wrote; undefined if there was none. */
function filterWithout(filter: Expression, order: readonly string[]): Expression | undefined {
  if (!isAnd(filter)) return isAboutOrder(filter, order) ? undefined : filter;
  if (isOfColumns(filter, order)) return undefined;
  return isAboutOrder(filter.right, order) ? filter.left : filter;
}

/**
 * True when the whole filter is a condition to go on. The JavaScript client joins a comparison for
 * each column by AND. Without a filter of the user that is the whole filter, and looks as if its
 * last column came behind a filter.
 */
function isOfColumns(filter: Binary, order: readonly string[]): boolean {
  const columns = conjunctsOf(filter).map((part) => columnIn(part, order));
  return columns.every((column, at) => column >= 0 && (at === 0 || column > columns[at - 1]!));
}

function conjunctsOf(filter: Expression): readonly Expression[] {
  const found: Expression[] = [];
  let rest = filter;
  for (; isAnd(rest); rest = rest.left) found.unshift(rest.right);
  return [rest, ...found];
}

/** Returns which column a condition bounds; -1 if it bounds none. */
function columnIn(part: Expression, order: readonly string[]): number {
  if (part.kind !== "binary" || !BOUNDS.has(part.operator) || !isLiteral(part.right)) return -1;
  return order.indexOf(printExpression(part.left));
}

function isAboutOrder(expression: Expression, order: readonly string[]): boolean {
  switch (expression.kind) {
    case "word":
      return typeof expression.value === "boolean";
    case "unary":
      return expression.operator === "NOT" && isAboutOrder(expression.operand, order);
    case "call": {
      const [argument, ...others] = expression.args;
      const isTypeTest = /^IS_\w+$/i.test(expression.name) && !expression.isUdf;
      const isOne = argument !== undefined && others.length === 0;
      return isTypeTest && isOne && order.includes(printExpression(argument));
    }
    case "binary": {
      const { operator, left, right } = expression;
      if (operator === "AND" || operator === "OR") {
        return isAboutOrder(left, order) && isAboutOrder(right, order);
      }
      return COMPARISONS.has(operator) && isLiteral(right) && order.includes(printExpression(left));
    }
    default:
      return false;
  }
}

const BOUNDS: ReadonlySet<string> = new Set([">", ">=", "<", "<="]);
const COMPARISONS: ReadonlySet<string> = new Set([...BOUNDS, "=", "!="]);

function isLiteral(expression: Expression): boolean {
  switch (expression.kind) {
    case "number":
    case "string":
    case "word":
      return true;
    case "unary":
      return expression.operator !== "NOT" && isLiteral(expression.operand);
    case "array":
      return expression.elements.every(isLiteral);
    case "object":
      return expression.members.every(({ value }) => isLiteral(value));
    default:
      return false;
  }
}

function isAnd(expression: Expression): expression is Binary {
  return expression.kind === "binary" && expression.operator === "AND";
}
