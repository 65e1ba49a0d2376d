/**
 * Subqueries: whole queries inside an expression or a source, over values that are already at hand.
 * A subquery runs for every row of the query around it, in memory, and lazily where nothing has to
 * be collected first.
 */
import { type Carried, plainOf } from "../../json/digits.ts";
import type { BoundCount, BoundQuery } from "../bind/bound.ts";
import { isGrouped } from "../bind/bound.ts";
import { boundedText } from "../functions/valueSize.ts";
import type { SubqueryForm } from "../language/ast.ts";
import { listOf } from "./carriedSlots.ts";
import type { Compiler, Rows } from "./compiler.ts";
import { countOf } from "./counts.ts";
import { compileGroups } from "./groups.ts";
import { Misses } from "./misses.ts";
import type { OrderValues } from "./orderKey.ts";
import { compareOrderValues } from "./orderKey.ts";
import { compileProduct } from "./product.ts";
import type { Evaluate, EvaluateCarried, Run, Slots } from "./run.ts";
import { QueryFailure } from "./run.ts";

/**
 * The rows of a query, with undefined wherever it is a good moment to let other requests have a
 * turn.
 */
export type PausingRows = (slots: Slots, run: Run) => Iterable<Carried | undefined>;

const ROWS_PER_PAUSE = 256;

/** Compiles a subquery in an expression. `makeRows` is called when the rows are first needed. */
export function compileSubquery(form: SubqueryForm, makeRows: () => Rows): EvaluateCarried {
  let rows: Rows | undefined;
  const rowsOf: Rows = (slots, run) => {
    rows ??= makeRows();
    return rows(slots, run);
  };
  switch (form) {
    case "array":
      return (slots, run) => listOf(rowsOf(slots, run));
    case "exists":
      return (slots, run) => {
        for (const _ of rowsOf(slots, run)) return true;
        return false;
      };
    case "first":
      return (slots, run) => {
        for (const row of rowsOf(slots, run)) return row;
        return undefined;
      };
    case "last":
      return (slots, run) => {
        let last: Carried | undefined;
        for (const row of rowsOf(slots, run)) last = row;
        return last;
      };
    case "all":
      return (slots, run) => {
        for (const row of rowsOf(slots, run)) if (row !== true) return false;
        return true;
      };
    case "scalar":
      return (slots, run) => onlyRowOf(rowsOf(slots, run));
  }
}

function onlyRowOf(rows: Iterable<Carried>): Carried | undefined {
  let only: Carried | undefined;
  for (const row of rows) {
    if (only !== undefined) {
      throw new QueryFailure(
        "The cardinality of a scalar subquery result set cannot be greater than one.",
      );
    }
    only = row;
  }
  return only;
}

export function compileRows(query: BoundQuery, compiler: Compiler): Rows {
  // Without pauses there is no undefined between the rows.
  return anyRows(query, false, compiler) as Rows;
}

/** Compiles rows that may be many, for a caller that can wait between them. */
export function compilePausingRows(query: BoundQuery, compiler: Compiler): PausingRows {
  return anyRows(query, true, compiler);
}

function anyRows(query: BoundQuery, isPausing: boolean, compiler: Compiler): PausingRows {
  const projected = projectedRows(query, isPausing, compiler);
  const distinct = query.isDistinct ? distinctRows(projected) : projected;
  return cut(distinct, query);
}

function projectedRows(query: BoundQuery, isPausing: boolean, compiler: Compiler): PausingRows {
  if (isGrouped(query)) return groupedRows(query, isPausing, compiler);
  return query.orderBy.length > 0
    ? orderedRows(query, isPausing, compiler)
    : plainRows(query, isPausing, compiler);
}

function plainRows(query: BoundQuery, isPausing: boolean, compiler: Compiler): PausingRows {
  const product = compileProduct(query.sources, compiler);
  const where = query.where && compiler.value(query.where);
  const select = compiler.selection(query);
  const rowOf: EvaluateCarried = (slots, run) =>
    where !== undefined && where(slots, run) !== true ? undefined : select(slots, run);
  return function* rows(slots, run) {
    const misses = new Misses();
    let count = 0;
    for (const _ of product(slots, run)) {
      if (isPausing && ++count % ROWS_PER_PAUSE === 0) yield undefined;
      const row = misses.tried(rowOf, slots, run);
      if (row !== undefined && !misses.hasAny) yield row;
    }
    misses.end();
  };
}

/**
 * Gives rows in the order of ORDER BY, once all are known; rows with equal values stay as they
 * came.
 */
function orderedRows(query: BoundQuery, isPausing: boolean, compiler: Compiler): PausingRows {
  const values = query.orderBy.map(({ expression }) => compiler.value(expression));
  const isDescending = query.orderBy.map((item) => item.isDescending);
  const rows = plainRows(query, isPausing, compiler);
  return function* ordered(slots, run) {
    const all: { readonly row: Carried; readonly values: OrderValues }[] = [];
    for (const row of rows(slots, run)) {
      // The slots still hold the values that the row was made from.
      if (row === undefined) yield undefined;
      else all.push({ row, values: values.map((value) => value(slots, run)) });
    }
    all.sort((left, right) => compareOrderValues(left.values, right.values, isDescending));
    for (const { row } of all) yield row;
  };
}

function groupedRows(query: BoundQuery, isPausing: boolean, compiler: Compiler): PausingRows {
  const product = compileProduct(query.sources, compiler);
  const where = query.where && compiler.value(query.where);
  const select = compiler.selection(query);
  const makeGroups = compileGroups(query, compiler);
  return function* rows(slots, run) {
    const { effort } = run;
    const groups = makeGroups(undefined, {
      hold: (bytes) => effort.make(bytes),
      release: () => undefined,
    });
    const misses = new Misses();
    const add: Evaluate = () => {
      if (where === undefined || where(slots, run) === true) groups.add(slots, run);
      return undefined;
    };
    let count = 0;
    for (const _ of product(slots, run)) {
      if (isPausing && ++count % ROWS_PER_PAUSE === 0) yield undefined;
      misses.tried(add, slots, run);
    }
    misses.end();
    for (const group of groups.all()) {
      group.fill(slots);
      const row = misses.tried(select, slots, run);
      if (row !== undefined && !misses.hasAny) yield row;
    }
    misses.end();
  };
}

function distinctRows(rows: PausingRows): PausingRows {
  return function* distinct(slots, run) {
    const seen = new Set<string>();
    for (const row of rows(slots, run)) {
      if (row === undefined) {
        yield undefined;
        continue;
      }
      const text = boundedText(plainOf(row));
      if (seen.has(text)) continue;
      run.effort.make(text.length);
      seen.add(text);
      yield row;
    }
  };
}

function cut(rows: PausingRows, { top, offset, limit }: BoundQuery): PausingRows {
  if (top === undefined && offset === undefined && limit === undefined) return rows;
  return function* some(slots, run) {
    const count = (bound: BoundCount | undefined, clause: "TOP" | "OFFSET" | "LIMIT"): number =>
      bound === undefined ? Number.POSITIVE_INFINITY : countOf(bound, clause, run.parameters);
    let skip = offset === undefined ? 0 : count(offset, "OFFSET");
    let left = Math.min(count(top, "TOP"), count(limit, "LIMIT"));
    if (left === 0) return;
    for (const row of rows(slots, run)) {
      if (row !== undefined && skip > 0) {
        skip--;
        continue;
      }
      yield row;
      if (row === undefined) continue;
      left--;
      if (left === 0) return;
    }
  };
}
