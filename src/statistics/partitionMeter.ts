/**
 * Counts the requests to one physical partition. `note` runs once for every request, so it only
 * adds numbers. The EPKs of requests are collected and processed a hundred at a time: one by one
 * they would cost several times as much, because between two requests the code leaves the
 * processor's caches. Everything else happens when a second is over.
 *
 * A request counts towards the second in which it was done. A second belongs as a whole to the
 * minute of the wall clock in which its first request came. Seconds without requests cost nothing.
 *
 * Not here: the totals of the container, to which every second is added (`containerMeter.ts`).
 */

import type { Millis } from "../base/units.ts";
import { MINUTE_MS } from "../base/units.ts";
import type { PartitionKeyDefinition } from "../model/partitionKey.ts";
import type { Epk } from "../partition/epkRange.ts";
import { positionOf } from "../partition/keySpace.ts";
import type { Heat, Stretch } from "./heat.ts";
import { BUCKET_COUNT } from "./heatRow.ts";
import type { HeavyKeys, KeyEstimate } from "./heavyKeys.ts";
import { History } from "./history.ts";
import { type KeyLoad, RecentKeys } from "./recentKeys.ts";
import { RecentSeconds, SECOND_MS, secondOf } from "./recentSeconds.ts";
import type { Load } from "./report.ts";
import {
  clearRow,
  FEED_COUNT,
  ITEM_BYTES,
  ITEM_COUNT,
  NORMALIZED_PERCENT,
  newRow,
  QUERY_PAGE_COUNT,
  READ_COUNT,
  RU,
  requestCountOf,
  THROTTLED_COUNT,
  WRITE_COUNT,
} from "./slotTable.ts";

export type RequestKind = "read" | "write" | "query" | "feed";

const WAITING_MAX = 128;

interface PartitionMeterSetting {
  readonly definition: PartitionKeyDefinition;
  /** The place of the physical partition in the key space. */
  readonly stretch: Stretch;
  readonly heat: Heat;
  /** RU that the physical partition may spend each second. */
  readonly allottedRate: number;
  wallNow(): number;
  /** Called after each second that had requests. Must not keep the row. */
  onSecond(second: number, wallAt: number, row: Float64Array): void;
}

export class PartitionMeter {
  readonly history: History = new History();
  readonly #setting: PartitionMeterSetting;
  readonly #seconds: RecentSeconds;
  readonly #recentKeys = new RecentKeys();
  /** The sketch of the running minute; undefined before the first request. */
  #keys: HeavyKeys | undefined;
  /** Load with an EPK that has not been added to the sketch and the heat yet. */
  readonly #waitingEpks: Epk[] = [];
  readonly #waitingRu = new Float64Array(WAITING_MAX);
  #waitingCount = 0;
  readonly #heatRu: Float64Array;
  readonly #heatThrottled: Float64Array;
  /** The counts of the running second. */
  readonly #row = newRow();
  #secondEnd = 0;
  #wallAt = 0;
  /** Load without an EPK; it is spread over the range when the second ends. */
  #unplacedRu = 0;
  #unplacedThrottled = 0;
  #rate: number;
  #rateSince: Millis;
  /** RU allotted in the running second at rates before the present one. */
  #earned = 0;

  constructor(setting: PartitionMeterSetting, now: Millis) {
    this.#setting = setting;
    this.#seconds = new RecentSeconds(now);
    this.#heatRu = setting.heat.pending.ru;
    this.#heatThrottled = setting.heat.pending.throttled;
    this.#rate = setting.allottedRate;
    this.#rateSince = (secondOf(now) * SECOND_MS) as Millis;
  }

  /** Counts a request that was done. `epk` is its logical partition, if it was about one. */
  note(kind: RequestKind, epk: Epk | undefined, charge: number, now: Millis): void {
    if (now >= this.#secondEnd) this.#turn(now);
    this.#row[RU]! += charge;
    this.#row[columnOf(kind)]! += 1;
    if (epk === undefined) {
      this.#unplacedRu += charge;
      return;
    }
    const at = this.#waitingCount++;
    this.#waitingEpks[at] = epk;
    this.#waitingRu[at] = charge;
    if (at === WAITING_MAX - 1) this.#place();
  }

  /** Counts a request that was refused because the budget was empty. */
  noteThrottled(kind: RequestKind, epk: Epk | undefined, now: Millis): void {
    if (now >= this.#secondEnd) this.#turn(now);
    this.#row[columnOf(kind)]! += 1;
    this.#row[THROTTLED_COUNT]! += 1;
    if (epk === undefined) {
      this.#unplacedThrottled += 1;
      return;
    }
    // It counts only if the key is followed, which may depend on load that still waits.
    this.#place();
    this.#keys!.addThrottled(epk);
    this.#heatThrottled[this.#bucketOf(epk)]! += 1;
  }

  /** Changes the allotted rate. */
  setAllotted(rate: number, now: Millis): void {
    this.settle(now);
    const second = secondOf(now) * SECOND_MS;
    const since = Math.max(this.#rateSince, second);
    if (this.#rateSince < second) this.#earned = 0;
    this.#earned += (this.#rate * (now - since)) / SECOND_MS;
    this.#rate = rate;
    this.#rateSince = now;
  }

  /** Notes the size of the physical partition in its own history only. */
  noteSizes(itemCount: number, itemBytes: number, now: Millis): void {
    this.settle(now);
    const row = newRow();
    row[ITEM_COUNT] = itemCount;
    row[ITEM_BYTES] = itemBytes;
    this.history.add(this.#setting.wallNow(), row);
  }

  /** Brings all statistics up to date, up to the last second that is over. */
  settle(now: Millis): void {
    this.#place();
    if (now >= this.#secondEnd) this.#endSecond();
    this.#recentKeys.forget(minuteOf(now));
  }

  /** Brings all statistics up to date, the running second included: no more requests will come. */
  close(): void {
    this.#endSecond();
  }

  /** The load of the last `seconds` seconds, at most 300, without the running one. */
  load(seconds: number, now: Millis): Load {
    this.settle(now);
    return this.#seconds.load(seconds, now);
  }

  /** The logical partitions with the most load of the last five minutes, heaviest first. */
  topKeys(count: number, now: Millis): readonly KeyLoad[] {
    this.#place();
    return this.#recentKeys.top(count, minuteOf(now));
  }

  /** The load of one logical partition; `undefined` when it is not followed. */
  keyLoad(epk: Epk, now: Millis): KeyEstimate | undefined {
    this.#place();
    return this.#recentKeys.estimate(epk, minuteOf(now));
  }

  #turn(now: Millis): void {
    this.#endSecond();
    this.#secondEnd = (secondOf(now) + 1) * SECOND_MS;
    this.#keys = this.#recentKeys.during(minuteOf(now));
    this.#wallAt = this.#setting.wallNow();
    this.#setting.heat.enter(this.#wallAt);
  }

  /** Adds the collected load to the sketch and to the heat. */
  #place(): void {
    const count = this.#waitingCount;
    if (count === 0) return;
    this.#waitingCount = 0;
    // Another physical partition may have entered the next minute already.
    this.#setting.heat.enter(this.#wallAt);
    for (let at = 0; at < count; at++) {
      const epk = this.#waitingEpks[at]!;
      this.#keys!.add(epk, this.#waitingRu[at]!);
      this.#heatRu[this.#bucketOf(epk)]! += this.#waitingRu[at]!;
    }
  }

  #endSecond(): void {
    this.#place();
    const row = this.#row;
    if (requestCountOf(row) === 0) return;
    const { heat, stretch, onSecond } = this.#setting;
    row[NORMALIZED_PERCENT] = this.#normalizedPercent();
    const second = Math.round(this.#secondEnd / SECOND_MS) - 1;
    this.#seconds.add(second, row);
    this.history.add(this.#wallAt, row);
    onSecond(second, this.#wallAt, row);
    if (this.#unplacedRu > 0 || this.#unplacedThrottled > 0) {
      heat.enter(this.#wallAt);
      heat.spread(stretch, "ru", this.#unplacedRu);
      heat.spread(stretch, "throttled", this.#unplacedThrottled);
    }
    this.#unplacedRu = 0;
    this.#unplacedThrottled = 0;
    clearRow(row);
  }

  /** RU spent in the running second over RU allotted for the whole second, in percent. */
  #normalizedPercent(): number {
    const start = this.#secondEnd - SECOND_MS;
    const isChanged = this.#rateSince > start;
    const rest = isChanged ? this.#secondEnd - this.#rateSince : SECOND_MS;
    const allotted = (isChanged ? this.#earned : 0) + (this.#rate * rest) / SECOND_MS;
    const spent = this.#row[RU]!;
    if (spent === 0) return 0;
    return Math.min(100, (spent * 100) / allotted);
  }

  #bucketOf(epk: Epk): number {
    return Math.floor(positionOf(this.#setting.definition, epk) * BUCKET_COUNT);
  }
}

function columnOf(kind: RequestKind): number {
  switch (kind) {
    case "read":
      return READ_COUNT;
    case "write":
      return WRITE_COUNT;
    case "query":
      return QUERY_PAGE_COUNT;
    case "feed":
      return FEED_COUNT;
  }
}

function minuteOf(now: Millis): number {
  return Math.floor(now / MINUTE_MS);
}
