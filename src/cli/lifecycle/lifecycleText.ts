/** Lifecycles as tables: the list of all, and one with everything that it shows of itself. */
import {
  bytesText,
  counted,
  countText,
  durationText,
  shortBytesText,
  threeDigits,
} from "../../base/wording.ts";
import type {
  LifecycleEntry,
  LifecycleRound,
  LifecycleState,
  LifecycleStep,
  UnmovedItem,
} from "../../model/lifecycle.ts";
import { BOUND_WORDS, instantText } from "../jobs/jobWords.ts";
import type { LiveRow, Section } from "../terminal/liveTable.ts";

/** A total table: a state that is missing here does not compile. */
const STATES: Readonly<Record<LifecycleState, string>> = {
  running: "moving what is due",
  waiting: "waiting for the next round, and following what is written",
  paused: "paused",
  blocked: "stopped by an obstacle",
  stopped: "stopped for good",
  failed: "failed",
};

/** The latest of them. */
const ROUNDS_SHOWN = 10;

export function listSections(lifecycles: readonly LifecycleEntry[]): readonly Section[] {
  if (lifecycles.length === 0) return [{ kind: "lines", lines: ["There are no lifecycles."] }];
  return [{ kind: "table", rows: lifecycles.map(lifecycleRow), right: ["due", "moved", "aside"] }];
}

function lifecycleRow(entry: LifecycleEntry): LiveRow {
  const { id, state, settledBefore, totals, nextRoundAt } = entry;
  const cells = {
    id,
    "hot to warm": wayOf(entry),
    state,
    due: dueText(entry),
    moved: countText(totals.moved),
    aside: countText(entry.setAsideCount),
    "in warm before": settledBefore === undefined ? "" : instantText(settledBefore),
    "next round": nextRoundAt === undefined ? "" : instantText(nextRoundAt),
  };
  return { cells, tone: toneOf(state) };
}

/** `where` is what a command has to have besides, to reach the same server. */
export function entrySections(entry: LifecycleEntry, where: string): readonly Section[] {
  const { id, state, reason, warnings, rounds, events, nextSteps } = entry;
  const says = reason === undefined ? STATES[state] : `${STATES[state]}: ${reason}`;
  return [
    { kind: "lines", lines: [`${id}  ${wayOf(entry)}`], tone: "strong" },
    { kind: "lines", lines: [says], tone: toneOf(state) },
    { kind: "lines", lines: warnings.map((one) => `Note: ${one}`), tone: "warning" },
    { kind: "lines", lines: detailLines(entry, where) },
    ...roundSections(rounds),
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

function detailLines(entry: LifecycleEntry, where: string): string[] {
  const { totals, setAsideCount } = entry;
  const moved =
    `Moved ${counted(totals.moved, "item")}, ${bytesText(totals.movedBytes)}; copied anew after ` +
    `edits ${countText(totals.edited)}, copies removed ${countText(totals.removed)}, young ` +
    `again ${countText(totals.returned)}; spent ${countText(totals.ru)} RU.`;
  const aside = `${entry.isSetAsideCountExact ? "" : "at least "}${countText(setAsideCount)}`;
  if (entry.endedAt !== undefined) {
    return [
      `It moved what was dated more than ${durationText(entry.ageSeconds)} ago by ` +
        `${entry.ageProperty}, and ended ${instantText(entry.endedAt)}.`,
      moved,
      `Set aside when it ended: ${aside}.`,
    ];
  }
  return [
    ...ruleLines(entry),
    moved,
    ...shareLines(entry),
    `Set aside: ${aside}` +
      (setAsideCount === 0
        ? "."
        : `; \`orrery lifecycle status ${entry.id} --set-aside${where}\` lists them.`),
  ];
}

/** By which rule it moves, and how far it is. */
function ruleLines(entry: LifecycleEntry): readonly string[] {
  const { settledBefore, archiveAfterSeconds } = entry;
  const archive =
    archiveAfterSeconds === undefined
      ? ""
      : `, archived after ${durationText(archiveAfterSeconds)}`;
  return [
    `Moves what is dated more than ${durationText(entry.ageSeconds)} ago by ` +
      `${entry.ageProperty}, every ${durationText(entry.intervalSeconds)}${archive}.`,
    `An item that was moved has ${entry.markProperty} = true, and leaves hot after ` +
      `${durationText(entry.markTtlSeconds)}.`,
    settledBefore === undefined
      ? "It is not known yet up to which date warm has everything."
      : `Warm has everything that is dated before ${instantText(settledBefore)}.`,
    `Due now: ${dueText(entry)}; changes not looked at: ${countText(entry.lagCount)}.`,
  ];
}

function shareLines({ throttle }: LifecycleEntry): readonly string[] {
  return [
    `Share of the RU/s: ${threeDigits(throttle.sharePercent)} %, at present ` +
      `${threeDigits(throttle.effectivePercent)} %; what limits it: ` +
      `${BOUND_WORDS[throttle.bound]}.`,
  ];
}

function roundSections(rounds: readonly LifecycleRound[]): readonly Section[] {
  if (rounds.length === 0) return [];
  const rows = rounds.slice(-ROUNDS_SHOWN).map((round) => ({
    cells: {
      ended: instantText(round.endedAt),
      took: durationText((round.endedAt - round.startedAt) / 1000),
      moved: countText(round.movedCount),
      bytes: shortBytesText(round.movedBytes),
      edited: countText(round.editedCount),
      removed: countText(round.removedCount),
      aside: countText(round.setAsideCount),
      RU: countText(round.ru),
    },
  }));
  const right = ["moved", "bytes", "edited", "removed", "aside", "RU"];
  return [
    { kind: "lines", lines: ["", "Last rounds:"], tone: "strong" },
    { kind: "table", rows, right },
  ];
}

export function setAsideSections(items: readonly UnmovedItem[]): readonly Section[] {
  if (items.length === 0) return [{ kind: "lines", lines: ["No items are set aside."] }];
  const lines = items.map(
    ({ id, key, code, reason }) =>
      `${JSON.stringify(id)} with key ${JSON.stringify(key)} (${code}): ${reason}`,
  );
  return [{ kind: "lines", lines }];
}

/** What people type for a step. */
export function commandOf(step: LifecycleStep, id: string, where: string): string {
  const more = step === "change" ? " --age 60d" : step === "stop" ? " --yes" : "";
  return `orrery lifecycle ${step} ${id}${more}${where}`;
}

export function wayOf({ hot, warm }: Pick<LifecycleEntry, "hot" | "warm">): string {
  return `${hot.database}/${hot.container} to ${warm.database}/${warm.container}`;
}

function dueText({ dueCount, isDueCountExact }: LifecycleEntry): string {
  if (isDueCountExact) return countText(dueCount);
  return dueCount === 0 ? "not known yet" : `at least ${countText(dueCount)}`;
}

function toneOf(state: LifecycleState): LiveRow["tone"] {
  if (state === "blocked" || state === "failed") return "alarm";
  return state === "stopped" ? "faint" : undefined;
}

function titled(title: string, lines: readonly string[]): readonly Section[] {
  if (lines.length === 0) return [];
  return [
    { kind: "lines", lines: ["", `${title}:`], tone: "strong" },
    { kind: "lines", lines: lines.map((line) => `  ${line}`) },
  ];
}
