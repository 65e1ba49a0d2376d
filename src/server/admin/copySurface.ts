/** Copy jobs as the admin API asks for them, by their ids. */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { CommandTerms, Copying } from "../../engine/copy/copying.ts";
import type { CopyRequest } from "../../engine/copy/copyRecord.ts";
import { CopyRun } from "../../engine/copy/copyRun.ts";
import type { CopyJobEntry, CopyStep, SetAsideItem } from "../../model/copyJob.ts";
import type { Refusal } from "../../model/refusal.ts";

/** A refusal `notFound` means that there is no such job. */
export interface CopySurface {
  /** Those under way first. */
  entries(): readonly CopyJobEntry[];
  entry(id: string): Result<CopyJobEntry, Refusal>;
  start(request: CopyRequest): Promise<Result<CopyJobEntry, Refusal>>;
  step(id: string, step: CopyStep, terms: CommandTerms): Promise<Result<CopyJobEntry, Refusal>>;
  setAside(id: string): Promise<Result<readonly SetAsideItem[], Refusal>>;
}

export function copySurface(copying: Copying): CopySurface {
  const entry = (id: string): Result<CopyJobEntry, Refusal> => {
    const job = copying.find(id);
    return job === undefined ? no({ kind: "notFound" }) : ok(copying.entryOf(job));
  };
  return {
    entries: () => copying.entries,
    entry,
    start: async (request) => {
      const job = await copying.start(request);
      return job.ok ? ok(copying.entryOf(job.value)) : job;
    },
    step: async (id, step, terms) => {
      const job = copying.find(id);
      if (job === undefined) return no({ kind: "notFound" });
      if (!(job instanceof CopyRun)) return no({ kind: "badRequest", message: ENDED });
      const done = await copying.command(job, step, terms);
      return done.ok ? entry(id) : done;
    },
    setAside: async (id) => {
      const job = copying.find(id);
      if (job === undefined) return no({ kind: "notFound" });
      return ok(await copying.setAsideOf(job));
    },
  };
}

const ENDED = "The job has ended.";
