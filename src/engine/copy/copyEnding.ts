/**
 * How a copy job ends: the phases in which somebody has decided that it does, and the record that
 * it leaves. Both phases may be done twice, so a crash in one of them only repeats it.
 */
import type { CopyEnd } from "../../model/copyJob.ts";
import type { JobStep } from "../jobs/job.ts";
import { DONE } from "../jobs/job.ts";
import type { JobRecord } from "../jobs/jobRecord.ts";
import type { Container } from "../partition/container.ts";
import type { CopyRecord } from "./copyRecord.ts";
import { isCopy } from "./copyRecord.ts";
import type { CopyRun } from "./copyRun.ts";

const EVENTS_MAX = 100;
const CANCELLED = "Somebody cancelled it.";

/** The old container goes, unless it is to be kept. */
export async function completeCopy(run: CopyRun): Promise<JobStep<void>> {
  const { source: old, record } = run;
  if (!record.keepsOld && !old.isDeleted) await drop(run, old);
  await run.end("completed");
  return DONE;
}

/** The target goes if somebody said so and the job has made it, or else is left to clients. */
export async function cancelCopy(run: CopyRun): Promise<JobStep<void>> {
  const { target, record } = run;
  const isDropped = record.dropsTarget && record.hasMadeTarget;
  if (target !== undefined && !target.isDeleted && isDropped) await drop(run, target);
  await run.end("cancelled", CANCELLED);
  return DONE;
}

/** A container that has got views since somebody decided stays, and the job says so. */
async function drop(run: CopyRun, container: Container): Promise<void> {
  const { catalog } = run.setting;
  const dropped = await catalog.deleteContainer(catalog.databaseOf(container), container);
  if (dropped.ok) run.change({}, `The container '${container.definition.id}' was deleted.`);
  else if ("message" in dropped.error) run.change({}, dropped.error.message);
}

/**
 * The end of a job that finds one of its containers gone when the server starts. A job that was
 * about to end has deleted that container itself, just before the server ended.
 */
export function lostEnd({ phase }: CopyRecord): {
  readonly end: CopyEnd;
  readonly reason?: string;
} {
  if (phase === "completing") return { end: "completed" };
  if (phase === "cancelling") return { end: "cancelled", reason: CANCELLED };
  return { end: "failed", reason: "A container of the job is no more." };
}

interface Ending {
  readonly at: number;
  readonly end: CopyEnd;
  readonly reason?: string | undefined;
}

/** The record of a job at its end. */
export function endedRecord(record: CopyRecord, { at, end, reason }: Ending): CopyRecord {
  const seconds = Math.max(0, Math.round(at - record.job.startedAt)) / 1000;
  const outcome =
    end === "failed" || end === "cancelled"
      ? ({ state: end, reason: reason ?? end, seconds } as const)
      : ({ state: "done", seconds } as const);
  const text = reason === undefined ? `The job ended: ${end}.` : `The job ended: ${reason}`;
  const told = withEvent(record, at, text);
  const job = { ...told.job, outcome };
  return { ...told, job, end, blockedFor: undefined, isPaused: false };
}

/** The record with one more event; the oldest of too many goes. */
export function withEvent(record: CopyRecord, at: number, text: string): CopyRecord {
  return { ...record, events: [...record.events, { at, text }].slice(-EVENTS_MAX) };
}

/** Whoever asked for a dry run finds it for so long, though another job has made it pointless. */
const OUTDATED_MS = 60_000;

/**
 * Tells which ended jobs go when a job ends: dry runs from the same source to the same target. A
 * look at what a copy would be is not history.
 */
export function outdatedBy(record: CopyRecord): (ended: JobRecord) => boolean {
  const at = endOf(record);
  return (ended) => isCopy(ended) && isOutdated(ended, record) && endOf(ended) + OUTDATED_MS <= at;
}

/** True of a dry run after which there was another job from the same source to the same target. */
export function isOutdated(ended: CopyRecord, later: CopyRecord): boolean {
  const isSame = ended.job.id === later.job.id;
  return !isSame && ended.end === "planned" && wayOf(ended) === wayOf(later);
}

function wayOf({ request: { source, target } }: CopyRecord): string {
  return JSON.stringify([source.database, source.container, target.database, target.container]);
}

function endOf({ job }: CopyRecord): number {
  return job.startedAt + (job.outcome?.seconds ?? 0) * 1000;
}
