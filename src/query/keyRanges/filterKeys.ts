/**
 * The partition keys of the items that a query can select, by its FROM and WHERE.
 *
 * The conditions that narrow the keys are those of the service's own plans: equality, IN, bare
 * booleans, IS_NULL, IS_BOOL, ABS, ARRAY_CONTAINS over constants and LIKE without wildcards, joined
 * by AND, OR and NOT. A hash does not keep the order of values, so `<` and `>` do not narrow. An
 * array or an object at the place of the key counts as no value, and its item is found where items
 * without a value are.
 *
 * A condition has three outcomes. `keysWhere` asks where it can be true, or where it can be false,
 * each by its own rules; everything else is undefined, so NOT is the same question with the other
 * outcome.
 */
import type { JsonValue } from "../../json/value.ts";
import type { KeyComponent } from "../../model/partitionKey.ts";
import { compileLike } from "../functions/likePattern.ts";
import type { Binary, Call, Expression, FromSource, InList, Like, Query } from "../language/ast.ts";
import { isAggregating } from "./aggregates.ts";
import type { KnownParameters } from "./constants.ts";
import { constantOf } from "./constants.ts";
import {
  type AliasPaths,
  impliedAlias,
  OUTERMOST,
  pathOf,
  pathOfCollection,
  withAlias,
} from "./itemPaths.ts";
import { EVERY_KEY, intersectionOf, type KeySet, keysAt, NO_KEY, unionOf } from "./keySet.ts";

/** What the walk through a filter has to know. */
interface Search {
  /** The levels of the key as paths; `undefined` where no expression can name the stored value. */
  readonly paths: readonly (readonly string[] | undefined)[];
  readonly parameters: KnownParameters;
}

export function keysSelected(query: Query, search: Search): KeySet {
  return keysOfRows(query, OUTERMOST, search);
}

/** Returns the keys of items for which FROM and WHERE leave a row. */
function keysOfRows(query: Query, outer: AliasPaths, search: Search): KeySet {
  const { keys, scope } = keysOfSource(query.from, outer, search);
  if (query.where === undefined) return keys;
  return intersectionOf([keys, keysWhere(query.where, true, scope, search)]);
}

/** Returns the keys of items for which a subquery has a row. */
function keysOfSubquery(query: Query, outer: AliasPaths, search: Search): KeySet {
  return isAggregating(query) ? EVERY_KEY : keysOfRows(query, outer, search);
}

function keysOfSource(
  source: FromSource | undefined,
  outer: AliasPaths,
  search: Search,
): { readonly keys: KeySet; readonly scope: AliasPaths } {
  if (source === undefined) return { keys: EVERY_KEY, scope: outer };
  if (source.kind === "join") {
    const left = keysOfSource(source.left, outer, search);
    const right = keysOfSource(source.right, left.scope, search);
    return { keys: intersectionOf([left.keys, right.keys]), scope: right.scope };
  }
  const { collection } = source;
  if (collection.kind === "subquery") {
    const keys = keysOfSubquery(collection.query, outer, search);
    const { alias } = source;
    return { keys, scope: alias === undefined ? outer : withAlias(outer, alias, undefined) };
  }
  const path = source.kind === "iterate" ? undefined : pathOfCollection(collection, outer);
  const alias = source.alias ?? impliedAlias(collection);
  const scope = alias === undefined ? outer : withAlias(outer, alias, path);
  return { keys: EVERY_KEY, scope };
}

/** Returns the keys of items for which an expression can be `wanted`, and not undefined. */
function keysWhere(
  expression: Expression,
  wanted: boolean,
  scope: AliasPaths,
  search: Search,
): KeySet {
  const constant = constantOf(expression, search.parameters);
  if (constant !== undefined) return constant.value === wanted ? EVERY_KEY : NO_KEY;
  switch (expression.kind) {
    case "identifier":
    case "member":
    case "index":
      return keysWithValue(expression, [wanted], scope, search);
    case "unary":
      // The other unary operators give a number, or undefined.
      if (expression.operator !== "NOT") return NO_KEY;
      return keysWhere(expression.operand, !wanted, scope, search);
    case "binary":
      return keysOfBinary(expression, wanted, scope, search);
    case "in":
      return wanted === expression.isNegated ? EVERY_KEY : keysOfList(expression, scope, search);
    case "like":
      return wanted === expression.isNegated ? EVERY_KEY : keysOfLike(expression, scope, search);
    case "call":
      return keysOfCall(expression, wanted, scope, search);
    case "subquery":
      if (expression.form !== "exists") return keysWhenDefined(expression, scope, search);
      return wanted ? keysOfSubquery(expression.query, scope, search) : EVERY_KEY;
    case "let": {
      const path = pathOf(expression.value, scope, search.parameters);
      return keysWhere(expression.body, wanted, withAlias(scope, expression.name, path), search);
    }
    default:
      return EVERY_KEY;
  }
}

function keysOfBinary(
  expression: Binary,
  wanted: boolean,
  scope: AliasPaths,
  search: Search,
): KeySet {
  const { operator, left, right } = expression;
  switch (operator) {
    case "AND":
    case "OR": {
      const operands = operandsOf(expression).map((operand) =>
        keysWhere(operand, wanted, scope, search),
      );
      const needsAll = (operator === "AND") === wanted;
      return needsAll ? intersectionOf(operands) : unionOf(operands);
    }
    case "=":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=": {
      const isEquality = (operator === "=" && wanted) || (operator === "!=" && !wanted);
      return intersectionOf([
        isEquality ? keysWhenEqual(left, right, scope, search) : EVERY_KEY,
        keysWhenDefined(left, scope, search),
        keysWhenDefined(right, scope, search),
      ]);
    }
    default:
      return EVERY_KEY;
  }
}

/**
 * Returns the operands of a chain such as `a OR b OR c`. A chain may be long, so there is no
 * recursion.
 */
function operandsOf(chain: Binary): readonly Expression[] {
  const operands: Expression[] = [];
  const waiting: Expression[] = [chain];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.kind === "binary" && next.operator === chain.operator) {
      waiting.push(next.right, next.left);
    } else {
      operands.push(next);
    }
  }
  return operands;
}

/**
 * Returns the keys for which an expression can be defined. A comparison with undefined is
 * undefined, so a subquery in it must have a row.
 */
function keysWhenDefined(expression: Expression, scope: AliasPaths, search: Search): KeySet {
  if (expression.kind !== "subquery" || !NEEDS_ROW.has(expression.form)) return EVERY_KEY;
  return keysOfSubquery(expression.query, scope, search);
}

/** Forms that are undefined without a row. */
const NEEDS_ROW: ReadonlySet<string> = new Set(["scalar", "first", "last"]);

function keysWhenEqual(
  left: Expression,
  right: Expression,
  scope: AliasPaths,
  search: Search,
): KeySet {
  const constant = constantOf(right, search.parameters);
  const value = constant ?? constantOf(left, search.parameters);
  if (value === undefined) return EVERY_KEY;
  const other = constant === undefined ? right : left;
  if (value.value === undefined) return NO_KEY;
  const magnitude = magnitudeOf(other);
  if (magnitude === undefined) return keysWithValue(other, [value.value], scope, search);
  if (typeof value.value !== "number" || value.value < 0) return NO_KEY;
  return keysWithValue(magnitude, [value.value, -value.value], scope, search);
}

/** Returns the argument of `ABS`; undefined when the expression is no call of it. */
function magnitudeOf(expression: Expression): Expression | undefined {
  const isAbs = expression.kind === "call" && functionNamed(expression) === "ABS";
  return isAbs ? expression.args[0] : undefined;
}

function keysOfList({ needle, list }: InList, scope: AliasPaths, search: Search): KeySet {
  const values: JsonValue[] = [];
  for (const element of list) {
    const constant = constantOf(element, search.parameters);
    if (constant === undefined) return EVERY_KEY;
    if (constant.value !== undefined) values.push(constant.value);
  }
  return keysWithValue(needle, values, scope, search);
}

function keysOfLike(like: Like, scope: AliasPaths, search: Search): KeySet {
  const written = constantOf(like.pattern, search.parameters)?.value;
  if (typeof written !== "string") return EVERY_KEY;
  const { isLiteral, prefix } = compileLike(written, like.escape);
  return isLiteral ? keysWithValue(like.text, [prefix], scope, search) : EVERY_KEY;
}

function keysOfCall(call: Call, wanted: boolean, scope: AliasPaths, search: Search): KeySet {
  const [first, second] = call.args;
  const name = functionNamed(call);
  if (first === undefined) return EVERY_KEY;
  if (!wanted) {
    // IS_DEFINED narrows only when it must be false: an array or an object is defined, but has no
    // value as a key.
    return name === "IS_DEFINED"
      ? keysWithComponents(first, [undefined], scope, search)
      : EVERY_KEY;
  }
  switch (name) {
    case "IS_NULL":
      return keysWithValue(first, [null], scope, search);
    case "IS_BOOL":
    case "IS_BOOLEAN":
      return keysWithValue(first, [false, true], scope, search);
    case "ARRAY_CONTAINS":
    case "_TRY_ARRAY_CONTAINS": {
      const list = constantOf(first, search.parameters)?.value;
      if (!Array.isArray(list) || second === undefined) return EVERY_KEY;
      return keysWithValue(second, list as readonly JsonValue[], scope, search);
    }
    default:
      return EVERY_KEY;
  }
}

/** Returns the name in capitals; undefined for a user-defined function. */
function functionNamed({ isUdf, name }: Call): string | undefined {
  return isUdf ? undefined : name.toUpperCase();
}

/** Returns the keys of items that have one of these values at a place. */
function keysWithValue(
  place: Expression,
  values: readonly JsonValue[],
  scope: AliasPaths,
  search: Search,
): KeySet {
  const components = values.map((value) =>
    typeof value === "object" && value !== null ? undefined : value,
  );
  return keysWithComponents(place, components, scope, search);
}

function keysWithComponents(
  place: Expression,
  components: readonly KeyComponent[],
  scope: AliasPaths,
  search: Search,
): KeySet {
  const path = pathOf(place, scope, search.parameters);
  if (path === undefined) return EVERY_KEY;
  const level = search.paths.findIndex(
    (steps) => steps?.length === path.length && steps.every((step, index) => step === path[index]),
  );
  return level === -1 ? EVERY_KEY : keysAt(level, components);
}
