/**
 * The jobs that somebody was told are accepted, as records of the catalogue.
 *
 * Invariants
 * - A job is on disk before its asker is answered, and opening goes on with every one that has no
 *   outcome yet.
 * - "Done" is in the very commit that makes it true, so no crash can leave a job that is done and
 *   does not know it. Every other outcome is a commit of its own.
 * - Nobody is told of an outcome that is not on disk.
 * - Of those that ended, a hundred are kept; one that another one replaces goes before that.
 */
import { assert } from "../../base/assert.ts";
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { JobChange, JobRecord } from "./jobRecord.ts";

/** Who puts the records on disk: the catalogue. */
export interface JobKeeper {
  /** As they were when the catalogue was opened, in the order of their acceptance. */
  readonly atOpening: readonly JobRecord[];
  /** `decide` is asked when no other change is under way. Resolves when its answer is on disk. */
  change(decide: () => Result<JobChange, Refusal>): Promise<Result<void, Refusal>>;
}

const ENDED_COUNT_MAX = 100;
/** Jobs of one kind work one at a time, and somebody is to live to see the last of them. */
const OPEN_COUNT_MAX = 100;

export class JobBook {
  readonly #keeper: JobKeeper;
  /** By id, in the order in which they were accepted. */
  readonly #open = new Map<string, JobRecord>();
  /** In the order in which they ended; a restart puts them in that of their acceptance. */
  #ended: readonly JobRecord[] = [];

  constructor(keeper: JobKeeper) {
    this.#keeper = keeper;
    for (const record of keeper.atOpening) {
      if (record.job.outcome === undefined) this.#open.set(record.job.id, record);
    }
    this.#ended = keeper.atOpening.filter(({ job }) => job.outcome !== undefined);
  }

  get open(): readonly JobRecord[] {
    return [...this.#open.values()];
  }

  get ended(): readonly JobRecord[] {
    return this.#ended;
  }

  /** Resolves when the job is on disk. `refuse` may say at the last moment why it is not taken. */
  accept(
    record: JobRecord,
    refuse: (isFull: boolean) => Refusal | undefined,
  ): Promise<Result<void, Refusal>> {
    return this.#keeper.change(() => {
      const waited = this.open.filter(({ job }) => job.isEndless !== true);
      const refusal = refuse(waited.length >= OPEN_COUNT_MAX);
      if (refusal !== undefined) return no(refusal);
      const apply = (): void => void this.#open.set(record.job.id, record);
      return ok({ puts: [record], removals: [], apply });
    });
  }

  /** Puts a new state of an open job on disk. */
  async update(record: JobRecord): Promise<void> {
    await this.#keeper.change(() => ok(this.updating(record)));
  }

  /** Forgets an open job whose subject is no more. */
  async drop(record: JobRecord): Promise<void> {
    await this.#keeper.change(() => {
      const isOpen = this.#open.has(record.job.id);
      const apply = (): void => void this.#open.delete(record.job.id);
      return ok({ puts: [], removals: isOpen ? [record] : [], apply });
    });
  }

  /**
   * Puts on disk what was found about a job after its end; the outcome stays as it is. Nothing
   * happens if the job is not remembered any more.
   */
  async amend(id: string, amended: (ended: JobRecord) => JobRecord): Promise<void> {
    await this.#keeper.change(() => {
      const known = this.#ended.find(({ job }) => job.id === id);
      if (known === undefined) return ok({ puts: [], removals: [], apply: () => undefined });
      const record = { ...amended(known), job: known.job };
      const apply = (): void => {
        this.#ended = this.#ended.map((one) => (one === known ? record : one));
      };
      return ok({ puts: [record], removals: [], apply });
    });
  }

  /** What gives an open job a new state, for a change of the catalogue that is under way. */
  updating(record: JobRecord): JobChange {
    assert(this.#open.has(record.job.id), "a job that has ended stays as it is");
    const apply = (): void => void this.#open.set(record.job.id, record);
    return { puts: [record], removals: [], apply };
  }

  /**
   * `onKept` is called when the outcome is on disk, in the turn in which the job leaves `open`.
   * What has ended and is replaced by the job goes in the same commit.
   */
  async end(
    record: JobRecord,
    onKept: () => void,
    isReplaced: (ended: JobRecord) => boolean = () => false,
  ): Promise<void> {
    await this.#keeper.change(() => ok(this.ending(record, onKept, isReplaced)));
  }

  /** What ends the job, for a change of the catalogue that is under way. */
  ending(
    record: JobRecord,
    onKept: () => void = () => undefined,
    isReplaced: (ended: JobRecord) => boolean = () => false,
  ): JobChange {
    const left = this.#ended.filter((one) => !isReplaced(one));
    const surplusCount = Math.max(0, left.length + 1 - ENDED_COUNT_MAX);
    const kept = left.slice(surplusCount);
    return {
      puts: [record],
      removals: this.#ended.filter((one) => !kept.includes(one)),
      apply: () => {
        this.#open.delete(record.job.id);
        this.#ended = [...kept, record];
        onKept();
      },
    };
  }
}
