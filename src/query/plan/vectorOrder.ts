/**
 * `ORDER BY VectorDistance(...)`: what may be compared, and whether a vector index knows which
 * items come first.
 *
 * Both arguments must be places in the item or constants, as in any order. The index serves a
 * comparison of its own path with a constant, under every metric; any other comparison is made by
 * looking at all items, and gives the same rows.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Bound, BoundOrder } from "../bind/bound.ts";
import { isConstant } from "../bind/boundTrees.ts";
import { compile } from "../evaluate/compile.ts";
import type { Evaluate } from "../evaluate/run.ts";
import type { Metric } from "../functions/vector.ts";
import { isVectorBuiltIn } from "../functions/vector.ts";
import type { QueryProblem } from "../problem.ts";
import { refusedQuery } from "../problem.ts";
import type { IndexView, VectorPlace } from "./indexView.ts";
import type { SlotPaths } from "./itemPaths.ts";
import { isOnePlace, itemPathOf } from "./itemPaths.ts";
import { CORRELATED, NOT_A_PATH } from "./orderProblems.ts";

export interface VectorOrder {
  readonly place: VectorPlace;
  readonly metric: Metric;
  /** The vector that those of the items are compared with. */
  readonly query: Evaluate;
  /** How thoroughly an approximate search looks; 1 is the usual. */
  readonly thoroughness: number;
  /** Evaluates to true when an exact answer is asked for; absent when the text says nothing. */
  readonly bruteForce: Evaluate | undefined;
}

/**
 * Returns undefined when the order is not by distances; a result whose value is undefined when no
 * index has the order.
 */
export function vectorOrderOf(
  orderBy: readonly BoundOrder[],
  paths: SlotPaths,
  index: IndexView,
): Result<VectorOrder | undefined, QueryProblem> | undefined {
  const calls = orderBy.filter(({ expression }) => isDistance(expression));
  const [call] = calls;
  if (call === undefined || call.isComputed) return undefined;
  if (orderBy.length > 1) {
    return no(refusedQuery("ORDER BY VectorDistance cannot be combined with further expressions."));
  }
  const { args } = call.expression as Distance;
  for (const arg of args) {
    if (isConstant(arg) || isOnePlace(arg, paths)) continue;
    const isCorrelated = itemPathOf(arg, paths) !== undefined;
    return no(isCorrelated ? CORRELATED : NOT_A_PATH);
  }
  return ok(indexedOrder(call.expression as Distance, paths, index));
}

type Distance = Extract<Bound, { readonly kind: "call" }>;

function isDistance(expression: Bound): expression is Distance {
  return expression.kind === "call" && isVectorBuiltIn(expression.builtIn);
}

function indexedOrder(
  { builtIn, args }: Distance,
  paths: SlotPaths,
  index: IndexView,
): VectorOrder | undefined {
  const [left, right, bruteForce] = args;
  if (!isVectorBuiltIn(builtIn)) return undefined;
  const [compared, query] = isConstant(right!) ? [left!, right!] : [right!, left!];
  if (!isConstant(query) || (bruteForce !== undefined && !isConstant(bruteForce))) return undefined;
  const path = itemPathOf(compared, paths);
  const place = path?.isOne === true ? index.vectorPlace?.(path.segments) : undefined;
  if (place === undefined || place.elementType !== builtIn.elementType) return undefined;
  const { metric, thoroughness } = builtIn;
  return {
    place,
    metric,
    thoroughness,
    query: compile(query),
    bruteForce: bruteForce && compile(bruteForce),
  };
}
