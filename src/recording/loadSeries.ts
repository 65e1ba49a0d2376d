/**
 * Operations over time: by second, by minute and by hour of the day (UTC). Time only goes forward:
 * an operation with an earlier time, because the clock was set back, counts for the latest second.
 */
import { HOUR_MS } from "../base/units.ts";
import type { LoadSeries } from "./recording.ts";

const SECOND_COUNT = 60;
const DAY_HOURS = 24;

/**
 * The busiest second and minute, and the hours of the day: the part that is kept for each shape.
 */
export class Peaks {
  readonly hours: number[] = new Array<number>(DAY_HOURS).fill(0);
  #second = 0;
  #secondCount = 0;
  #secondMax = 0;
  #minuteCount = 0;
  #minuteMax = 0;

  add(now: number): void {
    const second = Math.max(this.#second, Math.floor(now / 1000));
    if (second !== this.#second) {
      if (Math.floor(second / 60) !== Math.floor(this.#second / 60)) this.#minuteCount = 0;
      this.#second = second;
      this.#secondCount = 0;
    }
    this.#secondCount += 1;
    this.#minuteCount += 1;
    if (this.#secondCount > this.#secondMax) this.#secondMax = this.#secondCount;
    if (this.#minuteCount > this.#minuteMax) this.#minuteMax = this.#minuteCount;
    this.hours[Math.floor((second * 1000) / HOUR_MS) % DAY_HOURS]! += 1;
  }

  get busiestSecond(): number {
    return this.#secondMax;
  }

  get busiestMinute(): number {
    return this.#minuteMax;
  }
}

export class Series {
  readonly #startedAt: number;
  readonly #peaks = new Peaks();
  readonly #seconds = new Uint32Array(SECOND_COUNT + 1);
  readonly #minutes: number[] = [];
  #second: number;

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
    this.#second = Math.floor(startedAt / 1000);
  }

  add(now: number): void {
    this.#reach(now);
    this.#peaks.add(this.#second * 1000);
    this.#seconds[this.#second % this.#seconds.length]! += 1;
    this.#minutes[this.#minutes.length - 1]! += 1;
  }

  /** The mean over the last `secondCount` whole seconds, or over as many as there were. */
  ratePerSecond(now: number, secondCount: number): number {
    const counts = this.#lastSeconds(now).slice(-secondCount);
    return counts.length === 0 ? 0 : counts.reduce((sum, count) => sum + count, 0) / counts.length;
  }

  record(now: number): LoadSeries {
    this.#reach(now);
    return {
      lastSeconds: this.#lastSeconds(now),
      minutes: this.#minutes,
      busiestSecond: this.#peaks.busiestSecond,
      busiestMinute: this.#peaks.busiestMinute,
      hours: this.#peaks.hours,
      hourSeconds: hourSeconds(this.#startedAt, Math.max(this.#startedAt, now)),
    };
  }

  #lastSeconds(now: number): number[] {
    this.#reach(now);
    const count = Math.min(SECOND_COUNT, this.#second - Math.floor(this.#startedAt / 1000));
    const { length } = this.#seconds;
    return Array.from({ length: count }, (_, at) => {
      return this.#seconds[(this.#second - count + at) % length]!;
    });
  }

  /** Advances to the second of `now`, with zeros for seconds and minutes without operations. */
  #reach(now: number): void {
    const second = Math.max(this.#second, Math.floor(now / 1000));
    const { length } = this.#seconds;
    const passed = Math.min(second - this.#second, length);
    for (let at = 0; at < passed; at++) this.#seconds[(second - at) % length] = 0;
    this.#second = second;
    const minute = Math.floor(second / 60) - Math.floor(this.#startedAt / 60_000);
    while (this.#minutes.length <= minute) this.#minutes.push(0);
  }
}

function hourSeconds(from: number, to: number): readonly number[] {
  const seconds = new Array<number>(DAY_HOURS).fill(0);
  for (let at = from; at < to; ) {
    const end = Math.min(to, (Math.floor(at / HOUR_MS) + 1) * HOUR_MS);
    seconds[Math.floor(at / HOUR_MS) % DAY_HOURS]! += (end - at) / 1000;
    at = end;
  }
  return seconds;
}
