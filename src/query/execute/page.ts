/**
 * One page of a query: from a plan, its sources and a position to rows and the next position.
 *
 * Rows that stream, in order of creation or of an index, end a page as soon as it is full. Rows
 * that have to be collected first (sorted, grouped, distinct) are collected in bounded memory: only
 * as many are kept as the page can give, the first ones after the position, and some ahead. Either
 * way a page looks for one row more than fits, so that the last page is known as such, unless
 * `isScanBlind` forbids it.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Carried } from "../../json/digits.ts";
import { parseCarried } from "../../json/parse.ts";
import type { JsonValue } from "../../json/value.ts";
import { listOf } from "../evaluate/carriedSlots.ts";
import { countsOf } from "../evaluate/counts.ts";
import { rowText } from "../evaluate/rowText.ts";
import type { Slots } from "../evaluate/run.ts";
import { problemOf, QueryFailure } from "../evaluate/run.ts";
import type { ConstantPlan, DerivedPlan, ItemPlan, Plan } from "../plan/plan.ts";
import type { QueryProblem } from "../problem.ts";
import type { Collected, Ended } from "./collected.ts";
import { give } from "./collected.ts";
import { collectGroups } from "./collectGroups.ts";
import { collectDistinct, collectSorted } from "./collectRows.ts";
import { answerFromIndex } from "./fromIndex.ts";
import { NeedsSort } from "./lackingItems.ts";
import { collectNearest } from "./nearest.ts";
import { chooseOrder } from "./orderChoice.ts";
import { PageRows } from "./pageRows.ts";
import type { PageSetting } from "./pageRun.ts";
import { PageRun } from "./pageRun.ts";
import type { Position, Remaining } from "./position.ts";
import { collectRanked } from "./ranked.ts";
import type { Source } from "./source.ts";
import { streamInOrder, streamItems } from "./streamRows.ts";
import type { QueryWork } from "./work.ts";

export interface PageLimits {
  readonly countMax: number;
  readonly bytesMax: number;
  /**
   * True when a page of items as they are stored ends as soon as it is full, without a look whether
   * more follow.
   */
  readonly isScanBlind?: boolean | undefined;
  /**
   * True when the rows of a page, if they stream in order of creation, must all be of one source. A
   * source without a row has a page of its own, too, unless it comes behind the last row.
   */
  readonly isOfOneSource?: boolean | undefined;
}

export interface QueryPage {
  readonly rows: readonly Buffer[];
  /** Absent on the last page. */
  readonly next: Position | undefined;
  /** Rows of the next pages that have been collected already. */
  readonly rest: Collected | undefined;
  readonly work: QueryWork;
}

export interface PageRequest extends PageSetting {
  readonly plan: Plan;
  /** The sources, sorted by range; none overlaps another. */
  readonly sources: readonly Source[];
  readonly position: Position | undefined;
  /** The `rest` of the page before, if nothing has changed since. */
  readonly rest?: Collected | undefined;
  readonly limits: PageLimits;
}

export async function runPage(request: PageRequest): Promise<Result<QueryPage, QueryProblem>> {
  const page = new PageRun(request, request.plan.functions);
  try {
    const { rows, next, rest } = await pageOf(request, page);
    return ok({ rows, next, rest, work: page.finish() });
  } catch (error) {
    return no(problemOf(error));
  } finally {
    page.leave();
  }
}

async function pageOf(request: PageRequest, page: PageRun): Promise<Ended> {
  const { plan, limits, position, rest } = request;
  if (rest !== undefined && position !== undefined) {
    page.work.access.push("collected before");
    const given = position.kind === "ordinal" ? position.done : position.given;
    const rows = new PageRows(limits, { ...position, given }, page.work);
    return give(rest, rows, { ...position, given }, page.work);
  }
  switch (plan.kind) {
    case "items":
      page.work.isContinued = position?.cut !== undefined;
      return itemPage(plan, request, page, position ?? countsOf(plan.query, parametersOf(page)));
    case "constant": {
      const rows = await allRows(plan, new Array(plan.slotCount).fill(undefined), page);
      return ordinalPage(rows, position, limits, page);
    }
    case "derived":
      return ordinalPage(await derivedRows(plan, request, page), position, limits, page);
  }
}

/**
 * Returns the position without its `cut`: the rows that a cut-off page gave do not change where the
 * next one begins.
 */
function withoutCut({ cut: _cut, ...position }: Position): Position {
  return position;
}

function parametersOf({ run }: PageRun): ReadonlyMap<string, JsonValue> {
  return run.parameters;
}

async function itemPage(
  plan: ItemPlan,
  request: PageRequest,
  page: PageRun,
  left: Remaining,
): Promise<Ended> {
  const { sources, limits } = request;
  // An ordinal position is reached by passing over its rows once more, before those of OFFSET.
  const isCounted = request.position?.kind === "ordinal";
  const position = isCounted ? undefined : request.position && withoutCut(request.position);
  const done = request.position?.kind === "ordinal" ? request.position.done : 0;
  const remaining = isCounted ? { skip: left.skip + done, take: left.take } : left;
  if (remaining.take === 0) return { rows: [], next: undefined };
  const rows = new PageRows(limits, remaining, page.work);
  const setting = { plan, sources, page, rows, position };
  if (plan.indexOnly !== undefined) {
    const answered = await answerFromIndex(setting, plan.indexOnly);
    if (answered !== undefined) return answered;
    page.work.forgetVisits();
  }
  if (plan.rank !== undefined) {
    const ended = await collectRanked(setting, plan.rank);
    // The first page has paid for collecting.
    if (request.position !== undefined) page.work.forgetVisits();
    return ended;
  }
  if (plan.makeGroups !== undefined) return collectGroups(setting, plan.makeGroups);
  if (plan.query.isDistinct) return collectDistinct(setting);
  if (plan.order === undefined) return streamItems(setting);
  if (plan.order.kind === "sort" && plan.order.vector !== undefined) {
    const nearest = await collectNearest(setting, plan.order.vector);
    if (nearest !== undefined) return nearest;
  }
  const order = await chooseOrder(plan, plan.order, setting);
  if (order.kind === "sort") return collectSorted(setting, order.isFiltered);
  try {
    return await streamInOrder(setting, order);
  } catch (error) {
    if (!(error instanceof NeedsSort)) throw error;
    page.work.forgetRows();
    page.work.forgetVisits();
    const fresh = { ...setting, rows: new PageRows(limits, remaining, page.work) };
    return collectSorted(fresh, order.isFiltered);
  }
}

/**
 * Bounds on the rows of an inner query, which are all collected before the outer query sees one.
 */
const DERIVED_BYTES_MAX = 64 * 1024 * 1024;
const DERIVED_COUNT_MAX = 500_000;

async function derivedRows(
  plan: DerivedPlan,
  request: PageRequest,
  page: PageRun,
): Promise<readonly Carried[]> {
  const inner = await itemPage(
    plan.inner,
    {
      ...request,
      position: undefined,
      limits: { countMax: DERIVED_COUNT_MAX, bytesMax: DERIVED_BYTES_MAX },
    },
    page.unhurried(),
    countsOf(plan.inner.query, parametersOf(page)),
  );
  if (inner.next !== undefined) {
    throw new QueryFailure("The rows of the subquery in FROM take more memory than a query may.");
  }
  page.work.forgetRows();
  // The first page has paid for the inner query.
  if (request.position !== undefined) page.work.forgetVisits();
  const slots = new Array<JsonValue | undefined>(plan.slotCount).fill(undefined);
  slots[plan.rowsSlot] = listOf(inner.rows.map((row) => parseCarried(row.toString())));
  return allRows(plan, slots, page, inner.rows.length);
}

const STEPS_PER_ROW = 16;

async function allRows(
  { rows, isCalling }: DerivedPlan | ConstantPlan,
  slots: Slots,
  page: PageRun,
  rowCount = 0,
): Promise<readonly Carried[]> {
  let all: Carried[] = [];
  const evaluate = async (): Promise<void> => {
    page.effort.allow(STEPS_PER_ROW * rowCount);
    all = [];
    for (const row of rows(slots, page.run)) {
      if (row === undefined) await page.pauseOrSuspend();
      else all.push(row);
    }
  };
  if (isCalling) await page.rehearse([slots], evaluate);
  page.run.calls?.begin(slots);
  await evaluate();
  return all;
}

function ordinalPage(
  all: readonly Carried[],
  position: Position | undefined,
  limits: PageLimits,
  page: PageRun,
): Ended {
  const done = position?.kind === "ordinal" ? position.done : 0;
  const rows = new PageRows(limits, { skip: 0, take: undefined }, page.work);
  let at = done;
  for (const row of all.slice(done)) {
    if (rows.add(() => rowText(row)) === "full") {
      return { rows: rows.texts, next: { kind: "ordinal", done: at, skip: 0, take: undefined } };
    }
    at++;
  }
  return { rows: rows.texts, next: undefined };
}
