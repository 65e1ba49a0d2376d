/**
 * What clients were told that their requests cost, since the machine was started; and whether it is
 * what physical partitions were paid, what statistics say, and no more than rates allow.
 *
 * What a physical partition has been paid is looked at after every event. A bucket that leaks at
 * the rate in force shows every window of time at once: there is never more in it than a budget
 * may have saved up, and what those who were let in at the same time have spent.
 */
import type { Account } from "../../src/engine/account.ts";
import { usersOf } from "../../src/engine/catalog/database.ts";
import type { Container } from "../../src/engine/partition/container.ts";
import type { Limits } from "../../src/model/limits.ts";
import { rateMaxOf } from "../../src/model/throughput.ts";
import { demand } from "./stormModel.ts";

/** How much more than any before it a request may cost. */
const DEARER = 1.5;
const DUST = 1e-6;

interface Told {
  readonly ruByRange: Map<string, number>;
  ru: number;
  /** Each counts once for every physical partition that it was answered by. */
  answeredCount: number;
  throttledCount: number;
  /**
   * Pages that ended because the next physical partition could not pay, or were begun again because
   * something changed: then there may have been a refusal that nobody was told of.
   */
  cutShortCount: number;
}

interface Bucket {
  level: number;
  /** The highest rate since it was last empty. */
  rateMax: number;
  rate: number;
  spent: number;
  at: number;
}

interface LedgerSetting {
  readonly limits: Limits;
  readonly hasBurst: boolean;
  /** How many pages may be under way at once: each was let in before the others had paid. */
  readonly pagesMax: number;
}

export class Ledger {
  readonly #setting: LedgerSetting;
  readonly #told = new Map<string, Told>();
  #chargeMax = 20;
  /** By who pays: a physical partition, or those that share a rate. */
  readonly #buckets = new Map<object | string, Bucket>();

  constructor(setting: LedgerSetting) {
    this.#setting = setting;
  }

  /** A request was answered, and this is what each physical partition took for it. */
  note(container: Container, charges: Iterable<readonly [rangeId: string, ru: number]>): void {
    const told = this.#toldOf(container);
    for (const [rangeId, ru] of charges) {
      demand(ru >= 0, `a request is charged ${ru}`);
      this.#chargeMax = Math.max(this.#chargeMax, ru);
      told.ru += ru;
      told.answeredCount++;
      told.ruByRange.set(rangeId, (told.ruByRange.get(rangeId) ?? 0) + ru);
    }
  }

  noteThrottled(container: Container): void {
    this.#toldOf(container).throttledCount++;
  }

  noteCutShort(container: Container): void {
    this.#toldOf(container).cutShortCount++;
  }

  throttledCount(): number {
    return [...this.#told.values()].reduce((sum, { throttledCount }) => sum + throttledCount, 0);
  }

  /** To be asked when nothing is under way, and the second is over. */
  check(container: Container, now: number): void {
    const told = this.#toldOf(container);
    const name = container.link;
    for (const [id, { spending }] of container.partitions) {
      const { ru } = spending.totals;
      const toldRu = told.ruByRange.get(id) ?? 0;
      demand(isSame(ru, toldRu), `${name}: partition ${id} was paid ${ru}, told ${toldRu}`);
    }
    const load = container.meter!.load(now as never);
    const settledCount = load.requestCount - load.throttledCount;
    demand(isSame(load.ru, told.ru), `${name}: statistics have ${load.ru} RU, told ${told.ru}`);
    demand(
      settledCount === told.answeredCount,
      `${name}: statistics have ${settledCount} requests, answered ${told.answeredCount}`,
    );
    const throttledMax = told.throttledCount + told.cutShortCount;
    demand(
      load.throttledCount >= told.throttledCount && load.throttledCount <= throttledMax,
      `${name}: statistics have ${load.throttledCount} throttled, told ${told.throttledCount} ` +
        `and at most ${told.cutShortCount} more`,
    );
  }

  /** To be called after every event. */
  watch(account: Account, now: number): void {
    for (const database of account.catalog.databases()) {
      const { throughput } = database.record;
      for (const container of database.containers.values()) this.#watch(container, now);
      if (throughput === undefined) continue;
      const users = usersOf(database);
      // Among others there is another number of budgets to share: a new beginning.
      const name = `${database.rid} ${users.map(({ rid, map }) => `${rid}.${map.version}`)}`;
      const spent = users.reduce((sum, user) => sum + spentBy(user), 0);
      const { limits } = this.#setting;
      const count = database.sharedPartitionCount({ limits });
      const whole = rateMaxOf(throughput);
      const isServed = whole <= count * limits.partitionRateMax;
      demand(isServed || users.length === 0, `${count} partitions are to serve ${whole} RU/s`);
      this.#pour(name, now, spent, whole, count);
    }
  }

  #watch({ record: { throughput }, map, partitions }: Container, now: number): void {
    if (throughput === undefined) return;
    const whole = rateMaxOf(throughput);
    const rate = whole / map.entries.length;
    const { partitionRateMax } = this.#setting.limits;
    demand(rate <= partitionRateMax, `${map.entries.length} partitions are to serve ${whole} RU/s`);
    for (const { spending } of partitions.values()) {
      this.#pour(spending, now, spending.totals.ru, rate, 1);
    }
  }

  #pour(payer: object | string, now: number, spent: number, rate: number, count: number): void {
    const bucket = this.#buckets.get(payer);
    if (bucket === undefined) {
      this.#buckets.set(payer, { level: 0, rateMax: rate, rate, spent, at: now });
      return;
    }
    if (bucket.spent === spent && bucket.rate === rate) return;
    const leaked = (Math.max(rate, bucket.rate) * (now - bucket.at)) / 1000;
    bucket.level = Math.max(0, bucket.level - leaked);
    bucket.rateMax = bucket.level === 0 ? rate : Math.max(bucket.rateMax, rate);
    bucket.level += spent - bucket.spent;
    Object.assign(bucket, { rate, spent, at: now });
    const { hasBurst, limits, pagesMax } = this.#setting;
    const seconds = hasBurst ? 1 + limits.burstSecondsMax : 1;
    const letIn = (pagesMax + 1) * count * DEARER * this.#chargeMax;
    const levelMax = bucket.rateMax * seconds + letIn;
    demand(
      bucket.level <= levelMax,
      `${bucket.level} RU were spent beyond a rate of ${rate}, ${levelMax} are allowed`,
    );
  }

  #toldOf({ rid }: Container): Told {
    const told = this.#told.get(rid) ?? {
      ruByRange: new Map(),
      ru: 0,
      answeredCount: 0,
      throttledCount: 0,
      cutShortCount: 0,
    };
    this.#told.set(rid, told);
    return told;
  }
}

function spentBy({ partitions }: Container): number {
  let spent = 0;
  for (const { spending } of partitions.values()) spent += spending.totals.ru;
  return spent;
}

function isSame(one: number, other: number): boolean {
  return Math.abs(one - other) < DUST * (1 + Math.abs(one));
}
