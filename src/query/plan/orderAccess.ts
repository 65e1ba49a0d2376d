/**
 * Can an order be had from the index? A single path can if it is indexed, several if there is a
 * composite index of just these paths in these directions, or in all the opposite ones. What the
 * policy in force does not allow is refused, as the service does; what it allows but the index does
 * not have yet is sorted instead.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { CompositeLayout } from "../../index/compositeTerm.ts";
import type { PathHash } from "../../index/hash.ts";
import { pathHashOf } from "../../index/hash.ts";
import type { Bound, BoundOrder } from "../bind/bound.ts";
import type { QueryProblem } from "../problem.ts";
import { refusedQuery } from "../problem.ts";
import type { IndexView } from "./indexView.ts";
import type { ItemPath, SlotPaths } from "./itemPaths.ts";
import { itemPathOf } from "./itemPaths.ts";

export type OrderAccess =
  | { readonly kind: "path"; readonly path: ItemPath; readonly hash: PathHash }
  | { readonly kind: "composite"; readonly layout: CompositeLayout }
  /** No index has it: the rows have to be sorted. */
  | { readonly kind: "sort" };

const NOT_A_PATH: QueryProblem = {
  kind: "diagnostics",
  diagnostics: [
    {
      code: 2206,
      message:
        "Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to a document " +
        "path.",
    },
  ],
};

export function orderAccessOf(
  orderBy: readonly BoundOrder[],
  paths: SlotPaths,
  index: IndexView,
): Result<OrderAccess | undefined, QueryProblem> {
  if (orderBy.length === 0) return ok(undefined);
  const read: ItemPath[] = [];
  for (const { expression, isComputed } of orderBy) {
    if (isComputed) continue;
    const path = itemPathOf(expression, paths);
    if (path === undefined) {
      if (!isPathLike(expression.kind)) return no(NOT_A_PATH);
      // Which property a parameter names is known only when the query runs.
      if (isOnePlace(expression, paths)) continue;
      return no(refusedQuery("Order-by over correlated collections is not supported."));
    }
    if (!path.isOne && !isOnePlace(expression, paths)) {
      return no(refusedQuery("Order-by over correlated collections is not supported."));
    }
    if (path.segments.length === 0) return no(NOT_A_PATH);
    read.push(path);
  }
  if (read.length < orderBy.length) return ok({ kind: "sort" });
  const access =
    orderBy.length === 1 ? singleAccess(read[0]!, index) : compositeAccess(orderBy, read, index);
  // The index knows what elements there are, not which of them is the one asked for.
  return access.ok && read.some(({ isOne }) => !isOne) ? ok({ kind: "sort" }) : access;
}

/** A place in the item that its steps name, as in `c.tags[0].name` or `c[@name]`. */
function isOnePlace(expression: Bound, paths: SlotPaths): boolean {
  if (expression.kind === "slot") return paths.get(expression.slot)?.isOne === true;
  if (expression.kind === "member") return isOnePlace(expression.object, paths);
  if (expression.kind !== "index") return false;
  const isNamed = expression.index.kind === "constant" || expression.index.kind === "parameter";
  return isNamed && isOnePlace(expression.object, paths);
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
