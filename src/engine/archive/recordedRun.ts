/**
 * A job about archives at work: its record, and what every such job does alike. It pauses, stops at
 * an obstacle, keeps to its share of the rates, and ends.
 *
 * Invariants
 * - A phase is on disk before its first step.
 * - A job that is paused, stopped or cancelled begins nothing new; what is under way asks
 *   `mustStop` and ends soon.
 *
 * Not here: what the phases do (`archiveRun.ts`, `restoreRun.ts`).
 */

import type { ArchiveFolder, ArchiveShelf } from "../../archive/archiveFolder.ts";
import { ArchiveFault } from "../../archive/archiveFolder.ts";
import { millis } from "../../base/units.ts";
import type { Clock, Timer } from "../../base/world.ts";
import type { ArchiveEnd } from "../../model/archiveJob.ts";
import type { Limits } from "../../model/limits.ts";
import type { RateSetting } from "../../model/throughput.ts";
import type { PartitionStore } from "../../store/partitionStore.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { TargetGone } from "../copy/copyWriter.ts";
import { SharePace } from "../copy/sharePace.ts";
import type { JobStep } from "../jobs/job.ts";
import { AGAIN, DONE, WAITS } from "../jobs/job.ts";
import type { JobBook } from "../jobs/jobBook.ts";
import { ProgressLog } from "../jobs/progress.ts";
import { oneAfterAnother } from "../jobs/turns.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import type { RunRecord } from "./archiveRecord.ts";

export interface ArchiveSetting {
  readonly store: PartitionStore;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly limits: Limits;
  readonly rates?: RateSetting | undefined;
  readonly catalog: Catalog;
  readonly book: JobBook;
  readonly shelf: ArchiveShelf;
}

const KEEP_MS = 1000;
const PAUSE_MS_MAX = 100;
const EVENTS_MAX = 100;

/** Thrown to end a reading that nobody wants to go on with. */
export class RunInterrupted extends Error {
  override readonly name = "RunInterrupted";
}

export abstract class RecordedRun<R extends RunRecord> {
  readonly setting: ArchiveSetting;
  readonly pace: SharePace;
  readonly progress: ProgressLog;
  #record: R;
  #keptAt = Number.NEGATIVE_INFINITY;
  /** What goes to disk goes one after the other: a job that has ended is not put down again. */
  readonly #inTurn = oneAfterAnother();
  #isStopped: () => boolean = () => false;

  constructor(setting: ArchiveSetting, record: R) {
    this.setting = setting;
    this.#record = record;
    const { clock, rates } = setting;
    this.pace = new SharePace(clock, record.sharePercent, rates?.isLimited === true);
    this.progress = new ProgressLog(clock);
  }

  get id(): string {
    return this.#record.job.id;
  }

  /** As it is on disk, or will be with the next `keep`. */
  get record(): R {
    return this.#record;
  }

  get hasEnded(): boolean {
    return this.#record.end !== undefined;
  }

  get isAtRest(): boolean {
    return this.#record.isPaused || this.#record.blockedFor !== undefined;
  }

  get folder(): ArchiveFolder {
    return this.setting.shelf.folder(this.#record.folder);
  }

  /** Whether whatever is under way has to come to an end. */
  readonly mustStop = (): boolean =>
    this.#isStopped() || this.isAtRest || this.#record.isCancelled || this.hasEnded;

  /** Takes over what is decided; it is on disk after the next `keep`. */
  change(change: Partial<R>, event?: string): void {
    this.#record = { ...this.#record, ...change, ...(event !== undefined && this.#told(event)) };
    if (change.sharePercent !== undefined) this.pace.sharePercent = change.sharePercent;
  }

  async keep(): Promise<void> {
    this.#keptAt = this.setting.clock.now();
    await this.#inTurn(async () => {
      if (!this.hasEnded) await this.setting.book.update(this.#record);
    });
  }

  async keepNowAndThen(): Promise<void> {
    if (this.setting.clock.now() - this.#keptAt >= KEEP_MS && !this.hasEnded) await this.keep();
  }

  async block(reason: string): Promise<void> {
    this.change({ blockedFor: reason } as Partial<R>, `Stopped: ${reason}`);
    await this.keep();
  }

  async end(end: ArchiveEnd, reason?: string): Promise<void> {
    const passed = this.setting.clock.wallNow() - this.#record.job.startedAt;
    const seconds = Math.max(0, Math.round(passed)) / 1000;
    const outcome =
      end === "failed" || end === "cancelled"
        ? ({ state: end, reason: reason ?? end, seconds } as const)
        : ({ state: "done", seconds } as const);
    const text = reason === undefined ? `The job ended: ${end}.` : `The job ended: ${reason}`;
    const ended = {
      ...this.#record,
      ...this.#told(text),
      job: { ...this.#record.job, outcome },
      end,
      blockedFor: undefined,
      isPaused: false,
    };
    await this.#inTurn(async () => {
      await this.setting.book.end(ended, () => {
        this.#record = ended;
      });
    });
  }

  /** Takes a step. What the disk of the archives refuses stops the job until it is resumed. */
  async step(isStopped: () => boolean): Promise<JobStep<void>> {
    this.#isStopped = isStopped;
    if (this.hasEnded) return DONE;
    if (isStopped()) return AGAIN;
    try {
      if (this.#record.isCancelled) {
        await this.cancelled();
        return DONE;
      }
      return this.isAtRest ? WAITS : await this.phaseStep();
    } catch (error) {
      if (error instanceof RunInterrupted) return this.isAtRest ? WAITS : AGAIN;
      if (error instanceof TargetGone) {
        await this.end("failed", "The container was deleted.");
        return DONE;
      }
      if (!(error instanceof ArchiveFault)) throw error;
      // A folder that cannot be tidied up must not keep a job from being cancelled.
      if (this.#record.isCancelled) {
        await this.end("cancelled", `Somebody cancelled it. Files may be left: ${error.message}`);
        return DONE;
      }
      await this.block(error.message);
      return WAITS;
    }
  }

  protected abstract phaseStep(): Promise<JobStep<void>>;

  /** Does what remains to be done for a job that somebody cancelled, and ends it. */
  protected abstract cancelled(): Promise<void>;

  /** Pays for what was done, and waits until more may be done. Throws when the job must stop. */
  async paced(partition: PhysicalPartition, charge: number, container: Container): Promise<void> {
    this.pace.spend(partition, charge);
    for (;;) {
      if (this.mustStop()) throw new RunInterrupted();
      const ms = this.pace.waitFor(container.partitions.values());
      if (ms <= 0) return this.setting.timer.soon();
      await new Promise<void>((resolve) => {
        this.setting.timer.after(millis(Math.min(Math.ceil(ms), PAUSE_MS_MAX)), resolve);
      });
    }
  }

  #told(text: string): { readonly events: R["events"] } {
    const at = this.setting.clock.wallNow();
    return { events: [...this.#record.events, { at, text }].slice(-EVENTS_MAX) };
  }
}
