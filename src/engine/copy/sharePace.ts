/**
 * Keeps a job to a share of the rate of each physical partition that it reads or writes.
 *
 * The job pays after each step and waits while it owes something. When clients of one of the
 * partitions are throttled it allows itself less, and then slowly more again.
 *
 * Invariants
 * - Over any second a job spends on no partition more than its share, and what one step costs.
 * - A change of the share is in force with the next step.
 */
import type { Clock } from "../../base/world.ts";
import type { ThrottleBound } from "../../model/copyJob.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";

interface Account {
  /** RU that may be spent; below zero while the job owes. */
  balance: number;
  at: number;
}

const ADJUST_MS = 1000;
const BACK_OFF = 0.7;
const RISE_SHARE = 0.05;
/** A job never stands still for others: it would not end. */
const SHARE_FLOOR = 0.02;
/** A step costs about as much as the job may spend in this time. */
const STEP_SECONDS = 0.25;
const STEP_COUNT_MAX = 512;

export class SharePace {
  readonly #clock: Clock;
  readonly #isLimited: boolean;
  readonly #accounts = new WeakMap<PhysicalPartition, Account>();
  #sharePercent: number;
  #effective = 1;
  #adjustedAt = Number.NEGATIVE_INFINITY;
  /** How many requests of clients each partition had throttled when it was last looked at. */
  readonly #throttled = new WeakMap<PhysicalPartition, number>();
  #bound: ThrottleBound = "nothing";

  /** Without rates that are limited nothing is waited for. */
  constructor(clock: Clock, sharePercent: number, isLimited: boolean) {
    this.#clock = clock;
    this.#sharePercent = sharePercent;
    this.#isLimited = isLimited;
  }

  get sharePercent(): number {
    return this.#sharePercent;
  }

  set sharePercent(percent: number) {
    this.#sharePercent = percent;
  }

  get effectivePercent(): number {
    return this.#sharePercent * this.#effective;
  }

  get bound(): ThrottleBound {
    return this.#bound;
  }

  spend(partition: PhysicalPartition, charge: number): void {
    if (this.#isLimited) this.#accountOf(partition).balance -= charge;
  }

  /** Whether the job owes nothing of a partition. */
  isFree(partition: PhysicalPartition): boolean {
    return !this.#isLimited || this.#accountOf(partition).balance >= 0;
  }

  /** Milliseconds until the next step may begin. */
  waitFor(partitions: Iterable<PhysicalPartition>): number {
    if (!this.#isLimited) return 0;
    const all = [...partitions];
    this.#adjust(all);
    let longest = 0;
    for (const partition of all) {
      const { balance } = this.#accountOf(partition);
      if (balance < 0) longest = Math.max(longest, (-balance / this.#rateOf(partition)) * 1000);
    }
    // Less than a timer can wait would be waited for again and again.
    if (longest > 0) longest = Math.max(1, longest);
    if (longest > 0) this.#bound = this.#effective < 1 ? "throttledClients" : "share";
    else this.#bound = "nothing";
    return longest;
  }

  /** How many items a step takes if each costs `ruPerItem` on each side. */
  countFor(partitions: Iterable<PhysicalPartition>, ruPerItem: number): number {
    if (!this.#isLimited) return STEP_COUNT_MAX;
    let lowest = Number.POSITIVE_INFINITY;
    for (const partition of partitions) lowest = Math.min(lowest, this.#rateOf(partition));
    const count = Math.floor((lowest * STEP_SECONDS) / Math.max(1, ruPerItem));
    return Math.max(1, Math.min(STEP_COUNT_MAX, count));
  }

  #rateOf({ spending }: PhysicalPartition): number {
    const { ratePerSecond } = spending.purse;
    return Math.max(0.1, (ratePerSecond * this.effectivePercent) / 100);
  }

  #accountOf(partition: PhysicalPartition): Account {
    const now = this.#clock.now() as number;
    const rate = this.#rateOf(partition);
    let account = this.#accounts.get(partition);
    if (account === undefined) {
      account = { balance: 0, at: now };
      this.#accounts.set(partition, account);
    }
    const earned = ((now - account.at) / 1000) * rate;
    account.balance = Math.min(rate * STEP_SECONDS, account.balance + earned);
    account.at = now;
    return account;
  }

  #adjust(partitions: readonly PhysicalPartition[]): void {
    const now = this.#clock.now() as number;
    if (now - this.#adjustedAt < ADJUST_MS) return;
    this.#adjustedAt = now;
    const isThrottled = partitions.map((one) => this.#hasThrottled(one)).includes(true);
    this.#effective = isThrottled
      ? Math.max(SHARE_FLOOR, this.#effective * BACK_OFF)
      : Math.min(1, this.#effective + RISE_SHARE);
  }

  /** Whether a partition has throttled a client since it was last looked at. */
  #hasThrottled(partition: PhysicalPartition): boolean {
    const { throttledCount } = partition.spending.totals;
    const before = this.#throttled.get(partition) ?? throttledCount;
    this.#throttled.set(partition, throttledCount);
    return throttledCount > before;
  }
}
