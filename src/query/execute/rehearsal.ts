/**
 * What of an item is evaluated ahead, for the user-defined functions that it calls: the rows of its
 * sources, the filter, and for each row that passes whatever else calls some. Plans that call none
 * have no rehearsal and pay nothing for it. See `functionCalls.ts`.
 */
import type { BoundQuery, BoundSource } from "../bind/bound.ts";
import { isGrouped } from "../bind/bound.ts";
import { callsFunctions, queryCallsFunctions, selectedIn } from "../bind/boundTrees.ts";
import { compile } from "../evaluate/compile.ts";
import { Misses } from "../evaluate/misses.ts";
import type { Coordinates, Product } from "../evaluate/product.ts";
import type { Evaluate, Run, Slots } from "../evaluate/run.ts";
import type { ItemPlan } from "../plan/plan.ts";
import type { PageRun } from "./pageRun.ts";
import type { Source, SourceItem } from "./source.ts";

/** Misses as long as a result is missing. */
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
      // Each for itself: one may be known before another.
      for (const evaluate of others) misses.tried(evaluate, slots, run);
    }
    misses.end();
  };
}

function sourceCallsFunctions(source: BoundSource): boolean {
  if (source.kind === "items") return false;
  return source.kind === "rows" ? queryCallsFunctions(source.query) : callsFunctions(source.value);
}

/** Milliseconds that the calls of a step may take before the next one is smaller. */
const STEP_MS = 50;

/**
 * How many items to take at once, at first and at most. With calls it takes a while to get there,
 * so there are many in a step; but nobody knows how long they take, and a page gives nothing before
 * the first step is through.
 */
export function stepOf({ rehearsal }: ItemPlan): { readonly first: number; readonly max: number } {
  return rehearsal === undefined ? { first: 256, max: 256 } : { first: 32, max: 1024 };
}

/**
 * Before the rows of these items are made, or those after given coordinates. Tells whether it took
 * so long that fewer should be taken next time.
 */
export async function rehearseItems(
  { rehearsal, itemSlot, slotCount }: ItemPlan,
  page: PageRun,
  source: Source,
  items: readonly SourceItem[],
  after?: Coordinates | undefined,
): Promise<boolean> {
  const { run, effort, work } = page;
  if (rehearsal === undefined || run.calls === undefined) return false;
  const before = work.functionMs;
  const slots: Slots = new Array(slotCount).fill(undefined);
  await run.calls.rehearse(items, (item) => {
    effort.begin();
    slots[itemSlot] = page.keptValueOf(source, item);
    rehearsal(slots, run, after);
  });
  return work.functionMs - before > STEP_MS;
}
