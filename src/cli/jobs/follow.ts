/**
 * Looking at a job until it is where somebody waits for it to be. The server does the work: whoever
 * stops looking changes nothing, and a server that is started anew goes on with its jobs.
 */
import { counted } from "../../base/wording.ts";
import type { CopyJobEntry, JobEvent } from "../../model/copyJob.ts";
import type { AdminClient } from "../connect/adminClient.ts";
import type { Environment } from "../connect/serverOptions.ts";
import { jobText } from "../partitions/partitions.ts";
import { CommandFailure, NoAnswer } from "../terminal/failure.ts";
import type { Interruption } from "../terminal/interruption.ts";
import { ProgressTicker } from "../terminal/progressTicker.ts";
import { type AnyJob, isArchive, isCopy, isLifecycle, jobOf } from "./anyJob.ts";
import { archiveLine, archiveNames, archiveStateText } from "./archiveText.ts";
import { lifecycleText, progressText, stateText, wayText } from "./jobWords.ts";

const LOOK_MS = 250;
/** A server that is away for longer will not be back by itself. */
const AWAY_LOOKS_MAX = 240;

interface Following {
  readonly client: AdminClient;
  readonly environment: Environment;
  readonly interruption: Interruption;
  /** What happens meanwhile is not told: the output is for a program. */
  readonly isQuiet?: boolean | undefined;
}

/** As it is when `isThere` says so, or when Ctrl-C came. */
export async function followed(
  started: AnyJob,
  isThere: (job: AnyJob) => boolean,
  { client, environment, interruption, isQuiet = false }: Following,
): Promise<AnyJob> {
  let job = started;
  let told = lastEvent(job);
  const ticker = new ProgressTicker(environment, () => lineOf(job));
  if (!isQuiet) ticker.start();
  try {
    while (!isThere(job) && !interruption.isOver) {
      await interruption.pause(LOOK_MS);
      job = (await looked(job.id, client, interruption)) ?? job;
      if (isQuiet) continue;
      for (const { text } of eventsSince(job, told)) ticker.tell(text);
      told = lastEvent(job);
    }
    return job;
  } finally {
    ticker.stop();
  }
}

export function lastEvent(job: AnyJob): JobEvent | undefined {
  return isCopy(job) || isArchive(job) ? job.events.at(-1) : undefined;
}

/** Those after one that was seen; the list may have lost its beginning meanwhile. */
export function eventsSince(job: AnyJob, seen: JobEvent | undefined): readonly JobEvent[] {
  if (!isCopy(job) && !isArchive(job)) return [];
  if (seen === undefined) return job.events;
  const at = job.events.findLastIndex((event) => event.at === seen.at && event.text === seen.text);
  return at >= 0 ? job.events.slice(at + 1) : job.events.filter((event) => event.at > seen.at);
}

/** Undefined when Ctrl-C came first. */
async function looked(
  id: string,
  client: AdminClient,
  interruption: Interruption,
): Promise<AnyJob | undefined> {
  for (let failures = 1; ; failures++) {
    try {
      return await interruption.unless(jobOf(client, id));
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      if (failures >= AWAY_LOOKS_MAX) {
        throw new CommandFailure(
          `${error.message} The job goes on when the server does: \`orrery jobs watch ${id}\`.`,
        );
      }
      await interruption.pause(LOOK_MS);
    }
  }
}

function lineOf(job: AnyJob): string {
  if (isLifecycle(job)) return lifecycleText(job);
  if (isArchive(job)) return archiveLine(job);
  return isCopy(job) ? progressText(job) : jobText(job);
}

/** Of a job that is over or that waits for somebody. A failure is thrown. */
export function endText(job: AnyJob, where: string): string {
  if (isLifecycle(job)) return `Lifecycle ${job.id} is ${job.state}: ${job.reason}`;
  if (isArchive(job)) return archiveEnd(job, where);
  if (!isCopy(job)) return reshapeEnd(job);
  const verb = job.state === "failed" ? "has" : "is";
  const named = `Copy ${job.id} of ${wayText(job)}`;
  const text = `${named} ${verb} ${stateText(job)}.`.replace(/\.\.$/, ".");
  const isBad = ["failed", "blocked", "paused", "cancelled", "cancelling"].includes(job.state);
  if (isBad) {
    throw new CommandFailure(`${text} \`orrery jobs show ${job.id}${where}\` says more.`);
  }
  return text + leftText(job, where);
}

/** What has no copy though the job has ended well. */
function leftText({ id, setAside: { count } }: CopyJobEntry, where: string): string {
  if (count === 0) return "";
  const verb = count === 1 ? "was" : "were";
  const lister = `\`orrery copy set-aside ${id}${where}\``;
  return ` ${counted(count, "item")} ${verb} set aside, without a copy; ${lister} tells which.`;
}

function archiveEnd(job: Extract<AnyJob, { kind: "archive" | "restore" }>, where: string): string {
  const kind = job.kind === "archive" ? "Archive" : "Restore";
  const isBad = ["failed", "blocked", "paused", "cancelled", "cancelling"].includes(job.state);
  const name = `${kind} ${job.id} of ${archiveNames(job)}`;
  if (!isBad) return `${name}: ${archiveLine(job)}.`;
  const text = `${name} is ${archiveStateText(job)}.`.replace(/\.\.$/, ".");
  throw new CommandFailure(`${text} \`orrery jobs show ${job.id}${where}\` says more.`);
}

function reshapeEnd(job: Extract<AnyJob, { kind: "split" | "merge" | "move" }>): string {
  const { kind, partitionIds, outcome } = job;
  const them = partitionIds.join(" and ");
  if (outcome === undefined) return jobText(job);
  if (outcome.state !== "done") {
    const verb = outcome.state === "failed" ? "failed" : "was cancelled";
    throw new CommandFailure(`The ${kind} of ${them} ${verb}: ${outcome.reason}`);
  }
  return `The ${kind} of ${them} is done; now there are ${outcome.newPartitionIds.join(" and ")}.`;
}

/** After Ctrl-C. */
export function detachedText({ id }: AnyJob, where: string): string {
  return `The job goes on. \`orrery jobs watch ${id}${where}\` looks at it again.`;
}
