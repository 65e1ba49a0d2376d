/**
 * `ORDER BY VectorDistance(...)`: what may be compared, and whether a vector index knows which
 * items come first.
 *
 * Both arguments must be places in the item or constants, as with any order. The index serves a
 * comparison of the very path it is on with a constant, under every metric; whatever else is asked
 * is found by looking at all items, with the same rows.
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
  /** What the vectors are compared with. */
  readonly query: Evaluate;
  /** Where the answer may be approximate: how thoroughly to look, 1 being the usual. */
  readonly thoroughness: number;
  /** Asks for an exact answer; absent when the text does not. */
  readonly bruteForce: Evaluate | undefined;
}

/** Undefined when the order is not by distances; a value of undefined when no index has it. */
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
