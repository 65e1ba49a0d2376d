/**
 * The seam to the files of archives: a shelf has folders, and each folder is one archive. Whoever
 * implements it compresses and decompresses; whoever uses it sees lines of JSON.
 *
 * Promises that every implementation keeps
 * - A file appears under its name whole and durable, or not at all. What is being written has
 *   another name (`TEMPORARY`), and may be left behind by a crash.
 * - Nothing outside of the shelf is touched, and no folder is removed that has anything in it.
 * - What the system refuses is an `ArchiveFault` that says what to do.
 */

export const MANIFEST_NAME = "manifest.json";
/** What a job notes of the files it has finished, until there is a manifest. */
export const LEDGER_NAME = "ledger.ndjson";
/** The end of the names of files that are being written. */
export const TEMPORARY = ".tmp";

/** A folder that is named so lies in the shelf and nowhere else. */
const FOLDER_NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;
const DATA_NAME = /^data-\d{1,9}\.ndjson\.gz$/;

export function isFolderName(name: string): boolean {
  return FOLDER_NAME.test(name);
}

export function dataName(number: number): string {
  return `data-${number}.ndjson.gz`;
}

/** True of the names that files of an archive have. */
export function isDataName(name: string): boolean {
  return DATA_NAME.test(name);
}

/** What became of the bytes of a file when they were stored. */
export interface StoredFile {
  readonly storedBytes: number;
  /** Of the stored bytes, in hexadecimal digits. */
  readonly sha256: string;
}

export interface ArchiveWriter {
  /** Takes bytes as they are before compression. */
  write(bytes: Buffer): Promise<void>;
  /** Resolves when the file has its name and both survive a power cut. */
  publish(): Promise<StoredFile>;
  /** Takes away what was written. Does nothing after `publish`. */
  discard(): Promise<void>;
}

export interface ArchiveReading {
  /** What is in the file, decompressed; to be read to the end, or left with `return`. */
  readonly chunks: AsyncIterable<Buffer>;
  /** What the stored bytes were; to be asked for when all chunks were read. */
  stored(): StoredFile;
}

export interface ArchiveFolder {
  readonly name: string;
  /** What messages call it: a path, or the name where there is no path. */
  readonly place: string;
  /** The names of what is in it; undefined if there is no folder. */
  names(): Promise<readonly string[] | undefined>;
  make(): Promise<void>;
  /** Begins a compressed file. */
  create(name: string): Promise<ArchiveWriter>;
  /** Bytes as stored; undefined if there is no such file. */
  bytesOf(name: string): Promise<number | undefined>;
  read(name: string): Promise<ArchiveReading>;
  /** A small file that is not compressed; undefined if there is none. */
  readText(name: string, bytesMax: number): Promise<string | undefined>;
  /** Puts a small file in place, durable. */
  writeText(name: string, text: string): Promise<void>;
  /** Adds to a small file, which may lose its end in a crash. */
  appendText(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Removes the folder if it is empty. */
  removeFolder(): Promise<void>;
}

export interface ArchiveShelf {
  /** Where it is, for messages. */
  readonly place: string;
  folder(name: string): ArchiveFolder;
  folderNames(): Promise<readonly string[]>;
}

/** The system did not let a file be written or read. The message says which, why, what to do. */
export class ArchiveFault extends Error {
  override readonly name = "ArchiveFault";
}

/** What is in a file is not what was written. */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";
}
