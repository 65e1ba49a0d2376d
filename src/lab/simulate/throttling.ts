/**
 * What is refused when load meets budgets: the server's own budget on a simulated clock, asked by
 * clients that behave as the official ones do.
 *
 * A client that is refused waits as long as it is told and asks again, at most nine times and for
 * thirty seconds in all. Partitions with nearly the same load are one run; a partition well below
 * its allotment needs none. Where a partition gets thousands of requests a second, a smaller one
 * with the same proportions is run in its place.
 */
import { type Millis, millis, ru } from "../../base/units.ts";
import { type Clock, type Random, seededRandom } from "../../base/world.ts";
import { HIGH_CALLER } from "../../model/caller.ts";
import { Budget } from "../../throughput/budget.ts";

/** What arrives at a partition. */
interface Stream {
  /** Requests per second. */
  readonly rate: number;
  readonly ru: number;
}

export interface PartitionDemand {
  readonly allotment: number;
  readonly streams: readonly Stream[];
}

export interface Refusals {
  readonly answerCount: number;
  readonly throttledCount: number;
  readonly requestCount: number;
  readonly failedCount: number;
  /** Milliseconds that requests waited, in order of size, each for so many. */
  readonly waits: readonly number[];
  /** RU/s that were paid. */
  readonly servedRate: number;
}

/** As the SDKs have it unless told otherwise. */
export interface RetryRules {
  readonly retriesMax: number;
  readonly waitMax: number;
}

export const SDK_RETRIES: RetryRules = { retriesMax: 9, waitMax: 30_000 };

const REQUESTS_MAX = 3000;
const SECONDS = 20;
/** Below this share of its allotment a partition refuses nobody, but for single seconds. */
export const CALM_SHARE = 0.7;

export function refusalsOf(
  demand: PartitionDemand,
  rules: RetryRules,
  seed: number,
  seconds: number = SECONDS,
): Refusals {
  const total = demand.streams.reduce((sum, { rate }) => sum + rate, 0);
  const scale = Math.min(1, REQUESTS_MAX / Math.max(1, total * seconds));
  const streams = demand.streams.map(({ rate, ru: charge }) => ({
    rate: rate * scale,
    ru: charge,
  }));
  return run(streams, demand.allotment * scale, rules, { seconds, random: seededRandom(seed) });
}

/** A request on its way. */
export interface Attempt {
  readonly at: number;
  readonly arrivedAt: number;
  readonly retries: number;
}

interface ChargedAttempt extends Attempt {
  readonly charge: number;
}

interface World {
  readonly seconds: number;
  readonly random: Random;
}

function run(
  streams: readonly Stream[],
  ratePerSecond: number,
  rules: RetryRules,
  { seconds, random }: World,
): Refusals {
  let now = 0;
  const clock: Clock = { now: () => millis(now), wallNow: () => now };
  const budget = new Budget(clock, { ratePerSecond });
  const queue = new AttemptQueue(arrivalsOf(streams, seconds, random));
  const waits: number[] = [];
  let [answers, throttled, failed, paid] = [0, 0, 0, 0];
  for (let next = queue.take(); next !== undefined; next = queue.take()) {
    now = next.at;
    answers++;
    const admission = budget.admit(HIGH_CALLER);
    if (admission.kind === "admitted") {
      budget.settle(ru(next.charge), HIGH_CALLER);
      paid += next.at <= seconds * 1000 ? next.charge : 0;
      waits.push(next.at - next.arrivedAt);
      continue;
    }
    throttled++;
    const at = next.at + retryDelay(admission.retryAfter);
    if (next.retries >= rules.retriesMax || at - next.arrivedAt > rules.waitMax) {
      failed++;
      waits.push(next.at - next.arrivedAt);
    } else queue.add({ ...next, at, retries: next.retries + 1 });
  }
  return {
    answerCount: answers,
    throttledCount: throttled,
    requestCount: queue.arrivalCount,
    failedCount: failed,
    waits: waits.sort((a, b) => a - b),
    servedRate: paid / seconds,
  };
}

function retryDelay(retryAfter: Millis): number {
  return Math.max(1, retryAfter);
}

/** Each stream in even steps, from a place of its own: operations are sent at their rate. */
function arrivalsOf(
  streams: readonly Stream[],
  seconds: number,
  random: Random,
): readonly ChargedAttempt[] {
  const arrivals = streams.flatMap(({ rate, ru: charge }) => {
    // Many streams of a few requests each would lose them by rounding.
    const count = Math.floor(rate * seconds + random.next());
    return Array.from({ length: count }, (_, index) => {
      const at = ((index + random.next()) * seconds * 1000) / count;
      return { at, arrivedAt: at, charge, retries: 0 };
    });
  });
  return arrivals.sort((a, b) => a.at - b.at);
}

/** Arrivals in order, and those who come again, in a heap. */
export class AttemptQueue<T extends Attempt> {
  readonly #arrivals: readonly T[];
  readonly #again: T[] = [];
  #next = 0;

  constructor(arrivals: readonly T[]) {
    this.#arrivals = arrivals;
  }

  get arrivalCount(): number {
    return this.#arrivals.length;
  }

  take(): T | undefined {
    const arrival = this.#arrivals[this.#next];
    const first = this.#again[0];
    if (first === undefined || (arrival !== undefined && arrival.at <= first.at)) {
      this.#next++;
      return arrival;
    }
    return this.#pop();
  }

  add(attempt: T): void {
    const heap = this.#again;
    let at = heap.length;
    heap.push(attempt);
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (heap[parent]!.at <= attempt.at) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = attempt;
  }

  #pop(): T {
    const heap = this.#again;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= heap.length) break;
      const right = left + 1;
      const child = right < heap.length && heap[right]!.at < heap[left]!.at ? right : left;
      if (heap[child]!.at >= last.at) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}
