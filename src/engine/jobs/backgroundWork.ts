/**
 * All that an account does by itself: jobs, which go step by step to an end (`job.ts`), and rounds,
 * which come again and again.
 *
 * - A passing failure of the store is waited out, each time longer. A lasting one ends the job:
 *   the next opening goes on with it. What a round could not do, the next round does.
 * - A defect ends the job or the rounds, and is told to whoever stops the work, beside whoever
 *   waits for the job.
 * - While the tables of the store are far behind, a job lets them take a segment before each of
 *   its steps, unless somebody waits for the job. It would fill what is left of the journal, and
 *   clients would have to wait for the tables.
 * - Stopping ends all pauses, waits for the steps and rounds that are under way, and begins none.
 *
 * Not here: what is left to do after a restart. That follows from what is stored.
 */
import type { Millis } from "../../base/units.ts";
import type { Timer } from "../../base/world.ts";
import type { PartitionStore } from "../../store/partitionStore.ts";
import type { Job, JobEnd, JobStep } from "./job.ts";
import { AGAIN } from "./job.ts";
import { Pauses } from "./pauses.ts";
import { isLasting, isStoreFailure } from "./storeFailure.ts";

interface WorkSetting {
  readonly store: Pick<PartitionStore, "fault" | "pressure" | "eased">;
  readonly timer: Timer;
}

/** Two of the three segments that may wait for the tables: the last one is left to clients. */
export const PRESSURE_MAX = 0.6;

export class BackgroundWork {
  readonly #setting: WorkSetting;
  readonly #pauses: Pauses;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #defects: unknown[] = [];
  #isStopped = false;

  constructor(setting: WorkSetting) {
    this.#setting = setting;
    this.#pauses = new Pauses(setting.timer);
  }

  /** Whoever is at work should come to an end soon. */
  readonly isStopped = (): boolean => this.#isStopped;

  /** Takes the steps of a job until it ends; rejects with a defect. */
  run<T>(job: Job<T>): Promise<JobEnd<T>> {
    return this.#follow(this.#stepByStep(job));
  }

  /** Begins a round when `interval` has passed since the one before has ended. */
  every(interval: Millis, round: () => Promise<void>): void {
    this.#follow(this.#rounds(interval, round)).catch(() => undefined);
  }

  /** Resolves when nothing is under way any more; rejects with the first defect there was. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#pauses.end();
    // A job that ends may let another one begin, which then ends at once.
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    if (this.#defects.length > 0) throw this.#defects[0];
  }

  #follow<T>(work: Promise<T>): Promise<T> {
    const ended = work
      .then(() => undefined)
      .catch((defect: unknown) => void this.#defects.push(defect))
      .finally(() => this.#underWay.delete(ended));
    this.#underWay.add(ended);
    return work;
  }

  async #stepByStep<T>(job: Job<T>): Promise<JobEnd<T>> {
    for (let failureCount = 0; !this.#isStopped; ) {
      const { store } = this.#setting;
      try {
        if (job.isAwaited !== true && store.pressure >= PRESSURE_MAX) await store.eased();
        const step = await this.#step(job);
        if (step.kind === "done" || step.kind === "refused") return step;
        failureCount = 0;
        await (step.kind === "waits" ? this.#pauses.wait(0) : this.#setting.timer.soon());
      } catch (failure) {
        if (!isStoreFailure(failure)) throw failure;
        const isTold = job.isAwaited === true || isLasting(failure, this.#setting.store);
        if (isTold) return { kind: "left", failure };
        await this.#pauses.wait(++failureCount);
      }
    }
    return { kind: "left" };
  }

  #step<T>(job: Job<T>): Promise<JobStep<T>> {
    if (job.inTurn === undefined) return job.step(this.isStopped);
    return job.inTurn(async () => (this.#isStopped ? AGAIN : job.step(this.isStopped)));
  }

  async #rounds(interval: Millis, round: () => Promise<void>): Promise<void> {
    for (;;) {
      await this.#pauses.waitFor(interval);
      if (this.#isStopped) return;
      try {
        await round();
      } catch (failure) {
        if (!isStoreFailure(failure)) throw failure;
      }
    }
  }
}
