/**
 * Rehearsal of items, where their rows call user-defined functions (`evaluate/rehearsal.ts`): a
 * page evaluates some items ahead, and their calls are made together before their rows are.
 */
import type { Coordinates } from "../evaluate/product.ts";
import type { Slots } from "../evaluate/run.ts";
import type { ItemPlan } from "../plan/plan.ts";
import type { PageRun } from "./pageRun.ts";
import type { Source, SourceItem } from "./source.ts";

/** Milliseconds that the calls of a step may take before the next one is smaller. */
const STEP_MS = 50;

/**
 * How many items a step takes, at first and at most. Calls go to another thread, so many items
 * share a step; but nobody knows how long the calls take, and a page gives nothing before its first
 * step is through.
 */
export function stepOf({ rehearsal }: ItemPlan): { readonly first: number; readonly max: number } {
  return rehearsal === undefined ? { first: 256, max: 256 } : { first: 32, max: 1024 };
}

/**
 * Rehearses the rows of these items, or those after the coordinates `after`. Resolves with true
 * when that took so long that the next step should be smaller.
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
