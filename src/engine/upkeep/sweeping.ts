/**
 * Removes what nobody may ask for any more: items that have expired, ends of items that were
 * deleted, versions that were kept long enough. A round comes every few seconds and spends what
 * budgets have left over. Logs are not swept while a split or a merge copies the container: a copy
 * reads the very ends that are to be forgotten. A copy job has those kept that it has not seen.
 */
import type { Lsn, Millis } from "../../base/units.ts";
import { millis } from "../../base/units.ts";
import type { Clock, Timer } from "../../base/world.ts";
import type { EpkRange } from "../../partition/epkRange.ts";
import type { PartitionStore } from "../../store/partitionStore.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { tsOf } from "../item/itemBody.ts";
import { endedAt } from "../item/ttl.ts";
import type { BackgroundWork } from "../jobs/backgroundWork.ts";
import { isStoreFailure } from "../jobs/storeFailure.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import { ExpirySweep } from "./expirySweep.ts";

export interface SweepingSetting {
  readonly store: PartitionStore;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly catalog: Catalog;
  readonly work: BackgroundWork;
  /** Whether a split or a merge of the container runs or waits. */
  isReshaped(container: Container): boolean;
  /** The LSN behind which a copy still has to read the log of these keys. */
  heldFrom(container: Container, range: EpkRange): Lsn | undefined;
}

const INTERVAL: Millis = millis(2000);
/** A log is swept when it has so many new entries, or after a while: each sweep is a commit. */
const ENDS_MIN = 10_000;
const LOG_INTERVAL: Millis = millis(60_000);
const SECONDS_PER_MINUTE = 60;

export class Sweeping {
  readonly #setting: SweepingSetting;
  readonly #sweeps = new WeakMap<PhysicalPartition, ExpirySweep>();
  /** When each log was last swept or looked at, and its last LSN then. */
  readonly #logSwept = new WeakMap<PhysicalPartition, { readonly at: number; readonly lsn: Lsn }>();

  constructor(setting: SweepingSetting) {
    this.#setting = setting;
  }

  start(): void {
    this.#setting.work.every(INTERVAL, () => this.#sweepAll());
  }

  async #sweepAll(): Promise<void> {
    for (const container of this.#setting.catalog.containers()) {
      for (const partition of container.partitions.values()) {
        try {
          await this.#sweepExpired(container, partition);
          await this.#sweepLog(container, partition);
        } catch (error) {
          // Another partition may be better off; the next round looks at this one again.
          if (!isStoreFailure(error)) throw error;
        }
      }
    }
  }

  async #sweepExpired(container: Container, partition: PhysicalPartition): Promise<void> {
    if (container.definition.defaultTtl === undefined) return;
    let sweep = this.#sweeps.get(partition);
    if (sweep === undefined) {
      sweep = new ExpirySweep(this.#setting.store, partition);
      this.#sweeps.set(partition, sweep);
    }
    const { clock, timer } = this.#setting;
    sweep.beginRound();
    while (!this.#isOver(container, partition) && partition.spending.hasLeftOver()) {
      if (!(await sweep.step(clock.wallNow()))) return;
      await timer.soon();
    }
  }

  async #sweepLog(container: Container, partition: PhysicalPartition): Promise<void> {
    const { clock } = this.#setting;
    const now = clock.now();
    const { sweptLsn, lsn: last } = partition.head;
    const swept = this.#logSwept.get(partition) ?? { at: 0, lsn: sweptLsn };
    // Entries since the last look count, and not all that are there: versions may have to stay.
    const isDue = now - swept.at >= LOG_INTERVAL || last - swept.lsn >= ENDS_MIN;
    if (!isDue || last === sweptLsn) return;
    const through = container.keepsVersions ? await this.#outOfRetention(partition) : last;
    await partition.exclusively(async () => {
      if (this.#setting.isReshaped(container) || this.#isOver(container, partition)) return;
      this.#logSwept.set(partition, { at: now, lsn: last });
      const held = this.#setting.heldFrom(container, partition.entry.range);
      const allowed = held !== undefined && held < through ? held : through;
      if (allowed > partition.head.sweptLsn) await partition.sweepLog(allowed);
    });
  }

  /** Up to which LSN all versions and ends are older than they have to be kept. */
  async #outOfRetention(partition: PhysicalPartition): Promise<Lsn> {
    const { store, clock, timer } = this.#setting;
    const { retentionDuration = 0 } = partition.container.definition.changeFeedPolicy ?? {};
    const oldest = clock.wallNow() / 1000 - retentionDuration * SECONDS_PER_MINUTE;
    const limits = { countMax: 256, bytesMax: 1024 * 1024 };
    let through = partition.head.sweptLsn;
    // Never beyond the last entry that is out of retention: a reader who has come to that entry has
    // lost nothing, though the next one may be many LSNs away in a partition that was split.
    let before = through;
    for (;;) {
      const page = await store.readVersions(partition.entry.part, through, limits);
      for (const { lsn: at, kind, tag, body } of page.versions) {
        const isEnd = kind === "deleted" || kind === "expired";
        // A time stamp is a whole second, and the write may have happened at the end of it.
        const seconds = (isEnd ? endedAt(tag) : tsOf(body)) + 1;
        // Where logs were merged, entries of the same LSN may be older; they stay together.
        if (seconds > oldest) return at === through ? before : through;
        if (at > through) before = through;
        through = at;
      }
      if (page.isLast || page.versions.length === 0) return through;
      await timer.soon();
    }
  }

  #isOver(container: Container, partition: PhysicalPartition): boolean {
    return this.#setting.work.isStopped() || container.isDeleted || partition.isRetired;
  }
}
