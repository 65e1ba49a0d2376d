/**
 * Files and standard input as a stream of bytes, unzipped where they are gzip, whatever their name.
 *
 * How far it is, is told in bytes as they lie in the file: of a zipped one nobody knows what it
 * will be. What ends in the middle is no failure: the bytes before it are given, and then a
 * problem.
 */
import { closeSync, createReadStream, openSync, readSync, type Stats, statSync } from "node:fs";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { CommandFailure } from "../terminal/failure.ts";

export interface InputFile {
  /** As the user named it. */
  readonly name: string;
  /** Undefined for standard input. */
  readonly totalBytes: number | undefined;
  /** What it will be unzipped, as far as that can be known; the same if it is not zipped. */
  readonly unzippedBytes: number | undefined;
  /** Bytes that were read from the file so far. */
  readBytes(): number;
  /** Once. Throws an `InputProblem` after the last bytes that could be read. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** The rest cannot be read. */
export class InputProblem extends Error {
  override readonly name = "InputProblem";
}

const CHUNK_BYTES: number = 1024 * 1024;
const UNZIPPED_CHUNK_BYTES: number = 256 * 1024;

/** `-` is standard input. */
export function openInput(name: string): InputFile {
  if (name === "-") return inputOf("standard input", undefined, undefined, process.stdin);
  const stats = statOf(name);
  const { size } = stats;
  if (stats.isFile() && size === 0) throw new CommandFailure(`'${name}' is empty.`);
  // A pipe or a device has no size of its own.
  const total = stats.isFile() ? size : undefined;
  const unzipped = total === undefined ? undefined : unzippedBytesOf(name, total);
  return inputOf(name, total, unzipped, createReadStream(name, { highWaterMark: CHUNK_BYTES }));
}

/** Whether it can be opened again and is the same then: a pipe or a device cannot. */
export function isRepeatable(name: string): boolean {
  return name !== "-" && statOf(name).isFile();
}

function statOf(name: string): Stats {
  try {
    const stats = statSync(name);
    if (!stats.isDirectory()) return stats;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") throw new CommandFailure(`There is no file '${name}'.`);
    throw new CommandFailure(`'${name}' cannot be read: ${(error as Error).message}.`);
  }
  throw new CommandFailure(`'${name}' is a folder; name a file.`);
}

const GIB4 = 2 ** 32;

/** Gzip ends with the number of bytes it becomes, as far as four bytes can say it. */
function unzippedBytesOf(name: string, size: number): number {
  const file = openSync(name, "r");
  try {
    const head = Buffer.alloc(2);
    const tail = Buffer.alloc(4);
    readSync(file, head, 0, 2, 0);
    if (!isGzip(head) || size < 18) return size;
    readSync(file, tail, 0, 4, size - 4);
    let bytes = tail.readUInt32LE();
    while (bytes < size) bytes += GIB4;
    return bytes;
  } finally {
    closeSync(file);
  }
}

function inputOf(
  name: string,
  totalBytes: number | undefined,
  unzippedBytes: number | undefined,
  stream: Readable,
): InputFile {
  let read = 0;
  async function* counted(): AsyncIterable<Uint8Array> {
    for await (const chunk of stream) {
      read += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  }
  return {
    name,
    totalBytes,
    unzippedBytes,
    readBytes: () => read,
    chunks: () => unzipped(counted()),
  };
}

async function* unzipped(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]();
  try {
    const head = await firstBytes(source);
    if (head === undefined) return;
    const all = followed(head, source);
    if (!isGzip(head)) {
      yield* all;
      return;
    }
    const unzip = createGunzip({ chunkSize: UNZIPPED_CHUNK_BYTES });
    const zipped = Readable.from(all);
    zipped.on("error", (error) => unzip.destroy(error));
    zipped.pipe(unzip);
    yield* unzip as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw problemOf(error);
  } finally {
    await source.return?.();
  }
}

/** Two at least, if there are: those by which gzip is known. */
async function firstBytes(source: AsyncIterator<Uint8Array>): Promise<Buffer | undefined> {
  let head = Buffer.alloc(0);
  while (head.length < 2) {
    const next = await source.next();
    if (next.done === true) return head.length === 0 ? undefined : head;
    head = Buffer.concat([head, next.value]);
  }
  return head;
}

async function* followed(
  head: Uint8Array,
  source: AsyncIterator<Uint8Array>,
): AsyncIterable<Uint8Array> {
  yield head;
  for (let next = await source.next(); next.done !== true; next = await source.next()) {
    yield next.value;
  }
}

function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

function problemOf(error: unknown): InputProblem {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "Z_BUF_ERROR") return new InputProblem("the gzip data ends in the middle");
  if (code.startsWith("Z_")) return new InputProblem("the gzip data is damaged from here on");
  return new InputProblem(error instanceof Error ? error.message : String(error));
}
