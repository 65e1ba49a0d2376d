/**
 * What is to be done once a minute whether or not anybody asks: sizes are noted, rates follow data
 * and load if their owners want that, the time is noted if items expire by it, and statistics are
 * put away.
 */
import type { Millis } from "../../base/units.ts";
import { millis } from "../../base/units.ts";
import type { Clock } from "../../base/world.ts";
import type { Limits } from "../../model/limits.ts";
import type { RateSetting } from "../../model/throughput.ts";
import { rateMaxOf } from "../../model/throughput.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Database } from "../catalog/database.ts";
import { usersOf } from "../catalog/database.ts";
import { growOffers } from "../catalog/offers.ts";
import type { BackgroundWork } from "../jobs/backgroundWork.ts";
import { isStoreFailure } from "../jobs/storeFailure.ts";
import type { Container } from "../partition/container.ts";
import type { KeptStatistics } from "./keptStatistics.ts";

interface HousekeepingSetting {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly rates?: RateSetting | undefined;
  readonly catalog: Catalog;
  readonly work: BackgroundWork;
  /** Absent where statistics are not kept. */
  readonly kept: KeptStatistics | undefined;
}

const INTERVAL: Millis = millis(60_000);

export class Housekeeping {
  readonly #setting: HousekeepingSetting;

  constructor(setting: HousekeepingSetting) {
    this.#setting = setting;
  }

  start(): void {
    this.#setting.work.every(INTERVAL, () => this.#keep());
  }

  /** Puts everything away for the last time, when no request and no other work is left. */
  async putAway(): Promise<void> {
    this.#noteSizes();
    // No more requests will come: the second that is running counts, too.
    for (const { meter } of this.#setting.catalog.containers()) {
      for (const each of meter?.meters.values() ?? []) each.close();
    }
    await this.#setting.kept?.save();
    await this.#noteTime().catch(ignoreFault);
  }

  async #noteTime(): Promise<void> {
    const { catalog, clock } = this.#setting;
    const isNeeded = catalog.containers().some(({ definition }) => definition.defaultTtl);
    if (isNeeded) await catalog.notes.noteTime(clock.wallNow());
  }

  async #keep(): Promise<void> {
    const { catalog, kept } = this.#setting;
    this.#noteSizes();
    try {
      await growOffers(catalog, this.#setting, (owner) => this.#isExhausted(owner));
      await this.#noteTime();
    } catch (error) {
      ignoreFault(error);
    }
    await kept?.save();
  }

  #noteSizes(): void {
    const { catalog, clock } = this.#setting;
    const now = clock.now();
    for (const { meter, partitions } of catalog.containers()) {
      let itemCount = 0;
      let itemBytes = 0;
      for (const { head, spending } of partitions.values()) {
        itemCount += head.itemCount;
        itemBytes += head.itemBytes;
        spending.meter?.noteSizes(head.itemCount, head.itemBytes, now);
      }
      meter?.noteSizes(itemCount, itemBytes, now);
    }
  }

  /** Whether autoscale has come to its ceiling since the last round. */
  #isExhausted(owner: Database | Container): boolean {
    const { throughput } = owner.record;
    const peak = this.#setting.catalog.allotting.takePeak(usersOf(owner));
    return throughput !== undefined && peak !== undefined && peak >= rateMaxOf(throughput);
  }
}

/** Passes over a failure of the store; the next round tries again. */
function ignoreFault(error: unknown): void {
  if (!isStoreFailure(error)) throw error;
}
