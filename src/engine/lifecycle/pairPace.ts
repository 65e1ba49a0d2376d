/**
 * Keeps a lifecycle to its share of the rates of both containers, and lets others have their turn.
 * What a step may take follows from the share, from what items have cost so far, and from the batch
 * that is set.
 */
import { millis } from "../../base/units.ts";
import type { Timer } from "../../base/world.ts";
import type { SharePace } from "../copy/sharePace.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import type { LifecycleTally } from "./lifecycleTally.ts";

interface PaceSetting {
  readonly timer: Timer;
  readonly warm: Container;
  readonly share: SharePace;
  readonly tally: LifecycleTally;
  readonly batch: () => number;
}

const PAUSE_MS_MAX = 100;

export class PairPace {
  readonly #setting: PaceSetting;
  #ruPerItem = 20;
  #ruLearnt: number;

  constructor(setting: PaceSetting) {
    this.#setting = setting;
    this.#ruLearnt = setting.tally.totals.ru;
  }

  /** Waits until the lifecycle may spend again. False if it was stopped before that. */
  async isInPace(partition: PhysicalPartition, isOver: () => boolean): Promise<boolean> {
    const { share, timer } = this.#setting;
    for (;;) {
      const ms = share.waitFor(this.#allWith(partition));
      if (ms <= 0) return true;
      if (isOver()) return false;
      await new Promise<void>((resolve) => {
        timer.after(millis(Math.min(ms, PAUSE_MS_MAX)), resolve);
      });
    }
  }

  /** How many items a step takes. */
  countFor(partition: PhysicalPartition): number {
    const { share, batch } = this.#setting;
    return Math.min(batch(), share.countFor(this.#allWith(partition), this.#ruPerItem));
  }

  /** Pays for what was read. */
  pay(partition: PhysicalPartition, charge: number): void {
    const { share, tally } = this.#setting;
    partition.spending.settleLeftOver(charge);
    share.spend(partition, charge);
    tally.add({ ru: charge });
  }

  /** Takes note of how many items the RU since the last note were for. */
  learn(itemCount: number): void {
    const { ru } = this.#setting.tally.totals;
    if (itemCount > 0) this.#ruPerItem = Math.max(1, (ru - this.#ruLearnt) / itemCount);
    this.#ruLearnt = ru;
  }

  breathe(): Promise<void> {
    return this.#setting.timer.soon();
  }

  #allWith(partition: PhysicalPartition): readonly PhysicalPartition[] {
    return [partition, ...this.#setting.warm.partitions.values()];
  }
}
