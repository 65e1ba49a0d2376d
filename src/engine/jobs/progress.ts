/**
 * How fast a job is and when it will be done: from what it did in each of the last seconds.
 *
 * The end is said as an interval. Its bounds come from a slow and a fast second of those (the tenth
 * and the ninetieth percentile), so a job whose pace varies says a wide one.
 *
 * While a job copies, what is left is a number of items that only falls (`ProgressLog`). While it
 * catches up, changes come as others are applied (`DrainLog`): it may never have caught up.
 *
 * A job says what time it still needs twice: when half of the items are copied, and when it first
 * knows how fast it catches up. What is said is judged by what came, unless the job was paused or
 * led otherwise meanwhile.
 */
import { shortDurationText } from "../../base/wording.ts";
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

export interface SaidInterval {
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
    return intervalOf(itemCount, rates, this.pace.itemsPerSecond);
  }
}

interface DrainSample {
  readonly at: number;
  /** Changes that were applied since the beginning, and those that were there to be applied. */
  readonly appliedCount: number;
  readonly arrivedCount: number;
}

/** Changes in a second. */
interface DrainRates {
  readonly appliedPerSecond: number;
  readonly arrivingPerSecond: number;
}

export class DrainLog {
  readonly #clock: Clock;
  #samples: readonly DrainSample[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many changes were applied so far, and how many are not applied yet. */
  note(appliedCount: number, lag: number): void {
    const at = this.#clock.now() as number;
    const last = this.#samples.at(-1);
    if (last !== undefined && at - last.at < SAMPLE_MS) return;
    const sample = { at, appliedCount, arrivedCount: appliedCount + lag };
    this.#samples = [...this.#samples, sample].slice(-SAMPLE_COUNT);
  }

  /** After a pause or a change of what is done, what was before tells nothing. */
  forget(): void {
    this.#samples = [];
  }

  /** Absent while too little is known. */
  get rates(): DrainRates | undefined {
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (this.#samples.length <= TELLING_COUNT) return undefined;
    const seconds = (last!.at - first!.at) / 1000;
    return {
      appliedPerSecond: (last!.appliedCount - first!.appliedCount) / seconds,
      arrivingPerSecond: Math.max(0, last!.arrivedCount - first!.arrivedCount) / seconds,
    };
  }

  /** Seconds until a lag is gone; `undefined` while too little is known, or if it does not fall. */
  remaining(lag: number): SaidInterval | undefined {
    if (lag <= 0) return { from: 0, to: 0 };
    const { rates } = this;
    const mean = rates === undefined ? 0 : rates.appliedPerSecond - rates.arrivingPerSecond;
    if (mean <= 0) return undefined;
    const falls: number[] = [];
    for (const [index, sample] of this.#samples.entries()) {
      const before = this.#samples[index - 1];
      if (before === undefined) continue;
      const applied = sample.appliedCount - before.appliedCount;
      const arrived = sample.arrivedCount - before.arrivedCount;
      falls.push(((applied - arrived) / (sample.at - before.at)) * 1000);
    }
    return intervalOf(lag, falls, mean);
  }
}

interface SaidRemaining {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Seconds. */
  readonly from: number;
  readonly to: number;
  readonly wasInside?: boolean | undefined;
}

/** Of which part of a job it is said. */
export interface SaidOfJob {
  /** Of the copying of what was there at the beginning. */
  readonly said?: SaidRemaining | undefined;
  /** Of the catching up with what has changed since. */
  readonly saidOfChanges?: SaidRemaining | undefined;
}

export function saidAt(at: number, { from, to }: SaidInterval): SaidRemaining {
  return { at, from, to };
}

/**
 * Whether what was said came true, and a sentence about that; nothing if nothing is left to judge.
 * What takes less than a second cannot be told from none.
 */
export function judged(
  said: SaidRemaining | undefined,
  wallNow: number,
): { readonly said: SaidRemaining; readonly text: string } | undefined {
  if (said === undefined || said.wasInside !== undefined) return undefined;
  const passed = (wallNow - said.at) / 1000;
  const wasInside = said.from - 1 <= passed && passed <= said.to + 1;
  const [from, to, took] = [said.from, said.to, passed].map(shortDurationText);
  const interval = from === to ? `about ${from}` : `${from} to ${to}`;
  const outcome = wasInside ? "as was said" : "and not what was said";
  return { said: { ...said, wasInside }, text: `It took ${took}, ${outcome}: ${interval}.` };
}

/** What was said before a job was paused or led otherwise tells nothing about estimates. */
export function withoutOpen({ said, saidOfChanges }: SaidOfJob): SaidOfJob {
  const closed = (one: SaidRemaining | undefined): SaidRemaining | undefined =>
    one?.wasInside === undefined ? undefined : one;
  return { said: closed(said), saidOfChanges: closed(saidOfChanges) };
}

/** Seconds for a count at the rates of some seconds, of which `mean` is the mean. */
function intervalOf(
  count: number,
  rates: readonly number[],
  mean: number,
): SaidInterval | undefined {
  if (rates.length < TELLING_COUNT) return undefined;
  const sorted = rates.toSorted((a, b) => a - b);
  const slow = sorted[Math.floor(sorted.length * 0.1)]! / WIDENED;
  const fast = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.9))]! * WIDENED;
  if (fast <= 0) return undefined;
  return { from: count / fast, to: count / Math.max(slow, mean / (2 * WIDENED)) };
}
