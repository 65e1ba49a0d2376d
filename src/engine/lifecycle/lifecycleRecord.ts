/** What is remembered of a lifecycle: what was asked for, and how far it is. */
import type { JobEvent, NamedContainer } from "../../model/copyJob.ts";
import type { LifecycleRound, LifecycleSettings, LifecycleTotals } from "../../model/lifecycle.ts";
import type { Rid } from "../../model/rid.ts";
import type { StoredPosition } from "../copy/copyRecord.ts";
import type { JobRecord, JobSummary } from "../jobs/jobRecord.ts";
import type { Container } from "../partition/container.ts";
import { NO_TOTALS } from "./lifecycleTally.ts";
import type { StoredBook } from "./unmovedBook.ts";
import { EMPTY_BOOK } from "./unmovedBook.ts";
import type { NumberBlock } from "./warmNumbers.ts";

interface LifecycleSummary extends JobSummary {
  readonly kind: "lifecycle";
  readonly isEndless: true;
}

export interface LifecycleRecord extends JobRecord {
  readonly job: LifecycleSummary;
  readonly hotRid: Rid;
  readonly warmRid: Rid;
  /** As they were when the lifecycle was started. */
  readonly hot: NamedContainer;
  readonly warm: NamedContainer;
  readonly settings: LifecycleSettings;
  /** Names under which marks were made before. */
  readonly formerMarks: readonly string[];
  /** Every ttl that was ever given with a mark. */
  readonly givenTtls: readonly number[];
  readonly isPaused: boolean;
  readonly blocks: readonly NumberBlock[];
  readonly positions: readonly StoredPosition[];
  /** Items up to the positions that are dated before this are settled, or in the book. */
  readonly scannedBefore: number;
  /** The highest cutoff that a longer age than now has left behind. */
  readonly movedBefore: number;
  readonly totals: LifecycleTotals;
  /** The totals at the end of the last round. */
  readonly roundTotals: LifecycleTotals;
  readonly rounds: readonly LifecycleRound[];
  readonly book: StoredBook;
  readonly events: readonly JobEvent[];
  readonly end?: "stopped" | "failed" | undefined;
}

const EVENTS_MAX = 100;
const ROUNDS_MAX = 50;

export function newLifecycleRecord(
  pair: { readonly hot: Container; readonly warm: Container },
  settings: LifecycleSettings,
  { id, startedAt }: { readonly id: string; readonly startedAt: number },
): LifecycleRecord {
  return {
    job: { id, kind: "lifecycle", startedAt, isEndless: true },
    hotRid: pair.hot.rid,
    warmRid: pair.warm.rid,
    hot: nameOf(pair.hot),
    warm: nameOf(pair.warm),
    settings,
    formerMarks: [],
    givenTtls: [settings.markTtlSeconds],
    isPaused: false,
    blocks: [],
    ...fromTheBeginning(settings, startedAt),
    movedBefore: startedAt - settings.ageSeconds * 1000,
    totals: NO_TOTALS,
    roundTotals: NO_TOTALS,
    rounds: [],
    book: EMPTY_BOOK,
    events: [{ at: startedAt, text: "The lifecycle was started." }],
  };
}

/** Everything is going to be looked at, with the cutoff of now or a later one. */
export function fromTheBeginning(
  { ageSeconds }: LifecycleSettings,
  wallNow: number,
): Pick<LifecycleRecord, "positions" | "scannedBefore"> {
  return {
    positions: [{ min: "", max: "FF", lsn: 0 }],
    scannedBefore: wallNow - ageSeconds * 1000,
  };
}

export function withEvent(record: LifecycleRecord, at: number, text: string): LifecycleRecord {
  return { ...record, events: [...record.events, { at, text }].slice(-EVENTS_MAX) };
}

/** Of rounds in a row in which nothing was to be done the last one stands for all. */
export function withRound(
  rounds: readonly LifecycleRound[],
  ended: LifecycleRound,
): readonly LifecycleRound[] {
  const last = rounds.at(-1);
  const isSame = last !== undefined && isIdle(last) && isIdle(ended);
  const before =
    isSame && last.setAsideCount === ended.setAsideCount ? rounds.slice(0, -1) : rounds;
  return [...before, ended].slice(-ROUNDS_MAX);
}

function isIdle({ movedCount, editedCount, removedCount, returnedCount }: LifecycleRound): boolean {
  return movedCount + editedCount + removedCount + returnedCount === 0;
}

export function nameOf({ databaseId, definition }: Container): NamedContainer {
  return { database: databaseId, container: definition.id };
}

export function isLifecycle(record: JobRecord): record is LifecycleRecord {
  return record.job.kind === "lifecycle";
}
