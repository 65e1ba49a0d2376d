/**
 * What the overview says: the answer to "is anything wrong, and where?", and the state of each
 * container in a word. Sentences with numbers, made of the overview and the alerts.
 */
import type { Alert } from "../../alerts/alertBoard.ts";
import { counted } from "../../base/wording.ts";
import type { OverviewRow } from "../../protocol/admin.ts";
import { percentText, shareText } from "../parts/numbers.ts";
import type { TagTone } from "../parts/tag.tsx";

/** A container of the overview with what fires for it, the worst first. */
export interface JudgedRow {
  readonly row: OverviewRow;
  /** The database and the container, with a slash between them. */
  readonly name: string;
  readonly firing: readonly Alert[];
  /** What is about to fire. */
  readonly pending: readonly Alert[];
  readonly tone: TagTone;
  readonly word: string;
  /** The higher, the earlier somebody should look. */
  readonly urgency: number;
}

const STATES: Readonly<
  Record<"critical" | "warning" | "info", readonly [TagTone, string, number]>
> = {
  critical: ["bad", "critical", 5],
  warning: ["warn", "warning", 4],
  info: ["info", "advice", 2],
};

/** From this share of refused requests on a container is not fine, even before a rule fires. */
const REFUSED_SHARE = 0.01;

export function judged(
  rows: readonly OverviewRow[],
  alerts: readonly Alert[],
): readonly JudgedRow[] {
  return rows.map((row) => {
    const firing = alerts.filter((alert) => alert.state === "firing" && isAbout(alert, row));
    const pending = alerts.filter((alert) => isWarning(alert) && isAbout(alert, row));
    const [tone, word, urgency] = stateOf(row, firing[0]?.severity, pending.length > 0);
    return { row, name: `${row.database}/${row.container}`, firing, pending, tone, word, urgency };
  });
}

function stateOf(
  { throttledShare }: OverviewRow,
  severity: Alert["severity"],
  isPending: boolean,
): readonly [TagTone, string, number] {
  if (severity === "critical" || severity === "warning") return STATES[severity];
  if (throttledShare !== undefined && throttledShare >= REFUSED_SHARE) {
    return ["now", "throttled", 3];
  }
  if (isPending) return ["now", "pending", 3];
  if (severity !== undefined) return STATES[severity];
  return throttledShare === undefined ? ["none", "idle", 0] : ["good", "fine", 1];
}

/** Trouble that has not lasted long enough to fire. */
function isWarning({ state, severity }: Alert): boolean {
  return state === "pending" && severity !== "info";
}

function isAbout({ scope }: Alert, { database, container }: OverviewRow): boolean {
  return scope.kind === "container" && scope.database === database && scope.container === container;
}

/** One sentence or two; `alerts` are absent as long as they are not known. */
export function answerOf(rows: readonly JudgedRow[], alerts: readonly Alert[] | undefined): string {
  if (rows.length === 0) return "There is no container yet.";
  const ofServer = (alerts ?? []).filter(
    ({ scope, state, severity }) =>
      scope.kind === "server" && state === "firing" && severity !== "info",
  );
  if (ofServer.length > 0)
    return `The server itself needs you: ${ofServer[0]!.title.toLowerCase()}.`;
  const troubled = rows.filter(({ urgency }) => urgency >= 4).toSorted(byUrgency);
  const [worst] = troubled;
  if (worst !== undefined) {
    const who =
      troubled.length === 1
        ? `One container needs you: ${worst.name}.`
        : `${troubled.length} containers need you, ${worst.name} first.`;
    return `${who} ${worst.firing[0]!.title}.`;
  }
  const watched = rows.filter(({ urgency }) => urgency === 3).toSorted(byUrgency)[0];
  if (watched !== undefined) return `Nothing fires yet. ${worthALook(watched)}`;
  const names = counted(rows.length, "container");
  const active = rows.filter(({ row }) => row.throttledShare !== undefined);
  if (active.length === 0) {
    return `Nothing was asked in the last minute: ${names}, all at rest.`;
  }
  const busiest = active.reduce((most, each) =>
    each.row.busiestPercent > most.row.busiestPercent ? each : most,
  );
  const { busiestPercent, wholePercent } = busiest.row;
  return (
    `Nothing is wrong with ${rows.length === 1 ? busiest.name : names}. The busiest physical ` +
    `partition${rows.length === 1 ? "" : `, of ${busiest.name},`} uses ` +
    `${percentText(busiestPercent)} of its share; the whole container uses ` +
    `${percentText(wholePercent)}.`
  );
}

/** What is not fine although no rule fires. */
function worthALook({ name, row: { throttledShare }, pending }: JudgedRow): string {
  return throttledShare !== undefined && throttledShare >= REFUSED_SHARE
    ? `${name} is worth a look: ${shareText(throttledShare)} of its requests of the last minute ` +
        "were refused (429)."
    : `${name} is worth a look. ${pending[0]!.title}; a rule waits whether it lasts.`;
}

function byUrgency(one: JudgedRow, other: JudgedRow): number {
  return other.urgency - one.urgency || other.row.busiestPercent - one.row.busiestPercent;
}

/** The container to look at first: the worst, or else the busiest. */
export function firstToLookAt(rows: readonly JudgedRow[]): JudgedRow | undefined {
  return rows.toSorted(byUrgency)[0];
}
