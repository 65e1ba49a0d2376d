/**
 * Finds the places of the item that a query names, and what its literals and parameters are
 * compared with.
 *
 * `c.a = @x`, `c.a IN (@x, 2)`, `c.a BETWEEN @x AND @y`, `ARRAY_CONTAINS(@list, c.a)`: each of
 * these is a comparison with /a. A value inside a list or an object of the query is compared with
 * what the whole list or object is compared with. Names are looked up in sources and subqueries as
 * the language does.
 */

import type { JsonValue } from "../json/value.ts";
import type { AliasPaths, TreePath } from "../query/keyRanges/itemPaths.ts";
import {
  impliedAlias,
  OUTERMOST,
  pathOf,
  pathOfCollection,
  withAlias,
} from "../query/keyRanges/itemPaths.ts";
import type {
  Binary,
  Call,
  Expression,
  NumberLiteral,
  Parameter,
  Query,
  StringLiteral,
  WordLiteral,
} from "../query/language/ast.ts";
import { childrenOf, expressionsOf, sourcesOf } from "../query/language/visitor.ts";
import type { ParameterComparison } from "./recording.ts";

interface QueryUses {
  /** The literals and parameters of the query. */
  readonly occurrences: readonly Occurrence[];
  /** Places that are named without being compared with a literal or parameter. */
  readonly paths: readonly { readonly path: TreePath; readonly isSelected: boolean }[];
  /** True when the query names something that is no plain path. */
  readonly hasUnknownNames: boolean;
}

export interface Occurrence {
  readonly node: NumberLiteral | StringLiteral | WordLiteral | Parameter;
  readonly use: Use | undefined;
}

interface Use {
  readonly path: TreePath;
  readonly comparison: ParameterComparison;
}

interface Found {
  readonly occurrences: Occurrence[];
  readonly paths: { readonly path: TreePath; readonly isSelected: boolean }[];
  hasUnknownNames: boolean;
}

interface Visit {
  readonly expression: Expression;
  readonly use: Use | undefined;
}

const NO_VALUES: ReadonlyMap<string, JsonValue> = new Map();

export function usesOf(query: Query): QueryUses {
  const found: Found = { occurrences: [], paths: [], hasUnknownNames: false };
  visitQuery(query, OUTERMOST, found);
  return found;
}

function visitQuery(query: Query, outer: AliasPaths, found: Found): void {
  const scope = scopeWithin(query, outer, found);
  const { selection } = query.select;
  const selected =
    selection.kind === "value"
      ? [selection.expression]
      : selection.kind === "list"
        ? selection.items.map(({ expression }) => expression)
        : [];
  for (const expression of expressionsOf(query)) {
    const path = pathOf(expression, scope, NO_VALUES);
    if (path === undefined) visitExpression(expression, scope, found);
    else found.paths.push({ path, isSelected: selected.includes(expression) });
  }
}

function scopeWithin({ from }: Query, outer: AliasPaths, found: Found): AliasPaths {
  let scope = outer;
  for (const source of sourcesOf(from)) {
    const { collection } = source;
    if (collection.kind === "subquery") {
      visitQuery(collection.query, scope, found);
      if (source.alias !== undefined) scope = withAlias(scope, source.alias, undefined);
      continue;
    }
    const path = pathOfCollection(collection, scope);
    const alias = source.alias ?? impliedAlias(collection);
    const isEach = source.kind === "iterate";
    if (alias === undefined) found.hasUnknownNames = true;
    else scope = withAlias(scope, alias, path && (isEach ? [...path, 0] : path));
  }
  return scope;
}

/**
 * Visits all parts of an expression in a loop, because a chain of operators may be thousands long.
 */
function visitExpression(root: Expression, scope: AliasPaths, found: Found): void {
  const waiting: Visit[] = [{ expression: root, use: undefined }];
  for (let visit = waiting.pop(); visit !== undefined; visit = waiting.pop()) {
    const { expression, use } = visit;
    switch (expression.kind) {
      case "number":
      case "string":
      case "word":
      case "parameter":
        found.occurrences.push({ node: expression, use });
        continue;
      case "subquery":
        visitQuery(expression.query, scope, found);
        continue;
      case "identifier":
      case "member":
      case "index": {
        const path = pathOf(expression, scope, NO_VALUES);
        if (path !== undefined) {
          found.paths.push({ path, isSelected: false });
          continue;
        }
        found.hasUnknownNames = true;
      }
    }
    const parts = partsOf(expression, scope, use);
    for (let at = parts.length - 1; at >= 0; at--) waiting.push(parts[at]!);
  }
}

/** Returns the direct parts of an expression, each with what it is compared with. */
function partsOf(
  expression: Expression,
  scope: AliasPaths,
  use: Use | undefined,
): readonly Visit[] {
  const place = (of: Expression): TreePath | undefined => pathOf(of, scope, NO_VALUES);
  const against = (
    path: TreePath | undefined,
    comparison: ParameterComparison,
    ...parts: readonly Expression[]
  ): readonly Visit[] =>
    parts.map((part) => ({
      expression: part,
      use: path !== undefined && isOwn(part) ? { path, comparison } : undefined,
    }));
  switch (expression.kind) {
    case "binary": {
      const comparison = COMPARISONS.get(expression.operator);
      const { left, right } = expression;
      if (comparison === undefined) return against(undefined, "other", left, right);
      return [
        ...against(place(right), comparison, left),
        ...against(place(left), comparison, right),
      ];
    }
    case "between": {
      const { operand, low, high } = expression;
      const path = place(operand);
      return [...against(undefined, "other", operand), ...against(path, "range", low, high)];
    }
    case "in": {
      const { needle, list } = expression;
      return [...against(undefined, "other", needle), ...against(place(needle), "in", ...list)];
    }
    case "like": {
      const { text, pattern } = expression;
      const path = place(text);
      return [...against(undefined, "other", text), ...against(path, "other", pattern)];
    }
    case "call":
      return argumentsOf(expression, place).flatMap(({ part, path, comparison }) =>
        against(path, comparison, part),
      );
    case "array":
    case "object":
    case "unary": {
      const isInside = use !== undefined && use.comparison !== "in" && expression.kind !== "unary";
      const inner = isInside ? { path: use.path, comparison: "other" as const } : use;
      return childrenOf(expression).map((part) => ({ expression: part, use: inner }));
    }
    default:
      return against(undefined, "other", ...childrenOf(expression));
  }
}

const COMPARISONS: ReadonlyMap<Binary["operator"], ParameterComparison> = new Map([
  ["=", "equal"],
  ["!=", "other"],
  ["<", "range"],
  ["<=", "range"],
  [">", "range"],
  [">=", "range"],
]);

/**
 * True when an expression may consist of literals and parameters only; its parts are visited later.
 */
function isOwn({ kind }: Expression): boolean {
  return !["identifier", "member", "index", "call", "subquery", "binary"].includes(kind);
}

function argumentsOf(
  { name, args }: Call,
  place: (of: Expression) => TreePath | undefined,
): readonly { part: Expression; path: TreePath | undefined; comparison: ParameterComparison }[] {
  const paths = args.map(place);
  const [first, second] = paths;
  const upper = name.toUpperCase();
  if (upper === "ARRAY_CONTAINS" && second !== undefined) {
    return args.map((part) => ({ part, path: second, comparison: "in" }));
  }
  if (upper === "ARRAY_CONTAINS" && first !== undefined) {
    return args.map((part, at) => ({
      part,
      path: at === 1 ? [...first, 0] : undefined,
      comparison: "equal",
    }));
  }
  const comparison = upper === "STRINGEQUALS" ? "equal" : "other";
  const known = paths.filter((path) => path !== undefined);
  return args.map((part) => ({
    part,
    path: known.length === 1 ? known[0] : undefined,
    comparison,
  }));
}
