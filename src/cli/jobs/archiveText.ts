/** Archives and restores in words: a row of the list of jobs, one line for a looker-on, and all. */
import {
  counted,
  countText,
  shortBytesText,
  shortDurationText,
  threeDigits,
} from "../../base/wording.ts";
import type { JsonValue } from "../../json/value.ts";
import type {
  ArchiveEnd,
  ArchiveJobEntry,
  ArchivePlan,
  ArchiveState,
  ArchiveStep,
  LeftOut,
} from "../../model/archiveJob.ts";
import type { LiveRow, Section } from "../terminal/liveTable.ts";
import { numberText, percentText } from "../terminal/liveTable.ts";
import { BOUND_WORDS, instantText } from "./jobWords.ts";

/** A total table: an end that is missing here does not compile. */
const ENDS: Readonly<Record<ArchiveEnd, true>> = {
  planned: true,
  empty: true,
  archived: true,
  kept: true,
  restored: true,
  cancelled: true,
  failed: true,
};

const STATES: Readonly<Record<ArchiveState, string>> = {
  writing: "writing files",
  proving: "reading the files back",
  deleting: "deleting what was archived",
  verifying: "reading the files whole",
  restoring: "restoring",
  paused: "paused",
  blocked: "stopped by an obstacle",
  cancelling: "being cancelled",
  planned: "planned, nothing was written",
  empty: "ended: nothing is old enough",
  archived: "archived",
  kept: "archived, and the items are kept",
  restored: "restored",
  cancelled: "cancelled",
  failed: "failed",
};

export function isArchiveOver({ state }: ArchiveJobEntry): boolean {
  return Object.hasOwn(ENDS, state);
}

export function archiveStateText({ state, reason }: ArchiveJobEntry): string {
  return reason === undefined ? STATES[state] : `${STATES[state]}: ${reason}`;
}

export function archiveNames({ database, container, folder }: ArchiveJobEntry): string {
  return `${database}/${container}, ${folder}`;
}

/** How much of what is known to be there is done. */
function doneShare({ kind, state, progress }: ArchiveJobEntry): number | undefined {
  const { itemCount, readCount, archivedCount, deletedCount, changedCount, provenCount } = progress;
  const share = (part: number, whole: number): number | undefined =>
    whole === 0 ? undefined : Math.min(1, part / whole);
  if (kind === "restore") return share(restoredOf(progress), itemCount);
  if (state === "writing") return share(readCount, itemCount);
  if (state === "proving") return share(provenCount, archivedCount);
  if (state === "archived" || state === "kept") return 1;
  return state === "deleting" ? share(deletedCount + changedCount, archivedCount) : undefined;
}

function restoredOf(progress: ArchiveJobEntry["progress"]): number {
  return progress.restoredCount + progress.presentCount + progress.replacedCount;
}

export function archiveRow(job: ArchiveJobEntry): LiveRow {
  const share = doneShare(job);
  const isOver = isArchiveOver(job);
  const cells = {
    id: job.id,
    kind: job.kind,
    of: archiveNames(job),
    state: job.state,
    "done %": share === undefined ? "" : percentText(share),
    "items/s": isOver ? "" : numberText(job.progress.itemsPerSecond),
    lag: "",
    left: "",
    started: instantText(job.startedAt),
  };
  const isBad = job.state === "failed" || job.state === "blocked";
  return { cells, tone: isBad ? "alarm" : isOver ? "faint" : undefined };
}

/** One line, for somebody who looks on. */
export function archiveLine(job: ArchiveJobEntry): string {
  const { progress, throttle } = job;
  const share = doneShare(job);
  const parts = [
    ...(job.kind === "restore" ? restoreFigures(job) : archiveFigures(job)),
    ...(share === undefined ? [] : [`${percentText(share)} % of this`]),
    ...(isArchiveOver(job) ? [] : [`${numberText(progress.itemsPerSecond)} items/s`]),
    ...(throttle.bound === "nothing" ? [] : [`slowed by: ${BOUND_WORDS[throttle.bound]}`]),
  ];
  return `${archiveStateText(job).replace(/\.$/, "")}; ${parts.join(", ")}`;
}

function archiveFigures({ progress, plan }: ArchiveJobEntry): readonly string[] {
  if (plan !== undefined) {
    return [`${counted(plan.itemCount, "item")} of ${counted(plan.partitionCount, "key")}`];
  }
  const { partitionCount, archivedCount, storedBytes, deletedCount } = progress;
  return [
    `${counted(archivedCount, "item")} of ${counted(partitionCount, "key")} in files`,
    shortBytesText(storedBytes),
    `${countText(deletedCount)} deleted`,
  ];
}

function restoreFigures({ progress, conflicts }: ArchiveJobEntry): readonly string[] {
  const { itemCount, restoredCount, presentCount, replacedCount } = progress;
  return [
    `${countText(restoredCount)} of ${counted(itemCount, "item")} written`,
    ...(presentCount === 0 ? [] : [`${countText(presentCount)} were there already`]),
    ...(replacedCount === 0 ? [] : [`${countText(replacedCount)} replaced`]),
    ...((conflicts?.count ?? 0) === 0 ? [] : [counted(conflicts!.count, "conflict")]),
  ];
}

const COMMANDS: Readonly<Record<ArchiveStep, (id: string) => string>> = {
  pause: (id) => `orrery jobs pause ${id}`,
  resume: (id) => `orrery jobs resume ${id}`,
  cancel: (id) => `orrery jobs cancel ${id}`,
  throttle: (id) => `orrery jobs throttle ${id} <percent>`,
};

/** Everything about one. `where` is what a command needs besides, to reach the same server. */
export function archiveSections(job: ArchiveJobEntry, where: string): readonly Section[] {
  const { id, kind, state, plan, events, nextSteps, throttle, progress } = job;
  const isBad = state === "failed" || state === "blocked";
  const ended = job.endedAt === undefined ? "" : `, ended ${instantText(job.endedAt)}`;
  return [
    { kind: "lines", lines: [`${id}  ${kind} of ${archiveNames(job)}`], tone: "strong" },
    { kind: "lines", lines: [archiveLine(job)], tone: isBad ? "alarm" : undefined },
    {
      kind: "lines",
      lines: [
        `Started ${instantText(job.startedAt)}${ended}.`,
        `Spent ${countText(Math.round(progress.readRu))} RU on reading, ` +
          `${countText(Math.round(progress.writeRu))} RU on writing; share of the RU/s: ` +
          `${threeDigits(throttle.sharePercent)} %.`,
      ],
    },
    ...(plan === undefined ? [] : planSections(plan)),
    ...findings(job),
    ...titled(
      "Events",
      events.map(({ at, text }) => `${instantText(at)}  ${text}`),
    ),
    ...titled(
      "What can be done now",
      nextSteps.flatMap(({ step, about }) => [COMMANDS[step](id) + where, `    ${about}`]),
    ),
  ];
}

/** What a dry run found. */
export function planSections(plan: ArchivePlan): readonly Section[] {
  const { partitionCount, itemCount, itemBytes, partitions, price, seconds } = plan;
  const rows = inTime(partitions, ({ dateMin }) => dateMin)
    .slice(0, PLANNED_MAX)
    .map(
      (partition): LiveRow => ({
        cells: {
          key: JSON.stringify(partition.key),
          items: countText(partition.itemCount),
          bytes: shortBytesText(partition.itemBytes),
          from: dayText(partition.dateMin),
          to: dayText(partition.dateMax),
        },
      }),
    );
  const more = partitionCount - rows.length;
  const time = seconds === undefined ? "" : `; about ${shortDurationText(seconds)} at its share`;
  return [
    {
      kind: "lines",
      lines: [
        `To be archived: ${counted(itemCount, "item")} of ` +
          `${counted(partitionCount, "logical partition")}, ${shortBytesText(itemBytes)}.`,
        `Price: ${countText(Math.round(price.readRu))} RU to read, ` +
          `${countText(Math.round(price.deleteRu))} RU to delete${time}.`,
      ],
    },
    ...(rows.length === 0 ? [] : [{ kind: "table", rows, right: ["items", "bytes"] } as const]),
    ...(more > 0 ? [{ kind: "lines", lines: [`… and ${countText(more)} more.`] } as const] : []),
  ];
}

const PLANNED_MAX = 40;

/** Logical partitions as people look for them: by their first dates, and then by their keys. */
export function inTime<T extends { readonly key: JsonValue }>(
  all: readonly T[],
  firstDateOf: (one: T) => number | undefined,
): readonly T[] {
  const dated = all.map((one) => {
    return { one, at: firstDateOf(one) ?? 0, key: JSON.stringify(one.key) };
  });
  const sorted = dated.toSorted((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1));
  return sorted.map(({ one }) => one);
}

/** What was left out, stayed, or clashed. */
export function findings({ leftOut, partly, conflicts }: ArchiveJobEntry): readonly Section[] {
  const left = leftOut === undefined ? [] : leftOutLines(leftOut);
  const stayed = (partly ?? []).map(
    ({ key, changedCount, newCount, examples }) =>
      `${JSON.stringify(key)}: ${countText(changedCount)} changed, ${countText(newCount)} new, ` +
      `such as ${examples.map((id) => `'${id}'`).join(", ")}`,
  );
  const clashed = (conflicts?.examples ?? []).map(
    ({ id, key, reason }) => `'${id}' of ${JSON.stringify(key)}: ${reason}`,
  );
  return [
    ...titled("Left out", left),
    ...titled("Partly archived; these items changed or came meanwhile, and stay", stayed),
    ...titled(`Conflicts, ${countText(conflicts?.count ?? 0)} in all`, clashed),
  ];
}

function leftOutLines({ youngCount, undatedCount, examples }: LeftOut): readonly string[] {
  const counts = [
    ...(youngCount === 0
      ? []
      : [`${counted(youngCount, "logical partition")} with an item that is not old enough.`]),
    ...(undatedCount === 0
      ? []
      : [`${counted(undatedCount, "logical partition")} with an item without a date.`]),
  ];
  return [
    ...counts,
    ...examples.map(({ id, key, reason }) => `${JSON.stringify(key)}, item '${id}': ${reason}`),
  ];
}

function dayText(at: number | undefined): string {
  return at === undefined ? "" : new Date(at).toISOString().slice(0, 10);
}

function titled(title: string, lines: readonly string[]): readonly Section[] {
  if (lines.length === 0) return [];
  return [
    { kind: "lines", lines: ["", `${title}:`], tone: "strong" },
    { kind: "lines", lines: lines.map((line) => `  ${line}`) },
  ];
}
