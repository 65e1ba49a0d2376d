/**
 * Turns a problem of a query text, or of running a query, into the refusal that the client gets.
 */
import type { Refusal } from "../../model/refusal.ts";
import type { QueryProblem } from "../../query/problem.ts";

export function refusalOf(problem: QueryProblem): Refusal {
  if (problem.kind === "diagnostics") {
    return { kind: "badQuery", diagnostics: problem.diagnostics };
  }
  const { message, cause, errorNumber } = problem;
  if (cause === "outOfTime") return { kind: "scriptTimeout", message };
  if (cause === "stopped") return { kind: "unavailable", message };
  return { kind: "queryRefused", message, errorNumber };
}
