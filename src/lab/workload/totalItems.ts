/**
 * How many items there are, and were written, by the growth that a workload declares.
 *
 * Days count from the beginning of the horizon. Items per day grow by a share each month throughout
 * the horizon. The items that are there at the beginning came evenly before it, over the retention
 * time, or over a year when items are never removed.
 */

import { DAYS_PER_MONTH } from "../../base/units.ts";
import type { Growth } from "./workload.ts";

const HISTORY_DAYS = 365;

/** Items written from one day to another; days before 0 are history. */
export function itemsWritten(growth: Growth, fromDay: number, toDay: number): number {
  if (toDay <= fromDay) return 0;
  const before = historyDays(growth);
  const historyFrom = Math.max(fromDay, -before);
  const historyTo = Math.min(toDay, 0);
  const history =
    historyTo > historyFrom ? (growth.initialItems * (historyTo - historyFrom)) / before : 0;
  return history + writtenSinceStart(growth, toDay) - writtenSinceStart(growth, fromDay);
}

/** Number of items that are there on a day. */
export function itemsOnDay(growth: Growth, day: number): number {
  const { retentionDays } = growth;
  if (retentionDays === undefined) return growth.initialItems + writtenSinceStart(growth, day);
  return itemsWritten(growth, day - retentionDays, day);
}

/** The greatest number of items within the horizon. */
export function totalItems(growth: Growth, horizonMonths: number): number {
  const end = horizonMonths * DAYS_PER_MONTH;
  // When fewer and fewer items come, the maximum is before the end, when the first items are about
  // to expire.
  const full = Math.min(growth.retentionDays ?? end, end);
  const days = Array.from({ length: STEPS + 1 }, (_, step) => (end * step) / STEPS);
  return Math.max(1, ...[...days, full].map((day) => itemsOnDay(growth, day)));
}

const STEPS = 24;

/** The day on which the oldest item was written that is there on `day`. */
export function oldestDay(growth: Growth, day: number): number {
  const start = growth.initialItems > 0 ? -historyDays(growth) : 0;
  return growth.retentionDays === undefined ? start : Math.max(start, day - growth.retentionDays);
}

function historyDays({ retentionDays }: Growth): number {
  return retentionDays ?? HISTORY_DAYS;
}

function writtenSinceStart({ itemsPerDay, perMonth }: Growth, day: number): number {
  if (day <= 0) return 0;
  if (perMonth === 0) return itemsPerDay * day;
  const perDay = Math.log1p(perMonth) / DAYS_PER_MONTH;
  return (itemsPerDay * Math.expm1(perDay * day)) / perDay;
}

/** The factor by which rates have grown on a day. */
export function growthFactor({ perMonth }: Growth, day: number): number {
  return (1 + perMonth) ** (Math.max(0, day) / DAYS_PER_MONTH);
}
