/**
 * Pays for what a physical partition does, and counts it. `Spending` is asked before the work
 * whether the work may begin, and told afterwards what the work cost.
 *
 * A *purse* is what is paid from: a budget with its rate, and where autoscale is. A physical
 * partition has a purse of its own, or shares one with physical partitions of other containers of
 * its database.
 */
import type { Millis, Ru } from "../../base/units.ts";
import { millis, ru } from "../../base/units.ts";
import type { Clock } from "../../base/world.ts";
import type { Caller } from "../../model/caller.ts";
import { callerOf, LOW_CALLER } from "../../model/caller.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { PartitionMeter, RequestKind } from "../../statistics/partitionMeter.ts";
import type { AutoscaleMeter } from "../../throughput/autoscale.ts";
import type { Budget } from "../../throughput/budget.ts";

export interface Purse {
  readonly budget: Budget;
  /** RU that the purse is filled with each second, whether or not the rate is enforced. */
  readonly ratePerSecond: number;
  /** Present under autoscale. */
  readonly autoscale: AutoscaleMeter | undefined;
  /** The throughput bucket of callers that name none. */
  readonly defaultBucket: number | undefined;
}

/** Totals since the physical partition was opened. */
interface SpendingTotals {
  ru: number;
  throttledCount: number;
  /** Number of requests by kind, throttled ones included. */
  readonly requestCounts: Record<RequestKind, number>;
}

export class Spending {
  readonly totals: SpendingTotals = {
    ru: 0,
    throttledCount: 0,
    requestCounts: { read: 0, write: 0, query: 0, feed: 0 },
  };
  readonly #clock: Clock;
  /** Absent if no load is counted. */
  readonly #meter: PartitionMeter | undefined;
  #purse: Purse;
  #admittedAt: Millis = millis(0);

  constructor(clock: Clock, purse: Purse, meter: PartitionMeter | undefined) {
    this.#clock = clock;
    this.#purse = purse;
    this.#meter = meter;
  }

  get purse(): Purse {
    return this.#purse;
  }

  get meter(): PartitionMeter | undefined {
    return this.#meter;
  }

  /** Pays from `purse` from this instant on. */
  payFrom(purse: Purse): void {
    this.#purse = purse;
    this.#meter?.setAllotted(purse.ratePerSecond, this.#clock.now());
  }

  /**
   * Returns `undefined` if the work may begin. `epk` is absent for work on several logical
   * partitions.
   */
  admit(kind: RequestKind, epk: Epk | undefined, caller: Caller): Refusal | undefined {
    if (caller.isOwner === true) return undefined;
    const now = this.#clock.now();
    this.#admittedAt = now;
    const admission = this.#purse.budget.admit(this.#inBucket(caller), now);
    if (admission.kind === "admitted") return undefined;
    this.totals.throttledCount++;
    this.totals.requestCounts[kind]++;
    this.#meter?.noteThrottled(kind, epk, now);
    const retryAfterMs = admission.retryAfter;
    return admission.cause === "rate"
      ? { kind: "throttled", retryAfterMs }
      : { kind: "bucketThrottled", retryAfterMs };
  }

  settle(kind: RequestKind, epk: Epk | undefined, charge: Ru, caller: Caller): void {
    this.#settle(kind, epk, charge, caller, this.#clock.now());
  }

  /**
   * Settles the request that `admit` let in last, as of that instant; call it before admitting
   * another.
   */
  settleAtOnce(kind: RequestKind, epk: Epk | undefined, charge: Ru, caller: Caller): void {
    this.#settle(kind, epk, charge, caller, this.#admittedAt);
  }

  /** True when background work may begin: it spends only what callers left over. */
  hasLeftOver(): boolean {
    return this.#purse.budget.hasLeftOver(this.#clock.now());
  }

  /** Settles background work, which is no request and does not move the autoscale level. */
  settleLeftOver(charge: number): void {
    this.#purse.budget.settle(ru(charge), LOW_CALLER, this.#clock.now());
    this.totals.ru += charge;
  }

  #settle(kind: RequestKind, epk: Epk | undefined, charge: Ru, caller: Caller, now: Millis): void {
    if (caller.isOwner === true) return;
    this.#purse.budget.settle(charge, this.#inBucket(caller), now);
    this.#purse.autoscale?.note(charge, now);
    this.totals.ru += charge;
    this.totals.requestCounts[kind]++;
    this.#meter?.note(kind, epk, charge, now);
  }

  #inBucket(caller: Caller): Caller {
    const { defaultBucket } = this.#purse;
    if (defaultBucket === undefined || caller.bucket !== undefined) return caller;
    const inBucket = callerOf(caller.priority, defaultBucket);
    return caller.isOfMany ? { ...inBucket, isOfMany: true } : inBucket;
  }
}
