/**
 * Walks through bound expressions: what an expression depends on, and a copy with a part replaced.
 */
import type { Bound, BoundQuery } from "./bound.ts";

/** Returns the expressions directly inside another; those of subqueries are not among them. */
export function partsOf(bound: Bound): readonly Bound[] {
  switch (bound.kind) {
    case "constant":
    case "parameter":
    case "slot":
    case "subquery":
      return [];
    case "member":
      return [bound.object];
    case "index":
      return [bound.object, bound.index];
    case "array":
      return bound.elements;
    case "object":
      return bound.members.map(({ value }) => value);
    case "unary":
      return [bound.operand];
    case "binary":
      return [bound.left, bound.right];
    case "conditional":
      return [bound.condition, bound.whenTrue, bound.otherwise];
    case "between":
      return [bound.operand, bound.low, bound.high];
    case "in":
      return [bound.needle, ...bound.list];
    case "like":
      return [bound.text, bound.pattern];
    case "call":
    case "userCall":
      return bound.args;
    case "let":
      return [bound.value, bound.body];
  }
}

/** True when the expression has the same value for every row of one execution. */
export function isConstant(bound: Bound): boolean {
  if (bound.kind === "slot" || bound.kind === "subquery" || bound.kind === "let") return false;
  if (bound.kind === "userCall") return false;
  if (bound.kind === "call" && !bound.builtIn.isPure) return false;
  return partsOf(bound).every(isConstant);
}

/**
 * Returns a copy in which parts are replaced. `replace` gives another expression for a part, or
 * undefined to look inside it.
 */
export function replaced(bound: Bound, replace: (part: Bound) => Bound | undefined): Bound {
  const found = replace(bound);
  if (found !== undefined) return found;
  const inside = (part: Bound): Bound => replaced(part, replace);
  switch (bound.kind) {
    case "constant":
    case "parameter":
    case "slot":
    case "subquery":
      return bound;
    case "member":
      return { ...bound, object: inside(bound.object) };
    case "index":
      return { ...bound, object: inside(bound.object), index: inside(bound.index) };
    case "array":
      return { ...bound, elements: bound.elements.map(inside) };
    case "object":
      return {
        ...bound,
        members: bound.members.map(({ name, value }) => ({ name, value: inside(value) })),
      };
    case "unary":
      return { ...bound, operand: inside(bound.operand) };
    case "binary":
      return { ...bound, left: inside(bound.left), right: inside(bound.right) };
    case "conditional":
      return {
        ...bound,
        condition: inside(bound.condition),
        whenTrue: inside(bound.whenTrue),
        otherwise: inside(bound.otherwise),
      };
    case "between":
      return {
        ...bound,
        operand: inside(bound.operand),
        low: inside(bound.low),
        high: inside(bound.high),
      };
    case "in":
      return { ...bound, needle: inside(bound.needle), list: bound.list.map(inside) };
    case "like":
      return { ...bound, text: inside(bound.text), pattern: inside(bound.pattern) };
    case "call":
    case "userCall":
      return { ...bound, args: bound.args.map(inside) };
    case "let":
      return { ...bound, value: inside(bound.value), body: inside(bound.body) };
  }
}

/** Returns the conditions of a conjunction. */
export function conjunctsOf(bound: Bound | undefined): readonly Bound[] {
  if (bound === undefined) return [];
  const conjuncts: Bound[] = [];
  const waiting = [bound];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.kind === "binary" && next.operator === "AND") waiting.push(next.right, next.left);
    else conjuncts.push(next);
  }
  return conjuncts;
}

export function selectedIn({ selection }: BoundQuery): readonly Bound[] {
  return selection.kind === "value"
    ? [selection.expression]
    : selection.members.map(({ value }) => value);
}

/**
 * Returns every expression of a query that is evaluated for a row; those of subqueries in FROM are
 * not among them.
 */
export function expressionsOf(query: BoundQuery): readonly Bound[] {
  return [
    ...query.sources.flatMap((source) =>
      source.kind === "value" || source.kind === "elements" ? [source.value] : [],
    ),
    ...(query.where === undefined ? [] : [query.where]),
    ...(query.groupBy ?? []).map(({ expression }) => expression),
    ...query.aggregates.map(({ argument }) => argument),
    ...query.orderBy.map(({ expression }) => expression),
    ...selectedIn(query),
  ];
}

/** True when the expression, or a subquery in it, calls user-defined functions. */
export function callsFunctions(bound: Bound): boolean {
  const waiting = [bound];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.kind === "userCall") return true;
    if (next.kind === "subquery" && queryCallsFunctions(next.query)) return true;
    for (const part of partsOf(next)) waiting.push(part);
  }
  return false;
}

export function queryCallsFunctions(query: BoundQuery): boolean {
  return (
    expressionsOf(query).some(callsFunctions) ||
    query.sources.some((source) => source.kind === "rows" && queryCallsFunctions(source.query))
  );
}
