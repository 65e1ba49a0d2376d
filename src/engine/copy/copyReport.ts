/** What a copy job shows of itself: one value, for the admin API, the command line and the page. */
import type {
  CopyJobEntry,
  CopyProgress,
  CopyState,
  FeedLag,
  ItemExample,
  NeededPace,
  RemainingTime,
  SetAsideItem,
  ThrottleBound,
  WayBack,
} from "../../model/copyJob.ts";
import type { PartitionStore } from "../../store/partitionStore.ts";
import { exactObjectOf } from "../item/itemBody.ts";
import { PRESSURE_MAX } from "../jobs/backgroundWork.ts";
import type { SaidOfJob } from "../jobs/progress.ts";
import type { Container } from "../partition/container.ts";
import { possibleSteps } from "./copyCommands.ts";
import { itemOfNumber } from "./copyPlaces.ts";
import type { CopyRecord } from "./copyRecord.ts";
import type { CopyRun } from "./copyRun.ts";
import { noWayBack } from "./copyWay.ts";
import { countOf } from "./positions.ts";
import type { SharePace } from "./sharePace.ts";

/** A job that is less behind than this has as good as caught up. */
const BEHIND_LAG = 1000;
/** With no more than what comes, a job would never have caught up. */
const HEADROOM = 1.25;

/** Of earlier jobs: whether they ended within what was said. */
type Kept = RemainingTime["kept"];

/** `known` is of all jobs there are, for how often what they said came true. */
export function entryOfRun(run: CopyRun, known: readonly CopyRecord[]): CopyJobEntry {
  const { record } = run;
  return {
    ...entryOfRecord(record),
    state: stateOf(run),
    ...namesOf(run),
    progress: progressOf(run, known),
    throttle: {
      sharePercent: run.pace.sharePercent,
      effectivePercent: run.pace.effectivePercent,
      bound: boundOf(run.setting.store, run.pace),
    },
    ...(record.phase === "switched" && { wayBack: wayBackOf(run) }),
    ...(record.cutOver && { cutOver: { ...record.cutOver, inOldTerms: inOldTerms(run) } }),
    nextSteps: possibleSteps(run),
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

/** Of the jobs that said when one part of their work would be done: how many were right. */
function keptOf(records: readonly CopyRecord[], part: keyof SaidOfJob): Kept {
  const told = records.flatMap((record) => record[part]?.wasInside ?? []);
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

/** While the tables of the store are behind no job takes a step, whatever its pace allows. */
export function boundOf(store: Pick<PartitionStore, "pressure">, pace: SharePace): ThrottleBound {
  return store.pressure >= PRESSURE_MAX ? "tables" : pace.bound;
}

function stateOf(run: CopyRun): CopyState {
  const { phase, isPaused, blockedFor, end } = run.record;
  if (end !== undefined) return end;
  if (run.hold !== undefined) return phase === "switched" ? "holdingBack" : "holding";
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

function progressOf(run: CopyRun, known: readonly CopyRecord[]): CopyProgress {
  const { record, progress, leftCount, lookedShare, source } = run;
  const { phase, counts } = record;
  const isLooking = phase === "preparing" && lookedShare !== undefined;
  const startCount = isLooking ? countOf(source) : record.startCount;
  const remaining =
    phase === "copying"
      ? progress.remaining(leftCount)
      : phase === "catchingUp"
        ? run.drain.remaining(run.stream?.lag ?? 0)
        : undefined;
  const kept = keptOf(known, phase === "copying" ? "said" : "saidOfChanges");
  return {
    ...(isLooking && { lookedShare }),
    itemCount: startCount,
    ...counts,
    // What a kill made the job do twice was counted twice.
    copiedCount: Math.min(startCount, counts.copiedCount),
    ...progress.pace,
    lag: { ...lagOf(run), ...drainOf(run) },
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

/** How a job gets on with changes; nothing while too little is known. */
function drainOf(run: CopyRun): Partial<FeedLag> {
  const { rates } = run.drain;
  const { phase } = run.record;
  if (rates === undefined) return {};
  const isBehind = phase === "catchingUp" || (run.stream?.lag ?? 0) > BEHIND_LAG;
  const isFalling = rates.appliedPerSecond > rates.arrivingPerSecond;
  return { ...rates, ...(isBehind && !isFalling && { needed: neededPace(run, rates) }) };
}

function neededPace(
  { record, pace }: CopyRun,
  { appliedPerSecond, arrivingPerSecond }: NonNullable<CopyRun["drain"]["rates"]>,
): NeededPace {
  const { writeRu, copiedCount, changeCount } = record.counts;
  const ruPerChange = writeRu / Math.max(1, copiedCount + changeCount);
  const ruPerSecond = arrivingPerSecond * ruPerChange * HEADROOM;
  if (pace.bound === "nothing" || appliedPerSecond === 0) return { ruPerSecond };
  const factor = (arrivingPerSecond / appliedPerSecond) * HEADROOM;
  return { ruPerSecond, sharePercent: pace.effectivePercent * factor };
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
