/**
 * Archives: what can be asked for, and what jobs and archives show of themselves. The admin API
 * gives this out as it is. Instants are milliseconds since 1970, and a number that nobody has is
 * absent.
 */
import type { JsonValue } from "../json/value.ts";
import type { JobEvent, NamedContainer, ThrottleBound } from "./copyJob.ts";

/** `POST containers/{database}/{container}/archives`: answered with 202 and the job. */
export interface ArchiveQuestion {
  /** The name of a new folder among the server's archives. */
  readonly folder?: string | undefined;
  /** Logical partitions all of whose items are older: ISO 8601, or a number since 1970. */
  readonly before?: string | number | undefined;
  /** The same, counted back from now. */
  readonly olderThanSeconds?: number | undefined;
  /** The path of the property that says how old an item is, such as `/publishedDate`. */
  readonly ageProperty?: string | undefined;
  /** These logical partitions only; each key is an array of its components. */
  readonly keys?: readonly JsonValue[] | undefined;
  /** Archive, and delete nothing. */
  readonly keep?: boolean | undefined;
  /** Ends with what would be archived and what not. */
  readonly isDryRun?: boolean | undefined;
  readonly sharePercent?: number | undefined;
}

/** `POST containers/{database}/{container}/restore`: answered with 202 and the job. */
export interface RestoreQuestion {
  /** The folder of the archive. */
  readonly folder: string;
  /** These logical partitions only; all of them if absent. */
  readonly keys?: readonly JsonValue[] | undefined;
  /** Make the container as the archived one was; it must not be there. */
  readonly create?: boolean | undefined;
  /** Replace items that are there and differ; they are left alone, and reported, if absent. */
  readonly overwrite?: boolean | undefined;
  /** Restored items have the `_ts` and `_etag` that they were archived with. */
  readonly keepTimestamps?: boolean | undefined;
  /** What becomes of the `ttl` of items: "drop" if absent. */
  readonly ttl?: "keep" | "drop" | undefined;
  readonly sharePercent?: number | undefined;
}

export type ArchiveState =
  | "writing"
  | "proving"
  | "deleting"
  | "verifying"
  | "restoring"
  | "paused"
  | "blocked"
  | "cancelling"
  | ArchiveEnd;

/**
 * How a job may end: a dry run planned; one that found nothing old enough empty; an archive whose
 * items stay kept.
 */
export type ArchiveEnd =
  | "planned"
  | "empty"
  | "archived"
  | "kept"
  | "restored"
  | "cancelled"
  | "failed";

export type ArchiveStep = "pause" | "resume" | "cancel" | "throttle";

/** An archive or a restore as `GET jobs` and `GET jobs/{id}` show it. */
export interface ArchiveJobEntry {
  readonly id: string;
  readonly kind: "archive" | "restore";
  readonly state: ArchiveState;
  /** Why it is paused, blocked, failed or cancelled. */
  readonly reason?: string | undefined;
  readonly database: string;
  readonly container: string;
  readonly folder: string;
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
  /** What was asked for, with defaults filled in. */
  readonly asked: ArchiveQuestion | RestoreQuestion;
  readonly progress: ArchiveProgress;
  readonly throttle: {
    readonly sharePercent: number;
    readonly effectivePercent: number;
    readonly bound: ThrottleBound;
  };
  /** Of an archive: logical partitions that were not archived. */
  readonly leftOut?: LeftOut | undefined;
  /** Of an archive: logical partitions that have items left, which changed or came meanwhile. */
  readonly partly?: readonly PartlyArchived[] | undefined;
  /** Of a dry run. */
  readonly plan?: ArchivePlan | undefined;
  /** Of a restore: items that are there and differ, or were refused. */
  readonly conflicts?: { readonly count: number; readonly examples: readonly ArchiveItem[] };
  /** The latest last. */
  readonly events: readonly JobEvent[];
  readonly nextSteps: readonly { readonly step: ArchiveStep; readonly about: string }[];
}

export interface ArchiveProgress {
  /** Items of the container, or of the archive that is restored, when the job began. */
  readonly itemCount: number;
  /** Items that the job has looked at. */
  readonly readCount: number;
  readonly partitionCount: number;
  /** Items that are in files. */
  readonly archivedCount: number;
  readonly rawBytes: number;
  readonly storedBytes: number;
  /** Items whose file was read back and found to be right. */
  readonly provenCount: number;
  /** Archived items that are no longer in the container. */
  readonly deletedCount: number;
  /** Archived items that have another version by now and stay; and items that came since. */
  readonly changedCount: number;
  readonly newCount: number;
  /** Of a restore: written anew; there already and equal; replaced. */
  readonly restoredCount: number;
  readonly presentCount: number;
  readonly replacedCount: number;
  readonly itemsPerSecond: number;
  readonly readRu: number;
  readonly writeRu: number;
}

/** An item, and what is to be said of it. */
export interface ArchiveItem {
  readonly id: string;
  readonly key: JsonValue;
  readonly reason: string;
}

export interface LeftOut {
  /** Logical partitions with an item that is not old enough. */
  readonly youngCount: number;
  /** Logical partitions with an item whose age nobody can tell. */
  readonly undatedCount: number;
  /** Of each of these some, with the item that keeps the logical partition. */
  readonly examples: readonly ArchiveItem[];
}

export interface PartlyArchived {
  readonly key: JsonValue;
  readonly changedCount: number;
  readonly newCount: number;
  readonly examples: readonly string[];
}

/** What a dry run found. */
export interface ArchivePlan {
  readonly partitionCount: number;
  readonly itemCount: number;
  readonly itemBytes: number;
  /** The first ones. */
  readonly partitions: readonly PlannedPartition[];
  readonly price: { readonly readRu: number; readonly deleteRu: number };
  /** At the share that is set; absent where no rate limits it. */
  readonly seconds?: number | undefined;
}

export interface PlannedPartition {
  readonly key: JsonValue;
  readonly itemCount: number;
  readonly itemBytes: number;
  readonly dateMin?: number | undefined;
  readonly dateMax?: number | undefined;
}

/** An archive that the server knows of, as `GET archives` shows it. */
export interface ArchiveEntry extends NamedContainer {
  readonly folder: string;
  /** Of the archive itself, as its manifest has it. */
  readonly archive: string;
  readonly madeAt: number;
  /**
   * "proven" until the items are deleted; "partly" if some had changed; "kept" if all stay;
   * "found" if it lies here and this server did not make it; "missing" if its folder is gone, and
   * "damaged" if its manifest cannot be read.
   */
  readonly state: "proven" | "archived" | "partly" | "kept" | "found" | "missing" | "damaged";
  readonly partitionCount: number;
  readonly itemCount: number;
  readonly rawBytes: number;
  readonly storedBytes: number;
  readonly dateMin?: number | undefined;
  readonly dateMax?: number | undefined;
  /** The keys of its logical partitions, the first hundred. */
  readonly keys: readonly JsonValue[];
  readonly ageProperty?: string | undefined;
  readonly before?: number | undefined;
}

/** `GET archives` */
export interface ArchivesAnswer {
  /** Where they are on the server's machine. */
  readonly directory: string;
  readonly archives: readonly ArchiveEntry[];
}

/** One file of `GET archives/{folder}`. */
interface ArchiveFileEntry {
  readonly name: string;
  readonly key: JsonValue;
  readonly itemCount: number;
  readonly rawBytes: number;
  readonly storedBytes: number;
  readonly sha256: string;
  readonly dateMin?: string | undefined;
  readonly dateMax?: string | undefined;
}

/** `GET archives/{folder}` */
export interface ArchiveAnswer {
  readonly archive: ArchiveEntry;
  readonly files: readonly ArchiveFileEntry[];
}

/** The answer of those that start a job or ask something of one. */
export interface ArchiveJobAnswer {
  readonly job: ArchiveJobEntry;
}
