/**
 * How fast a job is and when it will be done: from what it did in each of the last seconds.
 *
 * The end is said as an interval. Its bounds come from a slow and a fast second of those (the tenth
 * and the ninetieth percentile), so a job whose pace varies says a wide one.
 */
import type { Clock } from "../../base/world.ts";

interface Sample {
  readonly at: number;
  readonly itemCount: number;
  readonly bytes: number;
}

interface Pace {
  readonly itemsPerSecond: number;
  readonly bytesPerSecond: number;
}

interface SaidInterval {
  readonly from: number;
  readonly to: number;
}

const SAMPLE_MS = 1000;
const SAMPLE_COUNT = 31;
/** Fewer seconds than these tell nothing. */
const TELLING_COUNT = 4;
/** What no second showed may still come. */
const WIDENED = 1.25;

export class ProgressLog {
  readonly #clock: Clock;
  #samples: readonly Sample[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Totals as of now. */
  note(itemCount: number, bytes: number): void {
    const at = this.#clock.now() as number;
    const last = this.#samples.at(-1);
    if (last !== undefined && at - last.at < SAMPLE_MS) return;
    this.#samples = [...this.#samples, { at, itemCount, bytes }].slice(-SAMPLE_COUNT);
  }

  /** After a pause or a change of what is done, what was before tells nothing. */
  forget(): void {
    this.#samples = [];
  }

  get pace(): Pace {
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    const seconds = first === undefined || last === undefined ? 0 : (last.at - first.at) / 1000;
    if (seconds === 0) return { itemsPerSecond: 0, bytesPerSecond: 0 };
    return {
      itemsPerSecond: (last!.itemCount - first!.itemCount) / seconds,
      bytesPerSecond: (last!.bytes - first!.bytes) / seconds,
    };
  }

  /** Seconds until so many more are done; `undefined` while too little is known. */
  remaining(itemCount: number): SaidInterval | undefined {
    if (itemCount <= 0) return { from: 0, to: 0 };
    const rates: number[] = [];
    for (const [index, sample] of this.#samples.entries()) {
      const before = this.#samples[index - 1];
      if (before === undefined) continue;
      rates.push(((sample.itemCount - before.itemCount) / (sample.at - before.at)) * 1000);
    }
    if (rates.length < TELLING_COUNT) return undefined;
    rates.sort((a, b) => a - b);
    const slow = rates[Math.floor(rates.length * 0.1)]! / WIDENED;
    const fast = rates[Math.min(rates.length - 1, Math.floor(rates.length * 0.9))]! * WIDENED;
    if (fast <= 0) return undefined;
    const mean = this.pace.itemsPerSecond / (2 * WIDENED);
    return { from: itemCount / fast, to: itemCount / Math.max(slow, mean) };
  }
}
