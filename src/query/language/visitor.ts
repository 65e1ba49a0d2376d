/**
 * Ways through a tree: the direct parts of an expression or a query, a walk over all parts, and the
 * same tree with some parts replaced.
 *
 * Parts come in the order of the text. Trees are never changed: a map shares every part that it
 * leaves as it is, and returns the very same tree if nothing was replaced.
 */
import type {
  Binary,
  Collection,
  Expression,
  FromSource,
  OrderBy,
  Query,
  Selection,
} from "./ast.ts";

type SingleSource = Exclude<FromSource, { kind: "join" }>;

/**
 * Returns the expressions directly inside another, without those in a subquery, whose names are
 * others.
 */
export function childrenOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "number":
    case "string":
    case "word":
    case "parameter":
    case "identifier":
    case "subquery":
      return [];
    case "member":
      return [expression.object];
    case "index":
      return [expression.object, expression.index];
    case "array":
      return expression.elements;
    case "object":
      return expression.members.map(({ value }) => value);
    case "unary":
      return [expression.operand];
    case "binary":
      return [expression.left, expression.right];
    case "conditional":
      return [expression.condition, expression.whenTrue, expression.otherwise];
    case "between":
      return [expression.operand, expression.low, expression.high];
    case "in":
      return [expression.needle, ...expression.list];
    case "like":
      return [expression.text, expression.pattern];
    case "call":
      return expression.args;
    case "let":
      return [expression.value, expression.body];
  }
}

/**
 * Returns the expressions directly in the clauses of a query; those inside its sources are not
 * among them.
 */
export function expressionsOf(query: Query): readonly Expression[] {
  return [...selectedOf(query.select.selection), ...laterOf(query)];
}

/**
 * Returns the direct parts of a tree. A subquery is a part of its expression, or of the query whose
 * source it is.
 */
export function partsOf(tree: Expression | Query): readonly (Expression | Query)[] {
  if ("kind" in tree) return tree.kind === "subquery" ? [tree.query] : childrenOf(tree);
  const fed = sourcesOf(tree.from).flatMap(({ collection }) =>
    collection.kind === "subquery" ? [collection.query] : [],
  );
  return [...selectedOf(tree.select.selection), ...fed, ...laterOf(tree)];
}

function laterOf({ where, groupBy, orderBy }: Query): readonly Expression[] {
  return [
    ...(where === undefined ? [] : [where]),
    ...(groupBy ?? []),
    ...(orderBy?.items.map(({ expression }) => expression) ?? []),
  ];
}

function selectedOf(selection: Selection): readonly Expression[] {
  switch (selection.kind) {
    case "star":
      return [];
    case "value":
      return [selection.expression];
    case "list":
      return selection.items.map(({ expression }) => expression);
  }
}

/** Returns the sources that a FROM joins, from left to right. */
export function sourcesOf(from: FromSource | undefined): readonly SingleSource[] {
  const found: SingleSource[] = [];
  const waiting = from === undefined ? [] : [from];
  for (let source = waiting.pop(); source !== undefined; source = waiting.pop()) {
    if (source.kind === "join") waiting.push(source.right, source.left);
    else found.push(source);
  }
  return found;
}

/** Visits an expression and everything in it, except what is inside subqueries. */
export function walkExpression(
  expression: Expression,
  visit: (expression: Expression) => void,
): void {
  walk(expression, visit, (tree) => ("kind" in tree ? childrenOf(tree) : []));
}

/** Visits every expression of a query, those of its sources and its subqueries too. */
export function walkExpressions(query: Query, visit: (expression: Expression) => void): void {
  walk(query, visit, partsOf);
}

function walk(
  root: Expression | Query,
  visit: (expression: Expression) => void,
  parts: (tree: Expression | Query) => readonly (Expression | Query)[],
): void {
  const waiting = [root];
  for (let tree = waiting.pop(); tree !== undefined; tree = waiting.pop()) {
    if ("kind" in tree) visit(tree);
    const found = parts(tree);
    for (let index = found.length - 1; index >= 0; index -= 1) waiting.push(found[index]!);
  }
}

/** Returns what stands in for an expression; undefined leaves it, and its parts are asked about. */
type Replace = (expression: Expression) => Expression | undefined;

/**
 * Returns the expression with parts replaced. Nothing is asked about the inside of a replacement. A
 * chain of operators is mapped in a loop, because it may be thousands long.
 */
export function mapExpression(expression: Expression, replace: Replace): Expression {
  const chain: Binary[] = [];
  let link = expression;
  let replaced = replace(link);
  while (link.kind === "binary" && replaced === undefined) {
    chain.push(link);
    link = link.left;
    replaced = replace(link);
  }
  const first = replaced ?? (link.kind === "binary" ? link : withParts(link, replace));
  return chain.reduceRight<Expression>(
    (left, binary) => changed(binary, { left, right: mapExpression(binary.right, replace) }),
    first,
  );
}

/** Returns the query with parts replaced, in its sources and subqueries as well. */
export function mapQuery(query: Query, replace: Replace): Query {
  const { select, from, where, groupBy, orderBy } = query;
  const selection = mapSelection(select.selection, replace);
  return changed(query, {
    select: changed(select, { selection }),
    ...(from && { from: mapSource(from, replace) }),
    ...(where && { where: mapExpression(where, replace) }),
    ...(groupBy && { groupBy: mapAll(groupBy, (key) => mapExpression(key, replace)) }),
    ...(orderBy && { orderBy: mapOrderBy(orderBy, replace) }),
  });
}

function withParts(expression: Exclude<Expression, Binary>, replace: Replace): Expression {
  const map = (part: Expression): Expression => mapExpression(part, replace);
  switch (expression.kind) {
    case "number":
    case "string":
    case "word":
    case "parameter":
    case "identifier":
      return expression;
    case "member":
      return changed(expression, { object: map(expression.object) });
    case "index":
      return changed(expression, {
        object: map(expression.object),
        index: map(expression.index),
      });
    case "array":
      return changed(expression, { elements: mapAll(expression.elements, map) });
    case "object":
      return changed(expression, {
        members: mapAll(expression.members, (member) =>
          changed(member, { value: map(member.value) }),
        ),
      });
    case "unary":
      return changed(expression, { operand: map(expression.operand) });
    case "conditional":
      return changed(expression, {
        condition: map(expression.condition),
        whenTrue: map(expression.whenTrue),
        otherwise: map(expression.otherwise),
      });
    case "between":
      return changed(expression, {
        operand: map(expression.operand),
        low: map(expression.low),
        high: map(expression.high),
      });
    case "in":
      return changed(expression, {
        needle: map(expression.needle),
        list: mapAll(expression.list, map),
      });
    case "like":
      return changed(expression, { text: map(expression.text), pattern: map(expression.pattern) });
    case "call":
      return changed(expression, { args: mapAll(expression.args, map) });
    case "subquery":
      return changed(expression, { query: mapQuery(expression.query, replace) });
    case "let":
      return changed(expression, { value: map(expression.value), body: map(expression.body) });
  }
}

function mapSelection(selection: Selection, replace: Replace): Selection {
  switch (selection.kind) {
    case "star":
      return selection;
    case "value":
      return changed(selection, { expression: mapExpression(selection.expression, replace) });
    case "list":
      return changed(selection, {
        items: mapAll(selection.items, (item) =>
          changed(item, { expression: mapExpression(item.expression, replace) }),
        ),
      });
  }
}

function mapSource(source: FromSource, replace: Replace): FromSource {
  if (source.kind === "join") {
    return changed(source, {
      left: mapSource(source.left, replace),
      right: mapSource(source.right, replace),
    });
  }
  return changed(source, { collection: mapCollection(source.collection, replace) });
}

function mapCollection(collection: Collection, replace: Replace): Collection {
  if (collection.kind === "path") return collection;
  return changed(collection, { query: mapQuery(collection.query, replace) });
}

function mapOrderBy(orderBy: OrderBy, replace: Replace): OrderBy {
  return changed(orderBy, {
    items: mapAll(orderBy.items, (item) =>
      changed(item, { expression: mapExpression(item.expression, replace) }),
    ),
  });
}

/** Maps a list; returns the same list if every element stays the same. */
function mapAll<T>(list: readonly T[], map: (element: T) => T): readonly T[] {
  const mapped = list.map(map);
  return mapped.every((element, index) => element === list[index]) ? list : mapped;
}

/** Returns the node with some parts changed; the same node if every part is the same. */
function changed<T extends object>(node: T, parts: Partial<T>): T {
  const keys = Object.keys(parts) as (keyof T)[];
  return keys.every((key) => node[key] === parts[key]) ? node : { ...node, ...parts };
}
