/**
 * What of an item is evaluated ahead, for the user-defined functions that it calls: the rows of its
 * sources, the filter, and for each row that passes every other expression that calls a function.
 * Plans without such calls have no rehearsal and pay nothing for it. See `functionCalls.ts`;
 * `execute/rehearseItems.ts` rehearses the items of a page.
 */
import type { BoundQuery, BoundSource } from "../bind/bound.ts";
import { isGrouped } from "../bind/bound.ts";
import { callsFunctions, queryCallsFunctions, selectedIn } from "../bind/boundTrees.ts";
import { compile } from "./compile.ts";
import { Misses } from "./misses.ts";
import type { Coordinates, Product } from "./product.ts";
import type { Evaluate, Run, Slots } from "./run.ts";

/** Evaluates an item's rows; throws `MISS` as long as a result is missing. */
export type Rehearsal = (slots: Slots, run: Run, after: Coordinates | undefined) => void;

export function compileRehearsal(
  query: BoundQuery,
  product: Product,
  where: Evaluate | undefined,
): Rehearsal | undefined {
  const expressions = isGrouped(query)
    ? [
        ...(query.groupBy ?? []).map(({ expression }) => expression),
        ...query.aggregates.map(({ argument }) => argument),
      ]
    : selectedIn(query);
  const others = expressions.filter(callsFunctions).map(compile);
  const isNeeded =
    others.length > 0 ||
    (query.where !== undefined && callsFunctions(query.where)) ||
    query.sources.some(sourceCallsFunctions);
  if (!isNeeded) return undefined;
  return (slots, run, after) => {
    const misses = new Misses();
    for (const _ of product(slots, run, after)) {
      if (where !== undefined && misses.tried(where, slots, run) !== true) continue;
      // Each expression is tried by itself, because a result that one misses may be known to
      // another.
      for (const evaluate of others) misses.tried(evaluate, slots, run);
    }
    misses.end();
  };
}

function sourceCallsFunctions(source: BoundSource): boolean {
  if (source.kind === "items") return false;
  return source.kind === "rows" ? queryCallsFunctions(source.query) : callsFunctions(source.value);
}
