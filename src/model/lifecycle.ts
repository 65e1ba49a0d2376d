/**
 * Lifecycles of data that ages: what can be asked for, and what a lifecycle shows of itself. The
 * admin API gives this out as it is. Instants are milliseconds since 1970, and a number that nobody
 * has is absent.
 */
import type { JsonValue } from "../json/value.ts";
import type {
  CopyThroughput,
  ItemExample,
  JobEvent,
  NamedContainer,
  ThrottleBound,
} from "./copyJob.ts";

/** What can be changed while a lifecycle runs. */
export interface LifecycleSettings {
  /** The path of the date of an item, such as `/publishedDate`. */
  readonly ageProperty: string;
  /** Items whose date is longer ago are moved. */
  readonly ageSeconds: number;
  /** From the end of a round to the beginning of the next. */
  readonly intervalSeconds: number;
  /** The most items of a step. */
  readonly batch: number;
  /** The most that may be spent of the rate of each physical partition. */
  readonly sharePercent: number;
  /** The property that says of an item in hot that warm has it. */
  readonly markProperty: string;
  /** How long an item stays in hot after it was moved. */
  readonly markTtlSeconds: number;
  /** When items of warm should be archived; absent if they need not be. */
  readonly archiveAfterSeconds?: number | undefined;
}

/** `POST lifecycles`: answered with status 201 and the lifecycle when it is on disk. */
export interface LifecycleQuestion extends Partial<LifecycleSettings> {
  readonly hot: NamedContainer;
  readonly warm: NamedContainer;
  readonly ageProperty: string;
  readonly ageSeconds: number;
  /** Says that containers which are not there are to be made, and how. */
  readonly create?: NewPair | undefined;
  /** Switches the expiry of items on in hot, without a default, if it is off. */
  readonly enableTtl?: boolean | undefined;
  /** Takes a warm container whose own ttl will delete history. */
  readonly isForced?: boolean | undefined;
  /** Answers with the plan, and changes nothing. */
  readonly dryRun?: boolean | undefined;
}

/** A pair of containers to be made; what is absent is as the guides have it. */
export interface NewPair {
  /** The paths of the partition key of both; that of the one that is there if absent. */
  readonly partitionKey?: readonly string[] | undefined;
  readonly hotThroughput?: CopyThroughput | undefined;
  readonly warmThroughput?: CopyThroughput | undefined;
  /** The safety net of hot. */
  readonly hotTtlSeconds?: number | undefined;
  /** Hot gets a composite index of this path and the date, the latest first. */
  readonly compositePath?: string | undefined;
  /** What warm does not index. */
  readonly warmExcludedPaths?: readonly string[] | undefined;
}

export const LIFECYCLE_STEPS = ["pause", "resume", "run", "change", "stop"] as const;

/** The last segment of `POST lifecycles/{id}/{step}`. */
export type LifecycleStep = (typeof LIFECYCLE_STEPS)[number];

/**
 * Running: a round is under way, or not everything that is in hot has been looked at since a start.
 * Waiting: for the next round; changes in hot are followed all the same. Blocked: something has to
 * be mended, which `reason` says. Stopped and failed are ends.
 */
export type LifecycleState = "running" | "waiting" | "paused" | "blocked" | "stopped" | "failed";

/** As `GET lifecycles` and `GET lifecycles/{id}` show it. */
export interface LifecycleEntry extends LifecycleSettings {
  readonly id: string;
  readonly kind: "lifecycle";
  readonly hot: NamedContainer;
  readonly warm: NamedContainer;
  readonly state: LifecycleState;
  /** Why it is paused, blocked, stopped or failed. */
  readonly reason?: string | undefined;
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
  /**
   * Every item of hot that is dated before this is in warm, as it is in hot. Absent while that is
   * not known, such as after a restart until everything was looked at.
   */
  readonly settledBefore?: number | undefined;
  /**
   * No item that is dated at or after this is in warm alone. It never falls: `settledBefore` falls
   * below it when somebody writes an old item, and what lies between the two may be in either.
   */
  readonly movedBefore: number;
  readonly lastRound?: LifecycleRound | undefined;
  readonly nextRoundAt?: number | undefined;
  readonly totals: LifecycleTotals;
  /** Items that are due and not moved; those of the book that are due are among them. */
  readonly dueCount: number;
  /** False when there may be more: not all was counted, or not all was looked at yet. */
  readonly isDueCountExact: boolean;
  readonly setAsideCount: number;
  /** False when there are more than are remembered. */
  readonly isSetAsideCountExact: boolean;
  /** Changes of hot that were not looked at yet, at most. */
  readonly lagCount: number;
  readonly throttle: {
    readonly sharePercent: number;
    readonly effectivePercent: number;
    readonly bound: ThrottleBound;
  };
  /** The date of the oldest item of warm; known where `archiveAfterSeconds` is set. */
  readonly warmOldestAt?: number | undefined;
  /** What is not as it should be though the lifecycle goes on. */
  readonly warnings: readonly string[];
  /** The latest last. Of several in a row in which nothing was to be done only the last is kept. */
  readonly rounds: readonly LifecycleRound[];
  readonly events: readonly JobEvent[];
  readonly nextSteps: readonly LifecycleNextStep[];
}

interface LifecycleNextStep {
  readonly step: LifecycleStep;
  readonly about: string;
}

/** What was done from the end of the round before to the end of this one. */
export interface LifecycleRound {
  readonly startedAt: number;
  readonly endedAt: number;
  /** Items dated before this were due. */
  readonly cutoff: number;
  readonly movedCount: number;
  readonly movedBytes: number;
  readonly editedCount: number;
  readonly removedCount: number;
  readonly returnedCount: number;
  readonly setAsideCount: number;
  readonly ru: number;
}

/** Since the lifecycle was started. */
export interface LifecycleTotals {
  /** Items that came to warm and were marked in hot. */
  readonly moved: number;
  readonly movedBytes: number;
  /** Copies that were made anew because the item was edited in hot. */
  readonly edited: number;
  /** Copies that went because the item was deleted in hot, or written there anew. */
  readonly removed: number;
  /** Copies that went because the item was edited so that it is young again. */
  readonly returned: number;
  readonly ru: number;
}

/** What `dryRun` answers with. */
export interface LifecyclePlan {
  readonly checks: readonly LifecycleCheck[];
  readonly itemCount: number;
  readonly itemBytes: number;
  /** Items that would be moved now. */
  readonly dueCount: number;
  readonly dueBytes: number;
  /** Items that would be set aside, and some of them with the reason. */
  readonly setAsideCount: number;
  readonly setAside: readonly ItemExample[];
  /** RU on both sides, from a sample of the due items. */
  readonly price: { readonly hotRu: number; readonly warmRu: number; readonly sampleCount: number };
  /** At the share that is set; absent where no rate limits it. */
  readonly seconds?: number | undefined;
  readonly steps: readonly string[];
  /** What keeps the lifecycle from being started as it was asked for. */
  readonly obstacles: readonly string[];
}

export interface LifecycleCheck {
  readonly about: string;
  readonly isMet: boolean;
  /** What was found, or what to do. */
  readonly says: string;
}

/** Why an item cannot be moved. */
export type UnmovedCode =
  | "undated"
  | "future"
  | "keyFull"
  | "uniqueKey"
  | "tooLarge"
  | "clash"
  | "refused";

/** A line of `GET lifecycles/{id}/setAside`. */
export interface UnmovedItem {
  readonly lifecycle: string;
  readonly id: string;
  readonly key: JsonValue;
  readonly code: UnmovedCode;
  readonly reason: string;
  /** Its date, if it has one. */
  readonly date?: number | undefined;
  readonly at: number;
  readonly attempts: number;
  /** As it is now in hot; absent if it is gone. */
  readonly document?: JsonValue | undefined;
}
