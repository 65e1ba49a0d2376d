/**
 * The files of archives on the machine's own disk. A file is written under a temporary name,
 * synced, and only then given its own; the folder is synced after that. So a name means a whole
 * file.
 */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { lstat, open, rename, rm } from "node:fs/promises";
import { PassThrough, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import type { ArchiveReading, ArchiveWriter } from "../../archive/archiveFolder.ts";
import { ArchiveFault, TEMPORARY, UnreadableFile } from "../../archive/archiveFolder.ts";
import { syncDirectory } from "../../store/disk.ts";
import { faultOf, told } from "./told.ts";

/** For its owner alone, as everything of a data directory. */
const MODE = 0o600;
const PIECE_BYTES = 256 * 1024;
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW } = constants;

export async function createCompressed(folder: string, path: string): Promise<ArchiveWriter> {
  const temporary = path + TEMPORARY;
  const handle = await told(temporary, "be made", async () => {
    await rm(temporary, { force: true });
    return open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, MODE);
  });
  return new CompressedFile(handle, { folder, path, temporary });
}

interface Places {
  readonly folder: string;
  readonly path: string;
  readonly temporary: string;
}

class CompressedFile implements ArchiveWriter {
  readonly #handle: FileHandle;
  readonly #places: Places;
  readonly #input = new PassThrough();
  readonly #hash = createHash("sha256");
  readonly #done: Promise<void>;
  #storedBytes = 0;
  #isOver = false;
  /** What the disk said. The pipeline may name what came of it instead: that it was aborted. */
  #failure: unknown;

  constructor(handle: FileHandle, places: Places) {
    this.#handle = handle;
    this.#places = places;
    const store = async (pieces: AsyncIterable<Buffer>): Promise<void> => {
      for await (const piece of pieces) {
        await handle.writeFile(piece).catch((error: unknown) => {
          this.#failure = error;
          throw error;
        });
        this.#hash.update(piece);
        this.#storedBytes += piece.length;
      }
    };
    this.#done = pipeline(this.#input, createGzip(), store).catch((error: unknown) => {
      throw this.#failure ?? error;
    });
    // Whoever writes or publishes is told; nobody else waits for it.
    this.#done.catch(() => undefined);
  }

  write(bytes: Buffer): Promise<void> {
    return told(this.#places.path, "be written", async () => {
      if (this.#input.destroyed) await this.#done;
      if (this.#input.write(bytes)) return;
      // A failure ends the waiting, too.
      const drained = new Promise<void>((resolve) => this.#input.once("drain", resolve));
      await Promise.race([drained, this.#done]);
    });
  }

  publish(): Promise<{ readonly storedBytes: number; readonly sha256: string }> {
    const { folder, path, temporary } = this.#places;
    return told(path, "be written", async () => {
      this.#input.end();
      await this.#done;
      await this.#handle.sync();
      await this.#close();
      await rename(temporary, path);
      await syncDirectory(folder);
      return { storedBytes: this.#storedBytes, sha256: this.#hash.digest("hex") };
    });
  }

  async discard(): Promise<void> {
    if (this.#isOver) return;
    this.#input.destroy();
    await this.#done.catch(() => undefined);
    await this.#close();
    await rm(this.#places.temporary, { force: true });
  }

  async #close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await this.#handle.close();
  }
}

export async function readCompressed(path: string): Promise<ArchiveReading> {
  const handle = await told(path, "be read", () => open(path, O_RDONLY | O_NOFOLLOW));
  const hash = createHash("sha256");
  let storedBytes = 0;
  async function* stored(): AsyncGenerator<Buffer, void, undefined> {
    for (;;) {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(PIECE_BYTES));
      if (bytesRead === 0) return;
      const piece = buffer.subarray(0, bytesRead);
      hash.update(piece);
      storedBytes += bytesRead;
      yield piece;
    }
  }
  async function* chunks(): AsyncGenerator<Buffer, void, undefined> {
    const gunzip = createGunzip();
    const feeding = pipeline(Readable.from(stored()), gunzip);
    feeding.catch(() => undefined);
    try {
      for await (const chunk of gunzip) yield chunk as Buffer;
      await feeding;
    } catch (error) {
      throw isOfCompression(error)
        ? new UnreadableFile(reasonOf(error))
        : faultOf(path, "be read", error);
    } finally {
      gunzip.destroy();
      await feeding.catch(() => undefined);
      await handle.close();
    }
  }
  return { chunks: chunks(), stored: () => ({ storedBytes, sha256: hash.copy().digest("hex") }) };
}

function isOfCompression(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^Z_/.test(String(error.code));
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function bytesOfFile(path: string): Promise<number | undefined> {
  return told(path, "be read", async () => {
    const found = await lstat(path).catch(absent);
    if (found !== undefined && !found.isFile()) throw new ArchiveFault(`${path} is no file.`);
    return found?.size;
  });
}

export function readSmall(path: string, bytesMax: number): Promise<string | undefined> {
  return told(path, "be read", async () => {
    const handle = await open(path, O_RDONLY | O_NOFOLLOW).catch(absent);
    if (handle === undefined) return undefined;
    try {
      const { size } = await handle.stat();
      if (size > bytesMax) throw new ArchiveFault(`${path} has more than ${bytesMax} bytes.`);
      return await handle.readFile("utf8");
    } finally {
      await handle.close();
    }
  });
}

export function writeSmall(folder: string, path: string, text: string): Promise<void> {
  const temporary = path + TEMPORARY;
  return told(path, "be written", async () => {
    await rm(temporary, { force: true });
    const handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, MODE);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
    await syncDirectory(folder);
  });
}

export function appendToFile(path: string, text: string): Promise<void> {
  return told(path, "be written", async () => {
    const handle = await open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, MODE);
    try {
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
  });
}

export function removeFile(folder: string, path: string): Promise<void> {
  return told(path, "be removed", async () => {
    await rm(path, { force: true });
    await syncDirectory(folder).catch(absent);
  });
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT") return undefined;
  throw error;
}
