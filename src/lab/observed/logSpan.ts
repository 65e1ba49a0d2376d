/**
 * The time that logs cover, and the rates that follow from counts in it: per second over the day,
 * hour by hour, and the peak.
 *
 * The count of an hour of the day is divided by the time that the logs cover of it, so in thirty
 * hours of logs the six hours that come twice do not look busier.
 */

import { HOUR_MS } from "../../base/units.ts";

/** Milliseconds that must be covered for an hour of the day to be known. */
const HOUR_COVER_MS_MIN = HOUR_MS / 2;
const BUCKET_COUNT_MAX = 20_000;
/** Mean number of requests in a stretch; with fewer a peak is chance. */
const BUCKET_MEAN_MIN = 20;
const SPAN_MS_MIN = 1000;

export class LogSpan {
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;
  /** Requests by stretch of time; stretches become longer when there are too many. */
  #buckets = new Map<number, number>();
  #bucketMs = 60_000;

  add(at: number, count: number): void {
    this.#first = Math.min(this.#first, at);
    this.#last = Math.max(this.#last, at);
    const bucket = Math.floor(at / this.#bucketMs);
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + count);
    if (this.#buckets.size > BUCKET_COUNT_MAX) this.#coarsen();
  }

  get first(): number {
    return this.#first;
  }

  get last(): number {
    return this.#last;
  }

  get seconds(): number {
    return Math.max(SPAN_MS_MIN, this.#last - this.#first) / 1000;
  }

  /** True when every hour of the day is covered. */
  get isWholeDay(): boolean {
    return this.#cover().every((millis) => millis >= HOUR_COVER_MS_MIN);
  }

  /** The rate over the day, and hour by hour if all hours are covered. */
  rateOf(hours: Float64Array): { readonly mean: number; readonly byHour: readonly number[] } {
    const total = hours.reduce((sum, count) => sum + count, 0);
    if (!this.isWholeDay) return { mean: total / this.seconds, byHour: [] };
    const cover = this.#cover();
    const byHour = [...hours].map((count, hour) => (count * 1000) / cover[hour]!);
    return { mean: byHour.reduce((sum, rate) => sum + rate, 0) / 24, byHour };
  }

  /**
   * The busiest stretch over the mean one. Stretches are long enough to be significant, an hour at
   * most.
   */
  get peakFactor(): number {
    const total = [...this.#buckets.values()].reduce((sum, count) => sum + count, 0);
    while (this.#bucketMs < HOUR_MS && total / this.#bucketSpan() < BUCKET_MEAN_MIN) {
      this.#coarsen();
    }
    const busiest = Math.max(0, ...this.#buckets.values());
    return Math.max(1, busiest / (total / this.#bucketSpan()));
  }

  /**
   * The number of stretches in the covered time; not a whole number, because the first and the last
   * may be incomplete.
   */
  #bucketSpan(): number {
    return Math.max(1, (this.#last - this.#first) / this.#bucketMs);
  }

  #coarsen(): void {
    const buckets = new Map<number, number>();
    for (const [bucket, count] of this.#buckets) {
      const wider = Math.floor(bucket / 2);
      buckets.set(wider, (buckets.get(wider) ?? 0) + count);
    }
    this.#buckets = buckets;
    this.#bucketMs *= 2;
  }

  /** Milliseconds covered of each hour of the day. */
  #cover(): readonly number[] {
    const days = Math.floor((this.#last - this.#first) / (24 * HOUR_MS));
    const cover = new Array<number>(24).fill(Math.max(0, days) * HOUR_MS);
    let at = this.#first + Math.max(0, days) * 24 * HOUR_MS;
    while (at < this.#last) {
      const next = Math.min(this.#last, (Math.floor(at / HOUR_MS) + 1) * HOUR_MS);
      cover[Math.floor(at / HOUR_MS) % 24]! += next - at;
      at = next;
    }
    return cover;
  }
}
