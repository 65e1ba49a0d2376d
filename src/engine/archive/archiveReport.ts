/** What jobs about archives show of themselves, for the admin API and the command line. */
import type {
  ArchiveJobEntry,
  ArchiveProgress,
  ArchiveState,
  ArchiveStep,
} from "../../model/archiveJob.ts";
import type { ArchiveRecord, RestoreRecord, RunRecord } from "./archiveRecord.ts";
import { NO_ARCHIVE_COUNTS, NO_RESTORE_COUNTS } from "./archiveRecord.ts";
import { ArchiveRun } from "./archiveRun.ts";
import type { RestoreRun } from "./restoreRun.ts";

const ABOUT: Readonly<Record<ArchiveStep, string>> = {
  pause: "stands still; a file that is half done is begun again",
  resume: "goes on where it stood still",
  cancel:
    "ends the job; an archive goes with all its files if nothing was deleted yet, and stays if " +
    "something was",
  throttle: "changes the share of the rates that the job may spend, at once",
};

/** Why a command makes no sense now; nothing if it does. */
export function obstacleTo(record: RunRecord, step: ArchiveStep): string | undefined {
  if (record.end !== undefined) return "The job has ended.";
  if (record.isCancelled) return "The job is about to end.";
  const isAtRest = record.isPaused || record.blockedFor !== undefined;
  if (step === "pause" && isAtRest) return "The job stands still already.";
  return step === "resume" && !isAtRest ? "The job is not paused." : undefined;
}

export function entryOfRun(run: ArchiveRun | RestoreRun): ArchiveJobEntry {
  const { pace } = run;
  const entry = run instanceof ArchiveRun ? ofArchive(run.record) : ofRestore(run.record);
  const { itemsPerSecond } = run.progress.pace;
  const now =
    run instanceof ArchiveRun
      ? {
          provenCount: run.provenCount,
          deletedCount: entry.progress.deletedCount + run.deletedNow,
        }
      : { restoredCount: entry.progress.restoredCount + run.writtenNow };
  const { sharePercent, effectivePercent, bound } = pace;
  return {
    ...entry,
    progress: { ...entry.progress, ...now, itemsPerSecond },
    throttle: { sharePercent, effectivePercent, bound },
  };
}

export function entryOfRecord(record: ArchiveRecord | RestoreRecord): ArchiveJobEntry {
  return record.job.kind === "archive"
    ? ofArchive(record as ArchiveRecord)
    : ofRestore(record as RestoreRecord);
}

function ofArchive(record: ArchiveRecord): ArchiveJobEntry {
  const { request, counts, startCount, leftOut, partly, plan } = record;
  const { container, before, ...asked } = request;
  return {
    ...common(record),
    kind: "archive",
    ...container,
    asked: { ...asked, ...(before !== undefined && { before }) },
    progress: progressOf(startCount, { ...NO_RESTORE_COUNTS, ...counts }),
    leftOut,
    partly,
    ...(plan && { plan }),
  };
}

function ofRestore(record: RestoreRecord): ArchiveJobEntry {
  const { request, counts, startCount, conflicts } = record;
  const { container, ...asked } = request;
  return {
    ...common(record),
    kind: "restore",
    ...container,
    asked,
    progress: progressOf(startCount, { ...NO_ARCHIVE_COUNTS, ...counts }),
    conflicts: { count: counts.conflictCount, examples: conflicts },
  };
}

function progressOf(
  itemCount: number,
  counts: Omit<ArchiveProgress, "itemCount" | "itemsPerSecond" | "provenCount">,
): ArchiveProgress {
  const { readCount, partitionCount, archivedCount, rawBytes, storedBytes } = counts;
  const { deletedCount, changedCount, newCount, restoredCount, presentCount } = counts;
  const { replacedCount, readRu, writeRu } = counts;
  return {
    itemCount,
    readCount,
    partitionCount,
    archivedCount,
    rawBytes,
    storedBytes,
    provenCount: 0,
    deletedCount,
    changedCount,
    newCount,
    restoredCount,
    presentCount,
    replacedCount,
    itemsPerSecond: 0,
    readRu,
    writeRu,
  };
}

type Common = Omit<ArchiveJobEntry, "kind" | "database" | "container" | "asked" | "progress">;

function common(record: ArchiveRecord | RestoreRecord): Common {
  const { job, folder, sharePercent, events } = record;
  const { outcome } = job;
  const steps = (Object.keys(ABOUT) as ArchiveStep[]).filter(
    (step) => obstacleTo(record, step) === undefined,
  );
  const reason = reasonOf(record);
  return {
    id: job.id,
    state: stateOf(record),
    ...(reason !== undefined && { reason }),
    folder,
    startedAt: job.startedAt,
    ...(outcome && { endedAt: job.startedAt + outcome.seconds * 1000 }),
    throttle: { sharePercent, effectivePercent: sharePercent, bound: "nothing" },
    events,
    nextSteps: steps.map((step) => ({ step, about: ABOUT[step] })),
  };
}

function stateOf(record: ArchiveRecord | RestoreRecord): ArchiveState {
  if (record.end !== undefined) return record.end;
  if (record.isCancelled) return "cancelling";
  if (record.isPaused) return "paused";
  return record.blockedFor === undefined ? record.phase : "blocked";
}

function reasonOf({ job, blockedFor, isPaused }: RunRecord): string | undefined {
  if (job.outcome !== undefined && "reason" in job.outcome) return job.outcome.reason;
  return blockedFor ?? (isPaused ? "Somebody paused the job." : undefined);
}
