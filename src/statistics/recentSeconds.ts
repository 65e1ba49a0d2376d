/**
 * The last 300 seconds, one by one. Seconds are those of the monotonic clock.
 *
 * A second to which nothing was added counts as one without requests, because the owner counts all
 * the time from the second it started in.
 */
import type { Millis } from "../base/units.ts";
import type { Load } from "./report.ts";
import {
  addRow,
  clearSlot,
  isGap,
  NORMALIZED_PERCENT,
  newRow,
  newTable,
  RU,
  requestCountOf,
  rowAt,
  THROTTLED_COUNT,
} from "./slotTable.ts";

export const SECOND_MS = 1000;
/** Number of seconds that are kept besides the running one. */
export const SECONDS_KEPT = 300;
const SLOT_COUNT = SECONDS_KEPT + 1;

export class RecentSeconds {
  readonly #firstSecond: number;
  /** Made when it is needed: many containers get no requests. */
  #table: Float64Array | undefined;
  readonly #seconds = new Float64Array(SLOT_COUNT).fill(-1);

  constructor(now: Millis) {
    this.#firstSecond = secondOf(now);
  }

  /** Adds a row to a second, unless a later second has taken its slot. */
  add(second: number, row: Float64Array): void {
    this.#table ??= newTable(SLOT_COUNT);
    const slot = second % SLOT_COUNT;
    if (this.#seconds[slot]! > second) return;
    if (this.#seconds[slot] !== second) clearSlot(this.#table, slot);
    this.#seconds[slot] = second;
    addRow(this.#table, slot, row);
  }

  /** The sum of the `count` seconds before the running one, as one row. */
  sum(count: number, now: Millis): Float64Array {
    const sum = newRow();
    const table = this.#table;
    if (table === undefined) return sum;
    const end = secondOf(now);
    for (let second = end - count; second < end; second++) {
      const slot = second % SLOT_COUNT;
      if (this.#seconds[slot] === second && !isGap(table, slot)) addRow(sum, 0, rowAt(table, slot));
    }
    return sum;
  }

  /** Like `sum`, as a load; over fewer seconds if the server has not been up for as many. */
  load(count: number, now: Millis): Load {
    const sum = this.sum(count, now);
    return {
      seconds: Math.min(count, secondOf(now) - this.#firstSecond),
      ru: sum[RU]!,
      requestCount: requestCountOf(sum),
      throttledCount: sum[THROTTLED_COUNT]!,
      normalizedPercent: sum[NORMALIZED_PERCENT]!,
    };
  }
}

export function secondOf(now: Millis): number {
  return Math.floor(now / SECOND_MS);
}
