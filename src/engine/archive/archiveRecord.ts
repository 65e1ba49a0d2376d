/**
 * What the catalogue remembers of archives: jobs that make one or restore from one, and a note of
 * every archive that was made. A note is a record without an end of its own; it stays when the job
 * that made the archive is forgotten.
 */
import type { ArchivePosition, PartitionFile } from "../../archive/manifest.ts";
import type { JsonValue } from "../../json/value.ts";
import type {
  ArchiveEnd,
  ArchiveEntry,
  ArchiveItem,
  ArchivePlan,
  LeftOut,
  PartlyArchived,
} from "../../model/archiveJob.ts";
import type { JobEvent, NamedContainer } from "../../model/copyJob.ts";
import type { Rid } from "../../model/rid.ts";
import type { JobRecord, JobSummary } from "../jobs/jobRecord.ts";

/** What every job about archives has on record. */
export interface RunRecord extends JobRecord {
  readonly containerRid?: Rid | undefined;
  readonly folder: string;
  readonly end?: ArchiveEnd | undefined;
  readonly isPaused: boolean;
  readonly isCancelled: boolean;
  readonly blockedFor?: string | undefined;
  readonly sharePercent: number;
  readonly events: readonly JobEvent[];
}

/** What was asked for, complete. */
export interface ArchiveRequest {
  readonly container: NamedContainer;
  readonly folder: string;
  /** Milliseconds since 1970. */
  readonly before?: number | undefined;
  /** A path, such as `/publishedDate`. */
  readonly ageProperty?: string | undefined;
  /** Keys as JSON shows them. */
  readonly keys?: readonly JsonValue[] | undefined;
  readonly keep: boolean;
  readonly isDryRun: boolean;
  readonly sharePercent: number;
}

/**
 * What comes next is recorded before it begins, so a crash in any of them only repeats it. Nothing
 * is deleted before the phase `deleting`, which follows the proof of every file.
 */
type ArchivePhase = "writing" | "proving" | "deleting";

/** Counters rise when what they count cannot be undone by a crash, or start again with a phase. */
export interface ArchiveCounts {
  readonly readCount: number;
  readonly partitionCount: number;
  readonly archivedCount: number;
  readonly rawBytes: number;
  readonly storedBytes: number;
  readonly deletedCount: number;
  readonly changedCount: number;
  readonly newCount: number;
  readonly readRu: number;
  readonly writeRu: number;
}

export const NO_ARCHIVE_COUNTS: ArchiveCounts = {
  readCount: 0,
  partitionCount: 0,
  archivedCount: 0,
  rawBytes: 0,
  storedBytes: 0,
  deletedCount: 0,
  changedCount: 0,
  newCount: 0,
  readRu: 0,
  writeRu: 0,
};

export interface ArchiveRecord extends RunRecord {
  readonly job: JobSummary & { readonly kind: "archive" };
  readonly request: ArchiveRequest;
  readonly containerRid: Rid;
  /** Of the archive; made up when the job was accepted. */
  readonly archive: string;
  readonly phase: ArchivePhase;
  /** How far the logs of the container were when the job began. */
  readonly position: readonly ArchivePosition[];
  readonly startCount: number;
  /** How many files of the manifest are done with, their items deleted or found to have changed. */
  readonly deletedFileCount: number;
  readonly counts: ArchiveCounts;
  readonly leftOut: LeftOut;
  readonly partly: readonly PartlyArchived[];
  readonly plan?: ArchivePlan | undefined;
}

export interface RestoreRequest {
  readonly container: NamedContainer;
  readonly folder: string;
  readonly keys?: readonly JsonValue[] | undefined;
  readonly create: boolean;
  readonly overwrite: boolean;
  readonly keepTimestamps: boolean;
  readonly ttl: "keep" | "drop";
  readonly sharePercent: number;
}

type RestorePhase = "verifying" | "restoring";

export interface RestoreCounts {
  readonly restoredCount: number;
  readonly presentCount: number;
  readonly replacedCount: number;
  readonly conflictCount: number;
  readonly readRu: number;
  readonly writeRu: number;
}

export const NO_RESTORE_COUNTS: RestoreCounts = {
  restoredCount: 0,
  presentCount: 0,
  replacedCount: 0,
  conflictCount: 0,
  readRu: 0,
  writeRu: 0,
};

export interface RestoreRecord extends RunRecord {
  readonly job: JobSummary & { readonly kind: "restore" };
  readonly request: RestoreRequest;
  /** The archive that is restored: a folder that has another one by now is refused. */
  readonly archive: string;
  readonly phase: RestorePhase;
  readonly startCount: number;
  /** How many of the files that are to be restored are done with. */
  readonly restoredFileCount: number;
  /** The first ordinal of the numbers that were set aside for items that keep their stamps. */
  readonly firstOrdinal?: number | undefined;
  readonly counts: RestoreCounts;
  readonly conflicts: readonly ArchiveItem[];
}

/** That there is an archive. */
export interface ArchiveNote extends JobRecord {
  readonly job: JobSummary & { readonly kind: "archiveNote"; readonly isEndless: true };
  readonly containerRid: Rid;
  readonly entry: ArchiveEntry;
}

export function isArchiveRecord(record: JobRecord): record is ArchiveRecord {
  return record.job.kind === "archive";
}

export function isRestoreRecord(record: JobRecord): record is RestoreRecord {
  return record.job.kind === "restore";
}

export function isArchiveNote(record: JobRecord): record is ArchiveNote {
  return record.job.kind === "archiveNote";
}

/** What a manifest says of the archive as a whole. */
export function datesOf(files: readonly PartitionFile[]): {
  readonly dateMin?: number;
  readonly dateMax?: number;
} {
  const mins = files.flatMap(({ dateMin }) => dateMin ?? []).sort();
  const maxs = files.flatMap(({ dateMax }) => dateMax ?? []).sort();
  const [first, last] = [mins[0], maxs.at(-1)];
  if (first === undefined || last === undefined) return {};
  return { dateMin: Date.parse(first), dateMax: Date.parse(last) };
}
