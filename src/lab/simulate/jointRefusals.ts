/**
 * What is refused where few partitions meet the load of a container: all their budgets on one
 * simulated clock, asked by clients that behave as the official ones do.
 *
 * A query that goes to several partitions is one request: the server begins it when all of them can
 * pay, and refuses it as a whole when one cannot. So a partition that is short of rate refuses on
 * behalf of the others as well.
 */
import { millis, ru } from "../../base/units.ts";
import { type Clock, type Random, seededRandom } from "../../base/world.ts";
import { HIGH_CALLER } from "../../model/caller.ts";
import { Budget } from "../../throughput/budget.ts";
import { type Attempt, AttemptQueue, type Refusals, type RetryRules } from "./throttling.ts";

/** Requests of one kind, each of which goes to all of these partitions. */
export interface JointStream {
  /** Requests per second. */
  readonly rate: number;
  readonly visits: readonly Visit[];
}

interface Visit {
  readonly partition: number;
  readonly ru: number;
}

export interface JointDemand {
  /** Of each partition. */
  readonly allotment: number;
  readonly partitionCount: number;
  readonly streams: readonly JointStream[];
}

interface JointSetting {
  readonly rules: RetryRules;
  readonly seconds: number;
  readonly seed: number;
}

/** More are not simulated one by one: a smaller container with the same proportions is. */
const REQUESTS_MAX = 3000;

export function jointRefusals(demand: JointDemand, setting: JointSetting): Refusals {
  const { rules, seconds, seed } = setting;
  const total = demand.streams.reduce((sum, { rate }) => sum + rate, 0);
  const scale = Math.min(1, REQUESTS_MAX / Math.max(1, total * seconds));
  let now = 0;
  const clock: Clock = { now: () => millis(now), wallNow: () => now };
  const ratePerSecond = demand.allotment * scale;
  const budgets = Array.from(
    { length: demand.partitionCount },
    () => new Budget(clock, { ratePerSecond }),
  );
  const arrivals = arrivalsOf(demand.streams, { scale, seconds, random: seededRandom(seed) });
  const queue = new AttemptQueue(arrivals);
  const waits: number[] = [];
  let [answers, throttled, failed, paid] = [0, 0, 0, 0];
  for (let next = queue.take(); next !== undefined; next = queue.take()) {
    now = next.at;
    answers++;
    const wait = refusedFor(next.visits, budgets);
    if (wait === undefined) {
      for (const visit of next.visits) {
        budgets[visit.partition]!.settle(ru(visit.ru), HIGH_CALLER);
        paid += next.at <= seconds * 1000 ? visit.ru : 0;
      }
      waits.push(next.at - next.arrivedAt);
      continue;
    }
    throttled++;
    const at = next.at + Math.max(1, wait);
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
    servedRate: paid / seconds / scale,
  };
}

/** Milliseconds to wait, as the first who cannot pay tells; undefined when all can. */
function refusedFor(visits: readonly Visit[], budgets: readonly Budget[]): number | undefined {
  for (const { partition } of visits) {
    const admission = budgets[partition]!.admit(HIGH_CALLER);
    if (admission.kind === "throttled") return admission.retryAfter;
  }
  return undefined;
}

interface JointAttempt extends Attempt {
  readonly visits: readonly Visit[];
}

/** Each stream in even steps, from a place of its own. */
function arrivalsOf(
  streams: readonly JointStream[],
  {
    scale,
    seconds,
    random,
  }: { readonly scale: number; readonly seconds: number; readonly random: Random },
): readonly JointAttempt[] {
  const arrivals = streams.flatMap(({ rate, visits }) => {
    // Many streams of a few requests each would lose them by rounding.
    const count = Math.floor(rate * scale * seconds + random.next());
    return Array.from({ length: count }, (_, index): JointAttempt => {
      const at = ((index + random.next()) * seconds * 1000) / count;
      return { at, arrivedAt: at, retries: 0, visits };
    });
  });
  return arrivals.sort((a, b) => a.at - b.at);
}
