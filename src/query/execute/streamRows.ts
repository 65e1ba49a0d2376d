/** Rows that come one after the other, in order of creation or in that of an index. */
import type { JsonObject } from "../../json/value.ts";
import type { OrderValues } from "../evaluate/orderKey.ts";
import { compareOrderValues } from "../evaluate/orderKey.ts";
import type { Coordinates } from "../evaluate/product.ts";
import { plainRowText, rowText } from "../evaluate/rowText.ts";
import type { Slots } from "../evaluate/run.ts";
import { VALUE_UNITS_MAX } from "../functions/valueSize.ts";
import type { ItemPlan } from "../plan/plan.ts";
import type { TermBounds } from "../plan/termBounds.ts";
import { askedOf } from "./candidates.ts";
import type { Ended } from "./collected.ts";
import type { StreamedItem } from "./itemStream.ts";
import { itemStream } from "./itemStream.ts";
import type { Direction, Progress } from "./marks.ts";
import { progressTo, startIn } from "./marks.ts";
import type { IndexedOrder } from "./orderedStream.ts";
import { orderedStream } from "./orderedStream.ts";
import type { PageRows } from "./pageRows.ts";
import type { PageRun } from "./pageRun.ts";
import type { Place, Position } from "./position.ts";
import { rehearseItems, stepOf } from "./rehearseItems.ts";
import type { Source, SourceItem } from "./source.ts";
import type { Visit } from "./work.ts";

export interface CollectSetting {
  readonly plan: ItemPlan;
  readonly sources: readonly Source[];
  readonly page: PageRun;
  readonly rows: PageRows;
  readonly position: Position | undefined;
}

/** Where a row is, without the counts of `Remaining`. */
type Where = Progress &
  ({ readonly kind: "items" } | { readonly kind: "order"; readonly values: OrderValues });

export async function streamItems(setting: CollectSetting): Promise<Ended> {
  const { plan, sources, page, rows, position } = setting;
  const resume = position?.kind === "items" ? position : undefined;
  const walk = new RowWalk(setting);
  const rest = resume && (await walk.restOf(resume, () => true));
  if (rest !== undefined) return rest;
  const stream = itemStream(sources, plan, page, resume, rows.wantedCount);
  for (let isLast = false; !isLast; ) {
    const step = await stream.next();
    for (const [index, { visit, item }] of step.items.entries()) {
      const { range } = visit.source;
      const where: Where = { kind: "items", ...progressTo(resume, range, item.number) };
      const ended = await walk.rowsOf(visit, item, where, undefined);
      if (ended !== undefined) {
        // As in the service, one item beyond the last row of TOP is read, and paid for.
        const following = step.items[index + 1];
        if (ended.next === undefined && following !== undefined) walk.pass(following);
        return ended;
      }
      if (plan.where === undefined && rows.isEndOfScan) return walk.full();
      const pausing = page.pause();
      if (pausing === undefined) continue;
      await pausing;
      if (page.isTimeUp()) return walk.cutAt(where);
    }
    isLast = step.isLast;
    if (!isLast && step.isEndOfSource && rows.isOfOneSource && rows.texts.length === 0) {
      return walk.without({ kind: "items", ...step.reached });
    }
    if (!isLast && page.isTimeUp()) return walk.cutAt({ kind: "items", ...step.reached });
    await page.pause();
  }
  return walk.end();
}

export type StreamedOrder = IndexedOrder & {
  readonly within: readonly TermBounds[] | undefined;
  /**
   * True when there are conditions on other paths, so that the walk meets entries that do not pass.
   */
  readonly isFiltered: boolean;
  /** About how many entries of the index there are for each that may be in scope. */
  readonly entriesPerItem: number;
  /** After so many entries of a source the rows are sorted instead. */
  readonly entriesMax: number;
};

export async function streamInOrder(setting: CollectSetting, order: StreamedOrder): Promise<Ended> {
  const { plan, sources, page, rows, position } = setting;
  const resume = position?.kind === "order" ? position : undefined;
  const slots: Slots = new Array(plan.slotCount).fill(undefined);
  const ordered = {
    order,
    within: order.within,
    entriesPerItem: order.entriesPerItem,
    entriesMax: order.entriesMax,
    isDescending: plan.isDescending,
    orderValuesOf: (value: JsonObject) => {
      slots[plan.itemSlot] = value;
      return plan.orderValues.map((evaluate) => evaluate(slots, page.run));
    },
  };
  const direction = directionOf(plan);
  const isTied = (values: OrderValues): boolean =>
    resume !== undefined && compareOrderValues(values, resume.values, plan.isDescending) === 0;
  const walk = new RowWalk(setting);
  const isUnmoved = (value: JsonObject): boolean => isTied(ordered.orderValuesOf(value));
  const rest = resume && (await walk.restOf(resume, isUnmoved));
  if (rest !== undefined) return rest;
  page.work.access.push(order.kind === "path" ? "order(index)" : "order(composite)");
  page.work.usedOrder = order;
  const visitOf = visitsInOrder(setting, order, resume !== undefined);
  const wantedOfEach = Math.ceil(rows.wantedCount / Math.max(1, sources.length));
  const countFirst = Math.min(stepOf(plan).first, wantedOfEach);
  const start = resume && { values: resume.values, progress: resume };
  const rehearse = (source: Source, items: readonly SourceItem[]): Promise<boolean> =>
    rehearseItems(plan, page, source, items);
  const stream = orderedStream(sources, { ...ordered, countFirst, rehearse }, page, start);
  for (let next = await stream.next(); next !== undefined; next = await stream.next()) {
    const { source, item, value, values } = next;
    const visit = visitOf(source);
    if (order.isFiltered) visit.ahead.orderedEntryCount += next.walkedCount;
    const before = isTied(values) ? resume : undefined;
    const progress = progressTo(before, source.range, item.number, direction);
    const where: Where = { kind: "order", values, ...progress };
    const ended = await walk.rowsOf(visit, item, where, undefined, false, value);
    if (ended !== undefined) return ended;
    if (page.isTimeUp()) return walk.cutAt(where);
    await page.pause();
  }
  if (order.isFiltered) {
    for (const { source, count } of stream.restWalked()) {
      visitOf(source).ahead.orderedEntryCount += count;
    }
  }
  return walk.end();
}

/**
 * Begins the visits of all sources. The first page opens every source; a later page opens only the
 * one that it goes on in.
 */
function visitsInOrder(
  { plan, sources, page }: CollectSetting,
  order: StreamedOrder,
  isResumed: boolean,
): (source: Source) => Visit {
  const { filter } = plan;
  const asked = askedOf(filter.lookups, page.run);
  for (const source of sources) {
    const visit = page.work.visit(source, isResumed);
    visit.isFound = true;
    visit.isAnswered = filter.isWhole && asked.isAnswered;
    // A condition on the ordered path is part of the question for the order, not another lookup.
    visit.lookupCount = order.within === undefined ? 1 + asked.lookupCount : asked.lookupCount;
  }
  if (isResumed) page.work.openOnlyNext();
  return (source) => page.work.visit(source, isResumed);
}

/**
 * Items with equal values come in order of creation, or in reverse when the first path is
 * descending.
 */
export function directionOf({ isDescending }: ItemPlan): Direction {
  return isDescending[0] === true ? "down" : "up";
}

/** How many rows of one item are made between two looks at the clock. */
export function rowsPerLook({ body }: SourceItem): number {
  return body.length < LARGE_BYTES ? 8 : 1;
}

const LARGE_BYTES = 64 * 1024;

/** Makes the rows of one item after the other, and remembers where the last one was. */
class RowWalk {
  readonly #setting: CollectSetting;
  readonly #slots: Slots;
  #last: Position | undefined;
  /**
   * True once a row was looked at. A page looks at one row at least, however little time there is.
   */
  #isBegun = false;

  constructor(setting: CollectSetting) {
    this.#setting = setting;
    this.#slots = new Array(setting.plan.slotCount).fill(undefined);
    this.#last = setting.position;
  }

  /** Ends the query: everything has been given. */
  end(): Ended {
    const { page, rows } = this.#setting;
    page.work.reach();
    return { rows: rows.texts, next: undefined };
  }

  /** Ends a full page; the next page begins after its last row. */
  full(): Ended {
    return { rows: this.#setting.rows.texts, next: this.#last };
  }

  /**
   * Ends the page before a row of another source, where a page must be of one source; undefined
   * when the row may be in this page. The next page is about the source right behind this page's
   * one, though that source may have no row.
   */
  #endBefore({ source }: Visit): Ended | undefined {
    const { sources, page, rows, position } = this.#setting;
    if (!rows.isOfOneSource) return undefined;
    const resume = position?.kind === "items" ? position : undefined;
    const at = sources.findIndex(
      ({ range }) => resume === undefined || startIn(resume, range) !== "done",
    );
    const own = sources[at]!;
    if (own === source) return undefined;
    page.work.visit(own, false).reach();
    const where = progressTo(resume, sources[at + 1]!.range, 0);
    return { rows: rows.texts, next: { kind: "items", ...where, ...rows.remaining } };
  }

  /**
   * Ends the page of a source that has no row; the next page looks whether other sources have any.
   */
  without(where: Place): Ended {
    const { page, rows } = this.#setting;
    page.work.reach();
    return { rows: [], next: { ...where, ...rows.remaining } };
  }

  /** Ends the page because its time is up; the next page goes on from here and fills it up. */
  cutAt(where: Place): Ended {
    const { page, rows } = this.#setting;
    page.work.reach();
    return { rows: rows.texts, next: { ...where, ...rows.remainingOfCut } };
  }

  /** Counts an item that is read without being evaluated. */
  pass({ visit, item }: StreamedItem): void {
    visit.look(item, false);
    this.#setting.page.work.reach();
  }

  /**
   * Gives the rest of the item in the middle of which the page before ended. Those rows come first,
   * wherever the item is now: after a split, other items would come before it, and its rest would
   * be lost.
   */
  async restOf(
    resume: Extract<Position, { readonly kind: "items" | "order" }>,
    isUnmoved: (value: JsonObject) => boolean,
  ): Promise<Ended | undefined> {
    const { coordinates, skip: _skip, take: _take, ...where } = resume;
    if (coordinates === undefined) return undefined;
    const { plan, sources, page } = this.#setting;
    for (const source of sources) {
      const [item] = await page.timedLoad(source, () => source.load([resume.number]));
      if (item === undefined || !isUnmoved(source.valueOf(item))) continue;
      await rehearseItems(plan, page, source, [item], coordinates);
      const visit = page.work.visit(source, true);
      // If the page before was cut off, it has paid for the whole item.
      return this.rowsOf(visit, item, where, coordinates, page.work.isContinued);
    }
    return undefined;
  }

  /**
   * Gives the rows of an item, or those after the coordinates `after`. Undefined when the page goes
   * on. `known` is the value of the item, if it has been read for something else already.
   */
  async rowsOf(
    visit: Visit,
    item: SourceItem,
    where: Where,
    after: Coordinates | undefined,
    isPaid = false,
    known?: JsonObject,
  ): Promise<Ended | undefined> {
    const { plan, page, rows } = this.#setting;
    const slots = this.#slots;
    const { source, ahead } = visit;
    const { run } = page;
    page.effort.begin();
    const { isPassed } = visit;
    const needsValue = isPassed ? plan.needsValueOfPassed : plan.needsValue;
    if (needsValue) slots[plan.itemSlot] = page.valueOf(source, item, known);
    const perLook = rowsPerLook(item);
    let count = 0;
    let isLooked = isPaid;
    for (const coordinates of plan.product(slots, run, after)) {
      count++;
      if (count % perLook === 0) {
        if (this.#isBegun && page.isTimeUp()) {
          if (!isLooked) visit.look(item, false);
          // The row at these coordinates has not been looked at yet.
          return this.cutAt({ ...where, coordinates: before(coordinates) });
        }
        await page.pause();
        page.effort.begin();
      }
      this.#isBegun = true;
      ahead.triedRowCount++;
      if (!isPassed && plan.where !== undefined && plan.where(slots, run) !== true) continue;
      ahead.passedRowCount++;
      if (!isLooked) visit.look(item, false);
      isLooked = true;
      const textOf = this.#textOf(item, slots);
      if (textOf === undefined) continue;
      const isStreamed = where.kind === "items" && after === undefined;
      const ended = isStreamed ? this.#endBefore(visit) : undefined;
      if (ended !== undefined) return ended;
      const added = rows.add(textOf);
      if (added === "full") return this.full();
      page.work.give(visit, rows.lastBytes);
      if (added === "last") return { rows: rows.texts, next: undefined };
      const isWhole = coordinates.length === 0;
      const at = isWhole ? where : { ...where, coordinates: [...coordinates] };
      this.#last = { ...at, ...rows.remaining };
    }
    if (!isLooked && after === undefined) visit.look(item, plan.where !== undefined);
    return undefined;
  }

  /** Undefined when the item gives no row. */
  #textOf(item: SourceItem, slots: Slots): (() => Buffer) | undefined {
    const { plan, page } = this.#setting;
    if (plan.isStar) return () => item.body;
    const row = plan.select(slots, page.run);
    if (row === undefined) return undefined;
    const isPlain = !plan.mayBeNonFinite && plan.partCount * item.body.length <= VALUE_UNITS_MAX;
    return () => (isPlain ? plainRowText(row) : rowText(row));
  }
}

/** Returns the place just before these coordinates; its last number may be below zero. */
function before(coordinates: Coordinates): Coordinates {
  return [...coordinates.slice(0, -1), coordinates.at(-1)! - 1];
}
