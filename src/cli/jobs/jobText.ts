/** Jobs as tables: the list of all, and one with everything that it shows of itself. */
import { counted, countText, shortBytesText, threeDigits } from "../../base/wording.ts";
import type { CopyJobEntry } from "../../model/copyJob.ts";
import type { LifecycleEntry } from "../../model/lifecycle.ts";
import type { JobEntry } from "../../protocol/admin.ts";
import { jobText } from "../partitions/partitions.ts";
import type { LiveRow, Section } from "../terminal/liveTable.ts";
import { numberText, percentText } from "../terminal/liveTable.ts";
import { type AnyJob, isArchive, isCopy, isLifecycle, isOver } from "./anyJob.ts";
import { archiveRow, archiveSections } from "./archiveText.ts";
import {
  BOUND_WORDS,
  commandOf,
  doneShare,
  instantText,
  lagText,
  lifecycleText,
  progressText,
  remainingText,
  wayText,
} from "./jobWords.ts";
import { planSections } from "./planText.ts";
import { proofSections } from "./proofText.ts";

const NUMBERS = ["done %", "items/s", "lag"];

export function listSections(jobs: readonly AnyJob[]): readonly Section[] {
  if (jobs.length === 0) return [{ kind: "lines", lines: ["There are no jobs."] }];
  const rows = jobs.map((job) => {
    if (isLifecycle(job)) return lifecycleRow(job);
    if (isArchive(job)) return archiveRow(job);
    return isCopy(job) ? copyRow(job) : reshapeRow(job);
  });
  return [{ kind: "table", rows, right: NUMBERS }];
}

function copyRow(job: CopyJobEntry): LiveRow {
  const { progress, state } = job;
  const share = doneShare(job);
  const { remaining } = progress;
  const cells = {
    id: job.id,
    kind: job.kind,
    of: wayText(job),
    state,
    "done %": share === undefined ? "" : percentText(share),
    "items/s": isOver(job) ? "" : numberText(progress.itemsPerSecond),
    lag: isOver(job) ? "" : countText(progress.lag.changeCount),
    left: isOver(job) || remaining === undefined ? "" : remainingText(remaining),
    started: instantText(job.startedAt),
  };
  const isBad = state === "failed" || state === "blocked";
  return { cells, tone: isBad ? "alarm" : isOver(job) ? "faint" : undefined };
}

function lifecycleRow(job: LifecycleEntry): LiveRow {
  const { id, kind, hot, warm, state, lagCount } = job;
  const cells = {
    id,
    kind,
    of: wayText({ source: hot, target: warm }),
    state,
    "done %": "",
    "items/s": "",
    lag: isOver(job) ? "" : countText(lagCount),
    left: "",
    started: instantText(job.startedAt),
  };
  const isBad = state === "failed" || state === "blocked";
  return { cells, tone: isBad ? "alarm" : isOver(job) ? "faint" : undefined };
}

function reshapeRow(job: JobEntry): LiveRow {
  const { outcome, totalCount, copiedCount } = job;
  const share = totalCount === 0 ? 0 : Math.min(1, copiedCount / totalCount);
  const cells = {
    id: job.id,
    kind: job.kind,
    of: `${job.database}/${job.container}, partition ${job.partitionIds.join(" and ")}`,
    state: outcome?.state ?? job.state,
    "done %": outcome?.state === "done" ? "100" : percentText(share),
    "items/s": "",
    lag: "",
    left: "",
    started: instantText(job.startedAt),
  };
  const tone = outcome?.state === "failed" ? "alarm" : outcome === undefined ? undefined : "faint";
  return { cells, tone };
}

/** `where` is what a command has to have besides, to reach the same server. */
export function jobSections(job: AnyJob, where: string): readonly Section[] {
  if (isLifecycle(job)) return lifecycleSections(job, where);
  if (isArchive(job)) return archiveSections(job, where);
  return isCopy(job) ? copySections(job, where) : reshapeSections(job);
}

function lifecycleSections(job: LifecycleEntry, where: string): readonly Section[] {
  const { id, hot, warm } = job;
  const way = wayText({ source: hot, target: warm });
  return [
    { kind: "lines", lines: [`${id}  lifecycle of ${way}`], tone: "strong" },
    {
      kind: "lines",
      lines: [
        lifecycleText(job),
        `Started ${instantText(job.startedAt)}.`,
        `\`orrery lifecycle status ${id}${where}\` says more, and leads on.`,
      ],
    },
  ];
}

function reshapeSections(job: JobEntry): readonly Section[] {
  const { id, kind, database, container, outcome } = job;
  const end =
    outcome === undefined
      ? []
      : outcome.state === "done"
        ? [
            `Done in ${threeDigits(outcome.seconds)} s; now ` +
              `${outcome.newPartitionIds.join(" and ")}.`,
          ]
        : [`${outcome.state} after ${threeDigits(outcome.seconds)} s: ${outcome.reason}`];
  return [
    { kind: "lines", lines: [`${id}  ${kind} in ${database}/${container}`], tone: "strong" },
    { kind: "lines", lines: [`Started ${instantText(job.startedAt)}.`, jobText(job), ...end] },
  ];
}

function copySections(job: CopyJobEntry, where: string): readonly Section[] {
  const { id, kind, state, plan, events, nextSteps } = job;
  const isBad = state === "failed" || state === "blocked";
  return [
    { kind: "lines", lines: [`${id}  ${kind} of ${wayText(job)}`], tone: "strong" },
    { kind: "lines", lines: [progressText(job)], tone: isBad ? "alarm" : undefined },
    { kind: "lines", lines: detailLines(job, where) },
    { kind: "lines", lines: askedLines(job) },
    ...(plan === undefined ? [] : [BLANK, ...planSections(plan)]),
    BLANK,
    ...proofSections(job),
    ...titled(
      "Events",
      events.map(({ at, text }) => `${instantText(at)}  ${text}`),
    ),
    ...titled(
      "What can be done now",
      nextSteps.flatMap(({ step, about }) => [commandOf(step, id, where), `    ${about}`]),
    ),
  ];
}

const BLANK: Section = { kind: "lines", lines: [""] };

function titled(title: string, lines: readonly string[]): readonly Section[] {
  if (lines.length === 0) return [];
  return [
    { kind: "lines", lines: ["", `${title}:`], tone: "strong" },
    { kind: "lines", lines: lines.map((line) => `  ${line}`) },
  ];
}

function detailLines(
  { id, progress, throttle, setAside, ...job }: CopyJobEntry,
  where: string,
): string[] {
  const { kept } = progress.remaining ?? {};
  const ended = job.endedAt === undefined ? "" : `, ended ${instantText(job.endedAt)}`;
  return [
    `Started ${instantText(job.startedAt)}${ended}.`,
    `Changes applied since: ${countText(progress.changeCount)}, of them ` +
      `${countText(progress.removedCount)} removals; lag ${lagText(progress.lag)}.`,
    `Rate: ${numberText(progress.itemsPerSecond)} items/s, ` +
      `${shortBytesText(progress.bytesPerSecond)}/s; spent ` +
      `${countText(progress.readRu)} RU on reading, ${countText(progress.writeRu)} RU on writing.`,
    `Share of the RU/s: ${threeDigits(throttle.sharePercent)} %, at present ` +
      `${threeDigits(throttle.effectivePercent)} %; what limits it: ` +
      `${BOUND_WORDS[throttle.bound]}.`,
    ...(kept === undefined
      ? []
      : [
          `Of ${counted(kept.jobCount, "earlier job")}, ${countText(kept.insideCount)} ended ` +
            "within what was said of them at this stage.",
        ]),
    `Set aside: ${countText(setAside.count)} of at most ${countText(setAside.max)}` +
      (setAside.count === 0 ? "." : `; \`orrery copy set-aside ${id}${where}\` lists them.`),
  ];
}

/** What was asked for beyond source and target, each with the name of its member. */
function askedLines({ asked }: CopyJobEntry): string[] {
  const { source: _source, target: _target, ...rest } = asked;
  const told = Object.entries(rest).filter(([, value]) => value !== undefined);
  if (told.length === 0) return [];
  const texts = told.map(([name, value]) => {
    return `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`;
  });
  return [`Asked for: ${texts.join("; ")}.`];
}
