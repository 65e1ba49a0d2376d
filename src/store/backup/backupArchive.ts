/**
 * A backup as one file: the files of a data directory one after the other, in frames that each
 * prove themselves, so that damage is found where it is. The format is in docs/operate/backup.md.
 *
 *   "ORRERYB1"
 *   frame: kind (1 byte), number (4), length (4), crc32 of these and the payload (4), payload
 *
 * Numbers are little-endian and count frames from 0. The first frame is the manifest, the last one
 * the SHA-256 of every byte before it; between them each frame is a piece of one file.
 *
 * Not here: what belongs into a backup (`backup.ts`), and where its bytes go.
 */
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { assert } from "../../base/assert.ts";

export interface ArchivedFile {
  /** With a slash between folder and name, on every system. */
  readonly name: string;
  readonly bytes: number;
}

export interface Manifest {
  readonly format: number;
  /** Of the program that wrote it. */
  readonly version: string;
  /** When it was begun, in milliseconds since 1970. */
  readonly at: number;
  readonly files: readonly ArchivedFile[];
}

export type ArchivePiece =
  | { readonly kind: "manifest"; readonly manifest: Manifest }
  | {
      readonly kind: "data";
      readonly file: ArchivedFile;
      readonly offset: number;
      readonly bytes: Buffer;
    }
  | { readonly kind: "end"; readonly digest: string };

/** What is read is no backup, or not the one that was written. */
export class ArchiveDamage extends Error {
  override readonly name = "ArchiveDamage";
}

export const ARCHIVE_FORMAT = 1;
/** A piece is digested in less than a millisecond, and others want the thread, too. */
export const PIECE_BYTES: number = 256 * 1024;

const MAGIC = Buffer.from("ORRERYB1", "latin1");
const MANIFEST = 1;
const DATA = 2;
const END = 3;
const HEADER_BYTES = 1 + 4 + 4 + 4;
const DIGEST_BYTES = 32;
/** Of a hundred thousand files; a longer one is damage. */
const MANIFEST_BYTES_MAX = 16 * 1024 * 1024;
/** All that a backup holds. Names come from outside and become paths. */
const FILE_NAME = /^(tables\/data\.mdb|journal\/\d{10,16}\.journal)$/;

/** How long the archive of a manifest is. */
export function archiveBytesOf(manifest: Manifest): number {
  let total = MAGIC.length + HEADER_BYTES + Buffer.byteLength(JSON.stringify(manifest));
  for (const { bytes } of manifest.files) {
    total += bytes + HEADER_BYTES * Math.ceil(bytes / PIECE_BYTES);
  }
  return total + HEADER_BYTES + DIGEST_BYTES;
}

/** The archive, piece by piece. `open` gives a file in pieces of `PIECE_BYTES` but for the last. */
export async function* writeArchive(
  manifest: Manifest,
  open: (file: ArchivedFile) => AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  const digest = createHash("sha256");
  let number = 0;
  const frame = (kind: number, payload: Buffer): readonly Buffer[] => {
    const header = headerOf(kind, number++, payload);
    if (kind !== END) digest.update(header).update(payload);
    return [header, payload];
  };
  digest.update(MAGIC);
  yield MAGIC;
  yield* frame(MANIFEST, Buffer.from(JSON.stringify(manifest)));
  for (const file of manifest.files) {
    let written = 0;
    for await (const piece of open(file)) {
      written += piece.length;
      const isFull = piece.length === PIECE_BYTES || written === file.bytes;
      assert(isFull && piece.length > 0, `${file.name} comes in pieces of another length`);
      yield* frame(DATA, piece);
    }
    if (written !== file.bytes) {
      throw new ArchiveDamage(`${file.name} has ${written} bytes instead of ${file.bytes}`);
    }
  }
  yield* frame(END, digest.digest());
}

function headerOf(kind: number, number: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt8(kind, 0);
  header.writeUInt32LE(number, 1);
  header.writeUInt32LE(payload.length, 5);
  header.writeUInt32LE(checksumOf(header, payload), 9);
  return header;
}

function checksumOf(header: Buffer, payload: Buffer): number {
  return crc32(payload, crc32(header.subarray(0, 9))) >>> 0;
}

/**
 * Reads an archive to its end and throws `ArchiveDamage`, with the place, unless everything in it
 * is as it was written. Data comes in the order of the manifest. What was given out before is right
 * by its own checksum; only the end says that all of it belongs together.
 */
export async function* readArchive(
  source: AsyncIterable<Buffer>,
): AsyncGenerator<ArchivePiece, void, undefined> {
  const input = new Input(source);
  try {
    yield* piecesIn(input);
  } finally {
    await input.close();
  }
}

async function* piecesIn(input: Input): AsyncGenerator<ArchivePiece, void, undefined> {
  const magic = await input.take(MAGIC.length);
  if (!magic?.equals(MAGIC)) {
    throw new ArchiveDamage("this is no backup: it does not begin with ORRERYB1");
  }
  const digest = createHash("sha256").update(magic);
  const first = await nextFrame(input, 0, "the manifest");
  digest.update(first.header).update(first.payload);
  const manifest = manifestIn(first);
  yield { kind: "manifest", manifest };
  let number = 1;
  for (const file of manifest.files) {
    for (let offset = 0; offset < file.bytes; number++) {
      const place = `${file.name} at ${offset}`;
      const at = input.offset;
      const { kind, header, payload } = await nextFrame(input, number, place);
      const length = Math.min(PIECE_BYTES, file.bytes - offset);
      if (kind !== DATA || payload.length !== length) throw damageAt(at, place, "no such piece");
      digest.update(header).update(payload);
      yield { kind: "data", file, offset, bytes: payload };
      offset += length;
    }
  }
  yield { kind: "end", digest: await endOf(input, number, digest.digest()) };
}

async function endOf(input: Input, number: number, digest: Buffer): Promise<string> {
  const at = input.offset;
  const { kind, payload } = await nextFrame(input, number, "the end");
  if (kind !== END) throw damageAt(at, "the end", "something else is there");
  if (!payload.equals(digest)) {
    throw damageAt(at, "the end", "the checksum of the whole is another");
  }
  if ((await input.take(1)) !== undefined) {
    throw damageAt(input.offset - 1, "the end", "something follows");
  }
  return payload.toString("hex");
}

interface Frame {
  readonly kind: number;
  readonly header: Buffer;
  readonly payload: Buffer;
}

async function nextFrame(input: Input, number: number, place: string): Promise<Frame> {
  const at = input.offset;
  const header = await input.take(HEADER_BYTES);
  if (header === undefined) throw cutOff(input, place);
  const kind = header.readUInt8(0);
  const length = header.readUInt32LE(5);
  const lengthMax = kind === MANIFEST ? MANIFEST_BYTES_MAX : PIECE_BYTES;
  if (header.readUInt32LE(1) !== number || length > lengthMax) {
    throw damageAt(at, place, "another frame is there");
  }
  const payload = await input.take(length);
  if (payload === undefined) throw cutOff(input, place);
  if (header.readUInt32LE(9) !== checksumOf(header, payload)) {
    throw damageAt(at, place, "the checksum does not fit");
  }
  return { kind, header, payload };
}

function manifestIn({ kind, payload }: Frame): Manifest {
  const damage = (what: string): ArchiveDamage => damageAt(MAGIC.length, "the manifest", what);
  if (kind !== MANIFEST) throw damage("something else is there");
  const manifest = parsed(payload);
  if (manifest?.format !== ARCHIVE_FORMAT) {
    throw new ArchiveDamage(
      `the backup has format ${manifest?.format}; this version reads ${ARCHIVE_FORMAT}. Use the ` +
        "version that wrote it",
    );
  }
  const { version, at, files } = manifest;
  if (typeof version !== "string" || typeof at !== "number" || !Array.isArray(files)) {
    throw damage("it lacks what it should say");
  }
  const isFile = ({ name, bytes }: Partial<ArchivedFile>): boolean =>
    typeof name === "string" && FILE_NAME.test(name) && Number.isSafeInteger(bytes) && bytes! >= 0;
  const names = new Set(files.filter(isFile).map(({ name }) => name));
  if (names.size < files.length) throw damage("it names files that no backup has");
  return { format: ARCHIVE_FORMAT, version, at, files };
}

function parsed(payload: Buffer): Partial<Manifest> | undefined {
  try {
    return JSON.parse(payload.toString()) as Partial<Manifest>;
  } catch {
    return undefined;
  }
}

function damageAt(offset: number, place: string, what: string): ArchiveDamage {
  return new ArchiveDamage(`damaged at byte ${offset}, where ${place} should be: ${what}`);
}

function cutOff({ offset }: Input, place: string): ArchiveDamage {
  return new ArchiveDamage(`cut off at byte ${offset}, where ${place} should be`);
}

/** Bytes in the lengths in which they are asked for. */
class Input {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  /** Of the next byte; behind the last one once something was asked for that is not there. */
  offset = 0;

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** `undefined` when there are not so many left. */
  async take(count: number): Promise<Buffer | undefined> {
    const parts = [this.#rest];
    let held = this.#rest.length;
    while (held < count) {
      const { value, done } = await this.#chunks.next();
      if (done === true) {
        this.offset += held;
        this.#rest = Buffer.alloc(0);
        return undefined;
      }
      parts.push(value);
      held += value.length;
    }
    const all = parts.length === 1 ? this.#rest : Buffer.concat(parts);
    this.#rest = all.subarray(count);
    this.offset += count;
    return all.subarray(0, count);
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
