/**
 * Jobs in the words and tones of the page: what a state is called, what is left, and what keeps a
 * job from going faster. Not here: which jobs there are (`jobRows.ts`).
 */
import { counted, shortDurationText, threeDigits } from "../../../base/wording.ts";
import type { ArchiveEnd, ArchiveJobEntry, ArchiveState } from "../../../model/archiveJob.ts";
import type {
  CopyEnd,
  CopyJobEntry,
  CopyState,
  FeedLag,
  NamedContainer,
  RemainingTime,
  ThrottleBound,
} from "../../../model/copyJob.ts";
import type { LifecycleEntry, LifecycleState } from "../../../model/lifecycle.ts";
import type { JobEntry } from "../../../protocol/admin.ts";
import type { TagTone } from "../../parts/tag.tsx";

export type ShownJob = JobEntry | CopyJobEntry | LifecycleEntry | ArchiveJobEntry;

interface StateWords {
  readonly word: string;
  readonly tone: TagTone;
}

const COPY_STATES: Readonly<Record<CopyState, StateWords>> = {
  preparing: { word: "looking at all items", tone: "now" },
  copying: { word: "copying", tone: "now" },
  catchingUp: { word: "catching up", tone: "now" },
  ready: { word: "ready to cut over", tone: "good" },
  holding: { word: "cutting over", tone: "now" },
  switched: { word: "cut over, way back kept", tone: "good" },
  holdingBack: { word: "going back", tone: "now" },
  paused: { word: "paused", tone: "warn" },
  blocked: { word: "stopped by an obstacle", tone: "bad" },
  cancelling: { word: "being cancelled", tone: "now" },
  planned: { word: "planned, nothing written", tone: "info" },
  copied: { word: "copied", tone: "good" },
  completed: { word: "completed", tone: "good" },
  reverted: { word: "reverted", tone: "info" },
  cancelled: { word: "cancelled", tone: "none" },
  failed: { word: "failed", tone: "bad" },
};

const LIFECYCLE_STATES: Readonly<Record<LifecycleState, StateWords>> = {
  running: { word: "moving items", tone: "now" },
  waiting: { word: "waiting for its next round", tone: "good" },
  paused: { word: "paused", tone: "warn" },
  blocked: { word: "stopped by an obstacle", tone: "bad" },
  stopped: { word: "stopped", tone: "none" },
  failed: { word: "failed", tone: "bad" },
};

const ARCHIVE_STATES: Readonly<Record<ArchiveState, StateWords>> = {
  writing: { word: "writing files", tone: "now" },
  proving: { word: "reading files back", tone: "now" },
  deleting: { word: "deleting what was archived", tone: "now" },
  verifying: { word: "reading files first", tone: "now" },
  restoring: { word: "restoring", tone: "now" },
  paused: { word: "paused", tone: "warn" },
  blocked: { word: "stopped by an obstacle", tone: "bad" },
  cancelling: { word: "being cancelled", tone: "now" },
  planned: { word: "planned, nothing written", tone: "info" },
  empty: { word: "nothing was old enough", tone: "info" },
  archived: { word: "archived", tone: "good" },
  kept: { word: "archived, items kept", tone: "good" },
  restored: { word: "restored", tone: "good" },
  cancelled: { word: "cancelled", tone: "none" },
  failed: { word: "failed", tone: "bad" },
};

const ARCHIVE_ENDS: Readonly<Record<ArchiveEnd, true>> = {
  planned: true,
  empty: true,
  archived: true,
  kept: true,
  restored: true,
  cancelled: true,
  failed: true,
};

const RESHAPE_STATES: Readonly<Record<JobEntry["state"], StateWords>> = {
  waiting: { word: "waiting for its turn", tone: "info" },
  copying: { word: "copying", tone: "now" },
  catchingUp: { word: "catching up", tone: "now" },
  switching: { word: "switching", tone: "now" },
};

const OUTCOMES: Readonly<Record<NonNullable<JobEntry["outcome"]>["state"], StateWords>> = {
  done: { word: "done", tone: "good" },
  failed: { word: "failed", tone: "bad" },
  cancelled: { word: "cancelled", tone: "none" },
};

/** A total table: an end that is missing here does not compile. */
const ENDS: Readonly<Record<CopyEnd, true>> = {
  planned: true,
  copied: true,
  completed: true,
  reverted: true,
  cancelled: true,
  failed: true,
};

/** What keeps a job from going faster, after "limited by". */
export const BOUND_WORDS: Readonly<Record<ThrottleBound, string>> = {
  nothing: "nothing",
  share: "its share",
  throttledClients: "clients that were refused (429)",
  tables: "the tables, which have to catch up",
};

export function isCopy(job: ShownJob): job is CopyJobEntry {
  return job.kind === "copy" || job.kind === "view";
}

export function isLifecycle(job: ShownJob): job is LifecycleEntry {
  return job.kind === "lifecycle";
}

export function isArchive(job: ShownJob): job is ArchiveJobEntry {
  return job.kind === "archive" || job.kind === "restore";
}

export function isOver(job: ShownJob): boolean {
  if (isCopy(job)) return Object.hasOwn(ENDS, job.state);
  if (isArchive(job)) return Object.hasOwn(ARCHIVE_ENDS, job.state);
  if (isLifecycle(job)) return job.state === "stopped" || job.state === "failed";
  return job.outcome !== undefined;
}

export function stateOf(job: ShownJob): StateWords {
  if (isCopy(job)) {
    const isFollowing = job.kind === "view" && job.state === "ready";
    return isFollowing ? { word: "up to date", tone: "good" } : COPY_STATES[job.state];
  }
  if (isLifecycle(job)) return LIFECYCLE_STATES[job.state];
  if (isArchive(job)) return ARCHIVE_STATES[job.state];
  return job.outcome === undefined ? RESHAPE_STATES[job.state] : OUTCOMES[job.outcome.state];
}

export function nameOf({ database, container }: NamedContainer): string {
  return `${database}/${container}`;
}

/** An interval in words; nobody knows it to the second. */
export function remainingText({ from, to }: Pick<RemainingTime, "from" | "to">): string {
  const [least, most] = [from, to].map(shortDurationText);
  return least === most ? `about ${least}` : `${least} to ${most}`;
}

/** How often earlier estimates came true; nothing while there are none. */
export function keptText({ kept }: Pick<RemainingTime, "kept">): string | undefined {
  if (kept === undefined || kept.jobCount === 0) return undefined;
  const jobs = counted(kept.jobCount, "earlier job");
  return `${kept.insideCount} of ${jobs} ended within such an interval`;
}

export function lagText({ changeCount, drainSeconds, behindSeconds }: FeedLag): string {
  if (changeCount === 0) return "nothing behind";
  const changes = `${counted(changeCount, "change")} behind`;
  const seconds = behindSeconds ?? drainSeconds;
  return seconds === undefined ? changes : `${changes} (${threeDigits(seconds)} s)`;
}

/** For a copy that will never have caught up as it is; nothing for others. */
export function fallingBehindText(lag: FeedLag): string | undefined {
  const { needed, appliedPerSecond = 0, arrivingPerSecond = 0 } = lag;
  if (needed === undefined) return undefined;
  const pace =
    `It falls behind: ${threeDigits(arrivingPerSecond)} changes come in a second and ` +
    `${threeDigits(appliedPerSecond)} are applied. `;
  const { ruPerSecond, sharePercent } = needed;
  if (sharePercent === undefined) return `${pace}It needs about ${threeDigits(ruPerSecond)} RU/s.`;
  return sharePercent <= 100
    ? `${pace}A share of ${threeDigits(Math.ceil(sharePercent))} % would do.`
    : `${pace}That is more than the target has: raise its throughput to about ` +
        `${threeDigits(ruPerSecond)} RU/s.`;
}

/** False while hot is looked at for the first time since a start, and nothing was found. */
export function isDueKnown({ dueCount, isDueCountExact }: LifecycleEntry): boolean {
  return isDueCountExact || dueCount > 0;
}
