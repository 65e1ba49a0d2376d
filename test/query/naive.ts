/**
 * The query language by the book: a tree walker over all items, without names resolved ahead,
 * without plan, index or compilation. The engine is judged by it, so nothing is shared with the
 * engine but the parser and the scalar functions.
 *
 * Every expression is evaluated afresh for every row, and every clause for all rows before the
 * next one. What is refused before any item is looked at is in `naiveChecks.ts`; how rows are
 * compared when the language leaves their order open is in `judge.ts`.
 */
import type { JsonObject, JsonValue } from "../../src/json/value.ts";
import type { CallContext } from "../../src/query/functions/builtIn.ts";
import { builtInOf } from "../../src/query/functions/registry.ts";
import type {
  Call,
  Collection,
  Count,
  Expression,
  FromSource,
  OrderItem,
  Query,
  Subquery,
} from "../../src/query/language/ast.ts";
import { aggregateOf, isAggregate } from "./naiveAggregates.ts";
import { aliasOf, checkQuery, hasAggregate, outputName, Refused } from "./naiveChecks.ts";
import type { Value } from "./naiveValues.ts";
import { binary, isEqual, like, memberOf, orderOf, unary } from "./naiveValues.ts";

export type Parameters = Readonly<Record<string, JsonValue>>;

/** A row before TOP, OFFSET and LIMIT; rows of the same rank may change places. */
interface RankedRow {
  readonly row: JsonValue;
  readonly rank: number;
}

export type NaiveOutcome =
  | {
      readonly kind: "rows";
      readonly rows: readonly JsonValue[];
      /** All rows, of which `rows` are those from `offset` on. */
      readonly ranked: readonly RankedRow[];
      readonly offset: number;
    }
  | { readonly kind: "refused"; readonly code: string; readonly message: string };

/** What a name stands for. */
type Scope = Readonly<Record<string, Value>>;

/** One row of FROM, or the group of rows that an aggregate looks at. */
interface Place {
  readonly scope: Scope;
  readonly group?: readonly Scope[];
  readonly parameters: Parameters;
}

/** No expression can speak of it. */
const NAMELESS = "";
const NOWHERE: Scope = Object.freeze(Object.create(null) as Scope);

export function naiveRows(
  query: Query,
  items: readonly JsonObject[],
  parameters: Parameters = {},
): NaiveOutcome {
  try {
    checkQuery(query, parameters);
    const place = { scope: NOWHERE, parameters };
    const ranked = rankedRows(query, place, items);
    const [offset, end] = sliceOf(query, parameters);
    if (ranked.some(({ row }) => !isShowable(row))) throw new Refused("4001", "non-finite number");
    return { kind: "rows", rows: ranked.slice(offset, end).map(({ row }) => row), ranked, offset };
  } catch (refusal) {
    if (!(refusal instanceof Refused)) throw refusal;
    return { kind: "refused", code: refusal.code, message: refusal.message };
  }
}

function isShowable(value: JsonValue): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "object" || value === null || Object.values(value).every(isShowable);
}

function rankedRows(query: Query, place: Place, items?: readonly JsonObject[]): RankedRow[] {
  const { parameters } = place;
  const scopes = query.from === undefined ? [place.scope] : scopesOf(query.from, place, items);
  const kept = scopes.filter(
    (scope) => query.where === undefined || evaluate(query.where, { scope, parameters }) === true,
  );
  const places = groupsOf(query, kept, place);
  const ordered = query.orderBy?.kind === "items" ? sorted(places, query.orderBy.items) : places;
  const rows = ordered.map((one, index) => ({
    row: project(query, one),
    rank: "rank" in one ? (one.rank as number) : index,
  }));
  const defined = rows.filter((one): one is RankedRow => one.row !== undefined);
  if (!query.select.isDistinct) return defined;
  return defined.filter(
    ({ row }, index) => defined.findIndex((other) => isEqual(other.row, row)) === index,
  );
}

/** The rows of a query inside another one. */
function innerRows(query: Query, place: Place): readonly JsonValue[] {
  const [offset, end] = sliceOf(query, place.parameters);
  return rankedRows(query, place)
    .slice(offset, end)
    .map(({ row }) => row);
}

function sliceOf({ select, offsetLimit }: Query, parameters: Parameters): [number, number] {
  const countOf = (count: Count): number =>
    count.kind === "number" ? count.value : (parameters[count.name] as number);
  if (offsetLimit !== undefined) {
    const offset = countOf(offsetLimit.offset);
    return [offset, offset + countOf(offsetLimit.limit)];
  }
  return [0, select.top === undefined ? Number.POSITIVE_INFINITY : countOf(select.top)];
}

// FROM

function scopesOf(
  source: FromSource,
  place: Place,
  items?: readonly JsonObject[],
): readonly Scope[] {
  if (source.kind === "join") {
    return scopesOf(source.left, place, items).flatMap((scope) =>
      scopesOf(source.right, { ...place, scope }),
    );
  }
  const found = valuesOf(source.collection, place, items);
  const values =
    source.kind === "collection"
      ? found
      : found.flatMap((value) => (Array.isArray(value) ? (value as JsonValue[]) : []));
  return values.map((value) => bind(place.scope, aliasOf(source) ?? NAMELESS, value));
}

function valuesOf(
  collection: Collection,
  place: Place,
  items?: readonly JsonObject[],
): readonly JsonValue[] {
  if (collection.kind === "subquery") {
    if (items === undefined) return innerRows(collection.query, place);
    const [offset, end] = sliceOf(collection.query, place.parameters);
    const ranked = rankedRows(collection.query, place, items);
    return ranked.slice(offset, end).map(({ row }) => row);
  }
  const { root, steps } = collection;
  const isNamed = root in place.scope;
  const roots: readonly Value[] = isNamed ? [place.scope[root]] : (items ?? []);
  const ends = roots.map((start) => steps.reduce<Value>(memberOf, start));
  return ends.filter((end) => end !== undefined);
}

/** The name that was given last stands last, for `SELECT *`. */
function bind(scope: Scope, name: string, value: Value): Scope {
  const wider = Object.assign(Object.create(null) as Record<string, Value>, scope);
  delete wider[name];
  wider[name] = value;
  return wider;
}

// GROUP BY, ORDER BY, SELECT

function groupsOf(query: Query, scopes: readonly Scope[], place: Place): readonly Place[] {
  const { parameters } = place;
  const { groupBy } = query;
  if (groupBy === undefined) {
    if (!hasAggregate(query)) return scopes.map((scope) => ({ scope, parameters }));
    return [{ scope: scopes[0] ?? place.scope, group: scopes, parameters }];
  }
  const groups: { readonly key: readonly Value[]; readonly group: Scope[] }[] = [];
  for (const scope of scopes) {
    const key = groupBy.map((expression) => evaluate(expression, { scope, parameters }));
    const same = groups.find((one) => one.key.every((part, index) => isEqual(part, key[index])));
    if (same === undefined) groups.push({ key, group: [scope] });
    else same.group.push(scope);
  }
  return groups.map(({ group }) => ({ scope: group[0]!, group, parameters }));
}

function sorted(places: readonly Place[], items: readonly OrderItem[]): readonly Place[] {
  const keyed = places.map((place) => ({
    place,
    key: items.map(({ expression }) => evaluate(expression, place)),
  }));
  type Keyed = (typeof keyed)[number];
  const compare = (a: Keyed, b: Keyed): number => {
    for (const [index, { direction }] of items.entries()) {
      const order = orderOf(a.key[index], b.key[index]);
      if (order !== 0) return direction === "DESC" ? -order : order;
    }
    return 0;
  };
  const inOrder = keyed.toSorted(compare);
  let rank = 0;
  return inOrder.map((one, index) => {
    if (index > 0 && compare(inOrder[index - 1]!, one) !== 0) rank = index;
    return { ...one.place, rank };
  });
}

function project({ select: { selection } }: Query, place: Place): Value {
  if (selection.kind === "value") return evaluate(selection.expression, place);
  if (selection.kind === "star") return Object.values(place.scope).at(-1);
  let unnamedCount = 0;
  const members = selection.items.map(({ alias, expression }): [string, Value] => {
    const name = alias ?? outputName(expression) ?? `$${++unnamedCount}`;
    return [name, evaluate(expression, place)];
  });
  return objectOf(members);
}

/** Members with a value; the last of several with one name wins. */
function objectOf(members: readonly (readonly [string, Value])[]): JsonObject {
  const defined = members.filter(
    (member): member is [string, JsonValue] => member[1] !== undefined,
  );
  return Object.fromEntries(defined);
}

// Expressions

function evaluate(expression: Expression, place: Place): Value {
  const of = (part: Expression): Value => evaluate(part, place);
  switch (expression.kind) {
    case "number":
    case "string":
    case "word":
      return expression.value;
    case "parameter":
      return place.parameters[expression.name];
    case "identifier":
      return place.scope[expression.name];
    case "member":
      return memberOf(of(expression.object), expression.name);
    case "index":
      return memberOf(of(expression.object), of(expression.index));
    case "array":
      return expression.elements.map(of).filter((element) => element !== undefined);
    case "object":
      return objectOf(expression.members.map(({ name, value }) => [name, of(value)]));
    case "unary":
      return unary(expression.operator, of(expression.operand));
    case "binary":
      return binary(expression.operator, of(expression.left), of(expression.right));
    case "conditional":
      return of(expression.condition) === true ? of(expression.whenTrue) : of(expression.otherwise);
    case "between": {
      const operand = of(expression.operand);
      const isAbove = binary(">=", operand, of(expression.low));
      const isWithin = binary("AND", isAbove, binary("<=", operand, of(expression.high)));
      return expression.isNegated ? unary("NOT", isWithin) : isWithin;
    }
    case "in": {
      const needle = of(expression.needle);
      const hits = expression.list.map((element) => binary("=", needle, of(element)));
      const isIn = hits.reduce((left, right) => binary("OR", left, right));
      return expression.isNegated ? unary("NOT", isIn) : isIn;
    }
    case "like": {
      const isLike = like(of(expression.text), of(expression.pattern), expression.escape);
      return expression.isNegated ? unary("NOT", isLike) : isLike;
    }
    case "call":
      return callOf(expression, place);
    case "subquery":
      return subqueryOf(expression, place);
    case "let":
      return evaluate(expression.body, {
        ...place,
        scope: bind(place.scope, expression.name, of(expression.value)),
      });
  }
}

function callOf({ name, args }: Call, place: Place): Value {
  if (isAggregate(name)) {
    const scopes = place.group ?? [place.scope];
    const { parameters } = place;
    const values = scopes.map((scope) => evaluate(args[0]!, { scope, parameters }));
    return aggregateOf(name, values);
  }
  return builtInOf(name)!.call(
    args.map((argument) => evaluate(argument, place)),
    CONTEXT,
  );
}

function subqueryOf({ form, query }: Subquery, place: Place): Value {
  // Inside a group an inner query sees the values that the whole group shares.
  const rows = innerRows(query, { scope: place.scope, parameters: place.parameters });
  switch (form) {
    case "exists":
      return rows.length > 0;
    case "array":
      return rows;
    case "all":
      return rows.every((row) => row === true);
    case "first":
      return rows[0];
    case "last":
      return rows.at(-1);
    case "scalar":
      if (rows.length > 1) {
        throw new Refused(
          "",
          "The cardinality of a scalar subquery result set cannot be greater than one.",
        );
      }
      return rows[0];
  }
}

const NOW = 1_700_000_000_000;

/** Nothing that depends on time or chance can be judged, so both stand still. */
const CONTEXT: CallContext = {
  wallNow: () => NOW,
  startedAt: NOW,
  random: () => 0.5,
  geometry: "Geography",
  memo: (_kind, _key, make) => make(),
};
