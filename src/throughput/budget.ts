/**
 * The request units that one physical partition may still spend.
 *
 * The price of an operation is known only after it ran, so a budget is asked twice: `admit` before
 * the work, `settle` after it. A settled charge may push the balance below zero. The next callers
 * then wait until that debt is earned back, so the long-run rate stays at what was provisioned,
 * whatever single operations cost.
 *
 * Invariants
 * - The balance never exceeds one second of the rate; RU beyond it are saved or lost (`burst.ts`).
 * - No caller is admitted while balance and savings together are zero or below.
 * - Only time and `settle` change the balance; a throttled request costs nothing.
 * - A caller that waits as long as told, alone, is admitted.
 * - A budget without a rate admits every caller and counts nothing.
 *
 * Not here: what an operation costs (`charge.ts`), how a rate is divided (`allotment.ts`), how
 * long each caller is told to wait when many are refused (`retryQueue.ts`).
 */
import { assert } from "../base/assert.ts";
import type { Millis, Ru } from "../base/units.ts";
import { millis } from "../base/units.ts";
import type { Clock } from "../base/world.ts";
import type { Caller } from "../model/caller.ts";
import type { ThroughputBucket } from "../model/throughputBucket.ts";
import { Balance } from "./balance.ts";
import { type BurstOptions, Savings } from "./burst.ts";
import type { Holding } from "./holding.ts";
import { RetryQueue } from "./retryQueue.ts";
import { type BucketBudget, bucketBudgets } from "./throughputBuckets.ts";

type Admission =
  | { readonly kind: "admitted" }
  | {
      readonly kind: "throttled";
      readonly retryAfter: Millis;
      /** Whether the rate is exhausted, or the caller's throughput bucket. */
      readonly cause: "rate" | "bucket";
    };

export interface BudgetOptions {
  /** RU earned each second. With `unlimited`, nobody is ever throttled. */
  readonly ratePerSecond: number | "unlimited";
  /** Absent when idle time saves nothing. Has no effect on rates from its `rateMax` on. */
  readonly burst?: BurstOptions | undefined;
  readonly buckets?: readonly ThroughputBucket[] | undefined;
}

const ADMITTED: Admission = { kind: "admitted" };
const MILLIS_PER_SECOND = 1000;

/**
 * Rules of thumb: how much of a full balance is reserved for high callers, and for how many
 * milliseconds after one came.
 */
const RESERVED_SHARE = 0.5;
const HIGH_LATELY = 5000;

/** The share of a full balance at which something counts as left over; a rule of thumb, too. */
const LEFT_OVER_SHARE = 0.5;

/**
 * Number of charges over which means are taken, and the least share of them that low callers are
 * assumed to have.
 */
const MEAN_COUNT = 64;
const LOW_SHARE_MIN = 1 / 16;

/**
 * How many times as much as was earned between two refusals is left to callers that come
 * unannounced.
 */
const COMING_FACTOR = 4;

export class Budget {
  readonly #clock: Clock;
  /** Undefined when the rate is unlimited. */
  #balance: Balance | undefined;
  #savings: Savings | undefined;
  #buckets: readonly (BucketBudget | undefined)[] = [];
  #highQueue = new RetryQueue();
  #lowQueue = new RetryQueue();
  /** The instant until which high callers count as having come lately. */
  #highUntil: number = Number.NEGATIVE_INFINITY;
  /** The instant at which a caller was last told to wait. */
  #refusedAt: number = Number.NEGATIVE_INFINITY;
  #settledCount = 0;
  #chargeMean = 0;
  /** The share of low callers among the requests that were lately settled. */
  #lowShare = 0;

  /** Begins with one second's worth, or with what was held before a split or a merge. */
  constructor(clock: Clock, options: BudgetOptions, holding?: Holding | undefined) {
    this.#clock = clock;
    this.#provision(options, holding, clock.now());
  }

  get isLimited(): boolean {
    return this.#balance !== undefined;
  }

  /**
   * Decides whether one more request may start now; if not, the admission says how long to wait.
   */
  admit(caller: Caller, now: Millis = this.#clock.now()): Admission {
    const balance = this.#balance;
    if (balance === undefined) return ADMITTED;
    this.#earn(balance, now);
    const isLow = caller.priority === "low";
    if (!isLow) this.#highUntil = now + HIGH_LATELY;
    const bucket = this.#bucketOf(caller);
    const rateWait = this.#waitOf(balance, isLow, bucket !== undefined, now);
    if (bucket === undefined)
      return rateWait === 0 ? ADMITTED : this.#throttle(caller, rateWait, now);
    bucket.balance.earn(now);
    const bucketWait = bucket.balance.waitFor(0);
    if (bucketWait > 0) {
      const wait = Math.max(bucketWait, rateWait);
      if (caller.isOfMany) return throttled(wait, "bucket");
      return throttled(
        bucket.queue.promise(now, wait, this.#spacingOf(bucket.balance, now)),
        "bucket",
      );
    }
    return rateWait === 0 ? ADMITTED : this.#throttle(caller, rateWait, now);
  }

  /** True when there is more than callers lately had use for. */
  hasLeftOver(now: Millis = this.#clock.now()): boolean {
    const balance = this.#balance;
    if (balance === undefined) return true;
    this.#earn(balance, now);
    const isCalm = now - this.#refusedAt >= MILLIS_PER_SECOND;
    return isCalm && balance.amount >= LEFT_OVER_SHARE * balance.capacity;
  }

  /** Debits what an admitted request turned out to cost. */
  settle(charge: Ru, caller: Caller, now: Millis = this.#clock.now()): void {
    // The message does not have the charge in it: it would be put into words for every request.
    assert(charge >= 0, "a charge is negative");
    const balance = this.#balance;
    if (balance === undefined) return;
    this.#earn(balance, now);
    balance.spend(charge);
    const bucket = this.#bucketOf(caller);
    if (bucket !== undefined) {
      bucket.balance.earn(now);
      bucket.balance.spend(charge);
    }
    const savings = this.#savings;
    if (savings !== undefined) {
      savings.pace.spend(charge);
      if (bucket === undefined && balance.amount < 0) {
        balance.refund(savings.draw(Math.min(charge, -balance.amount)));
      }
    }
    if (this.#settledCount < MEAN_COUNT) this.#settledCount++;
    this.#chargeMean += (charge - this.#chargeMean) / this.#settledCount;
    const isLow = caller.priority === "low" ? 1 : 0;
    this.#lowShare += (isLow - this.#lowShare) / this.#settledCount;
  }

  /**
   * Sets another rate, in force from this instant on. Debt is kept, savings are capped, promises
   * are forgotten.
   */
  reprovision(options: BudgetOptions, now: Millis = this.#clock.now()): void {
    this.#provision(options, this.holding(now), now);
  }

  /** Returns what the budget has left or owes; undefined when it is unlimited. */
  holding(now: Millis = this.#clock.now()): Holding | undefined {
    const balance = this.#balance;
    if (balance === undefined) return undefined;
    this.#earn(balance, now);
    const buckets = new Map<number, number>();
    this.#buckets.forEach((bucket, id) => {
      if (bucket === undefined) return;
      bucket.balance.earn(now);
      buckets.set(id, bucket.balance.amount);
    });
    return {
      balance: balance.amount,
      savings: this.#savings?.amount ?? 0,
      pace: this.#savings?.pace.amount,
      buckets,
    };
  }

  #provision(
    { ratePerSecond, burst, buckets }: BudgetOptions,
    held: Holding | undefined,
    now: Millis,
  ): void {
    this.#highQueue = new RetryQueue();
    this.#lowQueue = new RetryQueue();
    this.#balance = undefined;
    this.#savings = undefined;
    this.#buckets = [];
    if (ratePerSecond === "unlimited") return;
    const amount = held?.balance ?? ratePerSecond;
    this.#balance = new Balance({ ratePerSecond, capacity: ratePerSecond, amount, now });
    if (burst !== undefined && ratePerSecond < burst.rateMax) {
      const saved = { savings: held?.savings ?? 0, pace: held?.pace, now };
      this.#savings = new Savings(ratePerSecond, burst, saved);
    }
    const amounts = held?.buckets ?? new Map<number, number>();
    this.#buckets = bucketBudgets(buckets ?? [], ratePerSecond, { amounts, now });
  }

  /** Credits the time since the last call; called before every look at the balance. */
  #earn(balance: Balance, now: Millis): void {
    const unspent = balance.earn(now);
    const savings = this.#savings;
    if (savings === undefined) return;
    savings.keep(unspent);
    savings.pace.earn(now);
  }

  #bucketOf({ bucket }: Caller): BucketBudget | undefined {
    return bucket === undefined ? undefined : this.#buckets[bucket];
  }

  /**
   * Returns the milliseconds until a caller would be admitted if it were alone; 0 when it is
   * admitted now.
   */
  #waitOf(balance: Balance, isLow: boolean, isOfBucket: boolean, now: Millis): number {
    if (!isLow || now >= this.#highUntil) return this.#waitFor(0, balance, isOfBucket);
    // The reserve ends when high callers stay away: then only debt has to be waited for.
    const withReserve = this.#waitFor(RESERVED_SHARE, balance, isOfBucket);
    if (withReserve === 0) return 0;
    const withoutReserve = this.#waitFor(0, balance, isOfBucket);
    return Math.min(withReserve, Math.max(withoutReserve, Math.ceil(this.#highUntil - now)));
  }

  /** Returns the milliseconds until more than that share of the whole capacity is there. */
  #waitFor(share: number, balance: Balance, isOfBucket: boolean): number {
    const savings = this.#savings;
    if (savings === undefined) return balance.waitFor(share * balance.capacity);
    // Callers of a throughput bucket may not spend savings.
    const saved = isOfBucket ? 0 : savings.amount;
    return Math.max(
      balance.waitFor(share * balance.capacity, saved),
      savings.pace.waitFor(share * savings.pace.capacity),
    );
  }

  #throttle({ priority, isOfMany }: Caller, wait: number, now: Millis): Admission {
    // The client of a request with many operations waits for each in turn, so what it is told adds
    // up by itself.
    if (isOfMany) return throttled(wait, "rate");
    const isLow = priority === "low";
    const spacing = this.#spacingOf(this.#balance!, now);
    if (!isLow) return throttled(this.#highQueue.promise(now, wait, spacing), "rate");
    // Low callers come after the high ones that are expected, and have only what those leave.
    const afterHigh = Math.max(wait, Math.ceil(this.#highQueue.lastAt - now));
    const share = now < this.#highUntil ? Math.max(this.#lowShare, LOW_SHARE_MIN) : 1;
    return throttled(this.#lowQueue.promise(now, afterHigh, spacing / share), "rate");
  }

  /**
   * Returns the milliseconds between two promised instants. In them, the cost of one request has to
   * be earned, and something for callers that come unannounced, because nothing is kept for those
   * that were promised an instant. A crowd that is refused at one moment, such as the rows of a
   * seed file, is promised the whole rate. Where callers are refused one after the other, others
   * come meanwhile; if they had to share the first part, every second promise would be broken. A
   * charge of more than half a second's worth leaves less: what cannot be saved until a caller
   * comes is lost.
   */
  #spacingOf({ capacity, ratePerSecond }: Balance, now: Millis): number {
    const mean = this.#chargeMean;
    const since = ((now - this.#refusedAt) * ratePerSecond) / MILLIS_PER_SECOND;
    this.#refusedAt = now;
    const spare = Math.min(mean, Math.max(capacity - mean, 0), COMING_FACTOR * since);
    return ((mean + spare) * MILLIS_PER_SECOND) / ratePerSecond;
  }
}

function throttled(retryAfter: number, cause: "rate" | "bucket"): Admission {
  return { kind: "throttled", retryAfter: millis(retryAfter), cause };
}
