/**
 * How items came over time: from when to when, how many a day, at which hours, the busiest minute
 * and the growth from month to month. The order in which items are read does not matter.
 *
 * Memory is bounded: up to `DAY_COUNT_MAX` days and `MINUTE_COUNT_MAX` minutes are counted one by
 * one; of more, a part that a hash picks.
 */

import { DAY_MS, DAYS_PER_MONTH, HOUR_MS, MINUTE_MS } from "../../base/units.ts";
import { KeyTable } from "../counting/keyTable.ts";
import { mixedHigh, mixedLow } from "../counting/valueHash.ts";
import type { TimeSpan } from "./profile.ts";

/** Eleven years. */
const DAY_COUNT_MAX = 4096;
/** A year of minutes. */
const MINUTE_COUNT_MAX = 525_600;
/** Number of days below which nothing can be said about growth. */
const GROWTH_DAYS_MIN = 45;
/** Number of days with items below which a stretch of a month tells little. */
const STRETCH_DAYS_MIN = 10;

export class Timeline {
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;
  #itemCount = 0;
  readonly #hours = new Float64Array(24);
  readonly #days = new Map<number, number>();
  #areDaysAll = true;
  readonly #minutes = new KeyTable();
  /** The minute of the last item, and the number of its items that are still to be counted. */
  #minute = 0;
  #minuteItems = 0;

  add(millis: number): void {
    this.#itemCount++;
    if (millis < this.#first) this.#first = millis;
    if (millis > this.#last) this.#last = millis;
    const minute = Math.floor(millis / MINUTE_MS);
    if (minute === this.#minute) this.#minuteItems++;
    else {
      this.#countMinute();
      this.#minute = minute;
      this.#minuteItems = 1;
    }
  }

  /** `pickedShare` is the share of the source's items that were added. */
  result(path: string, pickedShare: number): TimeSpan | null {
    this.#countMinute();
    if (this.#itemCount === 0) return null;
    const days = this.#coveredDays();
    return {
      path,
      first: new Date(this.#first).toISOString(),
      last: new Date(this.#last).toISOString(),
      itemsPerDay: this.#itemCount / days / pickedShare,
      hourShares: [...this.#hours].map((count) => count / this.#itemCount),
      minutePeakFactor: this.#busiestMinute() / (this.#itemCount / (days * 1440)),
      growthPerMonth: this.#growthPerMonth(),
    };
  }

  #countMinute(): void {
    if (this.#minuteItems === 0) return;
    // The table's sum of bytes is a sum of items here.
    const [low, high] = [mixedLow(this.#minute, 1), mixedHigh(this.#minute, 1)];
    this.#minutes.add(low, high, this.#minuteItems);
    if (this.#minutes.fairCount > MINUTE_COUNT_MAX) this.#minutes.thin(MINUTE_COUNT_MAX);
    const hour = Math.floor(this.#minute / 60);
    this.#hours[((hour % 24) + 24) % 24]! += this.#minuteItems;
    this.#countDay(Math.floor(hour / 24));
    this.#minuteItems = 0;
  }

  #busiestMinute(): number {
    let most = 0;
    this.#minutes.forEach(({ bytes }) => {
      most = Math.max(most, bytes);
    });
    return most;
  }

  #countDay(day: number): void {
    const count = this.#days.get(day);
    if (count === undefined && this.#days.size === DAY_COUNT_MAX) this.#areDaysAll = false;
    else this.#days.set(day, (count ?? 0) + this.#minuteItems);
  }

  /**
   * Days from the first item to the last, without days that have no items: a file may have gaps.
   */
  #coveredDays(): number {
    const span = (this.#last - this.#first) / DAY_MS;
    const firstDay = Math.floor(this.#first / DAY_MS);
    const allDays = Math.floor(this.#last / DAY_MS) - firstDay + 1;
    const gaps = this.#areDaysAll ? allDays - this.#days.size : 0;
    return Math.max(span - gaps, MINUTE_MS / DAY_MS);
  }

  /**
   * The slope of a line through the logarithms of items per day, for stretches of about a month.
   */
  #growthPerMonth(): number | null {
    const spanDays = (this.#last - this.#first) / DAY_MS;
    if (!this.#areDaysAll || spanDays < GROWTH_DAYS_MIN) return null;
    const stretchCount = Math.max(2, Math.round(spanDays / DAYS_PER_MONTH));
    const stretches = Array.from({ length: stretchCount }, () => ({ items: 0, days: 0 }));
    const firstDay = Math.floor(this.#first / DAY_MS);
    const lastDay = Math.floor(this.#last / DAY_MS);
    for (const [day, items] of this.#days) {
      // The first and the last day are incomplete.
      if (day === firstDay || day === lastDay) continue;
      const place = (day - firstDay) / (lastDay - firstDay);
      const stretch = stretches[Math.min(stretchCount - 1, Math.floor(place * stretchCount))]!;
      stretch.items += items;
      stretch.days++;
    }
    const points = stretches.flatMap(({ items, days }, at) =>
      days >= STRETCH_DAYS_MIN ? [{ x: at, y: Math.log(items / days) }] : [],
    );
    if (points.length < 2) return null;
    return Math.exp((slopeOf(points) * stretchCount * DAYS_PER_MONTH) / spanDays) - 1;
  }
}

function slopeOf(points: readonly { readonly x: number; readonly y: number }[]): number {
  const meanOf = (numbers: readonly number[]): number =>
    numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  const meanX = meanOf(points.map(({ x }) => x));
  const meanY = meanOf(points.map(({ y }) => y));
  const rise = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0);
  const run = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  return rise / run;
}

/** Milliseconds of the stretches of time for which the busiest key is looked for. */
export const STRETCH_MILLIS: {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
} = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS };
