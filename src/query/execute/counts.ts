/** TOP, OFFSET and LIMIT of an execution: numbers of the text, or values of parameters. */
import type { JsonValue } from "../../json/value.ts";
import { countProblem } from "../bind/bind.ts";
import type { BoundCount } from "../bind/bound.ts";
import { diagnostic } from "../problem.ts";
import { QueryFailure } from "./run.ts";

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
