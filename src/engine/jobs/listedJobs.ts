/**
 * Jobs of one kind that people see in a list: those that run or wait for their turn, and those that
 * ended, with what became of them. One of them works at a time.
 *
 * A job is either accepted, which makes it a record that survives restarts and crashes
 * (`jobBook.ts`), or it was started and is forgotten when the process ends. Only the second kind
 * has somebody who waits for it.
 */
import { assert } from "../../base/assert.ts";
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Clock } from "../../base/world.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Fenced, StoreFault } from "../../store/partitionStore.ts";
import type { BackgroundWork } from "./backgroundWork.ts";
import type { JobStep } from "./job.ts";
import { DONE, leftRefusal } from "./job.ts";
import type { JobBook } from "./jobBook.ts";
import type { JobChange, JobRecord, JobSummary, KeptOutcome, Unmeasured } from "./jobRecord.ts";
import { isStoreFailure } from "./storeFailure.ts";
import { oneAfterAnother } from "./turns.ts";

/** `S`: what a job is about, and how far it is. `J`: its summary. `R`: what it has come to. */
export interface JobKind<S, J extends JobSummary, R extends object> {
  /** Why the job is pointless from now on; nothing as long as what it is about is there. */
  goneReason(subject: S): string | undefined;
  /**
   * A step that says done has committed `ending` of the same value together with what makes it
   * true.
   */
  step(
    subject: S,
    terms: { readonly isStopped: () => boolean; ending(value: R): JobChange },
  ): Promise<JobStep<R>>;
  /** What the job shows of itself now. */
  summaryOf(subject: S, job: Pick<JobSummary, "id" | "startedAt">): J;
  recordOf(subject: S, summary: J): JobRecord & { readonly job: J };
  /** Says that a record is of this kind. */
  isOwn(record: JobRecord): record is JobRecord & { readonly job: J };
  /** The job of a record as it was before its first step, or why it is pointless. */
  subjectOf(record: JobRecord & { readonly job: J }): Result<S, string>;
  /** What a job that a failing store has ended leaves behind, as the beginning of a sentence. */
  readonly leftBehind: string;
  /** What the next one is told when as many are accepted as may be. */
  readonly tooMany: string;
}

interface ListedJobsSetting {
  readonly clock: Clock;
  readonly work: BackgroundWork;
  readonly book: JobBook;
  /** Every opening has an epoch of its own, so no id is given twice. */
  readonly epoch: number;
}

interface Listed<S, R> {
  readonly id: string;
  readonly startedAt: number;
  readonly subject: S;
  readonly isAccepted: boolean;
  readonly isAwaited: boolean;
  /** Set when the end is committed: nothing that fails afterwards changes that. */
  value?: R;
}

const ENDED_COUNT_MAX = 100;

export class ListedJobs<S, J extends JobSummary, R extends object> {
  readonly #setting: ListedJobsSetting;
  readonly #kind: JobKind<S, J, R>;
  readonly #inTurn = oneAfterAnother();
  readonly #running = new Set<Listed<S, R>>();
  readonly #ended: J[] = [];
  #count = 0;

  constructor(setting: ListedJobsSetting, kind: JobKind<S, J, R>) {
    this.#setting = setting;
    this.#kind = kind;
  }

  /** What the jobs that run or wait for their turn are about. */
  get subjects(): readonly S[] {
    return [...this.#running].map(({ subject }) => subject);
  }

  /** Those under way first; then those that ended lately, the latest first. */
  get summaries(): readonly J[] {
    const running = [...this.#running].map((job) => this.#summaryOf(job));
    const isRunning = ({ id }: JobSummary): boolean => running.some((job) => job.id === id);
    // An accepted job that does not run waits: for its outcome to be kept, or for a restart.
    const open = this.#setting.book.open.filter((record) => this.#kind.isOwn(record));
    const waiting = open.map(({ job }) => job).filter((job) => !isRunning(job));
    return [...running, ...waiting, ...this.#ended.toReversed()];
  }

  /** The job as it is now, and what becomes of it. */
  start(
    subject: S,
    { isAwaited }: { readonly isAwaited: boolean },
  ): { readonly job: J; readonly result: Promise<Result<R, Refusal>> } {
    const job = this.#newJob(subject, { isAwaited, isAccepted: false });
    return { job: this.#summaryOf(job), result: this.#begin(job) };
  }

  /**
   * Answers when the job is on disk. From then on it comes to an end of its own accord, over
   * restarts and crashes if need be, and the list says to which.
   */
  async accept(subject: S): Promise<Result<J, Refusal>> {
    const kind = this.#kind;
    const job = this.#newJob(subject, { isAwaited: false, isAccepted: true });
    const record = kind.recordOf(subject, this.#summaryOf(job));
    try {
      const accepted = await this.#setting.book.accept(record, (isFull) => {
        if (kind.goneReason(subject) !== undefined) return { kind: "notFound" };
        return isFull ? { kind: "unavailable", message: kind.tooMany } : undefined;
      });
      if (!accepted.ok) return accepted;
    } catch (failure) {
      if (!isStoreFailure(failure)) throw failure;
      return no({ kind: "unavailable", message: failure.message });
    }
    // Whoever wants to know what became of it asks for the list.
    this.#begin(job).catch(() => undefined);
    return ok(this.#summaryOf(job));
  }

  /** Goes on with what was accepted before the account was opened. */
  resume(): void {
    const { book } = this.#setting;
    for (const record of book.ended) if (this.#kind.isOwn(record)) this.#ended.push(record.job);
    for (const record of book.open) {
      if (!this.#kind.isOwn(record)) continue;
      const { id, startedAt } = record.job;
      const subject = this.#kind.subjectOf(record);
      if (subject.ok) {
        const made = { id, startedAt, subject: subject.value, isAwaited: false, isAccepted: true };
        this.#begin(made).catch(() => undefined);
      } else {
        const outcome = this.#measured(startedAt, { state: "cancelled", reason: subject.error });
        this.#keepEnd({ ...record, job: { ...record.job, outcome } }).catch(() => undefined);
      }
    }
  }

  #newJob(
    subject: S,
    terms: { readonly isAwaited: boolean; readonly isAccepted: boolean },
  ): Listed<S, R> {
    const { epoch, clock } = this.#setting;
    return { id: `${epoch}-${++this.#count}`, startedAt: clock.wallNow(), subject, ...terms };
  }

  #begin(job: Listed<S, R>): Promise<Result<R, Refusal>> {
    this.#running.add(job);
    return this.#run(job).finally(() => this.#running.delete(job));
  }

  async #run(job: Listed<S, R>): Promise<Result<R, Refusal>> {
    const { isAwaited } = job;
    try {
      const step = (isStopped: () => boolean): Promise<JobStep<R>> => this.#step(job, isStopped);
      const end = await this.#setting.work.run({ step, inTurn: this.#inTurn, isAwaited });
      if (job.value !== undefined) return ok(job.value);
      assert(end.kind !== "done", "a job that is done has said so in its commit");
      if (end.kind === "left" && job.isAccepted) return no(leftRefusal(undefined));
      const refusal = end.kind === "left" ? this.#leftRefusal(end.failure) : end.refusal;
      await this.#end(job, { state: "failed", reason: textOf(refusal) });
      return no(refusal);
    } catch (defect) {
      if (job.value === undefined) {
        await this.#end(job, { state: "failed", reason: String(defect) });
      }
      throw defect;
    }
  }

  async #step(job: Listed<S, R>, isStopped: () => boolean): Promise<JobStep<R>> {
    const { subject } = job;
    if (this.#kind.goneReason(subject) !== undefined) {
      return { kind: "refused", refusal: { kind: "notFound" } };
    }
    return this.#kind.step(subject, { isStopped, ending: (value) => this.#ending(job, value) });
  }

  /** What the commit that makes the job done says of it, and the list after that commit. */
  #ending(job: Listed<S, R>, value: R): JobChange {
    const record = this.#recordOf(job, { state: "done", ...value });
    const kept = job.isAccepted
      ? this.#setting.book.ending(record)
      : { puts: [], removals: [], apply: () => undefined };
    const apply = (): void => {
      kept.apply();
      job.value = value;
      this.#tell(record.job, job);
    };
    return { ...kept, apply };
  }

  async #end(job: Listed<S, R>, outcome: Unmeasured<R>): Promise<void> {
    const gone = this.#kind.goneReason(job.subject);
    const record = this.#recordOf(
      job,
      gone === undefined ? outcome : { state: "cancelled", reason: gone },
    );
    if (job.isAccepted) await this.#keepEnd(record, job);
    else this.#tell(record.job, job);
  }

  /** Tries until the outcome is on disk. If that is left, the next opening starts the job over. */
  async #keepEnd(record: JobRecord & { readonly job: J }, job?: Listed<S, R>): Promise<void> {
    const { work, book } = this.#setting;
    await work.run({
      step: async () => {
        await book.end(record, () => this.#tell(record.job, job));
        return DONE;
      },
    });
  }

  /** From one moment to the next the job is among those that ended, and no longer runs. */
  #tell(summary: J, job: Listed<S, R> | undefined): void {
    if (job !== undefined) this.#running.delete(job);
    this.#ended.push(summary);
    if (this.#ended.length > ENDED_COUNT_MAX) this.#ended.shift();
  }

  #summaryOf({ subject, id, startedAt }: Listed<S, R>): J {
    return this.#kind.summaryOf(subject, { id, startedAt });
  }

  #recordOf(job: Listed<S, R>, outcome: Unmeasured<R>): JobRecord & { readonly job: J } {
    const measured = this.#measured(job.startedAt, outcome);
    return this.#kind.recordOf(job.subject, { ...this.#summaryOf(job), outcome: measured });
  }

  /** Time over restarts is that of the wall clock, which may have been set back meanwhile. */
  #measured(startedAt: number, outcome: Unmeasured<R>): KeptOutcome<R> {
    const passed = Math.max(0, Math.round(this.#setting.clock.wallNow() - startedAt));
    return { ...outcome, seconds: passed / 1000 };
  }

  #leftRefusal(failure: StoreFault | Fenced | undefined): Refusal {
    if (failure === undefined) return leftRefusal(undefined);
    const message = `${this.#kind.leftBehind}: ${failure.message}`;
    return { kind: "unavailable", message };
  }
}

function textOf(refusal: Refusal): string {
  return "message" in refusal ? refusal.message : refusal.kind;
}
