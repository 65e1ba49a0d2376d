/**
 * Rows in order of distance, where a vector index knows which items come first. Source by source,
 * items are loaded in that order until enough of their rows pass the filter; then the rows are
 * sorted like any others. The index only says where to look; every row is made from the item as it
 * is.
 *
 * A filter that the index of terms can answer is answered first, and only the candidates that it
 * leaves are ranked. Without a vector index, or when the query's vector is not as long as those of
 * the place, the caller looks at all items.
 */

import type { Slots } from "../evaluate/run.ts";
import { packerOf } from "../functions/vector.ts";
import type { VectorPlace } from "../plan/indexView.ts";
import type { VectorOrder } from "../plan/vectorOrder.ts";
import type { Candidates } from "./candidates.ts";
import { candidatesOf } from "./candidates.ts";
import type { Ended } from "./collected.ts";
import { AHEAD_COUNT } from "./collected.ts";
import type { VisitRow } from "./collectRows.ts";
import { collectSorted } from "./collectRows.ts";
import { loadSome } from "./loadSome.ts";
import { rehearseItems } from "./rehearseItems.ts";
import type { Source, SourceItem, SourceTerm, VectorRanking } from "./source.ts";
import type { CollectSetting } from "./streamRows.ts";
import { rowsPerLook } from "./streamRows.ts";
import type { Visit } from "./work.ts";

/** Resolves with the page, or with undefined when the vector index cannot tell. */
export async function collectNearest(
  setting: CollectSetting,
  order: VectorOrder,
): Promise<Ended | undefined> {
  const { plan, sources, page } = setting;
  const nothing: Slots = [];
  const query = packerOf(order.place.elementType)(order.query(nothing, page.run));
  const bruteForce = order.bruteForce?.(nothing, page.run) ?? false;
  if (query?.length !== order.place.dimensions || typeof bruteForce !== "boolean") return undefined;
  const countWanted = countWantedOf(setting);
  const ranked: Ranked[] = [];
  for (const source of sources) {
    const visit = page.work.visit(source, setting.position !== undefined);
    const within = await numbersWithin(setting, source, visit);
    const ranking = await source.rankVectors?.({
      place: order.place,
      metric: order.metric,
      query,
      isDescending: plan.isDescending[0] === true,
      within,
      countWanted,
      mayBeApproximate: order.place.isApproximate && !bruteForce,
      thoroughness: order.thoroughness,
      pause: () => page.pauseOrSuspend(),
    });
    if (ranking === undefined) {
      page.work.forgetVisits();
      return undefined;
    }
    countSearch(visit, order.place, within?.length ?? source.itemCount);
    ranked.push({ visit, ranking });
  }
  page.work.access.push("index(vector)");
  return collectSorted(setting, false, async (_, visitRow) => {
    let isAll = true;
    for (const one of ranked) {
      const isExhausted = await new RankedRows(setting, one, visitRow).visit(countWanted);
      isAll &&= isExhausted;
    }
    page.work.reach();
    return isAll ? Number.POSITIVE_INFINITY : countWanted;
  });
}

interface Ranked {
  readonly visit: Visit;
  readonly ranking: VectorRanking;
}

/**
 * Number of rows that are wanted from each source: what the page needs, and what later pages need
 * unless that is too much.
 */
function countWantedOf({ rows }: CollectSetting): number {
  const { skip, take } = rows.remaining;
  const all = take === undefined ? AHEAD_COUNT : Math.min(AHEAD_COUNT, skip + take + 1);
  return Math.max(rows.wantedCount, all);
}

/** How many vectors can be compared for the price of one index entry that is read for its value. */
const VECTORS_PER_ENTRY = 5;
/** Bound on the price of one search in a graph, in such entries, however many vectors it has. */
const GRAPH_ENTRIES_MAX = 10_000;

/**
 * Counts the price of one vector search as the service publishes it; how the vectors were found
 * here makes no difference.
 */
function countSearch(visit: Visit, { isApproximate }: VectorPlace, vectorCount: number): void {
  const entryCount = Math.ceil(vectorCount / VECTORS_PER_ENTRY);
  visit.lookupCount++;
  visit.scannedEntryCount += isApproximate ? Math.min(entryCount, GRAPH_ENTRIES_MAX) : entryCount;
  visit.isFound = true;
  visit.isAnswered = false;
}

/**
 * Resolves with the items that the filter leaves, as far as the index of terms can tell; undefined
 * when it cannot, or when too many are left.
 */
async function numbersWithin(
  { plan, page }: CollectSetting,
  source: Source,
  visit: Visit,
): Promise<readonly number[] | undefined> {
  const gathering = page.gathering(source, visit);
  const find = (): Promise<Candidates> => candidatesOf(plan.filter.lookups, gathering);
  const found = await page.timedIndex(source, find);
  if (found.kind === "everything") return undefined;
  if (found.kind === "numbers") return found.numbers;
  const numbers: number[] = [];
  let after: SourceTerm | undefined;
  for (let isLast = false; !isLast; ) {
    const scan = { bounds: found.bounds, after, isReverse: false, countMax: TERM_STEP };
    const step = await page.timedIndex(source, () => source.scanTerms(scan));
    page.work.termCount += step.entries.length;
    for (const { number } of step.entries) numbers.push(number);
    after = step.entries.at(-1);
    isLast = step.isLast;
    if (!isLast && numbers.length >= TERM_COUNT_MAX) return undefined;
    await page.pauseOrSuspend();
  }
  return numbers;
}

/** Number of items of one term at which the filter is no help: as good as all items may pass. */
const TERM_COUNT_MAX = 50_000;
const TERM_STEP = 1_000;

/** Number of items that are ranked in one step: at first, and at most. */
const STEP_MIN = 16;
const STEP_MAX = 1_024;

class RankedRows {
  readonly #setting: CollectSetting;
  readonly #ranked: Ranked;
  readonly #visitRow: VisitRow;
  readonly #slots: Slots;
  #rowCount = 0;

  constructor(setting: CollectSetting, ranked: Ranked, visitRow: VisitRow) {
    this.#setting = setting;
    this.#ranked = ranked;
    this.#visitRow = visitRow;
    this.#slots = new Array(setting.plan.slotCount).fill(undefined);
  }

  /**
   * Resolves with true when the source has no more items, and with false when it has given as many
   * rows as are wanted.
   */
  async visit(countWanted: number): Promise<boolean> {
    const { plan, page } = this.#setting;
    const { visit, ranking } = this.#ranked;
    for (let step = Math.max(STEP_MIN, countWanted); ; step *= 2) {
      const numbers = await page.timedIndex(visit.source, () =>
        ranking.next(Math.min(step, STEP_MAX)),
      );
      if (numbers.length === 0) return true;
      for (let at = 0; at < numbers.length; ) {
        const some = numbers.slice(at, at + STEP_MIN);
        const { items, count } = await page.timedLoad(visit.source, () =>
          loadSome(visit.source, some),
        );
        at += count;
        await rehearseItems(plan, page, visit.source, items);
        for (const item of items) {
          await this.#rowsOf(item);
          if (this.#rowCount >= countWanted) return false;
        }
        await page.pauseOrSuspend(true);
      }
    }
  }

  async #rowsOf(item: SourceItem): Promise<void> {
    const { plan, page } = this.#setting;
    const { visit } = this.#ranked;
    const { source, ahead } = visit;
    const slots = this.#slots;
    page.effort.begin();
    slots[plan.itemSlot] = page.valueOf(source, item);
    let isMiss = plan.where !== undefined;
    const perLook = rowsPerLook(item);
    let count = 0;
    for (const coordinates of plan.product(slots, page.run)) {
      const pausing = ++count % perLook === 0 ? page.pauseOrSuspend(true) : undefined;
      if (pausing !== undefined) await pausing;
      ahead.triedRowCount++;
      if (plan.where !== undefined && plan.where(slots, page.run) !== true) continue;
      ahead.passedRowCount++;
      isMiss = false;
      if (await this.#visitRow(slots, source, item, coordinates)) this.#rowCount++;
    }
    visit.look(item, isMiss);
  }
}
