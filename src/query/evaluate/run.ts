/**
 * One execution of a program: the values of its parameters, and what its functions may know. All
 * closures of a page share one run.
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

/** The values of names while a row is made, see `bind/bound.ts`. */
export type Slots = Value[];

export type Evaluate = (slots: Slots, run: Run) => Value;

/** An `Evaluate` whose number keeps the digits that a double does not hold (`carrying.ts`). */
export type EvaluateCarried = (slots: Slots, run: Run) => Carried | undefined;

/** Thrown while evaluating, when the query fails on the data or the parameters that it meets. */
export class QueryFailure extends Error {
  readonly problem: QueryProblem;

  constructor(problem: QueryProblem | string) {
    super("the query fails");
    this.problem = typeof problem === "string" ? refusedQuery(problem) : problem;
  }
}

/** Returns what was thrown while evaluating as a problem of the query; throws a defect on. */
export function problemOf(error: unknown): QueryProblem {
  if (error instanceof QueryFailure) return error.problem;
  if (error instanceof PatternProblem || error instanceof GeometryProblem) {
    return refusedQuery(error.message);
  }
  // A value that grows with every step of an expression can exceed the longest string there may be.
  if (error instanceof RangeError) {
    return refusedQuery("The query makes a value that is too large to hold.");
  }
  throw error;
}
