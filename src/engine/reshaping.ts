/**
 * Splits and merges: physical partitions give way to others that own the same keys, while readers
 * and writers go on.
 *
 * 1. The new partitions get parts of the store that nobody knows of yet.
 * 2. What the old ones hold is copied there, then what changed meanwhile, until little is missing.
 * 3. Writes to the old ones wait for a moment. The rest is copied, and **one** record of the
 *    catalogue says that the new ones own the keys. Whoever waited goes on with them.
 * 4. The old parts are dropped.
 *
 * A crash before that record leaves the old ones as they were, and parts that nobody names; after
 * it the new ones, with everything that was ever acknowledged. Opening drops what nobody names.
 *
 * One job works at a time; one that has to wait lets the others go first. Those for size and rate
 * follow from what is stored, so a crash forgets none of them.
 */
import type { Result } from "../base/result.ts";
import { no, ok } from "../base/result.ts";
import type { Clock } from "../base/world.ts";
import type { Refusal } from "../model/refusal.ts";
import { widestEntry } from "../partition/splitPlan.ts";
import type { JobReport } from "../statistics/report.ts";
import { Fenced, StoreFault } from "../store/partitionStore.ts";
import type { Container } from "./container.ts";
import { Pauses } from "./pauses.ts";
import type { PhysicalPartition } from "./physicalPartition.ts";
import type { MergeSuggestion, PlanSetting, ReshapePlan, ReshapeRequest } from "./reshapePlan.ts";
import { mergeProblem, mergeSuggestions, planReshape } from "./reshapePlan.ts";
import type { Destination, TransferSetting } from "./transfer.ts";
import { Transfer } from "./transfer.ts";

export interface ReshapingSetting extends PlanSetting, TransferSetting {
  readonly clock: Clock;
  /** Sets parts of the store aside that nobody else will get. */
  claimParts(count: number): Promise<readonly number[]>;
  dropParts(parts: readonly number[]): Promise<void>;
  /** See `succession.ts`. */
  replacePartitions(
    container: Container,
    removedIds: readonly string[],
    added: readonly Destination[],
    finish: () => Promise<boolean>,
  ): Promise<boolean>;
}

type Unmeasured<T> = T extends unknown ? Omit<T, "seconds"> : never;

export type Reason = JobReport["reason"];

/** A split or a merge. Once it has an outcome, the rest is as it was at the end. */
export interface ReshapeJob extends JobReport {
  readonly id: string;
  /** Names; what they name may be gone. */
  readonly database: string;
  readonly container: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly outcome?: ReshapeOutcome | undefined;
}

export type ReshapeOutcome =
  | {
      readonly state: "done";
      readonly newPartitionIds: readonly string[];
      readonly seconds: number;
    }
  | { readonly state: "failed"; readonly reason: string; readonly seconds: number };

interface Job {
  readonly id: string;
  readonly container: Container;
  readonly request: ReshapeRequest;
  readonly reason: Reason;
  readonly startedAt: number;
  state: JobReport["state"];
  transfer: Transfer | undefined;
  /** How often the store failed it. */
  failureCount: number;
}

/** So few changes are copied in the time that writers may be kept waiting. */
const LAG_MAX = 256;
/** After so many rounds the writers are faster than we are, and have to wait for us. */
const ROUNDS_MAX = 8;
const FINISHED_MAX = 100;

export class Reshaping {
  readonly #setting: ReshapingSetting;
  readonly #jobs = new Set<Job>();
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
    const id = String(++this.#jobCount);
    const startedAt = this.#setting.clock.wallNow();
    const job: Job = {
      id,
      container,
      request,
      reason,
      startedAt,
      state: "waiting",
      transfer: undefined,
      failureCount: 0,
    };
    this.#jobs.add(job);
    const result = this.#run(job);
    const ended = result.catch(() => undefined).finally(() => this.#running.delete(ended));
    this.#running.add(ended);
    return { job: entryOf(job), result };
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
      (job) => job.container === container && idsOf(job.request).includes(entry.id),
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
    return [...[...this.#jobs].map(entryOf), ...this.#finished.toReversed()];
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

  async #run(job: Job): Promise<Result<readonly string[], Refusal>> {
    const { clock } = this.#setting;
    const startedAt = clock.now();
    const end = (outcome: Unmeasured<ReshapeOutcome>): void => {
      const seconds = Math.round(clock.now() - startedAt) / 1000;
      this.#jobs.delete(job);
      this.#finished.push({ ...entryOf(job), outcome: { ...outcome, seconds } });
      if (this.#finished.length > FINISHED_MAX) this.#finished.shift();
    };
    try {
      const result = await this.#attempt(job);
      if (result.ok) end({ state: "done", newPartitionIds: result.value });
      else end({ state: "failed", reason: problemText(result.error) });
      // However it was cut, what came of it may still be too large.
      if (result.ok) this.splitAllOvergrown(job.container);
      return result;
    } catch (error) {
      end({ state: "failed", reason: String(error) });
      throw error;
    }
  }

  /** Tries until it is done, refused or pointless. A full disk is waited out. */
  async #attempt(job: Job): Promise<Result<readonly string[], Refusal>> {
    for (;;) {
      if (this.#isStopped) return no({ kind: "unavailable", message: "The server is closing." });
      if (job.container.isDeleted) return no({ kind: "notFound" });
      try {
        const result = await this.#inTurn(() => this.#once(job));
        if (result !== "again") return result;
      } catch (error) {
        const { fault } = this.#setting.store;
        if (!(error instanceof StoreFault || error instanceof Fenced)) throw error;
        const message = `The physical partition stays as it is: ${error.message}`;
        if (fault !== undefined || job.reason === "request" || error instanceof Fenced) {
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

  async #once(job: Job): Promise<Result<readonly string[], Refusal> | "again"> {
    const { container, request } = job;
    const { definition } = container;
    // Items that are indexed under several policies at once had better stay where they are.
    const isSamePolicy = (): boolean =>
      container.formerPolicies.length === 0 && container.definition === definition;
    const isStopped = (): boolean => this.#isStopped || container.isDeleted || !isSamePolicy();
    if (isStopped()) return "again";
    const plan = await planReshape(this.#setting, container, request);
    if (!plan.ok) return plan;
    const { removedIds, ranges } = plan.value;
    const sources = removedIds.map((id) => container.partitions.get(id)!);
    const parts = await this.#setting.claimParts(ranges.length);
    const destinations = ranges.map((range, index) => ({ part: parts[index]!, range }));
    const transfer = new Transfer(this.#setting, container, sources, destinations);
    job.transfer = transfer;
    // A rate that rose meanwhile, or data that came, may need what was to be merged.
    const neighbours = sources.map(({ entry }) => entry);
    const isOver = (): boolean =>
      isStopped() ||
      (request.kind === "merge" &&
        mergeProblem(this.#setting, container, neighbours) !== undefined);
    let isDone = false;
    try {
      if (!(await this.#copy(job, transfer, isOver))) return "again";
      job.state = "switching";
      isDone = await this.#setting.replacePartitions(container, removedIds, destinations, () =>
        transfer.catchUp(isOver),
      );
    } finally {
      if (!isDone) await this.#setting.dropParts(parts);
    }
    if (!isDone) return "again";
    const isNew = ({ part }: { readonly part: number }): boolean => parts.includes(part);
    return ok(container.map.entries.filter(isNew).map(({ id }) => id));
  }

  async #copy(job: Job, transfer: Transfer, isStopped: () => boolean): Promise<boolean> {
    job.state = "copying";
    for (let round = 0; round < ROUNDS_MAX && (round === 0 || transfer.lag > LAG_MAX); round++) {
      if (!(await transfer.catchUp(isStopped))) return false;
      job.state = "catchingUp";
    }
    return true;
  }
}

function idsOf(request: ReshapeRequest): readonly string[] {
  return request.kind === "split" ? [request.partitionId] : request.partitionIds;
}

function reportOf({ container, request, reason, state, transfer }: Job): JobReport {
  const partitionIds = idsOf(request);
  const copiedCount = transfer?.copiedCount ?? 0;
  let leftCount = 0;
  for (const id of partitionIds) leftCount += container.partitions.get(id)?.head.itemCount ?? 0;
  // Those that are no more have been copied whole; what changed meanwhile was copied again.
  const totalCount = Math.max(copiedCount, leftCount);
  return { kind: request.kind, reason, state, partitionIds, copiedCount, totalCount };
}

function entryOf(job: Job): ReshapeJob {
  const { id, startedAt } = job;
  const { databaseId, definition } = job.container;
  return { ...reportOf(job), id, database: databaseId, container: definition.id, startedAt };
}

function problemText(refusal: Refusal): string {
  return "message" in refusal ? refusal.message : refusal.kind;
}
