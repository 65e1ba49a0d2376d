/** From the file of a backup to the files in it, each proven by its checksum. */
import { createReadStream } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { checkRoom, NoRoom } from "../../store/backup/backup.ts";
import type { ArchivePiece, Manifest } from "../../store/backup/backupArchive.ts";
import { ArchiveDamage, readArchive } from "../../store/backup/backupArchive.ts";
import { syncDirectory } from "../../store/disk.ts";
import { CommandFailure } from "../terminal/failure.ts";

export interface ReadBackup {
  readonly manifest: Manifest;
  /** SHA-256 of all that comes before it, in hexadecimal digits. */
  readonly digest: string;
}

type OnBytes = (doneBytes: number, totalBytes: number) => void;

/** Reads a backup to its end. Throws a `CommandFailure` that names the place when it is damaged. */
export async function verifyBackup(file: string, onBytes: OnBytes): Promise<ReadBackup> {
  return walk(file, onBytes, async () => undefined);
}

/**
 * Writes the files of a backup into a directory that is there, synced. After a failure some of them
 * may be there: only the end proves the whole.
 */
export async function extractBackup(
  file: string,
  directory: string,
  onBytes: OnBytes,
): Promise<ReadBackup> {
  const writer = new FileWriter(directory);
  try {
    const read = await walk(file, onBytes, (piece) => writer.take(piece));
    await writer.end();
    return read;
  } finally {
    await writer.close();
  }
}

async function walk(
  file: string,
  onBytes: OnBytes,
  take: (piece: ArchivePiece) => Promise<void>,
): Promise<ReadBackup> {
  let manifest: Manifest | undefined;
  let [done, total] = [0, 0];
  try {
    for await (const piece of readArchive(createReadStream(file, { highWaterMark: 1 << 20 }))) {
      await take(piece);
      if (piece.kind === "manifest") {
        manifest = piece.manifest;
        total = bytesIn(manifest);
      } else if (piece.kind === "data") {
        done += piece.bytes.length;
        onBytes(done, total);
      } else if (manifest !== undefined) return { manifest, digest: piece.digest };
    }
  } catch (error) {
    throw failureOf(error, file);
  }
  throw new CommandFailure(`${file} has no end.`);
}

function bytesIn({ files }: Manifest): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

function failureOf(error: unknown, file: string): unknown {
  if (error instanceof ArchiveDamage) return new CommandFailure(`${file}: ${error.message}.`);
  if (error instanceof NoRoom) return new CommandFailure(error.message);
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return new CommandFailure(`There is no file ${file}.`);
  return error;
}

class FileWriter {
  readonly #directory: string;
  readonly #folders = new Set<string>();
  #name = "";
  #handle: FileHandle | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async take(piece: ArchivePiece): Promise<void> {
    if (piece.kind === "manifest") await checkRoom(this.#directory, bytesIn(piece.manifest));
    if (piece.kind !== "data") return;
    if (piece.file.name !== this.#name) await this.#start(piece.file.name);
    const { bytes } = piece;
    for (let at = 0; at < bytes.length; ) {
      at += (await this.#handle!.write(bytes, at)).bytesWritten;
    }
  }

  async end(): Promise<void> {
    await this.#finish();
    for (const folder of this.#folders) await syncDirectory(folder);
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
  }

  async #start(name: string): Promise<void> {
    await this.#finish();
    const path = join(this.#directory, name);
    const folder = dirname(path);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    this.#folders.add(folder);
    this.#handle = await open(path, "wx", 0o600);
    this.#name = name;
  }

  async #finish(): Promise<void> {
    await this.#handle?.sync();
    await this.close();
  }
}
