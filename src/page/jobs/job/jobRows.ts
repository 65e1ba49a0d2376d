/**
 * The jobs of all kinds as rows of one list: those at work first, then those that ended, the latest
 * first. A number that a kind of job does not have is absent.
 */
import { counted, countText, shortBytesText, threeDigits } from "../../../base/wording.ts";
import type { ArchiveJobEntry } from "../../../model/archiveJob.ts";
import type { CopyJobEntry } from "../../../model/copyJob.ts";
import type { LifecycleEntry } from "../../../model/lifecycle.ts";
import type { JobEntry, JobsAnswer } from "../../../protocol/admin.ts";
import type { TagTone } from "../../parts/tag.tsx";
import { archivedText, archiveShare } from "./archiveProgress.ts";
import {
  isArchive,
  isCopy,
  isDueKnown,
  isLifecycle,
  isOver,
  nameOf,
  remainingText,
  type ShownJob,
  stateOf,
} from "./jobWords.ts";

export interface JobRow {
  readonly id: string;
  /** "copy to another key", "split of 1" */
  readonly kind: string;
  /** "shop/orders → shop/orders2" */
  readonly about: string;
  readonly word: string;
  readonly tone: TagTone;
  readonly group: JobGroup;
  readonly reason?: string | undefined;
  readonly share?: number | undefined;
  /** Items and bytes; never a share alone. */
  readonly progress: string;
  readonly rate?: string | undefined;
  readonly remaining?: string | undefined;
  readonly sharePercent?: number | undefined;
  readonly startedAt: number;
}

/** `waits` is for somebody: a cut-over, an end, a mended obstacle. */
export type JobGroup = "works" | "waits" | "ended";

export const GROUPS: readonly { readonly value: JobGroup | "all"; readonly word: string }[] = [
  { value: "all", word: "All" },
  { value: "works", word: "At work" },
  { value: "waits", word: "Waiting for you" },
  { value: "ended", word: "Ended" },
];

const ORDER: Readonly<Record<JobGroup, number>> = { waits: 0, works: 1, ended: 2 };

export function rowsOf(answer: JobsAnswer): readonly JobRow[] {
  const { jobs, copies, lifecycles, archives } = answer;
  return [
    ...copies.map(copyRow),
    ...lifecycles.map(lifecycleRow),
    ...archives.map(archiveRow),
    ...jobs.map(reshapeRow),
  ].toSorted(
    (one, other) => ORDER[one.group] - ORDER[other.group] || other.startedAt - one.startedAt,
  );
}

/** One sentence: what is at work, and what waits for somebody. */
export function answerOf(rows: readonly JobRow[]): string {
  const count = (group: JobGroup): number => rows.filter((row) => row.group === group).length;
  const [works, waits, ended] = [count("works"), count("waits"), count("ended")];
  if (rows.length === 0) return "Nothing is being changed, and nothing was.";
  const parts = [
    ...(waits === 0 ? [] : [`${counted(waits, "job")} ${waits === 1 ? "waits" : "wait"} for you`]),
    ...(works === 0 ? [] : [`${counted(works, "job")} ${works === 1 ? "is" : "are"} at work`]),
  ];
  if (parts.length === 0) return `Nothing is being changed; ${counted(ended, "job")} ended.`;
  return `${parts.join(", ")}.`;
}

function groupOf(job: ShownJob): JobGroup {
  if (isOver(job)) return "ended";
  if (job.state === "paused" || job.state === "blocked") return "waits";
  if (!isCopy(job) || job.kind === "view") return "works";
  return job.state === "ready" || job.state === "switched" ? "waits" : "works";
}

export function kindOf(job: ShownJob): string {
  if (isLifecycle(job)) return "lifecycle";
  if (isArchive(job)) return archiveKind(job);
  if (!isCopy(job)) return `${job.kind} of ${job.partitionIds.join(" and ")}`;
  if (job.kind === "view") return "view";
  const { key, isDryRun, mode } = job.asked;
  if (isDryRun === true) return "dry run of a copy";
  const what = key === undefined ? "copy" : `copy to ${key.join(", ")}`;
  return mode === "online" ? `${what}, online` : what;
}

function archiveKind({ kind, asked }: ArchiveJobEntry): string {
  return "isDryRun" in asked && asked.isDryRun === true ? "dry run of an archive" : kind;
}

/** A lifecycle has no end it comes nearer to; what it has left to do is what is due. */
function lifecycleRow(job: LifecycleEntry): JobRow {
  const least = job.isDueCountExact ? "" : "at least ";
  const due = isDueKnown(job) ? `, ${least}${countText(job.dueCount)} due` : "";
  const moved = `${counted(job.totals.moved, "item")} moved`;
  return {
    ...commonOf(job),
    about: `${nameOf(job.hot)} → ${nameOf(job.warm)}`,
    reason: job.reason ?? job.warnings[0],
    progress: isOver(job) ? moved : moved + due,
    ...(!isOver(job) && { sharePercent: job.sharePercent }),
  };
}

function archiveRow(job: ArchiveJobEntry): JobRow {
  const { folder, progress, throttle } = job;
  const name = nameOf(job);
  const isWorking = !isOver(job);
  return {
    ...commonOf(job),
    about: job.kind === "archive" ? `${name} → ${folder}` : `${folder} → ${name}`,
    reason: job.reason,
    share: archiveShare(job),
    progress: archivedText(job),
    ...(isWorking &&
      progress.itemsPerSecond > 0 && { rate: `${threeDigits(progress.itemsPerSecond)} items/s` }),
    ...(isWorking && { sharePercent: throttle.sharePercent }),
  };
}

function copyRow(job: CopyJobEntry): JobRow {
  const { progress, throttle, source, target } = job;
  const isWorking = !isOver(job);
  return {
    ...commonOf(job),
    about: `${nameOf(source)} → ${nameOf(target)}`,
    reason: job.reason,
    share: shareOf(job),
    progress: progressText(job),
    ...(isWorking &&
      progress.itemsPerSecond > 0 && {
        rate: rateText(progress),
      }),
    ...(progress.remaining && { remaining: remainingText(progress.remaining) }),
    ...(isWorking && { sharePercent: throttle.sharePercent }),
  };
}

function rateText({ itemsPerSecond, bytesPerSecond }: CopyJobEntry["progress"]): string {
  return `${threeDigits(itemsPerSecond)} items/s, ${shortBytesText(bytesPerSecond)}/s`;
}

function reshapeRow(job: JobEntry): JobRow {
  const { copiedCount, totalCount, outcome } = job;
  const share =
    outcome?.state === "done" ? 1 : totalCount === 0 ? undefined : copiedCount / totalCount;
  return {
    ...commonOf(job),
    about: nameOf(job),
    reason: outcome !== undefined && "reason" in outcome ? outcome.reason : undefined,
    share: share === undefined ? undefined : Math.min(1, share),
    progress: `${countText(copiedCount)} of ${counted(totalCount, "change")}`,
  };
}

function commonOf(
  job: ShownJob,
): Pick<JobRow, "id" | "kind" | "word" | "tone" | "group" | "startedAt"> {
  const { id, startedAt } = job;
  return { id, startedAt, kind: kindOf(job), group: groupOf(job), ...stateOf(job) };
}

/** Items and bytes of a copy. A dry run says what it looked at. */
export function progressText({ progress, plan, asked, state }: CopyJobEntry): string {
  if (asked.isDryRun === true && plan !== undefined) {
    return `${counted(plan.itemCount, "item")} looked at, ${shortBytesText(plan.itemBytes)}`;
  }
  const { copiedCount, itemCount, copiedBytes } = progress;
  const items = isAllCopied(state)
    ? counted(copiedCount, "item")
    : `${countText(copiedCount)} of ${counted(itemCount, "item")}`;
  return `${items}, ${shortBytesText(copiedBytes)}`;
}

/**
 * From then on what comes, comes as a change: an item that was written or deleted before its turn
 * is not among the copied ones, and their number stays below that of the items there are.
 */
function isAllCopied(state: CopyJobEntry["state"]): boolean {
  return ALL_COPIED.has(state);
}

const ALL_COPIED: ReadonlySet<CopyJobEntry["state"]> = new Set([
  "catchingUp",
  "ready",
  "holding",
  "switched",
  "holdingBack",
  "copied",
  "completed",
  "reverted",
]);

/** From 0 to 1; undefined while nothing tells how much there is. */
export function shareOf({ progress, state, asked }: CopyJobEntry): number | undefined {
  if (asked.isDryRun === true) return state === "planned" ? 1 : undefined;
  if (isAllCopied(state)) return 1;
  if (progress.lookedShare !== undefined) return undefined;
  if (progress.itemCount > 0) return Math.min(1, progress.copiedCount / progress.itemCount);
  return state === "preparing" || state === "failed" || state === "cancelled" ? undefined : 1;
}
