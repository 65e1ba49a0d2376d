/**
 * One execution of a program: the values of its parameters, and what its functions may know. Shared
 * by everything that evaluates; a run lives as long as one page.
 */
import { GeometryProblem } from "../../geo/geometryProblem.ts";
import type { Carried } from "../../json/digits.ts";
import type { JsonValue } from "../../json/value.ts";
import type { CallContext, Value } from "../functions/builtIn.ts";
import type { QueryProblem } from "../problem.ts";
import { refusedQuery } from "../problem.ts";
import { PatternProblem } from "../regex/problem.ts";
import type { Effort } from "./effort.ts";
import type { FunctionCalls } from "./functionCalls.ts";

export interface Run {
  readonly parameters: ReadonlyMap<string, JsonValue>;
  readonly context: CallContext;
  readonly effort: Effort;
  /** Present when the program calls user-defined functions. */
  readonly calls?: FunctionCalls | undefined;
}

/** What a row fills: see `bind/bound.ts`. */
export type Slots = Value[];

export type Evaluate = (slots: Slots, run: Run) => Value;

/** The same, where a number keeps the digits that a double does not hold (`carrying.ts`). */
export type EvaluateCarried = (slots: Slots, run: Run) => Carried | undefined;

/** The query fails on the data or the parameters it meets. Thrown while evaluating. */
export class QueryFailure extends Error {
  readonly problem: QueryProblem;

  constructor(problem: QueryProblem | string) {
    super("the query fails");
    this.problem = typeof problem === "string" ? refusedQuery(problem) : problem;
  }
}

/** What was thrown while evaluating, as a problem of the query; a defect is thrown on. */
export function problemOf(error: unknown): QueryProblem {
  if (error instanceof QueryFailure) return error.problem;
  if (error instanceof PatternProblem || error instanceof GeometryProblem) {
    return refusedQuery(error.message);
  }
  // A value that grows with every step of an expression can pass what a string may be.
  if (error instanceof RangeError) {
    return refusedQuery("The query makes a value that is too large to hold.");
  }
  throw error;
}
