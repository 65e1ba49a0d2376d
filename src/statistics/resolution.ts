/**
 * How finely the past is remembered: the longer ago, the coarser. Also which resolution answers a
 * question about a span of time, and in which columns.
 *
 * Times are those of the wall clock, in milliseconds since 1970, and slots are counted from there,
 * so a slot has the same number before and after a restart.
 */

import { assert } from "../base/assert.ts";
import { DAY_MS, MINUTE_MS } from "../base/units.ts";

export interface Resolution {
  readonly name: string;
  readonly slotMs: number;
  /** Number of slots in a block; slots are kept, stored and forgotten in blocks. */
  readonly slotsPerBlock: number;
  /** One block more than the reach needs, because the newest block is not complete. */
  readonly blockCount: number;
}

/** A day of minutes, a week of ten minutes, a quarter of hours; the finest first. */
export const RESOLUTIONS: readonly Resolution[] = [
  { name: "minute", slotMs: MINUTE_MS, slotsPerBlock: 60, blockCount: 25 },
  { name: "tenMinutes", slotMs: 10 * MINUTE_MS, slotsPerBlock: 144, blockCount: 8 },
  { name: "hour", slotMs: 60 * MINUTE_MS, slotsPerBlock: 168, blockCount: 14 },
];

export function slotOf({ slotMs }: Resolution, wallAt: number): number {
  return Math.max(0, Math.floor(wallAt / slotMs));
}

export interface Timespan {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
}

/** Consecutive slots that are shown as one column. */
export interface SlotGroup extends Timespan {
  readonly firstSlot: number;
  /** The first slot after the group. */
  readonly endSlot: number;
}

export interface TimeColumns {
  /** An index into `RESOLUTIONS`. */
  readonly resolution: number;
  readonly columns: readonly SlotGroup[];
}

/**
 * Returns the finest resolution that reaches back to the start of a span, and the slots of the span
 * in at most `columnsMax` equal columns. Columns are parts of a day, or days, and their edges do
 * not move along with the span: the same moment is in the same column a minute later. No column
 * reaches further back than the coarsest resolution, or into the future.
 */
export function timeColumns(
  { from, to }: Timespan,
  {
    wallNow,
    columnsMax,
    columnMsMin = 0,
  }: {
    readonly wallNow: number;
    readonly columnsMax: number;
    /** The least length of a column in milliseconds. */
    readonly columnMsMin?: number | undefined;
  },
): TimeColumns {
  assert(columnsMax >= 2, "fixed edges need room for a second column");
  const reaching = RESOLUTIONS.findIndex((candidate) => from >= wallNow - reachOf(candidate));
  const index = reaching === -1 ? RESOLUTIONS.length - 1 : reaching;
  const resolution = RESOLUTIONS[index]!;
  const { slotMs } = resolution;
  const first = slotOf(resolution, Math.max(from, wallNow - reachOf(resolution)));
  const end = Math.ceil(Math.min(to, wallNow + 1) / slotMs);
  const fits = (width: number): boolean =>
    Math.ceil(end / width) - Math.floor(first / width) <= columnsMax;
  let width = Math.max(1, Math.ceil(columnMsMin / slotMs));
  while (!fits(width) || !isRound(width, DAY_MS / slotMs)) width++;

  const columns: SlotGroup[] = [];
  for (let slot = Math.floor(first / width) * width; slot < end; slot += width) {
    const endSlot = slot + width;
    columns.push({ firstSlot: slot, endSlot, from: slot * slotMs, to: endSlot * slotMs });
  }
  return { resolution: index, columns };
}

function isRound(width: number, slotsPerDay: number): boolean {
  return slotsPerDay % width === 0 || width % slotsPerDay === 0;
}

function reachOf({ slotMs, slotsPerBlock, blockCount }: Resolution): number {
  return slotMs * slotsPerBlock * (blockCount - 1);
}
