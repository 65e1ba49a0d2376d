/**
 * What the files of this room ask of each other while they make closures. An expression may hold a
 * query, a query has sources, and a source holds expressions again: `compile.ts` ties that knot,
 * and hands it to the others as this value, so that no two files import each other.
 */
import type { Carried } from "../../json/digits.ts";
import type { Bound, BoundQuery } from "../bind/bound.ts";
import type { Evaluate, EvaluateCarried, Run, Slots } from "./run.ts";

/** The rows of a query, none of them undefined. */
export type Rows = (slots: Slots, run: Run) => Iterable<Carried>;

export interface Compiler {
  /** An expression whose value is computed with, and may be a double. */
  value(bound: Bound): Evaluate;
  /** An expression whose value is handed on, with the digits that a double does not hold. */
  carried(bound: Bound): EvaluateCarried;
  /** What SELECT makes of one row. */
  selection(query: BoundQuery): EvaluateCarried;
  /** All rows of a query inside another. */
  rows(query: BoundQuery): Rows;
}
