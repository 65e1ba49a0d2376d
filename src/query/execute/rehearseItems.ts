/**
 * A page evaluates its items ahead, a step of items at a time, where their rows call user-defined
 * functions (`evaluate/rehearsal.ts`): the calls of a step are made together before its rows are.
 */
import type { Coordinates } from "../evaluate/product.ts";
import type { Slots } from "../evaluate/run.ts";
import type { ItemPlan } from "../plan/plan.ts";
import type { PageRun } from "./pageRun.ts";
import type { Source, SourceItem } from "./source.ts";

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
