/**
 * Decides whether an order can be read from the index. A single path can if it is indexed; several
 * paths can if there is a composite index of exactly these paths in these directions, or in all the
 * opposite ones. An order that the policy in force does not allow is refused, as in the service;
 * one that the policy allows but the index does not have yet is sorted instead.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { CompositeLayout } from "../../index/compositeTerm.ts";
import type { PathHash } from "../../index/hash.ts";
import { pathHashOf } from "../../index/hash.ts";
import type { BoundOrder } from "../bind/bound.ts";
import type { QueryProblem } from "../problem.ts";
import { refusedQuery } from "../problem.ts";
import type { IndexView } from "./indexView.ts";
import type { ItemPath, SlotPaths } from "./itemPaths.ts";
import { isOnePlace, itemPathOf } from "./itemPaths.ts";
import { CORRELATED, NOT_A_PATH } from "./orderProblems.ts";
import type { VectorOrder } from "./vectorOrder.ts";
import { vectorOrderOf } from "./vectorOrder.ts";

export type OrderAccess =
  | { readonly kind: "path"; readonly path: ItemPath; readonly hash: PathHash }
  | { readonly kind: "composite"; readonly layout: CompositeLayout }
  /**
   * No index has the order: the rows have to be sorted. `vector` is set when a vector index knows
   * which items come first.
   */
  | { readonly kind: "sort"; readonly vector?: VectorOrder | undefined };

export function orderAccessOf(
  orderBy: readonly BoundOrder[],
  paths: SlotPaths,
  index: IndexView,
): Result<OrderAccess | undefined, QueryProblem> {
  if (orderBy.length === 0) return ok(undefined);
  const vector = vectorOrderOf(orderBy, paths, index);
  if (vector !== undefined) return vector.ok ? ok({ kind: "sort", vector: vector.value }) : vector;
  if (isTextScore(orderBy)) return ok({ kind: "sort" });
  const read: ItemPath[] = [];
  for (const { expression, isComputed } of orderBy) {
    if (isComputed) continue;
    const path = itemPathOf(expression, paths);
    if (path === undefined) {
      if (!isPathLike(expression.kind)) return no(NOT_A_PATH);
      // The value of the parameter, and so the property, is known only when the query runs.
      if (isOnePlace(expression, paths)) continue;
      return no(CORRELATED);
    }
    if (!path.isOne && !isOnePlace(expression, paths)) {
      return no(CORRELATED);
    }
    if (path.segments.length === 0) return no(NOT_A_PATH);
    read.push(path);
  }
  if (read.length < orderBy.length) return ok({ kind: "sort" });
  const access =
    orderBy.length === 1 ? singleAccess(read[0]!, index) : compositeAccess(orderBy, read, index);
  // The index knows the values of the elements, but not which of them is the one asked for.
  return access.ok && read.some(({ isOne }) => !isOne) ? ok({ kind: "sort" }) : access;
}

/**
 * True when rows of a subquery can be put in this order: each expression must be a place in the
 * row. No index has these values, and none is needed.
 */
export function isOrderOfRows(orderBy: readonly BoundOrder[], rowSlot: number): boolean {
  const paths: SlotPaths = new Map([[rowSlot, { segments: [], isOne: true }]]);
  return orderBy.every(({ expression }) => isOnePlace(expression, paths));
}

/**
 * True for an order by one text score: clients that rank rows themselves ask for the best of each
 * score.
 */
function isTextScore([first, ...others]: readonly BoundOrder[]): boolean {
  if (first === undefined || others.length > 0 || first.expression.kind !== "call") return false;
  return first.expression.builtIn.name === "_FULLTEXTSCORE";
}

function isPathLike(kind: BoundOrder["expression"]["kind"]): boolean {
  return kind === "member" || kind === "slot" || kind === "index";
}

function singleAccess(path: ItemPath, index: IndexView): Result<OrderAccess, QueryProblem> {
  if (!index.isIncluded(path.segments)) {
    return no(
      refusedQuery("The index path corresponding to the specified order-by item is excluded."),
    );
  }
  const isReady = index.isComplete && index.isIndexed(path.segments);
  return ok(isReady ? { kind: "path", path, hash: pathHashOf(path.segments) } : { kind: "sort" });
}

function compositeAccess(
  orderBy: readonly BoundOrder[],
  read: readonly ItemPath[],
  index: IndexView,
): Result<OrderAccess, QueryProblem> {
  const isFirstDescending = orderBy[0]!.isDescending;
  const layout = index.composites.find(
    ({ steps }) =>
      steps.length === orderBy.length &&
      steps.every(
        (step, at) =>
          step.isDescending === (orderBy[at]!.isDescending !== isFirstDescending) &&
          step.path.length === read[at]!.segments.length &&
          step.path.every((name, depth) => name === read[at]!.segments[depth]),
      ),
  );
  if (layout === undefined) {
    if (index.isAnyOrderSorted) return ok({ kind: "sort" });
    return no(
      refusedQuery(
        "The order by query does not have a corresponding composite index that it can be served " +
          "from.",
      ),
    );
  }
  return ok(index.isComplete ? { kind: "composite", layout } : { kind: "sort" });
}
