/** A copy job: what was asked for, how far it is, and what the catalogue remembers of it. */
import type { Lsn } from "../../base/units.ts";
import type { JsonObject } from "../../json/value.ts";
import type {
  CopyEnd,
  CopyPlan,
  CopyThroughput,
  JobEvent,
  NamedContainer,
  Setback,
  SwitchWay,
} from "../../model/copyJob.ts";
import type { Rid } from "../../model/rid.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { RememberedComparison } from "../compare/comparison.ts";
import type { JobRecord, JobSummary } from "../jobs/jobRecord.ts";
import type { SaidOfJob } from "../jobs/progress.ts";
import type { CopyCounts } from "./copyTally.ts";
import type { ItemMove } from "./itemMove.ts";
import type { LogPosition } from "./positions.ts";
import { Positions } from "./positions.ts";
import type { SetAsideEntry } from "./setAside.ts";

/** What was asked for, complete: every default is filled in. */
export interface CopyRequest {
  readonly source: NamedContainer;
  readonly target: NamedContainer;
  readonly key?: readonly string[] | undefined;
  readonly keyProperties?: readonly string[] | undefined;
  readonly definition?: JsonObject | undefined;
  readonly throughput?: CopyThroughput | undefined;
  readonly mode: "offline" | "online";
  readonly where?: string | undefined;
  readonly select?: string | undefined;
  readonly samplePercent?: number | undefined;
  readonly ttl: "keep" | "restart";
  readonly onClash: Setback;
  readonly onMissingKey: Setback | "none";
  readonly onRefused: Setback;
  readonly setAsideMax: number;
  readonly sharePercent: number;
  readonly cutOver: "manual" | "automatic";
  readonly switchBy: SwitchWay;
  readonly isDryRun: boolean;
  readonly token?: string | undefined;
}

/** What comes next is recorded before it begins, so a crash in any of them only repeats it. */
export type CopyPhase =
  | "preparing"
  | "copying"
  | "catchingUp"
  | "ready"
  | "switched"
  | "completing"
  | "cancelling";

/**
 * True of a job whose copy is what clients write to. A restart finds the containers in that state
 * until the job has ended, also if somebody has completed it.
 */
export function hasSwitched({ phase }: Pick<CopyRecord, "phase">): boolean {
  return phase === "switched" || phase === "completing";
}

/** The switch as it came about. */
export interface CutOver {
  readonly at: number;
  readonly attempts: number;
  readonly heldMs: number;
  readonly longestWaitMs: number;
  readonly waitedCount: number;
  readonly switchBy: SwitchWay;
}

interface CopySummary extends JobSummary {
  readonly kind: "copy";
}

export interface CopyRecord extends JobRecord, SaidOfJob {
  readonly job: CopySummary;
  readonly request: CopyRequest;
  readonly sourceRid: Rid;
  /** Absent until the target is there. */
  readonly targetRid?: Rid | undefined;
  /** True when the job made the target. */
  readonly hasMadeTarget: boolean;
  readonly ordinalShift: number;
  readonly ordinalCount: number;
  readonly phase: CopyPhase;
  readonly end?: CopyEnd | undefined;
  readonly isPaused: boolean;
  readonly blockedFor?: string | undefined;
  readonly sharePercent: number;
  readonly mirrorPercent: number;
  readonly dropsTarget: boolean;
  readonly keepsOld: boolean;
  /** True when copies may be left of items whose ends the log has lost. */
  readonly mustPrune?: boolean | undefined;
  /** Of the way that is followed now: forth, or back after the switch. */
  readonly positions: readonly StoredPosition[];
  readonly began: readonly StoredPosition[];
  readonly startCount: number;
  readonly counts: CopyCounts;
  readonly setAside: readonly SetAsideEntry[];
  readonly plan?: CopyPlan | undefined;
  readonly events: readonly JobEvent[];
  readonly cutOver?: CutOver | undefined;
  /** Of the way that is followed now. */
  readonly verified?: RememberedComparison | undefined;
  /** Items that were about to move when somebody last looked; see `itemMove.ts`. */
  readonly moves?: readonly ItemMove[] | undefined;
}

/** A position as JSON. */
export interface StoredPosition {
  readonly min: string;
  readonly max: string;
  readonly lsn: number;
}

export function storedPositions({ tiles }: Positions): readonly StoredPosition[] {
  return tiles.map(({ range, lsn }) => ({ min: range.min, max: range.max, lsn }));
}

export function positionsOf(stored: readonly StoredPosition[]): Positions {
  return new Positions(
    stored.map(
      ({ min, max, lsn }): LogPosition => ({
        range: { min: min as Epk, max: max as Epk },
        lsn: lsn as Lsn,
      }),
    ),
  );
}

export function isCopy(record: JobRecord): record is CopyRecord {
  return record.job.kind === "copy";
}
