/**
 * Who pays for what a physical partition does, and who counts it. Asked before the work whether it
 * may begin, told afterwards what it came to.
 *
 * A *purse* is what is paid from: a budget with its rate, and where autoscale is. A physical
 * partition has one of its own, or shares one with those of other containers of its database.
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
  /** What it is filled with each second, whether or not that is a limit. */
  readonly ratePerSecond: number;
  /** Present under autoscale. */
  readonly autoscale: AutoscaleMeter | undefined;
  /** The throughput bucket of those who name none. */
  readonly defaultBucket: number | undefined;
}

/** Since the physical partition was opened; these only ever grow. */
export interface SpendingTotals {
  ru: number;
  throttledCount: number;
  /** Those that were throttled are among them. */
  readonly requestCounts: Record<RequestKind, number>;
}

export class Spending {
  readonly totals: SpendingTotals = {
    ru: 0,
    throttledCount: 0,
    requestCounts: { read: 0, write: 0, query: 0, feed: 0 },
  };
  readonly #clock: Clock;
  /** Absent if nobody counts. */
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

  /** From this instant on it pays from there. */
  payFrom(purse: Purse): void {
    this.#purse = purse;
    this.#meter?.setAllotted(purse.ratePerSecond, this.#clock.now());
  }

  /** `undefined` if it may begin. `epk` is absent for work on more than one logical partition. */
  admit(kind: RequestKind, epk: Epk | undefined, caller: Caller): Refusal | undefined {
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

  /** The same for work that took no time since it was admitted, which is the last to have been. */
  settleAtOnce(kind: RequestKind, epk: Epk | undefined, charge: Ru, caller: Caller): void {
    this.#settle(kind, epk, charge, caller, this.#admittedAt);
  }

  /** May work begin that nobody waits for? Only what callers did not want is spent on it. */
  hasLeftOver(): boolean {
    return this.#purse.budget.hasLeftOver(this.#clock.now());
  }

  /** What such work came to. It is no request, and moves no rate. */
  settleLeftOver(charge: number): void {
    this.#purse.budget.settle(ru(charge), LOW_CALLER, this.#clock.now());
    this.totals.ru += charge;
  }

  #settle(kind: RequestKind, epk: Epk | undefined, charge: Ru, caller: Caller, now: Millis): void {
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
