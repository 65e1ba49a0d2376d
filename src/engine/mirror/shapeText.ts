/**
 * The text by which queries of one shape are known: the canonical text with a question mark for
 * every value that a program fills in. `true`, `false`, `null` and `undefined` stay, and so do
 * positions in arrays and what COUNT counts: these belong to the program, not to one call of it. A
 * list of values is one question mark, however long the list is.
 */
import { aggregateOf } from "../../query/keyRanges/aggregates.ts";
import type { Count, Expression, Parameter, Query } from "../../query/language/ast.ts";
import { printQuery } from "../../query/language/printer.ts";
import { mapExpression, mapQuery } from "../../query/language/visitor.ts";

const BLANK: Parameter = { kind: "parameter", span: { start: 0, end: 0 }, name: "?" };

/** Prints a query once: the tree of a prepared query is the same for all its requests. */
export function shapeTextOf(query: Query): string {
  const known = PRINTED.get(query);
  if (known !== undefined) return known;
  const text = printQuery(withoutCounts(mapQuery(query, blanked))).replaceAll("\n", " ");
  PRINTED.set(query, text);
  return text;
}

const PRINTED = new WeakMap<Query, string>();

function withoutCounts(query: Query): Query {
  const { select, offsetLimit } = query;
  const blank = (_count: Count): Count => BLANK;
  return {
    ...query,
    select: { ...select, ...(select.top && { top: blank(select.top) }) },
    ...(offsetLimit && {
      offsetLimit: {
        ...offsetLimit,
        offset: blank(offsetLimit.offset),
        limit: blank(offsetLimit.limit),
      },
    }),
  };
}

function blanked(expression: Expression): Expression | undefined {
  if (isFilledIn(expression)) return BLANK;
  if (expression.kind === "in" && expression.list.every(isConstant)) {
    return { ...expression, needle: mapExpression(expression.needle, blanked), list: [BLANK] };
  }
  if (expression.kind === "index" && expression.index.kind === "number") {
    return { ...expression, object: mapExpression(expression.object, blanked) };
  }
  const counted = aggregateOf(expression);
  return counted?.kind === "Count" && counted.argument.kind === "number" ? expression : undefined;
}

/** True of a value that is more than one of the four words. */
function isFilledIn(expression: Expression): boolean {
  return expression.kind !== "word" && isConstant(expression);
}

function isConstant(expression: Expression): boolean {
  switch (expression.kind) {
    case "number":
    case "string":
    case "word":
    case "parameter":
      return true;
    case "unary":
      return expression.operator !== "NOT" && isConstant(expression.operand);
    case "array":
      return expression.elements.every(isConstant);
    case "object":
      return expression.members.every(({ value }) => isConstant(value));
    default:
      return false;
  }
}
