/** Where a query aggregates. Subqueries are not looked into: their aggregates belong to them. */
import type { Call, Expression, Query, Selection } from "../language/ast.ts";
import { walkExpression } from "../language/visitor.ts";

/** Kinds of aggregates, by the names that client plans have for them. */
export type AggregateKind =
  | "Average"
  | "Count"
  | "CountIf"
  | "MakeList"
  | "MakeSet"
  | "Max"
  | "Min"
  | "Sum";

const KIND_OF: ReadonlyMap<string, AggregateKind> = new Map([
  ["AVG", "Average"],
  ["COUNT", "Count"],
  ["COUNTIF", "CountIf"],
  ["MAKELIST", "MakeList"],
  ["MAKESET", "MakeSet"],
  ["MAX", "Max"],
  ["MIN", "Min"],
  ["SUM", "Sum"],
]);

/** A call of an aggregate, with its one argument. */
export interface Aggregate {
  readonly kind: AggregateKind;
  readonly call: Call;
  readonly argument: Expression;
}

/**
 * Returns the aggregate that an expression is; undefined when an aggregate is only a part of it.
 */
export function aggregateOf(expression: Expression): Aggregate | undefined {
  if (expression.kind !== "call" || expression.isUdf) return undefined;
  const kind = KIND_OF.get(expression.name.toUpperCase());
  const [argument] = expression.args;
  if (kind === undefined || argument === undefined) return undefined;
  return { kind, call: expression, argument };
}

export function hasAggregate(expression: Expression): boolean {
  let isFound = false;
  walkExpression(expression, (part) => {
    isFound ||= aggregateOf(part) !== undefined;
  });
  return isFound;
}

/** True when a query makes one row of all its input, and so has a row even without any input. */
export function isAggregating({ select, groupBy }: Query): boolean {
  return groupBy === undefined && selectedBy(select.selection).some(hasAggregate);
}

export function selectedBy(selection: Selection): readonly Expression[] {
  if (selection.kind === "star") return [];
  if (selection.kind === "value") return [selection.expression];
  return selection.items.map(({ expression }) => expression);
}
