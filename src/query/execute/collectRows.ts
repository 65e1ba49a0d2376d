/**
 * Rows that have to be collected before the first one can be given: rows in an order that no index
 * has, and distinct rows, which come in the order of their values (after that of ORDER BY, if any).
 */
import type { MaybePromise } from "../../base/result.ts";
import { compareValues } from "../../json/compare.ts";
import { type Carried, plainOf } from "../../json/digits.ts";
import type { JsonValue } from "../../json/value.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { OrderPlace, OrderValues } from "../evaluate/orderKey.ts";
import { compareOrderPlaces, compareOrderValues } from "../evaluate/orderKey.ts";
import type { Coordinates } from "../evaluate/product.ts";
import { rowText } from "../evaluate/rowText.ts";
import type { Slots } from "../evaluate/run.ts";
import { sortInTurns } from "../evaluate/sortInTurns.ts";
import { boundedText, sizeOf } from "../functions/valueSize.ts";
import type { ItemPlan } from "../plan/plan.ts";
import type { CollectedRow, Ended, OrderedWalk } from "./collected.ts";
import { AHEAD_COUNT, give } from "./collected.ts";
import { FirstOf } from "./firstOf.ts";
import { itemStream } from "./itemStream.ts";
import { isDone, progressTo } from "./marks.ts";
import type { Place, Position } from "./position.ts";
import type { Source, SourceItem } from "./source.ts";
import type { CollectSetting } from "./streamRows.ts";
import { directionOf, rowsPerLook } from "./streamRows.ts";

/**
 * Called for a row that passes the filter. Returns whether the row is to be given, by this page or
 * a later one. A promise has to be awaited before the next row is made.
 */
export type VisitRow = (
  slots: Slots,
  source: Source,
  item: SourceItem,
  coordinates: Coordinates,
) => MaybePromise<boolean>;

/**
 * Visits rows, and resolves with how many of the first rows in the order are certain to be among
 * those that it visited.
 */
type VisitRows = (setting: CollectSetting, visitRow: VisitRow) => Promise<number>;

/** Calls `visitRow` for every row that the filter lets through, and never ends early. */
export async function everyRow(
  { plan, sources, page }: CollectSetting,
  visitRow: (...row: Parameters<VisitRow>) => unknown,
): Promise<number> {
  const stream = itemStream(sources, plan, page, undefined);
  const slots: Slots = new Array(plan.slotCount).fill(undefined);
  const { run } = page;
  for (let isLast = false; !isLast; ) {
    const step = await stream.next();
    for (const { visit, item } of step.items) {
      const { source, ahead } = visit;
      page.effort.begin();
      slots[plan.itemSlot] = page.valueOf(source, item);
      let isMiss = plan.where !== undefined;
      const perLook = rowsPerLook(item);
      let count = 0;
      for (const coordinates of plan.product(slots, run)) {
        const pausing = ++count % perLook === 0 ? page.pauseOrSuspend(true) : undefined;
        if (pausing !== undefined) await pausing;
        ahead.triedRowCount++;
        if (plan.where !== undefined && plan.where(slots, run) !== true) continue;
        ahead.passedRowCount++;
        isMiss = false;
        const visited = visitRow(slots, source, item, coordinates);
        if (visited instanceof Promise) await visited;
      }
      visit.look(item, isMiss);
      const pausing = page.pauseOrSuspend(true);
      if (pausing !== undefined) await pausing;
    }
    isLast = step.isLast;
  }
  page.work.reach();
  return Number.POSITIVE_INFINITY;
}

interface SortedRow extends OrderPlace {
  readonly range: Source["range"];
  /**
   * True for a row of the item in the middle of which the page before ended; the row comes before
   * others with equal values.
   */
  readonly isRest: boolean;
  readonly coordinates: Coordinates;
  readonly text: () => Buffer;
  readonly bytes: number;
}

/** Memory that a row takes besides its content, in bytes. */
const ROW_BYTES = 256;

/**
 * Gives rows in the order of ORDER BY by sorting them. `isFiltered` means that an index has that
 * order all the same, see `orderChoice.ts`.
 */
export async function collectSorted(
  setting: CollectSetting,
  isFiltered: boolean,
  visitRows: VisitRows = everyRow,
): Promise<Ended> {
  const { plan, page, rows, position } = setting;
  const { isDescending } = plan;
  const start = position?.kind === "order" ? position : undefined;
  const compare = (left: SortedRow, right: SortedRow): number =>
    compareOrderValues(left.values, right.values, isDescending) ||
    Number(right.isRest) - Number(left.isRest) ||
    compareOrderPlaces(left, right, isDescending) ||
    compareCoordinates(left.coordinates, right.coordinates);
  const isTied = (values: OrderValues): boolean =>
    start !== undefined && compareOrderValues(values, start.values, isDescending) === 0;
  const first = firstRows(setting, compare);
  page.work.access.push("sort");
  page.work.usedOrder = undefined;
  const certainCount = await visitRows(setting, (slots, source, item, coordinates) => {
    const values = plan.orderValues.map((evaluate) => evaluate(slots, page.run));
    const { range } = source;
    const place = { values, rangeMin: range.min, number: item.number, range };
    if (start !== undefined) {
      const isGiven = isBehind(start, { ...place, epk: source.epkOf(item), coordinates }, plan);
      if (isGiven) return false;
    }
    const isMidItem = start?.coordinates !== undefined && item.number === start.number;
    const isRest = isMidItem && isTied(values);
    const candidate = { ...place, isRest, coordinates: [...coordinates], text: NO_TEXT, bytes: 0 };
    if (!first.isWanted(candidate)) return true;
    const row = plan.isStar ? item.body : plan.select(slots, page.run);
    if (row === undefined) return false;
    const isBody = Buffer.isBuffer(row);
    const rowBytes = isBody ? row.length : sizeOf(plainOf(row as Carried));
    const bytes = ROW_BYTES + weightOf(values) + rowBytes;
    page.held.hold(bytes);
    const text = isBody ? () => row : keep(row as Carried);
    const cutting = first.add({ ...candidate, bytes, text });
    return cutting === undefined ? true : cutting.then(() => true);
  });
  const placeOf = ({ values, range, number, isRest, coordinates }: SortedRow): Place => {
    const before = isTied(values) ? start : undefined;
    const progress = isRest
      ? { range: start!.range, number, earlier: start!.earlier }
      : progressTo(before, range, number, directionOf(plan));
    return { kind: "order", values, ...progress, ...(coordinates.length > 0 && { coordinates }) };
  };
  const all = await first.all();
  const isAll = all.isAll && certainCount === Number.POSITIVE_INFINITY;
  const list = all.list.slice(0, certainCount);
  const collected = list.map((row) => ({ text: row.text, place: placeOf(row) }));
  const walk = isFiltered ? walkOf(setting) : undefined;
  // Every visit pays for one more lookup: the index that has the order.
  if (isFiltered) for (const visit of page.work.visits) visit.lookupCount++;
  return give({ rows: collected, isAll, walk }, rows, position, page.work);
}

/**
 * Keeps the first rows in their order: as many as the page may give, and some ahead for the next
 * pages.
 */
function firstRows(
  { page, rows }: CollectSetting,
  compare: (left: SortedRow, right: SortedRow) => number,
): FirstOf<SortedRow> {
  return new FirstOf<SortedRow>(compare, {
    countMax: Math.max(rows.wantedCount, AHEAD_COUNT),
    // Rows that OFFSET passes over are needed whatever they weigh.
    weightMax: rows.remaining.skip > 0 ? Number.POSITIVE_INFINITY : AHEAD_BYTES_MAX,
    weightOf: ({ bytes }) => bytes,
    onDropped: ({ bytes }) => page.held.release(bytes),
    pause: () => page.pauseOrSuspend(),
  });
}

/** Returns what walking the index instead of sorting would have met: all of its entries. */
function walkOf({ sources, page }: CollectSetting): OrderedWalk {
  const passedCount = page.work.visits.reduce((sum, visit) => sum + visit.passedRowCount, 0);
  const entryCount = sources.reduce((sum, { itemCount }) => sum + itemCount, 0);
  return { entryCount, passedCount };
}

/**
 * Bytes of rows that are collected ahead of the page. A page takes 4 MB, so this is a few pages.
 */
const AHEAD_BYTES_MAX = 16 * 1024 * 1024;

function weightOf(values: OrderValues): number {
  return values.reduce<number>((sum, value) => sum + (value === undefined ? 0 : sizeOf(value)), 0);
}

const NO_TEXT = (): Buffer => Buffer.alloc(0);

/**
 * Returns a function that makes the text when it is needed: most candidates are pushed out by
 * better ones.
 */
function keep(row: Carried): () => Buffer {
  return () => rowText(row);
}

/** True when an earlier page has given this row. */
function isBehind(
  start: Extract<Position, { readonly kind: "order" }>,
  row: OrderPlace & { readonly epk: Epk; readonly coordinates: Coordinates },
  plan: ItemPlan,
): boolean {
  const byValues = compareOrderValues(row.values, start.values, plan.isDescending);
  if (byValues !== 0) return byValues < 0;
  const isMidItem = start.coordinates !== undefined && row.number === start.number;
  if (isMidItem) {
    return compareCoordinates(row.coordinates, start.coordinates) <= 0;
  }
  return isDone(start, row.epk, row.number, directionOf(plan));
}

function compareCoordinates(left: Coordinates, right: Coordinates): number {
  for (let depth = 0; depth < left.length; depth++) {
    const order = left[depth]! - (right[depth] ?? 0);
    if (order !== 0) return order;
  }
  return 0;
}

interface DistinctRow {
  readonly values: OrderValues;
  readonly row: JsonValue;
  /** The row as it goes out, with its digits; of equal rows, the first in the order. */
  readonly carried: Carried;
  readonly text: string;
}

export async function collectDistinct(setting: CollectSetting): Promise<Ended> {
  const { plan, page, rows, position } = setting;
  const start = position?.kind === "values" ? position.after : undefined;
  const compare = (left: DistinctRow, right: DistinctRow): number =>
    compareOrderValues(left.values, right.values, plan.isDescending) ||
    compareValues(left.row, right.row);
  const startRow: DistinctRow | undefined = start && {
    values: start.slice(0, -1),
    row: start.at(-1)!,
    carried: null,
    text: "",
  };
  const best = new Map<string, DistinctRow>();
  const given = new Set<string>();
  const wanted = Math.max(rows.wantedCount, AHEAD_COUNT);
  // Rows that OFFSET passes over are needed whatever they weigh.
  const weightMax = rows.remaining.skip > 0 ? Number.POSITIVE_INFINITY : AHEAD_BYTES_MAX;
  /** The last row that was kept when rows were let go: no row behind it is wanted any more. */
  let worst: DistinctRow | undefined;
  const pause = (): Promise<void> | undefined => page.pauseOrSuspend();
  const letGo = async (): Promise<void> => {
    const sorted = await sortInTurns([...best.values()], compare, pause);
    const { last, dropped } = cutBack(best, sorted, wanted, weightMax);
    if (dropped.length > 0) worst = last;
    for (const gone of dropped) page.held.release(heldBytes(gone));
  };
  page.work.access.push("distinct");
  await everyRow(setting, (slots) => {
    const carried = plan.select(slots, page.run);
    if (carried === undefined) return;
    const row = plainOf(carried);
    const text = boundedText(row);
    const values = plan.orderValues.map((evaluate) => evaluate(slots, page.run));
    const candidate: DistinctRow = { values, row, carried, text };
    if (startRow !== undefined && compare(candidate, startRow) <= 0) {
      if (!plan.isOrderOfRow && !given.has(text)) {
        page.held.hold(text.length);
        given.add(text);
      }
      return;
    }
    if (worst !== undefined && compare(candidate, worst) > 0) return;
    const known = best.get(text);
    if (known !== undefined && compare(known, candidate) <= 0) return;
    best.set(text, candidate);
    if (known === undefined) page.held.hold(heldBytes(text));
    const isFull = best.size >= 2 * wanted || page.held.bytes >= 2 * weightMax;
    return isFull && plan.isOrderOfRow ? letGo() : undefined;
  });
  const left = [...best.values()].filter(({ text }) => !given.has(text));
  const sorted = await sortInTurns(left, compare, pause);
  const collected = sorted.map(
    ({ values, row, carried }): CollectedRow => ({
      text: () => rowText(carried),
      place: { kind: "values", after: [...values, row] },
    }),
  );
  return give({ rows: collected, isAll: worst === undefined }, rows, position, page.work);
}

/** Keeps the first rows: at most `countMax`, and at most `weightMax` together, but two at least. */
function cutBack(
  best: Map<string, DistinctRow>,
  sorted: readonly DistinctRow[],
  countMax: number,
  weightMax: number,
): { readonly last: DistinctRow | undefined; readonly dropped: readonly string[] } {
  let count = 0;
  let weight = 0;
  while (count < sorted.length && count < countMax && (weight <= weightMax || count < 2)) {
    weight += heldBytes(sorted[count++]!.text);
  }
  const dropped = sorted.slice(count).map(({ text }) => text);
  for (const text of dropped) best.delete(text);
  return { last: sorted[count - 1], dropped };
}

/** Memory of a distinct row, in bytes: the row itself and its text. */
function heldBytes(text: string): number {
  return 2 * text.length + ROW_BYTES;
}
