/**
 * Where autoscale is between a tenth of its ceiling and the ceiling. Documented: "Autoscale
 * throughput".
 *
 * Each physical partition has a meter of what it spends, with its share of the ceiling. Its level
 * is what it spent per second over the last five seconds, the running one included. So the ceiling
 * is reached only when use has been at 100 % for five seconds, a spike of one second counts for a
 * fifth, and the level falls as soon as the load does. The level of the container is the sum of
 * these levels; it is billed for the sum of the highest levels of each hour. Both are rounded up to
 * 100 RU/s.
 *
 * The level follows the load and never limits it: budgets are made for the ceiling.
 *
 * Not here: work that is no load, such as removing expired items; it is never noted.
 */

import { assert } from "../base/assert.ts";
import type { Millis } from "../base/units.ts";
import { HOUR_MS } from "../base/units.ts";
import type { Clock } from "../base/world.ts";
import { addedHours, type HourPeak, HourPeaks } from "./hourPeaks.ts";

/** Number of seconds for which use has to be at 100 % to reach the ceiling; documented. */
const SECONDS = 5;
/** The least share of the ceiling; documented. Rates are multiples of `RATE_STEP`, in RU/s. */
const FLOOR_SHARE = 0.1;
const RATE_STEP = 100;

const MILLIS_PER_SECOND = 1000;
/** Shares of a rate may add up to a little more than it. */
const DUST = 1e-6;

export class AutoscaleMeter {
  readonly #clock: Clock;
  #rateMax: number;
  /** RU spent in each of the last seconds; the running second is at `#second % SECONDS`. */
  readonly #spent = new Float64Array(SECONDS);
  #second: number;
  readonly #peaks: HourPeaks;
  /** The highest level since `takePeak` was called last. */
  #untaken = 0;

  /** `rateMax` is the share of the ceiling; `hours` are those inherited at a split or a merge. */
  constructor(clock: Clock, rateMax: number, hours: readonly HourPeak[] = []) {
    this.#clock = clock;
    this.#rateMax = rateMax;
    this.#second = secondOf(clock.now());
    this.#peaks = new HourPeaks(hours);
    this.reprovision(rateMax);
  }

  /** Counts a charge that was spent. */
  note(charge: number, now: Millis = this.#clock.now()): void {
    if (now >= (this.#second + 1) * MILLIS_PER_SECOND) this.#advance(now);
    this.#spent[this.#second % SECONDS]! += charge;
  }

  /** Returns the level in RU per second, from a tenth of the ceiling to the ceiling. */
  level(now: Millis = this.#clock.now()): number {
    this.#advance(now);
    return this.#levelNow();
  }

  /** Returns the highest level of each hour, at most a day back; the last hour is still running. */
  hours(now: Millis = this.#clock.now()): readonly HourPeak[] {
    this.#advance(now);
    this.#notePeak(this.#clock.wallNow());
    return this.#peaks.hours;
  }

  /** Returns the highest level since the last call, or since the ceiling was changed. */
  takePeak(now: Millis = this.#clock.now()): number {
    this.#advance(now);
    const peak = Math.max(this.#untaken, this.#levelNow());
    this.#untaken = 0;
    return peak;
  }

  /** Sets another ceiling, in force from this instant on. */
  reprovision(rateMax: number, now: Millis = this.#clock.now()): void {
    assert(rateMax > 0, `autoscale up to ${rateMax}`);
    this.#advance(now);
    this.#notePeak(this.#clock.wallNow());
    if (rateMax !== this.#rateMax) this.#untaken = 0;
    this.#rateMax = rateMax;
    this.#notePeak(this.#clock.wallNow());
  }

  /**
   * Goes on to the second of `now`. The level of the second that has ended is noted once more, in
   * the hour in which it was.
   */
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
    // A second may cost more than the ceiling when savings were spent in it.
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

/** Returns the rate of a container whose physical partitions are at these levels. */
export function autoscaledRate(levels: readonly number[]): number {
  return roundedUp(levels.reduce((sum, level) => sum + level, 0));
}

/**
 * Returns what a container is billed for, hour by hour, given the hours of its physical partitions.
 */
export function billedHours(all: readonly (readonly HourPeak[])[]): readonly HourPeak[] {
  return addedHours(all).map(({ hour, level }) => ({ hour, level: roundedUp(level) }));
}

function roundedUp(rate: number): number {
  return Math.ceil((rate - DUST) / RATE_STEP) * RATE_STEP;
}

function secondOf(now: number): number {
  return Math.floor(now / MILLIS_PER_SECOND);
}
