/** Whether an archive or a restore can be taken on, and what its record begins with. */
import type { ArchiveShelf } from "../../archive/archiveFolder.ts";
import { ArchiveFault, isFolderName, LEDGER_NAME } from "../../archive/archiveFolder.ts";
import type { ArchiveManifest } from "../../archive/manifest.ts";
import { readManifest, WHAT_TO_DO } from "../../archive/verifyArchive.ts";
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { JsonValue } from "../../json/value.ts";
import { isObject } from "../../json/value.ts";
import type { NamedContainer } from "../../model/copyJob.ts";
import type { Limits } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { countOf } from "../copy/positions.ts";
import type { Container } from "../partition/container.ts";
import { NOTHING_LEFT_OUT } from "./archiveCounts.ts";
import type {
  ArchiveRecord,
  ArchiveRequest,
  RestoreRecord,
  RestoreRequest,
} from "./archiveRecord.ts";
import { NO_ARCHIVE_COUNTS, NO_RESTORE_COUNTS } from "./archiveRecord.ts";
import { selectionOf } from "./archiveSelection.ts";
import { chosen, keyText } from "./restoreRun.ts";

interface Accepting {
  readonly catalog: Catalog;
  readonly limits: Limits;
  readonly shelf: ArchiveShelf;
  readonly wallNow: number;
  /** Containers that a job about archives is at work on, and the folders of these jobs. */
  readonly busy: readonly BusyJob[];
}

interface BusyJob {
  readonly id: string;
  readonly folder: string;
  /** Absent before the container is made. */
  readonly rid: string | undefined;
  readonly name: NamedContainer;
}

/** What a job is to be about. */
type Wanted = Pick<ArchiveRequest, "container" | "folder">;

/** The container that is to be archived. */
export async function archiveSource(
  accepting: Accepting,
  request: ArchiveRequest,
): Promise<Result<Container, Refusal>> {
  const { catalog, limits, wallNow } = accepting;
  const container = catalog.container(request.container.database, request.container.container);
  if (container === undefined) return no({ kind: "notFound" });
  const problem = closedProblem(container) ?? busyProblem(accepting, request, container);
  if (problem !== undefined) return no(badRequest(problem));
  const selection = selectionOf(request, container, limits);
  if (!selection.ok) return no(badRequest(selection.error));
  if (request.before !== undefined && request.before > wallNow) {
    const at = new Date(request.before).toISOString();
    return no(badRequest(`${at} is in the future: items of today would be archived, too.`));
  }
  if (request.isDryRun) return ok(container);
  const occupied = await guarded(() => occupiedProblem(accepting.shelf, request.folder));
  if (!occupied.ok) return occupied;
  return occupied.value === undefined ? ok(container) : no(badRequest(occupied.value));
}

async function occupiedProblem(shelf: ArchiveShelf, name: string): Promise<string | undefined> {
  const folder = shelf.folder(name);
  const names = await folder.names();
  if (names === undefined || names.length === 0) return undefined;
  const what = names.includes(LEDGER_NAME) ? "an archive that was not completed" : "files";
  return (
    `The folder ${folder.place} has ${what} in it. Name another folder: an archive is never ` +
    "written over anything."
  );
}

export function folderProblem(name: string): string | undefined {
  if (isFolderName(name)) return undefined;
  return (
    `'${name}' cannot be the name of an archive: letters, digits, dots, hyphens and underscores, ` +
    "100 of them at most, and the first one is no dot or hyphen. The folder is made among the " +
    "archives of the server (orrery start --archives)."
  );
}

function closedProblem({ definition, closedFor }: Container): string | undefined {
  if (definition.view !== undefined) {
    return `The container '${definition.id}' is a view; archive its source, and it follows.`;
  }
  if (closedFor === undefined) return undefined;
  const why = "message" in closedFor ? closedFor.message : "Clients may not write to it.";
  return `The container '${definition.id}' is closed at present. ${why}`;
}

/** One job for each container and each folder: two would get into each other's way. */
export function busyProblem(
  { busy }: Pick<Accepting, "busy">,
  { folder, container: wanted }: Wanted,
  container: Container | undefined,
): string | undefined {
  const isNamed = ({ name }: BusyJob): boolean =>
    name.database === wanted.database && name.container === wanted.container;
  const other = busy.find((one) => (container ? one.rid === container.rid : isNamed(one)));
  if (other !== undefined) {
    return (
      `The job ${other.id} is at work on the container '${wanted.container}'. Wait until it has ` +
      "ended, or cancel it."
    );
  }
  const same = busy.find((one) => one.folder === folder);
  return (
    same && `The job ${same.id} is at work on the folder '${folder}'. Wait until it has ended.`
  );
}

/** What a restore needs to know before it begins. */
interface RestoreSource {
  readonly manifest: ArchiveManifest;
  /** Absent if it is to be made. */
  readonly container: Container | undefined;
}

export async function restoreSource(
  accepting: Accepting,
  request: RestoreRequest,
): Promise<Result<RestoreSource, Refusal>> {
  const { catalog, shelf } = accepting;
  const { database, container: name } = request.container;
  const container = catalog.container(database, name);
  if (catalog.database(database) === undefined) {
    return no(badRequest(`The database '${database}' is not there. Make it first.`));
  }
  if (container === undefined && !request.create) return no({ kind: "notFound" });
  if (container !== undefined && request.create) {
    return no(badRequest(`The container '${name}' is there already. Restore without 'create'.`));
  }
  const problem =
    (container && closedProblem(container)) ?? busyProblem(accepting, request, container);
  if (problem !== undefined) return no(badRequest(problem));
  const read = await guarded(() => readManifest(shelf.folder(request.folder)));
  if (!read.ok) return read;
  if (read.value.kind === "damaged") {
    return no(badRequest(`${read.value.damage.message} ${WHAT_TO_DO}`));
  }
  const { manifest } = read.value;
  const other = (container && keyProblem(container, manifest)) ?? missingKey(request, manifest);
  return other === undefined ? ok({ manifest, container }) : no(badRequest(other));
}

/** Why the items of an archive are no items of a container. The version of the hash may differ. */
function keyProblem({ definition }: Container, manifest: ArchiveManifest): string | undefined {
  const archived = manifest.definition["partitionKey"];
  const own = definition.partitionKey;
  const paths = isObject(archived) ? archived["paths"] : undefined;
  if (JSON.stringify(paths) === JSON.stringify(own.paths)) return undefined;
  const shown = Array.isArray(paths) ? paths.join(", ") : "another one";
  return (
    `The archive has the partition key ${shown}, the container '${definition.id}' has ` +
    `${own.paths.join(", ")}. Restore into a container with the same key, or let one be made.`
  );
}

function missingKey({ keys }: RestoreRequest, { files }: ArchiveManifest): string | undefined {
  const lacking = (keys ?? []).find((key) => chosen(files, [key]).length === 0);
  if (lacking === undefined) return undefined;
  return `The archive has no logical partition ${keyText(lacking as JsonValue)}.`;
}

async function guarded<T>(action: () => Promise<T>): Promise<Result<T, Refusal>> {
  try {
    return ok(await action());
  } catch (error) {
    if (!(error instanceof ArchiveFault)) throw error;
    return no(badRequest(error.message));
  }
}

interface NewJob {
  readonly id: string;
  readonly archive: string;
  readonly startedAt: number;
}

const ACCEPTED = "The job was accepted.";

export function newArchiveRecord(
  request: ArchiveRequest,
  container: Container,
  { id, archive, startedAt }: NewJob,
): ArchiveRecord {
  return {
    job: { id, kind: "archive", startedAt },
    request,
    containerRid: container.rid,
    folder: request.folder,
    archive,
    phase: "writing",
    isPaused: false,
    isCancelled: false,
    sharePercent: request.sharePercent,
    position: [...container.partitions.values()].map(({ entry, lsn }) => ({
      min: entry.range.min,
      max: entry.range.max,
      lsn,
    })),
    startCount: countOf(container),
    deletedFileCount: 0,
    counts: NO_ARCHIVE_COUNTS,
    leftOut: NOTHING_LEFT_OUT,
    partly: [],
    events: [{ at: startedAt, text: ACCEPTED }],
  };
}

export function newRestoreRecord(
  request: RestoreRequest,
  { manifest, container }: RestoreSource,
  { id, startedAt }: Omit<NewJob, "archive">,
): RestoreRecord {
  const files = chosen(manifest.files, request.keys);
  return {
    job: { id, kind: "restore", startedAt },
    request,
    containerRid: container?.rid,
    folder: request.folder,
    archive: manifest.archive,
    phase: "verifying",
    isPaused: false,
    isCancelled: false,
    sharePercent: request.sharePercent,
    startCount: files.reduce((sum, { itemCount }) => sum + itemCount, 0),
    restoredFileCount: 0,
    counts: NO_RESTORE_COUNTS,
    conflicts: [],
    events: [{ at: startedAt, text: ACCEPTED }],
  };
}
