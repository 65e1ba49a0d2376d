/**
 * Splits and merges: physical partitions give way to others that own the same keys, while readers
 * and writers go on.
 *
 * This says who asks for them and what each job does. How one is done is `reshapeAttempt.ts`; whose
 * turn it is, and what became of it, is `jobs/listedJobs.ts`.
 *
 * A crash forgets none of them: those for size and rate follow from what is stored, and those that
 * were accepted are records themselves.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Lsn } from "../../base/units.ts";
import type { Clock, Timer } from "../../base/world.ts";
import type { Limits } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { EpkRange } from "../../partition/epkRange.ts";
import { widestEntry } from "../../partition/splitPlan.ts";
import type { JobReport } from "../../statistics/report.ts";
import type { PartitionStore } from "../../store/partitionStore.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { isOvergrown } from "../catalog/workNeeded.ts";
import type { BackgroundWork } from "../jobs/backgroundWork.ts";
import type { JobStep } from "../jobs/job.ts";
import type { JobBook } from "../jobs/jobBook.ts";
import type { JobRecord } from "../jobs/jobRecord.ts";
import type { JobKind } from "../jobs/listedJobs.ts";
import { ListedJobs } from "../jobs/listedJobs.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import type { AttemptTerms } from "./reshapeAttempt.ts";
import { attemptReshape } from "./reshapeAttempt.ts";
import type {
  Reshaped,
  ReshapeJob,
  ReshapeReason,
  ReshapeRecord,
  RunningReshape,
} from "./reshapeJob.ts";
import { partitionIdsOf, reportOf, reshapeSummary } from "./reshapeJob.ts";
import type { ReshapePlan, ReshapeRequest, WorthwhileMerge } from "./reshapePlan.ts";
import { mergeSuggestions, planReshape } from "./reshapePlan.ts";

interface ReshapingSetting {
  readonly store: PartitionStore;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly limits: Limits;
  readonly catalog: Catalog;
  readonly work: BackgroundWork;
  readonly book: JobBook;
  /** The LSN behind which a copy still has to read the log of these keys. */
  heldFrom?(container: Container, range: EpkRange): Lsn | undefined;
}

const CONTAINER_GONE = "The container was deleted.";

export class Reshaping {
  readonly #setting: ReshapingSetting & { readonly epoch: number };
  readonly #jobs: ListedJobs<RunningReshape, ReshapeJob, Reshaped>;
  /** Partitions that are too large and cannot be cut, by the bytes they had when it was tried. */
  readonly #uncut = new WeakMap<PhysicalPartition, number>();

  constructor(setting: ReshapingSetting) {
    this.#setting = { ...setting, epoch: setting.catalog.epoch };
    this.#jobs = new ListedJobs(this.#setting, this.#kind());
  }

  /** Resolves with the new range ids when they own the keys. */
  async request(
    container: Container,
    request: ReshapeRequest,
    reason: ReshapeReason = "request",
  ): Promise<Result<readonly string[], Refusal>> {
    const result = await this.start(container, request, reason).result;
    return result.ok ? ok(result.value.newPartitionIds) : result;
  }

  /** Begins the job, and tells what it is now and what becomes of it. */
  start(
    container: Container,
    request: ReshapeRequest,
    reason: ReshapeReason,
  ): { readonly job: ReshapeJob; readonly result: Promise<Result<Reshaped, Refusal>> } {
    // Somebody who asked by hand is told of a full disk, others wait until it has room again.
    const isAwaited = reason === "request";
    return this.#jobs.start(notBegun(container, request, reason), { isAwaited });
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
    return plan.ok ? this.#jobs.accept(notBegun(container, request, "request")) : plan;
  }

  /** Goes on with what was accepted before the account was opened. */
  resume(): void {
    this.#jobs.resume();
  }

  /** What a request would do, or why it would be refused. */
  plan(container: Container, request: ReshapeRequest): Promise<Result<ReshapePlan, Refusal>> {
    return planReshape(this.#setting, container, request);
  }

  /** Merges that would be worth it. */
  suggestMerges(container: Container): readonly WorthwhileMerge[] {
    return mergeSuggestions(this.#setting, container);
  }

  /** Cuts a partition that has become too large, unless that has been seen to already. */
  splitOvergrown(partition: PhysicalPartition): void {
    const { container, entry, head } = partition;
    const isKnown = this.#jobs.subjects.some(
      (job) => job.container === container && partitionIdsOf(job.request).includes(entry.id),
    );
    const triedAt = this.#uncut.get(partition);
    const isHopeless = triedAt !== undefined && head.itemBytes < triedAt * 1.1;
    if (isKnown || isHopeless || this.#setting.work.isStopped()) return;
    const request = { kind: "split", partitionId: entry.id, at: "median" } as const;
    const giveUp = (): void => {
      this.#uncut.set(partition, partition.head.itemBytes);
    };
    this.request(container, request, "storage").then((result) => result.ok || giveUp(), giveUp);
  }

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
    return this.#jobs.subjects.filter((job) => job.container === container).map(reportOf);
  }

  /** Those under way first; then those that ended lately, the latest first. */
  get jobs(): readonly ReshapeJob[] {
    return this.#jobs.summaries;
  }

  #kind(): JobKind<RunningReshape, ReshapeJob, Reshaped> {
    return {
      goneReason: ({ container }) => (container.isDeleted ? CONTAINER_GONE : undefined),
      step: (running, terms) => this.#attempt(running, terms),
      summaryOf: reshapeSummary,
      recordOf: ({ container, request }, job): ReshapeRecord => ({
        containerRid: container.rid,
        request,
        job,
      }),
      isOwn: isReshape,
      subjectOf: (record) => {
        const { containerRid, request, job } = record as ReshapeRecord;
        const container = this.#setting.catalog.containerByRid(containerRid);
        return container === undefined
          ? no(CONTAINER_GONE)
          : ok(notBegun(container, request, job.reason));
      },
      leftBehind: "The physical partition stays as it is",
      tooMany: "A hundred splits and merges wait already. Ask again when some of them have ended.",
    };
  }

  async #attempt(running: RunningReshape, terms: AttemptTerms): Promise<JobStep<Reshaped>> {
    try {
      const step = await attemptReshape(this.#setting, running, terms);
      // However it was cut, what came of it may still be too large.
      if (step.kind === "done") this.#splitAllOvergrown(running.container);
      return step;
    } finally {
      running.state = "waiting";
    }
  }

  #splitAllOvergrown({ partitions }: Container): void {
    for (const partition of partitions.values()) {
      if (isOvergrown(partition, this.#setting.limits)) this.splitOvergrown(partition);
    }
  }
}

function notBegun(
  container: Container,
  request: ReshapeRequest,
  reason: ReshapeReason,
): RunningReshape {
  return { container, request, reason, state: "waiting", transfer: undefined };
}

function isReshape(record: JobRecord): record is ReshapeRecord {
  return ["split", "merge", "move"].includes(record.job.kind);
}
