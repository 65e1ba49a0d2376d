/** TOP, OFFSET and LIMIT of an execution: numbers in the query text, or values of parameters. */
import type { JsonValue } from "../../json/value.ts";
import { countProblem } from "../bind/bind.ts";
import type { BoundCount, BoundQuery } from "../bind/bound.ts";
import { diagnostic } from "../problem.ts";
import { QueryFailure } from "./run.ts";

/** Returns how many rows a query passes over, and how many it gives at most. */
export function countsOf(
  { top, offset, limit }: BoundQuery,
  parameters: ReadonlyMap<string, JsonValue>,
): { readonly skip: number; readonly take: number | undefined } {
  const counts = [
    ...(top === undefined ? [] : [countOf(top, "TOP", parameters)]),
    ...(limit === undefined ? [] : [countOf(limit, "LIMIT", parameters)]),
  ];
  return {
    skip: offset === undefined ? 0 : countOf(offset, "OFFSET", parameters),
    take: counts.length === 0 ? undefined : Math.min(...counts),
  };
}

export function countOf(
  count: BoundCount,
  clause: "TOP" | "OFFSET" | "LIMIT",
  parameters: ReadonlyMap<string, JsonValue>,
): number {
  if (count.kind === "number") return count.value;
  const value = parameters.get(count.name);
  const problem = countProblem(value, clause);
  if (problem !== undefined) {
    throw new QueryFailure(diagnostic(problem.code, problem.message, count.span));
  }
  return value as number;
}
