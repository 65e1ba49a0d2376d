/**
 * What the files of this folder need of each other while they make closures. An expression may hold
 * a query, a query has sources, and a source holds expressions again. `compile.ts` implements
 * `Compiler` and passes it to the other files, so that no two files import each other.
 */
import type { Carried } from "../../json/digits.ts";
import type { Bound, BoundQuery } from "../bind/bound.ts";
import type { Evaluate, EvaluateCarried, Run, Slots } from "./run.ts";

/** The rows of a query, none of them undefined. */
export type Rows = (slots: Slots, run: Run) => Iterable<Carried>;

export interface Compiler {
  /** Compiles an expression whose value is computed with; its numbers are doubles. */
  value(bound: Bound): Evaluate;
  /**
   * Compiles an expression whose value is handed on, with the digits that a double does not hold.
   */
  carried(bound: Bound): EvaluateCarried;
  /** Compiles what SELECT makes of one row. */
  selection(query: BoundQuery): EvaluateCarried;
  /** Compiles the rows of a query inside another query. */
  rows(query: BoundQuery): Rows;
}
