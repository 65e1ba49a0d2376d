/**
 * The notes that the catalogue has of archives: which there are, of which container, with what in
 * them. A note is on disk before the first item of its archive is deleted.
 */
import type { ArchiveFolder } from "../../archive/archiveFolder.ts";
import { ArchiveFault } from "../../archive/archiveFolder.ts";
import type { ArchiveManifest } from "../../archive/manifest.ts";
import { readManifest, WHAT_TO_DO } from "../../archive/verifyArchive.ts";
import type { ArchiveEntry } from "../../model/archiveJob.ts";
import type { JobBook } from "../jobs/jobBook.ts";
import type { ArchiveNote } from "./archiveRecord.ts";
import { datesOf, isArchiveNote } from "./archiveRecord.ts";
import type { ArchiveRun } from "./archiveRun.ts";

const KEYS_MAX = 100;

/** The manifest in a folder, if it is the one of the archive that is meant. */
export async function readOwnManifest(
  folder: ArchiveFolder,
  archive: string,
): Promise<ArchiveManifest> {
  const read = await readManifest(folder);
  if (read.kind === "damaged") {
    const so = "Nothing was changed in the container because of it.";
    throw new ArchiveFault(`${read.damage.message} ${so} ${WHAT_TO_DO}`);
  }
  if (read.manifest.archive === archive) return read.manifest;
  throw new ArchiveFault(
    `${folder.place} has another archive than before. Put the right one back, and resume the job.`,
  );
}

export function notesIn(book: JobBook): readonly ArchiveNote[] {
  return book.open.filter(isArchiveNote);
}

/** Puts on disk that there is an archive, and in which state. */
export async function noteArchive(
  { record, setting, container }: ArchiveRun,
  manifest: ArchiveManifest,
  state: ArchiveEntry["state"],
): Promise<void> {
  const { book, clock } = setting;
  const known = notesIn(book).find(({ entry }) => entry.archive === record.archive);
  if (known !== undefined) {
    const changed: ArchiveNote = { ...known, entry: { ...known.entry, state } };
    await book.update(changed);
    return;
  }
  const note: ArchiveNote = {
    job: {
      id: `archive ${record.archive}`,
      kind: "archiveNote",
      startedAt: clock.wallNow(),
      isEndless: true,
    },
    containerRid: container.rid,
    entry: entryOfManifest(manifest, record.folder, state),
  };
  await book.accept(note, () => undefined);
}

export async function forgetArchive({ record, setting }: ArchiveRun): Promise<void> {
  const known = notesIn(setting.book).find(({ entry }) => entry.archive === record.archive);
  if (known !== undefined) await setting.book.drop(known);
}

export function entryOfManifest(
  manifest: ArchiveManifest,
  folder: string,
  state: ArchiveEntry["state"],
): ArchiveEntry {
  const { archive, database, container, madeAt, totals, files, ageProperty, before } = manifest;
  return {
    database,
    container,
    folder,
    archive,
    madeAt: Date.parse(madeAt),
    state,
    partitionCount: totals.fileCount,
    itemCount: totals.itemCount,
    rawBytes: totals.rawBytes,
    storedBytes: totals.storedBytes,
    ...datesOf(files),
    keys: files.slice(0, KEYS_MAX).map(({ key }) => key),
    ...(ageProperty !== undefined && { ageProperty }),
    ...(before !== undefined && { before: Date.parse(before) }),
  };
}
