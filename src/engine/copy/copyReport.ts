/** What a copy job shows of itself: one value, for the admin API, the command line and the page. */
import type {
  CopyJobEntry,
  CopyProgress,
  CopyState,
  FeedLag,
  ItemExample,
  NextStep,
  RemainingTime,
  SetAsideItem,
  WayBack,
} from "../../model/copyJob.ts";
import type { PartitionStore } from "../../store/partitionStore.ts";
import { exactObjectOf } from "../item/itemBody.ts";
import type { Container } from "../partition/container.ts";
import { ABOUT, COPY_STEPS, obstacleTo } from "./copyCommands.ts";
import { itemOfNumber } from "./copyPlaces.ts";
import type { CopyRecord } from "./copyRecord.ts";
import type { CopyRun } from "./copyRun.ts";
import { noWayBack } from "./copyWay.ts";

/** Of earlier jobs: whether they ended within what was said when they were half done. */
type Kept = RemainingTime["kept"];

export function entryOfRun(run: CopyRun, kept: Kept): CopyJobEntry {
  const { record } = run;
  return {
    ...entryOfRecord(record),
    state: stateOf(run),
    ...namesOf(run),
    progress: progressOf(run, kept),
    throttle: {
      sharePercent: run.pace.sharePercent,
      effectivePercent: run.pace.effectivePercent,
      bound: run.pace.bound,
    },
    ...(record.phase === "switched" && { wayBack: wayBackOf(run) }),
    ...(record.cutOver && { cutOver: { ...record.cutOver, inOldTerms: inOldTerms(run) } }),
    nextSteps: nextStepsOf(run),
  };
}

/** Of a job that has ended, or as far as its record tells. */
export function entryOfRecord(record: CopyRecord): CopyJobEntry {
  const { job, request, counts, startCount, sharePercent, plan, cutOver, events } = record;
  const { copiedCount, copiedBytes, changeCount, removedCount, readRu, writeRu } = counts;
  const { outcome } = job;
  return {
    id: job.id,
    kind: "copy",
    state: record.end ?? "preparing",
    ...reasonOf(record),
    source: request.source,
    target: request.target,
    startedAt: job.startedAt,
    ...(outcome && { endedAt: job.startedAt + outcome.seconds * 1000 }),
    asked: request,
    ...(plan && { plan }),
    progress: {
      itemCount: startCount,
      copiedCount,
      copiedBytes,
      changeCount,
      removedCount,
      itemsPerSecond: 0,
      bytesPerSecond: 0,
      lag: { changeCount: 0 },
      readRu,
      writeRu,
    },
    throttle: { sharePercent, effectivePercent: sharePercent, bound: "nothing" },
    setAside: { count: record.setAside.length, max: request.setAsideMax },
    verification: { state: "none" },
    ...(cutOver && { cutOver: { ...cutOver, inOldTerms: [] } }),
    events,
    nextSteps: [],
  };
}

/** How many of the jobs that said when they would be done were right. */
export function keptOf(records: readonly CopyRecord[]): Kept {
  const told = records.flatMap(({ said }) => said?.wasInside ?? []);
  if (told.length === 0) return undefined;
  return { insideCount: told.filter(Boolean).length, jobCount: told.length };
}

/** What was set aside, with the items as they are now. */
export async function setAsideOf(
  store: PartitionStore,
  record: Pick<CopyRecord, "setAside"> & { readonly job: { readonly id: string } },
  source: Container | undefined,
): Promise<readonly SetAsideItem[]> {
  const rows: SetAsideItem[] = [];
  for (const { number, isConfirmed: _, ...entry } of record.setAside) {
    const item = source && (await itemOfNumber(store, source, number));
    const document = item && exactObjectOf(item.body);
    rows.push({ job: record.job.id, ...entry, ...(document && { document }) });
  }
  return rows;
}

function stateOf(run: CopyRun): CopyState {
  const { phase, isPaused, blockedFor, end } = run.record;
  if (end !== undefined) return end;
  if (run.isHolding) return phase === "switched" ? "holdingBack" : "holding";
  if (phase === "cancelling") return "cancelling";
  if (isPaused) return "paused";
  if (blockedFor !== undefined) return "blocked";
  return phase === "completing" ? "switched" : phase;
}

function reasonOf({ blockedFor, job, isPaused }: CopyRecord): { readonly reason?: string } {
  if (job.outcome !== undefined && "reason" in job.outcome) return { reason: job.outcome.reason };
  if (blockedFor !== undefined) return { reason: blockedFor };
  return isPaused ? { reason: "Somebody paused the job." } : {};
}

/** The names of now, which a switch has changed. */
function namesOf({ source, target, record }: CopyRun): Pick<CopyJobEntry, "source" | "target"> {
  return {
    source: { database: source.databaseId, container: source.definition.id },
    target:
      target === undefined
        ? record.request.target
        : { database: target.databaseId, container: target.definition.id },
  };
}

function progressOf(run: CopyRun, kept: Kept): CopyProgress {
  const { record, progress, leftCount } = run;
  const { phase, counts, startCount } = record;
  const remaining = phase === "copying" ? progress.remaining(leftCount) : undefined;
  return {
    itemCount: startCount,
    ...counts,
    // What a kill made the job do twice was counted twice.
    copiedCount: Math.min(startCount, counts.copiedCount),
    ...progress.pace,
    lag: lagOf(run),
    ...(remaining && { remaining: { ...remaining, kept } }),
  };
}

export function lagOf({ stream, progress }: Pick<CopyRun, "stream" | "progress">): FeedLag {
  const changeCount = stream?.lag ?? 0;
  const { itemsPerSecond } = progress.pace;
  if (changeCount === 0) return { changeCount, drainSeconds: 0 };
  return itemsPerSecond === 0
    ? { changeCount }
    : { changeCount, drainSeconds: changeCount / itemsPerSecond };
}

function wayBackOf(run: CopyRun): WayBack {
  const { record, stream } = run;
  const obstacles = record.setAside.map(
    ({ id, key, newKey, reason }): ItemExample => ({ id, key, newKey, reason }),
  );
  const reason = noWayBack(record);
  const isOpen = reason === undefined && obstacles.length === 0 && stream !== undefined;
  return { isOpen, ...(reason !== undefined && { reason }), lag: lagOf(run), obstacles };
}

function inOldTerms({ target }: CopyRun): readonly { program: string; count: number }[] {
  return [...(target?.former?.counts ?? [])].map(([program, count]) => ({ program, count }));
}

function nextStepsOf(run: CopyRun): readonly NextStep[] {
  const possible = COPY_STEPS.filter((step) => obstacleTo(run, step) === undefined);
  return possible.map((step) => ({ step, about: ABOUT[step] }));
}
