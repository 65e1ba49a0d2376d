/**
 * Which place of the item an expression stands for, if it is a plain path: `c.a.b`, `c["a"].b`,
 * `a.b` after `FROM c.a`. A scope knows what the aliases of a query stand for.
 *
 * An alias that hides another one hides its path too. Names that a scope does not know, elements of
 * arrays and rows of subqueries have no path.
 *
 * Not here: problems with names that nobody declared (`bind`).
 */
import type { Collection, Expression, FromSource } from "../language/ast.ts";
import { sourcesOf } from "../language/visitor.ts";
import type { KnownParameters } from "./constants.ts";
import { constantOf } from "./constants.ts";

/** A path from the root of the item. A number is a position in an array. */
export type TreePath = readonly (string | number)[];

/** The path of each alias; `undefined` when it stands for something else. */
export type AliasPaths = ReadonlyMap<string, TreePath | undefined>;

/** The scope without an alias: the first name that FROM gives is that of the container. */
export const OUTERMOST: AliasPaths = new Map();

export function withAlias(
  scope: AliasPaths,
  alias: string,
  path: TreePath | undefined,
): AliasPaths {
  return new Map(scope).set(alias, path);
}

export function pathOf(
  expression: Expression,
  scope: AliasPaths,
  parameters: KnownParameters,
): TreePath | undefined {
  if (expression.kind === "identifier") return scope.get(expression.name);
  if (expression.kind !== "member" && expression.kind !== "index") return undefined;
  const path = pathOf(expression.object, scope, parameters);
  if (path === undefined) return undefined;
  if (expression.kind === "member") return [...path, expression.name];
  const step = constantOf(expression.index, parameters)?.value;
  return typeof step === "string" || typeof step === "number" ? [...path, step] : undefined;
}

/** Returns the place that a path in FROM stands for. */
export function pathOfCollection(
  collection: Extract<Collection, { kind: "path" }>,
  scope: AliasPaths,
): TreePath | undefined {
  const root = scope.size === 0 ? [] : scope.get(collection.root);
  return root && [...root, ...collection.steps];
}

/** Returns the name of `FROM c.a.b` when the query gives it none. */
export function impliedAlias({
  root,
  steps,
}: Extract<Collection, { kind: "path" }>): string | undefined {
  const last = steps.at(-1) ?? root;
  return typeof last === "string" ? last : undefined;
}

/** Returns the name of the first source of FROM; undefined when it has none. */
export function firstAliasOf(from: FromSource | undefined): string | undefined {
  const first = sourcesOf(from)[0];
  if (first?.alias !== undefined) return first.alias;
  return first?.collection.kind === "path" ? impliedAlias(first.collection) : undefined;
}
