/** What a lifecycle shows of itself: for the admin API, the command line and the alerts. */
import type {
  LifecycleEntry,
  LifecycleState,
  LifecycleStep,
  UnmovedItem,
} from "../../model/lifecycle.ts";
import type { LifecycleReport } from "../../statistics/report.ts";
import type { PartitionStore } from "../../store/partitionStore.ts";
import { itemOfNumber } from "../copy/copyPlaces.ts";
import { boundOf } from "../copy/copyReport.ts";
import { exactObjectOf } from "../item/itemBody.ts";
import { termRangesOf } from "./dateTerms.ts";
import { isIn } from "./dueScan.ts";
import type { LifecycleRecord } from "./lifecycleRecord.ts";
import { nameOf } from "./lifecycleRecord.ts";
import type { LifecycleRun } from "./lifecycleRun.ts";
import { warningsOf } from "./pairChecks.ts";

/** How many terms are looked at to count what is due. */
const COUNTED_MAX = 100_000;
/** How many items are read for the count. */
const READ_MAX = 1000;
const PAGE = { countMax: 2000, bytesMax: 1024 * 1024 };

const ABOUT: Readonly<Record<LifecycleStep, string>> = {
  pause:
    "nothing is moved until it is resumed; what was not moved stays in hot and does not expire",
  resume: "goes on where it was",
  run: "begins a round now, and does not wait for the interval",
  change: "other settings, at once",
  stop:
    "ends it for good: items that were moved still leave hot by their short ttl; all others " +
    "stay, and expire by the ttl of hot",
};

interface DueCount {
  readonly dueCount: number;
  readonly isDueCountExact: boolean;
}

export async function entryOfRun(
  store: PartitionStore,
  run: LifecycleRun,
): Promise<LifecycleEntry> {
  const { record, share, unmoved, watermark, warmOldestAt } = run;
  const nextRoundAt = run.rounds.nextAt;
  const { settledBefore } = watermark;
  const state = stateOf(run);
  return {
    ...entryOfRecord(record),
    hot: nameOf(run.hot),
    warm: nameOf(run.warm),
    state,
    ...reasonOf(run),
    ...(settledBefore !== undefined && { settledBefore }),
    movedBefore: run.movedBefore,
    ...(state === "waiting" && nextRoundAt !== undefined && { nextRoundAt }),
    ...(await dueCountOf(store, run)),
    setAsideCount: unmoved.count,
    isSetAsideCountExact: unmoved.isExact,
    lagCount: run.follower.lag,
    throttle: {
      sharePercent: share.sharePercent,
      effectivePercent: share.effectivePercent,
      bound: boundOf(store, share),
    },
    ...(warmOldestAt !== undefined && { warmOldestAt }),
    warnings: warningsOf(run.hot, run.warm),
    nextSteps: nextStepsOf(record),
  };
}

/** Of a lifecycle that has ended, or as far as its record tells. */
export function entryOfRecord(record: LifecycleRecord): LifecycleEntry {
  const { job, settings, rounds, totals, events, book, end } = record;
  const { outcome } = job;
  const lastRound = rounds.at(-1);
  const reason = outcome !== undefined && "reason" in outcome ? outcome.reason : undefined;
  return {
    id: job.id,
    kind: "lifecycle",
    hot: record.hot,
    warm: record.warm,
    ...settings,
    state: end ?? "waiting",
    ...(reason !== undefined && { reason }),
    startedAt: job.startedAt,
    ...(outcome && { endedAt: job.startedAt + outcome.seconds * 1000 }),
    movedBefore: record.movedBefore,
    ...(lastRound && { lastRound }),
    totals,
    dueCount: 0,
    isDueCountExact: true,
    setAsideCount: book.listed.length,
    isSetAsideCountExact: book.isExact && book.others === "",
    lagCount: 0,
    throttle: {
      sharePercent: settings.sharePercent,
      effectivePercent: settings.sharePercent,
      bound: "nothing",
    },
    warnings: [],
    rounds,
    events,
    nextSteps: [],
  };
}

/** What cannot be moved, with the items as they are now. */
export async function unmovedOf(
  store: PartitionStore,
  run: LifecycleRun,
): Promise<readonly UnmovedItem[]> {
  const rows: UnmovedItem[] = [];
  for (const { number, isDue: _, ...entry } of run.unmoved.entries) {
    const item = await itemOfNumber(store, run.hot, number);
    const document = item && exactObjectOf(item.body);
    rows.push({ lifecycle: run.id, ...entry, ...(document && { document }) });
  }
  return rows;
}

/** For the alerts. */
export function reportOfRun(run: LifecycleRun): LifecycleReport {
  const { record, watermark, unmoved, warmOldestAt } = run;
  const { settings, rounds, job } = record;
  const settled = watermark.settledBefore ?? Math.min(record.scannedBefore, unmoved.lowestDue);
  return {
    id: run.id,
    role: "hot",
    isPaused: record.isPaused,
    ...(run.obstacle !== undefined && { blockedFor: run.obstacle }),
    intervalSeconds: settings.intervalSeconds,
    ageSeconds: settings.ageSeconds,
    progressedAt: Math.max(rounds.at(-1)?.endedAt ?? job.startedAt, run.follower.advancedAt),
    behindSeconds: Math.max(0, run.cutoff - settled) / 1000,
    setAsideCount: unmoved.count,
    archiveAfterSeconds: settings.archiveAfterSeconds,
    warmOldestAt,
  };
}

function stateOf(run: LifecycleRun): LifecycleState {
  if (run.failure !== undefined) return "blocked";
  if (run.record.isPaused) return "paused";
  if (run.obstacle !== undefined) return "blocked";
  return run.rounds.isUnderWay || isLookingAtAll(run) ? "running" : "waiting";
}

/** True from a start until everything that is in hot has been looked at once. */
function isLookingAtAll({ watermark }: LifecycleRun): boolean {
  return watermark.settledBefore === undefined;
}

function reasonOf(run: LifecycleRun): { readonly reason?: string } {
  if (run.obstacle !== undefined) return { reason: run.obstacle };
  return run.record.isPaused ? { reason: "Somebody paused it." } : {};
}

function nextStepsOf({ isPaused }: LifecycleRecord): LifecycleEntry["nextSteps"] {
  const steps: readonly LifecycleStep[] = isPaused
    ? ["resume", "change", "stop"]
    : ["run", "pause", "change", "stop"];
  return steps.map((step) => ({ step, about: ABOUT[step] }));
}

/**
 * By the index, from the cutoff of the last round to that of now; and what warm did not take. What
 * was due before that is known when everything has been looked at.
 */
async function dueCountOf(store: PartitionStore, run: LifecycleRun): Promise<DueCount> {
  const { record, cutoff, hot, unmoved } = run;
  const span = { from: record.scannedBefore, to: cutoff };
  const ranges = termRangesOf(record.settings.ageProperty.slice(1).split("/"), span);
  let count = 0;
  let seen = 0;
  for (const { part } of hot.map.entries) {
    const numbers: number[] = [];
    for (const range of ranges) {
      let after: { readonly term: string; readonly number: number } | undefined;
      for (;;) {
        const page = await store.scanTerms(part, { range, after, ...PAGE, withItems: false });
        for (const { term, number } of page.entries) if (isIn(term, span)) numbers.push(number);
        seen += page.entries.length;
        after = page.entries.at(-1);
        if (page.isLast || seen >= COUNTED_MAX) break;
      }
    }
    count += await unmarkedCount(store, run, part, numbers);
  }
  const isDueCountExact = seen < COUNTED_MAX && !isLookingAtAll(run) && unmoved.isDueCountExact;
  return { dueCount: count + unmoved.dueCount, isDueCountExact };
}

/**
 * How many of these items have no mark. Where they are many, by what the round under way has moved:
 * to read them all would take as long as to move them.
 */
async function unmarkedCount(
  store: PartitionStore,
  run: LifecycleRun,
  part: number,
  numbers: readonly number[],
): Promise<number> {
  if (numbers.length > READ_MAX) return Math.max(0, numbers.length - run.rounds.movedCount);
  const items = await store.itemsByNumber(part, numbers);
  return items.filter((item) => !run.isMarked(item) && !run.unmoved.has(item.number)).length;
}
