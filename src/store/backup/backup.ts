/**
 * A consistent copy of a store while it goes on serving: first the tables, as of some absorbed
 * segment, then the journal, which has everything since. Opening such a copy is opening after a
 * power cut at the moment when the journal was cut.
 *
 * Segments that are absorbed while the tables are copied stay until the end, because the journal is
 * held. The copied tables may have some of them already; whoever opens the copy passes over those.
 *
 * Not here: how the files travel (`backupArchive.ts`).
 */
import { mkdirSync } from "node:fs";
import { open, readdir, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { JOURNAL_FOLDER, TABLES_FILE, TABLES_FOLDER } from "../dataLayout.ts";
import { segmentName, segmentsIn } from "../journal/segment.ts";
import type { JournalHold } from "../journal/segmentFiles.ts";
import type { ArchivedFile } from "./backupArchive.ts";
import { PIECE_BYTES } from "./backupArchive.ts";

/** Where the tables are copied to, in the data directory. What a crash leaves there is rubbish. */
const COPY_FOLDER = "backup.tmp";
/** More room than the copy needs must be left: those who write meanwhile need some. */
const SPARE_BYTES = 64 * 1024 * 1024;

/** A store on disk that can be copied while it is open. */
export interface OpenData {
  readonly directory: string;
  /** Keeps the segments of its journal from being removed. */
  holdJournal(): JournalHold;
  /** Copies the tables, as of one moment, into a folder that is there. */
  copyTables(folder: string): Promise<void>;
}

/** Files that stay as they are until they are released. */
export interface Snapshot {
  readonly files: readonly ArchivedFile[];
  /** In pieces as an archive wants them. */
  read(file: ArchivedFile): AsyncIterable<Buffer>;
  /** A second time is no harm. */
  release(): Promise<void>;
}

/** There is no room for a copy. */
export class NoRoom extends Error {
  override readonly name = "NoRoom";
}

/** Everything that was acknowledged before the call is in it. One at a time. */
export async function takeSnapshot(data: OpenData): Promise<Snapshot> {
  const { directory, copyTables } = data;
  const folder = join(directory, COPY_FOLDER);
  const copy = join(folder, TABLES_FILE);
  await removeLeftCopy(directory);
  await checkRoom(directory, (await stat(join(directory, TABLES_FOLDER, TABLES_FILE))).size);
  const hold = data.holdJournal();
  let released: Promise<void> | undefined;
  const release = (): Promise<void> => {
    released ??= rm(folder, { recursive: true, force: true }).then(() => hold.release());
    return released;
  };
  try {
    mkdirSync(folder, { mode: 0o700 });
    await copyTables(folder);
    const tables = { name: `${TABLES_FOLDER}/${TABLES_FILE}`, bytes: (await stat(copy)).size };
    const segments = hold.cut().map(({ name, bytes }) => ({
      name: `${JOURNAL_FOLDER}/${name}`,
      bytes,
    }));
    const pathOf = ({ name }: ArchivedFile): string =>
      name === tables.name ? copy : join(directory, name);
    return {
      files: [tables, ...segments],
      read: (file) => piecesOf(pathOf(file), file.bytes),
      release,
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Of a directory that nobody has open, and that nobody opens before it is released. */
export async function closedSnapshot(directory: string): Promise<Snapshot> {
  const segments = segmentsIn(await readdir(join(directory, JOURNAL_FOLDER)));
  const names = [
    `${TABLES_FOLDER}/${TABLES_FILE}`,
    ...segments.map((segment) => `${JOURNAL_FOLDER}/${segmentName(segment)}`),
  ];
  const files = names.map(async (name) => ({
    name,
    bytes: (await stat(join(directory, name))).size,
  }));
  return {
    files: await Promise.all(files),
    read: (file) => piecesOf(join(directory, file.name), file.bytes),
    release: async () => undefined,
  };
}

/** What a backup left that did not come to its end. */
export async function removeLeftCopy(directory: string): Promise<void> {
  await rm(join(directory, COPY_FOLDER), { recursive: true, force: true });
}

/** Throws `NoRoom` when a file system has no room for so many bytes. */
export async function checkRoom(directory: string, bytes: number): Promise<void> {
  const { bsize, bavail } = await statfs(directory);
  const free = bsize * bavail;
  if (free >= bytes + SPARE_BYTES) return;
  throw new NoRoom(
    `${bytes + SPARE_BYTES} bytes are needed in ${directory}, and ${free} are free. Make room ` +
      "there first.",
  );
}

/** The first `bytes` of a file. */
async function* piecesOf(path: string, bytes: number): AsyncGenerator<Buffer, void, undefined> {
  const file = await open(path, "r");
  try {
    for (let offset = 0; offset < bytes; ) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, bytes - offset));
      const read = await readFully(file, piece, offset);
      if (read > 0) yield piece.subarray(0, read);
      if (read < piece.length) return;
      offset += read;
    }
  } finally {
    await file.close();
  }
}

async function readFully(
  file: Awaited<ReturnType<typeof open>>,
  into: Buffer,
  position: number,
): Promise<number> {
  let filled = 0;
  while (filled < into.length) {
    const { bytesRead } = await file.read(into, filled, into.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}
