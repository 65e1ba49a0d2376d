/** Rows that come one after the other, in order of creation or in that of an index. */
import type { JsonObject } from "../../json/value.ts";
import type { ItemPlan } from "../plan/plan.ts";
import { itemStream } from "./itemStream.ts";
import type { IndexedOrder, OrderedStart } from "./orderedStream.ts";
import { orderedStream } from "./orderedStream.ts";
import type { OrderValues } from "./orderKey.ts";
import type { PageRows } from "./pageRows.ts";
import type { PageRun } from "./pageRun.ts";
import type { Position } from "./position.ts";
import type { Coordinates } from "./product.ts";
import { plainRowText, rowText } from "./rowText.ts";
import type { Slots } from "./run.ts";
import type { Source, SourceItem, TermBounds } from "./source.ts";

export interface CollectSetting {
  readonly plan: ItemPlan;
  readonly sources: readonly Source[];
  readonly page: PageRun;
  readonly rows: PageRows;
  readonly position: Position | undefined;
}

export interface Ended {
  readonly rows: readonly Buffer[];
  readonly next: Position | undefined;
}

/** Where a row is, without what is still to skip and to take. */
type Where =
  | { readonly kind: "items"; readonly range: Source["range"]; readonly number: number }
  | {
      readonly kind: "order";
      readonly range: Source["range"];
      readonly number: number;
      readonly values: OrderValues;
    };

export async function streamItems(setting: CollectSetting): Promise<Ended> {
  const { plan, sources, page, rows, position } = setting;
  const resume = position?.kind === "items" ? position : undefined;
  const isMidItem = resume?.coordinates !== undefined;
  const start = resume && {
    range: resume.range,
    afterNumber: isMidItem ? resume.number - 1 : resume.number,
  };
  const stream = itemStream(sources, plan.filter.lookups, page, start, rows.wantedCount);
  const walk = new RowWalk(setting);
  for (let isLast = false; !isLast; ) {
    const step = await stream.next();
    for (const { source, item } of step.items) {
      const where: Where = { kind: "items", range: source.range, number: item.number };
      const isResumed = isMidItem && item.number === resume.number;
      const ended = await walk.rowsOf(
        source,
        item,
        where,
        isResumed ? resume.coordinates : undefined,
      );
      if (ended !== undefined) return ended;
    }
    isLast = step.isLast;
    if (!isLast && page.isTimeUp()) {
      const { range, afterNumber } = step.reached;
      return {
        rows: rows.texts,
        next: { kind: "items", range, number: afterNumber, ...rows.remaining },
      };
    }
    await page.pause();
  }
  return { rows: rows.texts, next: undefined };
}

export async function streamInOrder(
  setting: CollectSetting,
  order: IndexedOrder & { readonly within: readonly TermBounds[] | undefined },
): Promise<Ended> {
  const { plan, sources, page, rows, position } = setting;
  const resume = position?.kind === "order" ? position : undefined;
  const slots: Slots = new Array(plan.slotCount).fill(undefined);
  const ordered = {
    order,
    within: order.within,
    isDescending: plan.isDescending,
    orderValuesOf: (value: JsonObject) => {
      slots[plan.itemSlot] = value;
      return plan.orderValues.map((evaluate) => evaluate(slots, page.run));
    },
  };
  const start: OrderedStart | undefined = resume && {
    place: { values: resume.values, rangeMin: resume.range.min, number: resume.number },
    rangeMax: resume.range.max,
    isInclusive: resume.coordinates !== undefined,
  };
  page.work.access.push(order.kind === "path" ? "order(index)" : "order(composite)");
  page.work.usedOrder = order;
  const countFirst = Math.ceil(rows.wantedCount / Math.max(1, sources.length)) + 1;
  const stream = orderedStream(sources, { ...ordered, countFirst }, page, start);
  const walk = new RowWalk(setting);
  for (let next = await stream.next(); next !== undefined; next = await stream.next()) {
    const { source, item, values } = next;
    const where: Where = { kind: "order", range: source.range, number: item.number, values };
    const isResumed = resume?.coordinates !== undefined && item.number === resume.number;
    const ended = await walk.rowsOf(
      source,
      item,
      where,
      isResumed ? resume.coordinates : undefined,
    );
    if (ended !== undefined) return ended;
    if (page.isTimeUp()) return { rows: rows.texts, next: { ...where, ...rows.remaining } };
    await page.pause();
  }
  return { rows: rows.texts, next: undefined };
}

/** How many rows of one item are made before others may have a turn. */
const ROWS_PER_TURN = 256;

/** Makes the rows of one item after the other, and remembers where the last one was. */
class RowWalk {
  readonly #setting: CollectSetting;
  readonly #slots: Slots;
  #last: Position | undefined;

  constructor(setting: CollectSetting) {
    this.#setting = setting;
    this.#slots = new Array(setting.plan.slotCount).fill(undefined);
    this.#last = setting.position;
  }

  /** Undefined when the page goes on. */
  async rowsOf(
    source: Source,
    item: SourceItem,
    where: Where,
    after: Coordinates | undefined,
  ): Promise<Ended | undefined> {
    const { plan, page, rows } = this.#setting;
    const slots = this.#slots;
    const { run } = page;
    page.steps.reset();
    if (plan.needsValue) slots[plan.itemSlot] = source.valueOf(item);
    let count = 0;
    let isMiss = plan.where !== undefined && after === undefined;
    for (const coordinates of plan.product(slots, run, after)) {
      count++;
      if (count % ROWS_PER_TURN === 0) {
        page.steps.reset();
        if (page.isTimeUp()) {
          // This very row has not been looked at yet.
          const next = { ...where, coordinates: before(coordinates), ...rows.remaining };
          return { rows: rows.texts, next };
        }
        await page.pause();
      }
      if (plan.where !== undefined && plan.where(slots, run) !== true) continue;
      isMiss = false;
      const added = this.#add(item, slots);
      if (added === undefined) continue;
      if (added === "full") return { rows: rows.texts, next: this.#last };
      if (added === "last") return { rows: rows.texts, next: undefined };
      const isWhole = coordinates.length === 0;
      const at = isWhole ? where : { ...where, coordinates: [...coordinates] };
      this.#last = { ...at, ...rows.remaining };
    }
    if (isMiss) page.work.missCount++;
    return undefined;
  }

  #add(item: SourceItem, slots: Slots): ReturnType<PageRows["add"]> | undefined {
    const { plan, page, rows } = this.#setting;
    if (plan.isStar) return rows.add(() => item.body);
    const row = plan.select(slots, page.run);
    if (row === undefined) return undefined;
    return rows.add(() => (plan.mayBeNonFinite ? rowText(row) : plainRowText(row)));
  }
}

/** A place just before these coordinates: the last of them may be below zero. */
function before(coordinates: Coordinates): Coordinates {
  return [...coordinates.slice(0, -1), coordinates.at(-1)! - 1];
}
