/**
 * The records of jobs in the catalogue. What they say, and how many are kept, is `jobs/jobBook.ts`.
 */
import type { Result } from "../../base/result.ts";
import { ok } from "../../base/result.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { JobKeeper } from "../jobs/jobBook.ts";
import type { JobChange, JobRecord } from "../jobs/jobRecord.ts";
import type { InTurn } from "../jobs/turns.ts";
import type { CatalogFile } from "./catalogFile.ts";
import type { CatalogRecord } from "./catalogRecords.ts";

export class JobRecords implements JobKeeper {
  readonly #file: CatalogFile;
  readonly #inOrder: InTurn;
  #atOpening: readonly JobRecord[] = [];

  constructor(file: CatalogFile, inOrder: InTurn) {
    this.#file = file;
    this.#inOrder = inOrder;
  }

  load(records: readonly CatalogRecord[]): void {
    this.#atOpening = records.flatMap((record) => (record.kind === "job" ? [record.job] : []));
  }

  get atOpening(): readonly JobRecord[] {
    return this.#atOpening;
  }

  change(decide: () => Result<JobChange, Refusal>): Promise<Result<void, Refusal>> {
    return this.#inOrder(async () => {
      const decided = decide();
      if (!decided.ok) return decided;
      const { puts, removals, apply } = decided.value;
      await this.#file.commit(puts.map(ofJob), removals.map(ofJob));
      apply();
      return ok(undefined);
    });
  }
}

export function ofJob(job: JobRecord): CatalogRecord {
  return { kind: "job", job };
}
