/**
 * Binding of FROM: each source gets a slot, and sees the sources to its left.
 *
 * The container itself is named by the first source of the outermost query, or of a subquery that
 * is that first source; any name that is not in sight will do. Every other source is a value of a
 * source to its left. A plain subquery in the first place is merged into the query around it, so
 * that its filter can use the index.
 */
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Collection, Expression, FromSource, Query } from "../language/ast.ts";
import type { Binding } from "./binding.ts";
import { fail, failAt } from "./binding.ts";
import type { Bound, BoundQuery, BoundSource } from "./bound.ts";
import { isGrouped } from "./bound.ts";
import type { ExpressionPlace } from "./expressions.ts";
import { bindExpression } from "./expressions.ts";
import type { Scope } from "./scope.ts";
import { withName } from "./scope.ts";

export interface BoundFrom {
  readonly sources: readonly BoundSource[];
  /** Conditions that came with sources: the filters of merged subqueries. */
  readonly filters: readonly Bound[];
  readonly scope: Scope;
  /** Slots of this query's own sources; `SELECT *` gives the first one. */
  readonly own: readonly number[];
}

interface FromPlace {
  readonly binding: Binding;
  readonly scope: Scope;
  placeAt(scope: Scope): ExpressionPlace;
  /** True when the first name may stand for the container. */
  readonly mayNameContainer: boolean;
  bindQuery(query: Query, scope: Scope, mayNameContainer: boolean): BoundQuery;
}

export function bindFrom(from: FromSource | undefined, place: FromPlace): BoundFrom {
  let bound: BoundFrom = { sources: [], filters: [], scope: place.scope, own: [] };
  if (from === undefined) return bound;
  const list = listOf(from);
  const { queryJoinsMax } = SERVICE_LIMITS;
  if (list.length - 1 > queryJoinsMax) {
    fail(`The query exceeded the maximum number of joins of ${queryJoinsMax}.`);
  }
  list.forEach((source, index) => {
    const mayNameContainer = place.mayNameContainer && index === 0;
    bound = bindSource(source, bound, { ...place, mayNameContainer });
  });
  return bound;
}

function listOf(source: FromSource): readonly FromSource[] {
  const list: FromSource[] = [];
  let rest = source;
  while (rest.kind === "join") {
    list.push(rest.right);
    rest = rest.left;
  }
  return [...list, rest].reverse();
}

function bindSource(source: FromSource, left: BoundFrom, place: FromPlace): BoundFrom {
  if (source.kind === "join") return fail("A JOIN on the right of a JOIN is not supported.");
  const { collection } = source;
  const isIterated = source.kind === "iterate";
  const alias = source.alias ?? inferredAlias(collection);
  if (collection.kind === "subquery") {
    return bindRows(collection.query, alias, isIterated, left, place);
  }
  const root = left.scope.find(collection.root);
  if (root === undefined && !place.mayNameContainer) {
    const { start } = collection.span;
    const span = { start, end: start + collection.root.length };
    return failAt("SC2001", `Identifier '${collection.root}' could not be resolved.`, span);
  }
  let from = left;
  let rootSlot = root;
  if (rootSlot === undefined) {
    rootSlot = place.binding.slots.next();
    place.binding.itemSlots.add(rootSlot);
    from = { ...from, sources: [...from.sources, { kind: "items", slot: rootSlot }] };
  }
  if (collection.steps.length === 0 && !isIterated) return named(from, alias, rootSlot);
  const scope = root === undefined ? withName(left.scope, collection.root, rootSlot) : left.scope;
  const value = bindExpression(pathExpression(collection), place.placeAt(scope));
  const slot = place.binding.slots.next();
  const kind = isIterated ? "elements" : "value";
  return named({ ...from, sources: [...from.sources, { kind, slot, value }] }, alias, slot);
}

function bindRows(
  query: Query,
  alias: string | undefined,
  isIterated: boolean,
  left: BoundFrom,
  place: FromPlace,
): BoundFrom {
  const { slots } = place.binding;
  const bound = place.bindQuery(query, left.scope, place.mayNameContainer);
  let from = left;
  let rowSlot: number;
  // Only the first source is merged: the filter of a later one has to act before the next source
  // multiplies the rows.
  if (place.mayNameContainer && isPlain(bound)) {
    rowSlot = slots.next();
    const row: BoundSource = { kind: "value", slot: rowSlot, value: rowOf(bound) };
    from = {
      ...from,
      sources: [...from.sources, ...bound.sources, row],
      filters: bound.where === undefined ? from.filters : [...from.filters, bound.where],
    };
  } else {
    rowSlot = slots.next();
    from = { ...from, sources: [...from.sources, { kind: "rows", slot: rowSlot, query: bound }] };
  }
  if (!isIterated) return named(from, alias, rowSlot);
  const slot = slots.next();
  const elements: BoundSource = { kind: "elements", slot, value: { kind: "slot", slot: rowSlot } };
  return named({ ...from, sources: [...from.sources, elements] }, alias, slot);
}

/**
 * True when the query has a row for every combination of sources that the filter lets through, and
 * nothing else.
 */
function isPlain(query: BoundQuery): boolean {
  const isCut = query.top !== undefined || query.offset !== undefined || query.limit !== undefined;
  return !isCut && !query.isDistinct && !isGrouped(query) && query.sources.length > 0;
}

function rowOf({ selection }: BoundQuery): Bound {
  return selection.kind === "value"
    ? selection.expression
    : { kind: "object", members: selection.members };
}

function named(from: BoundFrom, alias: string | undefined, slot: number): BoundFrom {
  const scope = alias === undefined ? from.scope : withName(from.scope, alias, slot);
  return { ...from, scope, own: [...from.own, slot] };
}

/** Returns a path of FROM as it would be written in SELECT. */
function pathExpression({
  root,
  steps,
  span,
}: Extract<Collection, { readonly kind: "path" }>): Expression {
  return steps.reduce<Expression>(
    (object, step) =>
      typeof step === "number"
        ? { kind: "index", span, object, index: { kind: "number", span, value: step } }
        : { kind: "member", span, object, name: step },
    { kind: "identifier", span, name: root },
  );
}

/** Returns the name of a source without an alias: `FROM c.address.city` is called `city`. */
function inferredAlias(collection: Collection): string | undefined {
  if (collection.kind === "subquery") return undefined;
  const last = collection.steps.at(-1);
  if (last === undefined) return collection.root;
  return typeof last === "string" ? last : undefined;
}
