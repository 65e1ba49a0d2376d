/** The last requests of clients: which of them are wanted, and what they come to in a sentence. */
import { counted, durationText } from "../../base/wording.ts";
import type { RequestEntry } from "../../protocol/admin.ts";
import type { TagTone } from "../parts/tag.tsx";

export interface AskedRow extends RequestEntry {
  /** Stays the same as long as the request is kept. */
  readonly key: string;
}

/** A client may send one activity id several times; then they are counted from the oldest on. */
export function requestRows(requests: readonly RequestEntry[]): readonly AskedRow[] {
  const seen = new Map<string, number>();
  const rows = requests.toReversed().map((entry) => {
    const named = `${entry.activityId} ${entry.at}`;
    const count = seen.get(named) ?? 0;
    seen.set(named, count + 1);
    return { ...entry, key: count === 0 ? named : `${named} ${count}` };
  });
  return rows.reverse();
}

const RATE_LIMITED = 429;

/** By status; each but the first is a part of all. */
export const STATUS_GROUPS = [
  { value: "all", word: "all", has: () => true },
  { value: "done", word: "done", has: (status: number) => status < 400 },
  { value: "refused", word: "refused", has: (status: number) => status >= 400 && status < 500 },
  { value: "throttled", word: "429", has: (status: number) => status === RATE_LIMITED },
  { value: "failed", word: "failed", has: (status: number) => status >= 500 },
] as const;

type StatusGroup = (typeof STATUS_GROUPS)[number]["value"];

export function groupIn(text: string): StatusGroup {
  return STATUS_GROUPS.find(({ value }) => value === text)?.value ?? "all";
}

export function inGroup(rows: readonly AskedRow[], group: StatusGroup): readonly AskedRow[] {
  const { has } = STATUS_GROUPS.find(({ value }) => value === group)!;
  return rows.filter(({ status }) => has(status));
}

/** Those that have the words in their method, path, activity id or reason. */
export function withWords(rows: readonly AskedRow[], words: string): readonly AskedRow[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === "") return rows;
  return rows.filter(({ method, path, activityId, reason }) =>
    `${method} ${pathText(path)} ${activityId} ${reason ?? ""}`.toLowerCase().includes(wanted),
  );
}

/** As people read it; one that cannot be read so is left as it came. */
export function pathText(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

export function statusText({ status, substatus }: RequestEntry): string {
  return substatus === undefined ? String(status) : `${status}/${substatus}`;
}

export function toneOfStatus(status: number): TagTone {
  if (status >= 500 || status === RATE_LIMITED) return "bad";
  return status >= 400 ? "warn" : "good";
}

/** What the requests that are kept come to; `now` is when they were asked for. */
export function requestsAnswer(rows: readonly AskedRow[], now: number): string {
  const oldest = rows.at(-1);
  if (oldest === undefined) return "No client has asked anything since the server started.";
  const span = durationText(Math.max(1, Math.round((now - oldest.at) / 1000)));
  const all = `${counted(rows.length, "request")} in the last ${span}`;
  const badCount = rows.filter(({ status }) => status >= 400).length;
  if (badCount === 0) return `${all}; none was refused.`;
  const throttledCount = inGroup(rows, "throttled").length;
  if (throttledCount === badCount) {
    const each = badCount === 1 ? "" : "all of them ";
    return `${all}: ${badCount} refused, ${each}with 429 for their rate.`;
  }
  const failedCount = inGroup(rows, "failed").length;
  const parts = [
    ...(throttledCount > 0 ? [`${throttledCount} with 429 for their rate`] : []),
    ...(failedCount > 0 ? [`${failedCount} failed at the server`] : []),
  ];
  const among = parts.length === 0 ? "" : `, of which ${parts.join(", ")}`;
  return `${all}: ${badCount} ${badCount === 1 ? "was" : "were"} refused or failed${among}.`;
}
