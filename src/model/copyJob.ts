/**
 * Copy jobs: what can be asked for, and what a job shows of itself. The admin API gives this out as
 * it is. Instants are milliseconds since 1970, and a number that nobody has is absent.
 */
import type { JsonObject, JsonValue } from "../json/value.ts";
import type { PartitionKey } from "./partitionKey.ts";

/** A container by name. */
export interface NamedContainer {
  readonly database: string;
  readonly container: string;
}

/** What becomes of an item that cannot be copied: the job stops, or goes on without it. */
export type Setback = "stop" | "setAside";

/** Who leads clients to the copy: the application by another name, or the server by the old one. */
export type SwitchWay = "application" | "names";

/** `POST copies`: answered with status 202 and the job, when the job is on disk. */
export interface CopyQuestion {
  readonly source: NamedContainer;
  /** Is made unless it is there. */
  readonly target: NamedContainer;
  /** Key expressions, one for each level; absent if the key stays as it is. */
  readonly key?: readonly string[] | undefined;
  /**
   * Paths of the properties into which made-up levels of the key are written, one for each level
   * that is not a path alone.
   */
  readonly keyProperties?: readonly string[] | undefined;
  /** Members of the definition of a new target that differ from those of the source; null: none. */
  readonly definition?: JsonObject | undefined;
  /** Of a new target; as the source has it if absent. */
  readonly throughput?: CopyThroughput | undefined;
  /** Offline ends by itself with what was there at its end; online goes on until it is told. */
  readonly mode?: "offline" | "online" | undefined;
  /** A condition on `c`, as after WHERE; others are left out. */
  readonly where?: string | undefined;
  /** What the copies have, as after SELECT; `id` and the key have to be among it. */
  readonly select?: string | undefined;
  /** So much of the items, chosen by their ids, and always the same ones. */
  readonly samplePercent?: number | undefined;
  /** Whether items live on as long as they had left, or begin anew; "keep" if absent. */
  readonly ttl?: "keep" | "restart" | undefined;
  /** Two items with the same new key and id; "stop" if absent. */
  readonly onClash?: Setback | undefined;
  /** Items without the new key; "none" copies them under no key, and "stop" is the default. */
  readonly onMissingKey?: Setback | "none" | undefined;
  /** Whatever else the target does not take: a full key, a unique value; "stop" if absent. */
  readonly onRefused?: Setback | undefined;
  /** The job stops when more items than these are set aside. */
  readonly setAsideMax?: number | undefined;
  /** The most that the job may spend of the rate of each physical partition. */
  readonly sharePercent?: number | undefined;
  /** Automatic: as soon as the copy has caught up and was verified; "manual" if absent. */
  readonly cutOver?: "manual" | "automatic" | undefined;
  readonly switchBy?: SwitchWay | undefined;
  /** Ends with the plan, before the first write. */
  readonly isDryRun?: boolean | undefined;
  /** A name that the asker made up: the same one again is answered with the job there is. */
  readonly token?: string | undefined;
}

export type CopyThroughput =
  | { readonly kind: "manual"; readonly ratePerSecond: number }
  | { readonly kind: "autoscale"; readonly ratePerSecond: number }
  | { readonly kind: "shared" };

export type CopyState =
  | "preparing"
  | "copying"
  | "catchingUp"
  | "ready"
  | "holding"
  | "switched"
  | "holdingBack"
  | "paused"
  | "blocked"
  | "cancelling"
  | CopyEnd;

/** How a job may end. A dry run ends planned, an offline copy copied. */
export type CopyEnd = "planned" | "copied" | "completed" | "reverted" | "cancelled" | "failed";

/** A copy job as `GET jobs` and `GET jobs/{id}` show it. */
export interface CopyJobEntry {
  readonly id: string;
  readonly kind: "copy" | "view";
  readonly state: CopyState;
  /** Why it is paused, blocked, failed or cancelled; what it waits for. */
  readonly reason?: string | undefined;
  readonly source: NamedContainer;
  /** After a switch by names: the names are those of now. */
  readonly target: NamedContainer;
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
  /** What was asked for, with defaults filled in. */
  readonly asked: CopyQuestion;
  /** Found by the look at all items before the first write. */
  readonly plan?: CopyPlan | undefined;
  readonly progress: CopyProgress;
  readonly throttle: CopyThrottle;
  readonly setAside: { readonly count: number; readonly max: number };
  readonly verification: VerificationReport;
  readonly mirror?: MirrorReport | undefined;
  readonly cutOver?: CutOverReport | undefined;
  /** After the switch: whether it can be taken back, and if not, because of which ids. */
  readonly wayBack?: WayBack | undefined;
  /** The latest last. */
  readonly events: readonly JobEvent[];
  /** What can be asked of the job now, for programs. */
  readonly nextSteps: readonly NextStep[];
}

export interface JobEvent {
  readonly at: number;
  readonly text: string;
}

export interface NextStep {
  /** The last segment of `POST jobs/{id}/{step}`. */
  readonly step: CopyStep;
  /** What it does and what it leaves behind, in one sentence. */
  readonly about: string;
}

/** A key as JSON shows it: a component that is missing is an empty object. */
export function shownKey(key: PartitionKey): JsonValue {
  return key.map((component) => (component === undefined ? {} : component));
}

export type CopyStep =
  | "pause"
  | "resume"
  | "cancel"
  | "throttle"
  | "verify"
  | "mirror"
  | "cutOver"
  | "complete"
  | "revert";

/** What the look at all items found. */
export interface CopyPlan {
  readonly itemCount: number;
  readonly itemBytes: number;
  /** Items that the copy has, after filter and sample. */
  readonly copiedCount: number;
  readonly copiedBytes: number;
  /** Items that share new key and id with another one. */
  readonly clashCount: number;
  readonly clashes: readonly ItemExample[];
  readonly missingKeyCount: number;
  readonly missingKeys: readonly ItemExample[];
  /** Items that cannot be copied for another reason. */
  readonly unfitCount: number;
  readonly unfit: readonly ItemExample[];
  /** Logical partitions that would hold more than one may. */
  readonly fullKeys: readonly FullKey[];
  readonly logicalPartitionCount: number;
  readonly largestKey?: FullKey | undefined;
  /** RU on both sides; from a sample, with its standard error. */
  readonly price: {
    readonly readRu: number;
    readonly writeRu: number;
    readonly errorRu: number;
    readonly sampleCount: number;
  };
  /** At the share that is set; absent where no rate limits it. */
  readonly seconds?: number | undefined;
  readonly steps: readonly string[];
  /** What stops the job, as it was asked for; it can be started when there is none. */
  readonly obstacles: readonly string[];
}

export interface ItemExample {
  readonly id: string;
  readonly key: JsonValue;
  readonly newKey?: JsonValue | undefined;
  readonly reason?: string | undefined;
}

export interface FullKey {
  readonly newKey: JsonValue;
  readonly bytes: number;
}

export interface CopyProgress {
  /** While all items are looked at before the first write: how much of that is done, 0 to 1. */
  readonly lookedShare?: number | undefined;
  /** Items that were there when the job began, and those of them that are copied. */
  readonly itemCount: number;
  readonly copiedCount: number;
  readonly copiedBytes: number;
  /** Changes since then that were applied. */
  readonly changeCount: number;
  readonly removedCount: number;
  /** Of the last half minute. */
  readonly itemsPerSecond: number;
  readonly bytesPerSecond: number;
  readonly lag: FeedLag;
  /**
   * Seconds that are left of what the job does now, to copy or to catch up, as an interval; absent
   * while nothing tells, and while the lag does not fall.
   */
  readonly remaining?: RemainingTime | undefined;
  /** RU that the job has spent on each side. */
  readonly readRu: number;
  readonly writeRu: number;
}

export interface FeedLag {
  /** Changes that are not applied yet, at most. */
  readonly changeCount: number;
  /** Of a view: seconds since it had everything that its source had. */
  readonly behindSeconds?: number | undefined;
  /** What it would take to apply them at the rate of the last half minute; absent: unknown. */
  readonly drainSeconds?: number | undefined;
  /** Changes that are applied, and that come, in a second of the last half minute. */
  readonly appliedPerSecond?: number | undefined;
  readonly arrivingPerSecond?: number | undefined;
  /** Present while no fewer changes come than are applied, so that the lag does not fall. */
  readonly needed?: NeededPace | undefined;
}

/** What a job would need to catch up, a quarter more than what comes. */
export interface NeededPace {
  /** On the side that is written. */
  readonly ruPerSecond: number;
  /** Of the rates that there are; absent if the share is not what limits the job. */
  readonly sharePercent?: number | undefined;
}

export interface RemainingTime {
  readonly from: number;
  readonly to: number;
  /**
   * Of earlier jobs: how many ended within what was said when half was copied; while a job catches
   * up, how many had caught up within what was said of that.
   */
  readonly kept?: { readonly insideCount: number; readonly jobCount: number } | undefined;
}

/** `tables`: what was written is put into the tables first, so that clients need not wait. */
export type ThrottleBound = "nothing" | "share" | "throttledClients" | "tables";

interface CopyThrottle {
  readonly sharePercent: number;
  /** What the job allows itself at present, having met with clients that were refused. */
  readonly effectivePercent: number;
  /** Which limit binds now. */
  readonly bound: ThrottleBound;
}

/** An item that could not be copied, as a line of `GET jobs/{id}/setAside`. */
export interface SetAsideItem {
  readonly job: string;
  readonly id: string;
  readonly key: JsonValue;
  readonly newKey?: JsonValue | undefined;
  readonly lsn: number;
  readonly code: SetAsideCode;
  readonly reason: string;
  readonly at: number;
  readonly attempts: number;
  /** As it is now in the source; absent if it is gone. */
  readonly document?: JsonValue | undefined;
}

/** Why an item cannot be copied. */
export type SetAsideCode =
  | "missingKey"
  | "clash"
  | "keyFull"
  | "uniqueKey"
  | "tooLarge"
  | "refused";

/** `GET jobs/{id}/setAside` */
export interface SetAsideAnswer {
  readonly items: readonly SetAsideItem[];
}

export interface VerificationReport {
  readonly state: "none" | "running" | "fresh" | "stale" | "differs";
  readonly at?: number | undefined;
  readonly seconds?: number | undefined;
  readonly comparedCount?: number | undefined;
  /** Of these, read from both sides in the last run; the rest follows from earlier runs. */
  readonly readCount?: number | undefined;
  readonly missingCount?: number | undefined;
  readonly extraCount?: number | undefined;
  readonly differingCount?: number | undefined;
  /** Some of each. */
  readonly differences?: readonly Difference[] | undefined;
  /** From 0 to 1, while it runs. */
  readonly share?: number | undefined;
  /** A sum over all that was compared, as it should be; `targetSum` is the same if it is so. */
  readonly sum?: string | undefined;
  readonly targetSum?: string | undefined;
  /** Items that changed at every look, and of which nothing can be said yet. */
  readonly inMotionCount?: number | undefined;
  /** Why the last run read everything; absent when it read what had changed. */
  readonly wholeBecause?: string | undefined;
}

export interface Difference {
  readonly kind: "missing" | "extra" | "differs";
  readonly id: string;
  readonly newKey: JsonValue;
}

/** Live reads and queries that were also run on the target. */
export interface MirrorReport {
  readonly percent: number;
  /** Since when reads are mirrored, in milliseconds until now. */
  readonly spanMs: number;
  /** Why it ended by itself, if it did. */
  readonly endedBecause?: string | undefined;
  readonly shapes: readonly MirrorShape[];
  /** Reads of the source that were repeated on the source, and differed all the same. */
  readonly noise: { readonly runCount: number; readonly differedCount: number };
}

export interface MirrorShape {
  /** The query without its values, or "point read". */
  readonly shape: string;
  readonly runCount: number;
  readonly matchCount: number;
  readonly mismatchCount: number;
  readonly laggingCount: number;
  readonly errorCount: number;
  readonly errors: readonly { readonly reason: string; readonly count: number }[];
  /** Live reads of this shape; a share of them was run, and some of those were dropped. */
  readonly liveCount: number;
  readonly droppedCount: number;
  readonly source: MirrorSide;
  readonly target: MirrorSide;
  /** One sentence: what is worse there, or nothing if nothing is. */
  readonly warning?: string | undefined;
  readonly mismatches: readonly string[];
}

export interface MirrorSide {
  readonly ru: Percentiles;
  readonly ms: Percentiles;
  readonly partitions: number;
  readonly ruPerDay: number;
}

interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface CutOverReport {
  readonly at: number;
  readonly attempts: number;
  /** How long writes were held, and the longest that one of them waited. */
  readonly heldMs: number;
  readonly longestWaitMs: number;
  readonly waitedCount: number;
  readonly switchBy: SwitchWay;
  /** Requests in terms of the old key since then, by the program that sent them. */
  readonly inOldTerms: readonly { readonly program: string; readonly count: number }[];
}

export interface WayBack {
  readonly isOpen: boolean;
  /** Why there is none at all. */
  readonly reason?: string | undefined;
  readonly lag: FeedLag;
  readonly obstacles: readonly ItemExample[];
}
