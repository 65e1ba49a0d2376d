/**
 * Splits and merges that somebody was told are accepted, as records of the catalogue.
 *
 * Invariants
 * - A job is on disk before its asker is answered, and opening goes on with every one that has no
 *   outcome yet.
 * - "Done" is in the very commit that puts the new physical partitions into the map, so no crash
 *   can leave a job that is done and does not know it. Every other outcome is a commit of its own.
 * - Nobody is told of an outcome that is not on disk.
 * - Of those that ended, a hundred are kept.
 *
 * Jobs for size and for rates are not here: they follow from what is stored.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { CatalogFile } from "../catalog/catalogFile.ts";
import type { CatalogRecord } from "../catalog/catalogRecords.ts";
import type { Container } from "../partition/container.ts";
import type { JobRecord } from "../reshape/reshapeJob.ts";
import type { InTurn } from "./turns.ts";

export interface AcceptedJobsSetting {
  readonly file: CatalogFile;
  readonly inOrder: InTurn;
}

/** What a commit of the catalogue puts and removes; `apply` follows it without suspending. */
export interface CatalogChange {
  readonly puts: readonly CatalogRecord[];
  readonly removals: readonly CatalogRecord[];
  apply(): void;
}

const ENDED_COUNT_MAX = 100;
/** One works at a time, and somebody is to live to see the last of them. */
const OPEN_COUNT_MAX = 100;

const TOO_MANY: Refusal = {
  kind: "unavailable",
  message: "A hundred splits and merges wait already. Ask again when some of them have ended.",
};

export class AcceptedJobs {
  readonly #setting: AcceptedJobsSetting;
  /** By id, in the order in which they were accepted. */
  readonly #open = new Map<string, JobRecord>();
  /** In the order in which they ended; a restart puts them in that of their acceptance. */
  #ended: readonly JobRecord[] = [];

  constructor(setting: AcceptedJobsSetting) {
    this.#setting = setting;
  }

  load(records: readonly CatalogRecord[]): void {
    const jobs = records.flatMap((record) => (record.kind === "job" ? [record.job] : []));
    for (const record of jobs) {
      if (record.job.outcome === undefined) this.#open.set(record.job.id, record);
    }
    this.#ended = jobs.filter(({ job }) => job.outcome !== undefined);
  }

  get open(): readonly JobRecord[] {
    return [...this.#open.values()];
  }

  get ended(): readonly JobRecord[] {
    return this.#ended;
  }

  /** Resolves when the job is on disk. */
  accept(container: Container, record: JobRecord): Promise<Result<void, Refusal>> {
    const { file, inOrder } = this.#setting;
    return inOrder(async () => {
      if (container.isDeleted) return no({ kind: "notFound" });
      if (this.#open.size >= OPEN_COUNT_MAX) return no(TOO_MANY);
      await file.commit([{ kind: "job", job: record }]);
      this.#open.set(record.job.id, record);
      return ok(undefined);
    });
  }

  /** `onKept` is called when the outcome is on disk, in the turn in which the job leaves `open`. */
  end(record: JobRecord, onKept: () => void): Promise<void> {
    return this.#setting.inOrder(async () => {
      const { puts, removals, apply } = this.ending(record);
      await this.#setting.file.commit(puts, removals);
      apply();
      onKept();
    });
  }

  /** The same for a change of the catalogue that is under way. */
  ending(record: JobRecord): CatalogChange {
    const surplusCount = Math.max(0, this.#ended.length + 1 - ENDED_COUNT_MAX);
    const surplus = this.#ended.slice(0, surplusCount);
    return {
      puts: [{ kind: "job", job: record }],
      removals: surplus.map((job) => ({ kind: "job", job })),
      apply: () => {
        this.#open.delete(record.job.id);
        this.#ended = [...this.#ended.slice(surplusCount), record];
      },
    };
  }
}
