/**
 * How large a query may be. Only well-formed trees are checked: a mistake in the text is reported
 * before its size.
 *
 * A tree within the limits can safely be walked by recursion: no way down has more than `DEPTH_MAX`
 * steps, not counting those from a binary operator to another one on its left, and of the latter no
 * more than `CHAIN_MAX`. The canonical text of such a tree is never nested too deeply to be parsed.
 */
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { diagnostic, type QueryProblem, refusedQuery } from "../problem.ts";
import type { Expression, Query } from "./ast.ts";
import { TOO_DEEP } from "./tokenCursor.ts";
import { partsOf, sourcesOf } from "./visitor.ts";

const {
  queryCharactersMax,
  queryJoinsMax,
  queryUdfCallsMax,
  queryAndsMax,
  queryOrsMax,
  queryInItemsMax,
} = SERVICE_LIMITS;

/**
 * Bounds of our own: they leave room for the longest chain of ANDs, and for more nesting than
 * anybody writes by hand.
 */
const DEPTH_MAX = 250;
const CHAIN_MAX = 2_600;

interface Counts {
  joins: number;
  udfCalls: number;
  ands: number;
  ors: number;
}

interface Place {
  readonly tree: Expression | Query;
  readonly depth: number;
  readonly chain: number;
}

export function textLimitProblem(text: string): QueryProblem | undefined {
  if (text.length <= queryCharactersMax) return undefined;
  const limit = `${queryCharactersMax} characters`;
  const message = `The SQL query text exceeded the maximum limit of ${limit}.`;
  return diagnostic("SC3020", message, { start: 0, end: text.length });
}

export function treeLimitProblem(root: Expression | Query): QueryProblem | undefined {
  const counts: Counts = { joins: 0, udfCalls: 0, ands: 0, ors: 0 };
  const waiting: Place[] = [{ tree: root, depth: 1, chain: 0 }];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const { tree, depth, chain } = place;
    if (depth > DEPTH_MAX || chain > CHAIN_MAX) return refusedQuery(TOO_DEEP);
    const problem = "kind" in tree ? countExpression(tree, counts) : countQuery(tree, counts);
    if (problem !== undefined) return problem;
    // Parts are pushed backwards, so that they are visited in the order of the text.
    const parts = partsOf(tree);
    for (let index = parts.length - 1; index >= 0; index -= 1) {
      const part = parts[index]!;
      const isLink = index === 0 && isBinary(tree) && isBinary(part);
      waiting.push({
        tree: part,
        depth: isLink ? depth : depth + 1,
        chain: isLink ? chain + 1 : chain,
      });
    }
  }
  return undefined;
}

const isBinary = (tree: Expression | Query): boolean => "kind" in tree && tree.kind === "binary";

function countQuery({ from, span }: Query, counts: Counts): QueryProblem | undefined {
  counts.joins += Math.max(0, sourcesOf(from).length - 1);
  if (counts.joins <= queryJoinsMax) return undefined;
  return diagnostic("SC3002", tooMany("joins", queryJoinsMax), span);
}

function countExpression(expression: Expression, counts: Counts): QueryProblem | undefined {
  if (expression.kind === "in" && expression.list.length > queryInItemsMax) {
    return refusedQuery(tooMany("items in an 'IN' expression", queryInItemsMax));
  }
  if (expression.kind === "binary") {
    if (expression.operator === "AND") counts.ands += 1;
    if (expression.operator === "OR") counts.ors += 1;
    if (counts.ands > queryAndsMax) return refusedQuery(tooMany("'AND' operators", queryAndsMax));
    if (counts.ors > queryOrsMax) return refusedQuery(tooMany("'OR' operators", queryOrsMax));
  }
  if (expression.kind === "call" && expression.isUdf) {
    counts.udfCalls += 1;
    if (counts.udfCalls <= queryUdfCallsMax) return undefined;
    const message = tooMany("user-defined function calls", queryUdfCallsMax);
    return diagnostic("SC3005", message, expression.span);
  }
  return undefined;
}

const tooMany = (what: string, max: number): string =>
  `The SQL query exceeded the maximum number of ${what}. The allowed limit is ${max}.`;
