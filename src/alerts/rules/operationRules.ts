/** Rules about this server at work: jobs that stand still, and a disk that fills up. */
import { counted, countText, durationText, strictBytesText } from "../../base/wording.ts";
import type { CopyReport } from "../../statistics/report.ts";
import {
  absent,
  type ContainerEvidence,
  type ContainerRule,
  containerRule,
  fine,
  guidance,
  type ServerRule,
  serverRule,
} from "./alertRule.ts";
import { DOCS_PAGES } from "./docsPages.ts";
import type { FollowedJob } from "./jobProgress.ts";
import { listText, percentOf } from "./wording.ts";

const BYTES_PER_GIB = 1024 ** 3;

const jobStalled = containerRule({
  id: "jobStalled",
  title: "A split or merge stands still",
  fires:
    "A split or merge that is not waiting for its turn has made no progress for " +
    "`unchangedSeconds`. Critical when it stands still while switching over.",
  severities: ["warning", "critical"],
  window: "now",
  forSeconds: 0,
  clearSeconds: 0,
  thresholds: {
    unchangedSeconds: guidance(600, "seconds", "without anything copied and without a next step"),
  },
  docs: [DOCS_PAGES.scaling],
  find({ report, jobs }, values) {
    const stalled = jobs.filter(
      (followed) =>
        followed.job.state !== "waiting" &&
        unchangedSeconds(followed, report) >= values.unchangedSeconds,
    );
    const [worst] = stalled;
    if (worst === undefined) {
      return fine(
        jobs.length === 0
          ? "No splits or merges are under way."
          : `${counted(jobs.length, "split or merge is", "splits or merges are")} under way.`,
      );
    }
    const { job } = worst;
    const seconds = unchangedSeconds(worst, report);
    return {
      kind: "trouble",
      severity: stalled.some((followed) => followed.job.state === "switching")
        ? "critical"
        : "warning",
      says:
        `The ${job.kind} of physical ` +
        `${job.partitionIds.length === 1 ? "partition" : "partitions"} ` +
        `${listText(job.partitionIds)} (${job.state}) has made no progress for ` +
        `${durationText(seconds)}: ${countText(job.copiedCount)} of ` +
        `${counted(job.totalCount, "change is", "changes are")} copied.`,
      todo: [
        "Look for faults of the disk in the log of the server.",
        "Reads and writes go on as before; after a restart of the server the job begins again, " +
          "and nothing is lost.",
      ],
      evidence: {
        figures: {
          unchangedSeconds: seconds,
          copiedCount: job.copiedCount,
          totalCount: job.totalCount,
        },
        partitionIds: [...new Set(stalled.flatMap((followed) => followed.job.partitionIds))],
        partitionKeys: [],
      },
    };
  },
});

const copyStalled = containerRule({
  id: "copyStalled",
  title: "A copy job stands still",
  fires:
    "A copy job of the container stopped by itself, or has done nothing for `unchangedSeconds` " +
    "though there is something to do. A job that somebody paused is not meant.",
  severities: ["warning"],
  window: "now",
  forSeconds: 0,
  clearSeconds: 0,
  thresholds: {
    unchangedSeconds: guidance(600, "seconds", "without anything read or written"),
  },
  docs: [],
  find({ report }, values) {
    const { copies = [], at } = report;
    const stillFor = ({ movedAt }: CopyReport): number => Math.max(0, at - movedAt) / 1000;
    const isStill = (copy: CopyReport): boolean =>
      !copy.isPaused &&
      (copy.stoppedFor !== undefined || stillFor(copy) >= values.unchangedSeconds);
    const worst = copies.find(isStill);
    if (worst === undefined) {
      return fine(
        copies.length === 0
          ? "No copy jobs are under way."
          : `${counted(copies.length, "copy job is", "copy jobs are")} under way.`,
      );
    }
    const { id, stoppedFor, lagCount } = worst;
    const seconds = stillFor(worst);
    return {
      kind: "trouble",
      severity: "warning",
      says:
        stoppedFor === undefined
          ? `The copy job ${id} has done nothing for ${durationText(seconds)}, and is behind by ` +
            `${counted(lagCount, "change")}.`
          : `The copy job ${id} stopped: ${stoppedFor}`,
      todo: [
        `See \`orrery jobs show ${id}\` for what it waits for, and mend that; then ` +
          `\`orrery jobs resume ${id}\`.`,
        "The source is untouched, and its deletions are kept in its log until the job has seen " +
          "them or is cancelled.",
      ],
      evidence: {
        figures: { unchangedSeconds: seconds, lagCount },
        partitionIds: [],
        partitionKeys: [],
      },
    };
  },
});

/**
 * The thresholds are bytes and not percent, because the room that a server needs does not grow with
 * the disk.
 */
const diskSpace = serverRule({
  id: "diskSpace",
  title: "The disk fills up",
  fires:
    "Less than `freeGib` is free where the data directory is. Critical below `criticalFreeGib`.",
  severities: ["warning", "critical"],
  window: "now",
  forSeconds: 30,
  thresholds: {
    criticalFreeGib: guidance(1, "GiB", "free; a few segments of the journal and a split need it"),
    freeGib: guidance(5, "GiB", "free"),
  },
  ascending: ["criticalFreeGib", "freeGib"],
  docs: [],
  find({ disk }, values) {
    if (disk === undefined) return absent("Nothing is known of a disk, or nothing is kept on one.");
    const freePercent = percentOf(disk.freeBytes, disk.totalBytes);
    const [free, total] = [disk.freeBytes, disk.totalBytes].map(strictBytesText);
    const says = `${free} of ${total} are free.`;
    const freeGib = disk.freeBytes / BYTES_PER_GIB;
    if (freeGib >= values.freeGib) return fine(says);
    return {
      kind: "trouble",
      severity: freeGib < values.criticalFreeGib ? "critical" : "warning",
      says: `${says} When nothing is left, writes are refused with 503; reads go on.`,
      todo: ["Make room on the disk, or move the data directory to a larger one."],
      evidence: {
        figures: { freeBytes: disk.freeBytes, totalBytes: disk.totalBytes, freePercent },
        partitionIds: [],
        partitionKeys: [],
      },
    };
  },
});

export const OPERATION_RULES: readonly ContainerRule[] = [jobStalled, copyStalled];
export const SERVER_RULES: readonly ServerRule[] = [diskSpace];

function unchangedSeconds(
  { unchangedSince }: FollowedJob,
  { at }: ContainerEvidence["report"],
): number {
  return Math.max(at - unchangedSince, 0) / 1000;
}
