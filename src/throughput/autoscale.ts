/**
 * Where autoscale is between a tenth of its ceiling and the ceiling. Documented: "Autoscale
 * throughput".
 *
 * Each physical partition has a meter of what it spends, with its share of the ceiling. Its level
 * is what it spent per second over the last five seconds, the running one included. So the ceiling
 * is reached only when use has been at 100 % for five seconds, a spike of one second counts for a
 * fifth, and the level falls as soon as the load does. The container is at the sum of the levels,
 * and is billed for the sum of the highest levels of each hour, both rounded up to 100 RU/s.
 *
 * It follows the load and never limits it: budgets are made for the ceiling.
 *
 * Not here: what does not count as load, such as removing expired items; nobody notes that.
 */

import { assert } from "../base/assert.ts";
import type { Millis } from "../base/units.ts";
import { HOUR_MS } from "../base/units.ts";
import type { Clock } from "../base/world.ts";
import { addedHours, type HourPeak, HourPeaks } from "./hourPeaks.ts";

/** Documented: so long use has to be at 100 % to reach the ceiling. */
const SECONDS = 5;
/** Documented: the least part of the ceiling, and what rates are multiples of, in RU/s. */
const FLOOR_SHARE = 0.1;
const RATE_STEP = 100;

const MILLIS_PER_SECOND = 1000;
/** Shares of a rate may add up to a little more than it. */
const DUST = 1e-6;

export class AutoscaleMeter {
  readonly #clock: Clock;
  #rateMax: number;
  /** Spent in each of the last seconds, the running one at `#second % SECONDS`. */
  readonly #spent = new Float64Array(SECONDS);
  #second: number;
  readonly #peaks: HourPeaks;
  /** The highest level that nobody has taken yet. */
  #untaken = 0;

  /** `rateMax` is the share of the ceiling; `hours` are those inherited at a split or a merge. */
  constructor(clock: Clock, rateMax: number, hours: readonly HourPeak[] = []) {
    this.#clock = clock;
    this.#rateMax = rateMax;
    this.#second = secondOf(clock.now());
    this.#peaks = new HourPeaks(hours);
    this.reprovision(rateMax);
  }

  /** Something was spent. */
  note(charge: number, now: Millis = this.#clock.now()): void {
    if (now >= (this.#second + 1) * MILLIS_PER_SECOND) this.#advance(now);
    this.#spent[this.#second % SECONDS]! += charge;
  }

  /** RU per second, from a tenth of the ceiling to the ceiling. */
  level(now: Millis = this.#clock.now()): number {
    this.#advance(now);
    return this.#levelNow();
  }

  /** The highest level of each hour, at most a day back; the last hour is still running. */
  hours(now: Millis = this.#clock.now()): readonly HourPeak[] {
    this.#advance(now);
    this.#notePeak(this.#clock.wallNow());
    return this.#peaks.hours;
  }

  /** The highest level since this was asked before, or since there is another ceiling. */
  takePeak(now: Millis = this.#clock.now()): number {
    this.#advance(now);
    const peak = Math.max(this.#untaken, this.#levelNow());
    this.#untaken = 0;
    return peak;
  }

  /** Another ceiling from this instant on. */
  reprovision(rateMax: number, now: Millis = this.#clock.now()): void {
    assert(rateMax > 0, `autoscale up to ${rateMax}`);
    this.#advance(now);
    this.#notePeak(this.#clock.wallNow());
    if (rateMax !== this.#rateMax) this.#untaken = 0;
    this.#rateMax = rateMax;
    this.#notePeak(this.#clock.wallNow());
  }

  /** A second that is over is looked at once more, in the hour in which it was. */
  #advance(now: Millis): void {
    const second = secondOf(now);
    if (second <= this.#second) return;
    const sinceItEnded = now - (this.#second + 1) * MILLIS_PER_SECOND;
    this.#notePeak(this.#clock.wallNow() - sinceItEnded - 1);
    const passed = Math.min(second - this.#second, SECONDS);
    for (let step = 0; step < passed; step++) this.#spent[(second - step) % SECONDS] = 0;
    this.#second = second;
  }

  #levelNow(): number {
    let sum = 0;
    // What was saved before may make a second dearer than the ceiling.
    for (const spent of this.#spent) sum += Math.min(spent, this.#rateMax);
    return Math.max(sum / SECONDS, this.#rateMax * FLOOR_SHARE);
  }

  #notePeak(wallAt: number): void {
    const hour = Math.floor(wallAt / HOUR_MS);
    const level = this.#levelNow();
    this.#peaks.note(hour, level, this.#rateMax * FLOOR_SHARE);
    this.#untaken = Math.max(this.#untaken, level);
  }
}

/** Where a container is whose physical partitions are at these levels. */
export function autoscaledRate(levels: readonly number[]): number {
  return roundedUp(levels.reduce((sum, level) => sum + level, 0));
}

/** What a container is billed for, hour by hour, given the hours of its physical partitions. */
export function billedHours(all: readonly (readonly HourPeak[])[]): readonly HourPeak[] {
  return addedHours(all).map(({ hour, level }) => ({ hour, level: roundedUp(level) }));
}

function roundedUp(rate: number): number {
  return Math.ceil((rate - DUST) / RATE_STEP) * RATE_STEP;
}

function secondOf(now: number): number {
  return Math.floor(now / MILLIS_PER_SECOND);
}
