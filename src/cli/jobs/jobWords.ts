/** Jobs in few words: how far one is, what it waits for, and what to type next. */
import {
  counted,
  countText,
  shortBytesText,
  shortDurationText,
  threeDigits,
} from "../../base/wording.ts";
import type {
  CopyJobEntry,
  CopyState,
  CopyStep,
  FeedLag,
  NeededPace,
  RemainingTime,
  ThrottleBound,
} from "../../model/copyJob.ts";
import type { LifecycleEntry } from "../../model/lifecycle.ts";
import { numberText, percentText } from "../terminal/liveTable.ts";

const STATES: Readonly<Record<CopyState, string>> = {
  preparing: "looking at all items",
  copying: "copying",
  catchingUp: "catching up with new writes",
  ready: "ready for the cut-over",
  holding: "holding writes for the cut-over",
  switched: "switched over, with a way back",
  holdingBack: "holding writes for the way back",
  paused: "paused",
  blocked: "stopped by an obstacle",
  cancelling: "being cancelled",
  planned: "planned, nothing was written",
  copied: "copied",
  completed: "completed",
  reverted: "reverted",
  cancelled: "cancelled",
  failed: "failed",
};

/** What keeps a job from going faster. */
export const BOUND_WORDS: Readonly<Record<ThrottleBound, string>> = {
  nothing: "nothing",
  share: "its share of the rates",
  throttledClients: "clients were throttled",
  tables: "the tables have to catch up",
};

export function stateText({ state, reason }: Pick<CopyJobEntry, "state" | "reason">): string {
  return reason === undefined ? STATES[state] : `${STATES[state]}: ${reason}`;
}

/** From where to where, as the names are now. */
export function wayText({ source, target }: Pick<CopyJobEntry, "source" | "target">): string {
  return `${source.database}/${source.container} to ` + `${target.database}/${target.container}`;
}

/** The states of a job that may not have counted yet, or never has. */
const UNCOUNTED: ReadonlySet<CopyState> = new Set(["preparing", "planned", "failed", "cancelled"]);

/** Beyond the copying: what is not copied by then was gone before its turn, or is set aside. */
const COPIED: ReadonlySet<CopyState> = new Set([
  "catchingUp",
  "ready",
  "holding",
  "switched",
  "holdingBack",
  "copied",
  "completed",
  "reverted",
]);

/** Undefined while nothing tells how much there is. */
export function doneShare({ progress, state, setAside }: CopyJobEntry): number | undefined {
  if (COPIED.has(state) && setAside.count === 0) return 1;
  if (progress.lookedShare !== undefined) return undefined;
  if (progress.itemCount > 0) return Math.min(1, progress.copiedCount / progress.itemCount);
  return UNCOUNTED.has(state) ? undefined : 1;
}

/** One line, for somebody who looks on. */
export function progressText(job: CopyJobEntry): string {
  const { progress, throttle } = job;
  const share = doneShare(job);
  const bound = throttle.bound === "nothing" ? [] : [`slowed by: ${BOUND_WORDS[throttle.bound]}`];
  const state = stateText(job).replace(/\.$/, "");
  if (progress.lookedShare !== undefined) {
    const looked = percentText(progress.lookedShare);
    const parts = [`${looked} % of ${counted(progress.itemCount, "item")}`, ...bound];
    return `${state}; ${parts.join(", ")}`;
  }
  const parts = [
    `${countText(progress.copiedCount)} of ${counted(progress.itemCount, "item")}` +
      (share === undefined ? "" : ` (${percentText(share)} %)`),
    shortBytesText(progress.copiedBytes),
    `${numberText(progress.itemsPerSecond)} items/s`,
    `lag ${lagText(progress.lag)}`,
    ...(progress.remaining === undefined ? [] : [`${remainingText(progress.remaining)} left`]),
    ...(progress.lag.needed === undefined ? [] : [behindText(progress.lag, progress.lag.needed)]),
    ...bound,
  ];
  return `${state}; ${parts.join(", ")}`;
}

/** The same of a lifecycle. */
export function lifecycleText(job: LifecycleEntry): string {
  const { state, reason, totals, dueCount, setAsideCount } = job;
  const parts = [
    `${counted(totals.moved, "item")} moved`,
    shortBytesText(totals.movedBytes),
    `${countText(dueCount)} due`,
    `${countText(setAsideCount)} set aside`,
  ];
  return `${reason === undefined ? state : `${state}: ${reason}`}; ${parts.join(", ")}`;
}

export function lagText({ changeCount, drainSeconds }: FeedLag): string {
  const changes = counted(changeCount, "change");
  if (changeCount === 0 || drainSeconds === undefined) return changes;
  return `${changes} (${threeDigits(drainSeconds)} s)`;
}

/** For a job that will never have caught up as it is. */
function behindText(
  { appliedPerSecond = 0, arrivingPerSecond = 0 }: FeedLag,
  { ruPerSecond, sharePercent }: NeededPace,
): string {
  const pace =
    `falls behind: ${numberText(arrivingPerSecond)} changes/s come and ` +
    `${numberText(appliedPerSecond)} are applied; it needs about ${numberText(ruPerSecond)} RU/s`;
  if (sharePercent === undefined) return pace;
  return sharePercent <= 100
    ? `${pace}, a share of ${threeDigits(sharePercent)} %`
    : `${pace}, more than the target has: raise its throughput`;
}

export function remainingText({ from, to }: RemainingTime): string {
  const [least, most] = [from, to].map(shortDurationText);
  return least === most ? least! : `${least} to ${most}`;
}

export function instantText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** What people type for each step that programs ask for. */
const COMMANDS: Readonly<Record<CopyStep, (id: string) => string>> = {
  pause: (id) => `orrery jobs pause ${id}`,
  resume: (id) => `orrery jobs resume ${id}`,
  cancel: (id) => `orrery jobs cancel ${id}`,
  throttle: (id) => `orrery jobs throttle ${id} <percent>`,
  verify: (id) => `orrery copy verify ${id}`,
  mirror: (id) => `orrery copy mirror ${id} <percent>`,
  cutOver: (id) => `orrery copy cut-over ${id}`,
  complete: (id) => `orrery copy complete ${id}`,
  revert: (id) => `orrery copy revert ${id}`,
};

/** `where` is what has to be added for the same server. */
export function commandOf(step: CopyStep, id: string, where: string): string {
  return COMMANDS[step](id) + where;
}
