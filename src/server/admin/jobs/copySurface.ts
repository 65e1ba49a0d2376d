/** Copy jobs as the admin API asks for them, by their ids. */
import type { Result } from "../../../base/result.ts";
import { no, ok } from "../../../base/result.ts";
import type { CommandTerms } from "../../../engine/copy/copyCommands.ts";
import type { Copying } from "../../../engine/copy/copying.ts";
import type { CopyRequest } from "../../../engine/copy/copyRecord.ts";
import { CopyRun } from "../../../engine/copy/copyRun.ts";
import type { Views } from "../../../engine/views/views.ts";
import type { CopyJobEntry, CopyStep, SetAsideItem } from "../../../model/copyJob.ts";
import type { Refusal } from "../../../model/refusal.ts";

/** A refusal `notFound` means that there is no such job. */
export interface CopySurface {
  /** Those under way first. */
  entries(): readonly CopyJobEntry[];
  entry(id: string): Result<CopyJobEntry, Refusal>;
  start(request: CopyRequest): Promise<Result<CopyJobEntry, Refusal>>;
  step(id: string, step: CopyStep, terms: CommandTerms): Promise<Result<CopyJobEntry, Refusal>>;
  setAside(id: string): Promise<Result<readonly SetAsideItem[], Refusal>>;
}

/** Copy jobs, and views, which are followed like copies. */
export function copySurface(copying: Copying, views: Views): CopySurface {
  const entry = (id: string): Result<CopyJobEntry, Refusal> => {
    const view = views.entries.find((one) => one.id === id);
    if (view !== undefined) return ok(view);
    const job = copying.find(id);
    return job === undefined ? no({ kind: "notFound" }) : ok(copying.entryOf(job));
  };
  return {
    entries: () => [...views.entries, ...copying.entries],
    entry,
    start: async (request) => {
      const job = await copying.start(request);
      return job.ok ? ok(copying.entryOf(job.value)) : job;
    },
    step: async (id, step, terms) => {
      const view = views.find(id);
      if (view !== undefined) return views.command(view, step, terms.sharePercent);
      const job = copying.find(id);
      if (job === undefined) return no({ kind: "notFound" });
      const done =
        job instanceof CopyRun
          ? await copying.command(job, step, terms)
          : copying.commandEnded(job, step);
      return done.ok ? entry(id) : done;
    },
    setAside: async (id) => {
      const view = views.find(id);
      if (view !== undefined) return ok(await views.setAsideOf(view));
      const job = copying.find(id);
      if (job === undefined) return no({ kind: "notFound" });
      return ok(await copying.setAsideOf(job));
    },
  };
}
