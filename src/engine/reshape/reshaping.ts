/**
 * Splits and merges: physical partitions give way to others that own the same keys, while readers
 * and writers go on.
 *
 * This owns the jobs: who asked for them, whose turn it is, what became of them. How one is done is
 * `reshapeAttempt.ts`.
 *
 * One job works at a time; one that has to wait lets the others go first. A crash forgets none of
 * them: those for size and rate follow from what is stored, and those that were accepted are stored
 * themselves (`jobBook.ts`).
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Clock } from "../../base/world.ts";
import type { Refusal } from "../../model/refusal.ts";
import { widestEntry } from "../../partition/splitPlan.ts";
import type { JobReport } from "../../statistics/report.ts";
import { Fenced, StoreFault } from "../../store/partitionStore.ts";
import type { AcceptedJobs, CatalogChange } from "../jobs/jobBook.ts";
import { Pauses } from "../jobs/pauses.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import type { AttemptSetting } from "./reshapeAttempt.ts";
import { attemptReshape } from "./reshapeAttempt.ts";
import type { JobRecord, Reason, ReshapeJob, ReshapeOutcome, RunningJob } from "./reshapeJob.ts";
import { entryOf, partitionIdsOf, problemText, recordOf, reportOf } from "./reshapeJob.ts";
import type { MergeSuggestion, ReshapePlan, ReshapeRequest } from "./reshapePlan.ts";
import { mergeSuggestions, planReshape } from "./reshapePlan.ts";

export interface ReshapingSetting extends AttemptSetting {
  readonly clock: Clock;
  readonly accepted: AcceptedJobs;
}

type Unmeasured<T> = T extends unknown ? Omit<T, "seconds"> : never;

/** Left: the server closes, or the store takes no more; the next opening goes on with the job. */
type Attempted = Result<readonly string[], Refusal> | "left";

const FINISHED_MAX = 100;

const NOT_BEGUN = { state: "waiting", transfer: undefined, failureCount: 0 } as const;
const NO_CHANGE: CatalogChange = { puts: [], removals: [], apply: () => undefined };
const LEFT: Refusal = { kind: "unavailable", message: "The server is closing." };
const CONTAINER_GONE = { state: "cancelled", reason: "The container was deleted." } as const;

export class Reshaping {
  readonly #setting: ReshapingSetting;
  readonly #jobs = new Set<RunningJob>();
  readonly #finished: ReshapeJob[] = [];
  #jobCount = 0;
  /** Partitions that are too large and cannot be cut, by the bytes they had when it was tried. */
  readonly #uncut = new WeakMap<PhysicalPartition, number>();
  readonly #pauses: Pauses;
  /** All that were started and have not ended. */
  readonly #running = new Set<Promise<unknown>>();
  /** The latest of those that work, or wait for others to have worked. */
  #lastTurn: Promise<unknown> = Promise.resolve();
  #isStopped = false;

  constructor(setting: ReshapingSetting) {
    this.#setting = setting;
    this.#pauses = new Pauses(setting.timer);
  }

  /** Resolves with the new range ids when they own the keys. */
  request(
    container: Container,
    request: ReshapeRequest,
    reason: Reason = "request",
  ): Promise<Result<readonly string[], Refusal>> {
    return this.start(container, request, reason).result;
  }

  /** The same, with the job as it is now. */
  start(
    container: Container,
    request: ReshapeRequest,
    reason: Reason,
  ): { readonly job: ReshapeJob; readonly result: Promise<Result<readonly string[], Refusal>> } {
    const job = this.#newJob(container, request, { reason, isAccepted: false });
    return { job: entryOf(job), result: this.#begin(job) };
  }

  /**
   * Answers when the job is on disk. From then on it comes to an end of its own accord, over
   * restarts and crashes if need be, and the list of jobs says to which.
   */
  async accept(
    container: Container,
    request: ReshapeRequest,
  ): Promise<Result<ReshapeJob, Refusal>> {
    const plan = await this.plan(container, request);
    if (!plan.ok) return plan;
    const job = this.#newJob(container, request, { reason: "request", isAccepted: true });
    try {
      const accepted = await this.#setting.accepted.accept(container, recordOf(job));
      if (!accepted.ok) return accepted;
    } catch (error) {
      if (!(error instanceof StoreFault || error instanceof Fenced)) throw error;
      return no({ kind: "unavailable", message: error.message });
    }
    // Whoever wants to know what became of it asks for the list of jobs.
    this.#begin(job).catch(() => undefined);
    return ok(entryOf(job));
  }

  /** Goes on with what was accepted before the account was opened. */
  resume(containerByRid: (rid: string) => Container | undefined): void {
    const { accepted, clock } = this.#setting;
    this.#finished.push(...accepted.ended.map(({ job }) => job));
    for (const record of accepted.open) {
      const container = containerByRid(record.containerRid);
      if (container === undefined) {
        const seconds = secondsBetween(record.job.startedAt, clock.wallNow());
        const outcome = { ...CONTAINER_GONE, seconds };
        this.#follow(this.#keepEnd({ ...record, job: { ...record.job, outcome } }));
      } else {
        const { request, job } = record;
        const { id, reason, startedAt } = job;
        const made = { id, container, request, reason, startedAt, isAccepted: true };
        this.#begin({ ...NOT_BEGUN, ...made }).catch(() => undefined);
      }
    }
  }

  /** What a request would do, or why it would be refused. */
  plan(container: Container, request: ReshapeRequest): Promise<Result<ReshapePlan, Refusal>> {
    return planReshape(this.#setting, container, request);
  }

  /** Merges that would be worth it. */
  suggestMerges(container: Container): readonly MergeSuggestion[] {
    return mergeSuggestions(this.#setting, container);
  }

  /** Cuts a partition that has become too large, unless that has been seen to already. */
  splitOvergrown = (partition: PhysicalPartition): void => {
    const { container, entry, head } = partition;
    const isKnown = [...this.#jobs].some(
      (job) => job.container === container && partitionIdsOf(job.request).includes(entry.id),
    );
    const triedAt = this.#uncut.get(partition);
    const isHopeless = triedAt !== undefined && head.itemBytes < triedAt * 1.1;
    if (isKnown || isHopeless || this.#isStopped) return;
    const request = { kind: "split", partitionId: entry.id, at: "median" } as const;
    const giveUp = (): void => {
      this.#uncut.set(partition, partition.head.itemBytes);
    };
    this.request(container, request, "storage").then((result) => result.ok || giveUp(), giveUp);
  };

  /** Cuts partitions in halves, the widest first, until there are enough of them. */
  async widen(container: Container, count: number): Promise<Result<void, Refusal>> {
    while (!container.isDeleted && container.map.entries.length < count) {
      const { map } = container;
      const { id } = widestEntry(container.definition.partitionKey, map.entries);
      const request = { kind: "split", partitionId: id, at: "middle" } as const;
      const result = await this.request(container, request, "throughput");
      // Another job may have been there first; then there is another one to be cut.
      if (!result.ok && container.map === map) return result;
    }
    return ok(undefined);
  }

  jobsOf(container: Container): readonly JobReport[] {
    return [...this.#jobs].filter((job) => job.container === container).map(reportOf);
  }

  /** Those under way first; then those that ended lately, the latest first. */
  get jobs(): readonly ReshapeJob[] {
    const running = [...this.#jobs].map(entryOf);
    const isRunning = ({ id }: ReshapeJob): boolean => running.some((job) => job.id === id);
    // What was accepted and does not run waits: for its outcome to be kept, or for a restart.
    const left = this.#setting.accepted.open.map(({ job }) => job);
    const waiting = left.filter((job) => !isRunning(job));
    return [...running, ...waiting, ...this.#finished.toReversed()];
  }

  /** Resolves when no job runs any more; what was not finished leaves everything as it was. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#pauses.end();
    await Promise.all(this.#running);
  }

  splitAllOvergrown(container: Container): void {
    for (const id of container.partitions.keys()) this.#splitIfOvergrown(container, id);
  }

  #splitIfOvergrown(container: Container, id: string): void {
    const partition = container.partitions.get(id);
    const { physicalPartitionBytesMax } = this.#setting.limits;
    if (partition !== undefined && partition.head.itemBytes > physicalPartitionBytesMax) {
      this.splitOvergrown(partition);
    }
  }

  #newJob(
    container: Container,
    request: ReshapeRequest,
    { reason, isAccepted }: Pick<RunningJob, "reason" | "isAccepted">,
  ): RunningJob {
    // Every opening has an epoch of its own, so no id is given twice.
    const id = `${this.#setting.epoch}-${++this.#jobCount}`;
    const startedAt = this.#setting.clock.wallNow();
    return { ...NOT_BEGUN, id, container, request, reason, startedAt, isAccepted };
  }

  #begin(job: RunningJob): Promise<Result<readonly string[], Refusal>> {
    this.#jobs.add(job);
    const result = this.#run(job);
    this.#follow(result);
    return result;
  }

  /** Closing waits for it. */
  #follow(work: Promise<unknown>): void {
    const ended = work.catch(() => undefined).finally(() => this.#running.delete(ended));
    this.#running.add(ended);
  }

  async #run(job: RunningJob): Promise<Result<readonly string[], Refusal>> {
    try {
      const result = await this.#attempt(job);
      if (result === "left") return no(LEFT);
      // That it is done was kept when it came true.
      if (!result.ok) await this.#end(job, outcomeOf(job, result.error));
      // However it was cut, what came of it may still be too large.
      else this.splitAllOvergrown(job.container);
      return result;
    } catch (error) {
      // A job that is done has left the list, and stays done whatever became of the old parts.
      if (this.#jobs.has(job)) await this.#end(job, { state: "failed", reason: String(error) });
      throw error;
    } finally {
      this.#jobs.delete(job);
    }
  }

  async #end(job: RunningJob, outcome: Unmeasured<ReshapeOutcome>): Promise<void> {
    job.state = "waiting";
    const record = recordOf(job, this.#measured(job, outcome));
    if (job.isAccepted) await this.#keepEnd(record, job);
    else this.#tell(record.job, job);
  }

  /** Tries until the outcome is on disk. A full disk is waited out, a restart starts over. */
  async #keepEnd(record: JobRecord, job?: RunningJob): Promise<void> {
    for (let failureCount = 0; !this.#isStopped; failureCount++) {
      try {
        return await this.#setting.accepted.end(record, () => this.#tell(record.job, job));
      } catch (error) {
        if (error instanceof Fenced || this.#setting.store.fault !== undefined) return;
        if (!(error instanceof StoreFault)) throw error;
        await this.#pauses.wait(failureCount);
      }
    }
  }

  /** From one moment to the next the job is among those that ended, and no longer runs. */
  #tell(entry: ReshapeJob, job?: RunningJob): void {
    if (job !== undefined) this.#jobs.delete(job);
    this.#finished.push(entry);
    if (this.#finished.length > FINISHED_MAX) this.#finished.shift();
  }

  /** Time over restarts is that of the wall, which is all that is known of it. */
  #measured({ startedAt }: RunningJob, outcome: Unmeasured<ReshapeOutcome>): ReshapeOutcome {
    return { ...outcome, seconds: secondsBetween(startedAt, this.#setting.clock.wallNow()) };
  }

  /** Tries until it is done, refused or pointless. A full disk is waited out. */
  async #attempt(job: RunningJob): Promise<Attempted> {
    for (;;) {
      if (this.#isStopped) return job.isAccepted ? "left" : no(LEFT);
      if (job.container.isDeleted) return no({ kind: "notFound" });
      try {
        const result = await this.#inTurn(() =>
          attemptReshape(this.#setting, job, {
            isStopped: () => this.#isStopped,
            alongside: (newPartitionIds) => this.#doneWith(job, newPartitionIds),
          }),
        );
        if (result !== "again") return result;
      } catch (error) {
        const { fault } = this.#setting.store;
        if (!(error instanceof StoreFault || error instanceof Fenced)) throw error;
        const isForGood = fault !== undefined || error instanceof Fenced;
        if (isForGood && job.isAccepted) return "left";
        if (isForGood || (job.reason === "request" && !job.isAccepted)) {
          const message = `The physical partition stays as it is: ${error.message}`;
          return no({ kind: "unavailable", message });
        }
        job.failureCount++;
      }
      job.state = "waiting";
      await this.#pauses.wait(job.failureCount);
    }
  }

  /** When all that came before have worked. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#lastTurn.then(work);
    this.#lastTurn = result.catch(() => undefined);
    return result;
  }

  /** What the commit that changes the map says of the job, and the list of jobs after it. */
  #doneWith(job: RunningJob, newPartitionIds: readonly string[]): CatalogChange {
    const record = recordOf(job, this.#measured(job, { state: "done", newPartitionIds }));
    const kept = job.isAccepted ? this.#setting.accepted.ending(record) : NO_CHANGE;
    return {
      ...kept,
      apply: () => {
        kept.apply();
        this.#tell(record.job, job);
      },
    };
  }
}

function outcomeOf({ container }: RunningJob, refusal: Refusal): Unmeasured<ReshapeOutcome> {
  if (container.isDeleted) return CONTAINER_GONE;
  return { state: "failed", reason: problemText(refusal) };
}

/** A wall clock may have been set back. */
function secondsBetween(start: number, end: number): number {
  return Math.max(0, Math.round(end - start)) / 1000;
}
