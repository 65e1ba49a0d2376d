/**
 * The journal: commits on disk, in order, before they are anywhere else.
 *
 * It is a row of segment files. A segment starts with a header that names its first frame; frames
 * follow, each with length, checksum and a number that grows by one through all segments. A frame
 * is written and made durable in one step, and the next one starts only after that, so a power cut
 * can damage the last frame only. Recovery therefore accepts exactly this: a bad end of a segment,
 * if the next segment goes on with the very next frame or there is none, and if more than one bit
 * is wrong. Anything else is damage: the store refuses to open, naming file and offset.
 *
 * A full disk refuses a frame and may have kept it all the same. The writer goes on in a new
 * segment, under the number of the refused frame; a segment's header thus says which frames of the
 * segments before it never were.
 *
 * A segment is immutable once the next one exists; whoever absorbs it reads it from the disk.
 */
import { crc32 } from "node:zlib";
import { assert } from "../../base/assert.ts";
import type { Bottom } from "../bottom.ts";
import type { Disk, DiskFile } from "../disk.ts";
import { StoreFault } from "../partitionStore.ts";
import { changedBit } from "./oneBit.ts";

const MAGIC = "ORRERYJ1";
const HEADER_BYTES = 8 + 8 + 8 + 4;
const FRAME_HEADER_BYTES = 4 + 4 + 8;
/** Longer than any frame we write; a length above it is damage, not a frame. */
const FRAME_BYTES_MAX = 1 << 30;

/** Where a frame's records are inside the buffer they were read into or written from. */
export interface FrameView {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

export interface SealedSegment {
  readonly segment: number;
  /** The number of the first frame that is not in it. */
  readonly frameEnd: number;
}

export interface SegmentFrames extends SealedSegment {
  readonly frames: readonly FrameView[];
}

/** What lies in a segment behind its last whole frame; a power cut or a full disk left it. */
export interface DroppedTail {
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
}

/** What opening a journal finds. */
export interface OpenedJournal {
  readonly journal: Journal;
  readonly found: readonly SegmentFrames[];
  readonly dropped: readonly DroppedTail[];
}

/** A new frame, to be filled from `start` on; `Journal.append` completes its header. */
export function newFrame(recordBytes: number): FrameView {
  const bytes = Buffer.allocUnsafeSlow(FRAME_HEADER_BYTES + recordBytes);
  return { bytes, start: FRAME_HEADER_BYTES, end: bytes.length };
}

export function segmentName(segment: number): string {
  return `${String(segment).padStart(10, "0")}.journal`;
}

export class Journal {
  readonly #disk: Disk;
  #segment: number;
  #nextFrame: number;
  #file: DiskFile | undefined;
  #segmentBytes = 0;
  #isTorn = false;

  private constructor(disk: Disk, segment: number, nextFrame: number) {
    this.#disk = disk;
    this.#segment = segment;
    this.#nextFrame = nextFrame;
  }

  /**
   * Reads every segment after the absorbed one, removes those up to it, and goes on in a new
   * segment, which is made with the first append.
   */
  static async open(
    disk: Disk,
    { absorbedSegment, absorbedFrame }: Pick<Bottom, "absorbedSegment" | "absorbedFrame">,
  ): Promise<OpenedJournal> {
    const names = (await disk.names()).filter((name) => name.endsWith(".journal"));
    const segments = names.map((name) => Number.parseInt(name, 10)).sort((a, b) => a - b);
    const found: SegmentFrames[] = [];
    const dropped: DroppedTail[] = [];
    let expected = absorbedFrame + 1;
    let endOfPrevious = `the tables hold everything up to frame ${absorbedFrame}`;
    let last = absorbedSegment;
    for (const segment of segments) {
      last = Math.max(last, segment);
      if (segment <= absorbedSegment) {
        await disk.remove(segmentName(segment));
        continue;
      }
      const file = segmentName(segment);
      const bytes = await disk.read(file);
      const read = readSegment(segment, bytes);
      const offset = read?.wholeBytes ?? 0;
      if (offset < bytes.length) dropped.push({ file, offset, bytes: bytes.length - offset });
      if (read === undefined) {
        await disk.remove(segmentName(segment));
        continue;
      }
      const previous = found.at(-1);
      if (read.firstFrame === expected - 1 && previous !== undefined) {
        found[found.length - 1] = cutAt(previous, read.firstFrame);
        expected = read.firstFrame;
      }
      if (read.firstFrame !== expected) {
        throw new StoreFault(
          `journal damaged: ${segmentName(segment)} goes on with frame ${read.firstFrame}, but ` +
            `frame ${expected} is missing (${endOfPrevious}). Restore a backup, or move ` +
            "the later journal files away to go back to the state before the damage.",
        );
      }
      expected = read.firstFrame + read.frames.length;
      found.push({ segment, frames: read.frames, frameEnd: expected });
      endOfPrevious = endOf(segment, read.wholeBytes);
    }
    return { journal: new Journal(disk, last, expected), found, dropped };
  }

  /** Writes a frame made by `newFrame`; durable when the promise resolves. One at a time. */
  async append(frame: FrameView): Promise<void> {
    const { bytes, start } = frame;
    assert(start === FRAME_HEADER_BYTES, "not a frame made by newFrame");
    assert(!this.#isTorn, "the segment was torn by a failed append");
    if (this.#file === undefined) await this.#startSegment();
    bytes.writeUInt32LE(bytes.length - FRAME_HEADER_BYTES, 0);
    bytes.writeDoubleLE(this.#nextFrame, 8);
    bytes.writeUInt32LE(crc32(bytes.subarray(8)) >>> 0, 4);
    try {
      await this.#file!.append(bytes);
    } catch (error) {
      // The frame may be there in part. The segment ends before it, and the next one goes on with
      // the same frame number, which is how recovery knows that nothing is missing.
      this.#isTorn = true;
      throw error;
    }
    this.#nextFrame++;
    this.#segmentBytes += bytes.length;
  }

  /** True after a failed append: the segment must be sealed before the next one. */
  get isTorn(): boolean {
    return this.#isTorn;
  }

  /** Bytes in the segment being written; 0 when the next append starts a new one. */
  get segmentBytes(): number {
    return this.#segmentBytes;
  }

  /** Where the next frame goes, or the one that failed went. */
  get place(): { readonly file: string; readonly offset: number } {
    return { file: segmentName(this.#segment), offset: this.#segmentBytes };
  }

  /**
   * Ends the segment being written. It is sealed at once; `closed` tells what the disk thinks of
   * that, which matters to later writes and to nothing in the segment.
   */
  seal(): { readonly sealed: SealedSegment; readonly closed: Promise<void> } {
    assert(this.#file !== undefined, "there is no segment to seal");
    const file = this.#file;
    this.#file = undefined;
    this.#segmentBytes = 0;
    this.#isTorn = false;
    return {
      sealed: { segment: this.#segment, frameEnd: this.#nextFrame },
      closed: file.close(),
    };
  }

  async remove(segment: number): Promise<void> {
    await this.#disk.remove(segmentName(segment));
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  async #startSegment(): Promise<void> {
    this.#segment++;
    const header = Buffer.alloc(HEADER_BYTES);
    header.write(MAGIC, 0, "latin1");
    header.writeDoubleLE(this.#segment, 8);
    header.writeDoubleLE(this.#nextFrame, 16);
    header.writeUInt32LE(crc32(header.subarray(0, 24)) >>> 0, 24);
    this.#file = await this.#disk.create(segmentName(this.#segment), header);
    this.#segmentBytes = HEADER_BYTES;
  }
}

function cutAt({ segment, frames, frameEnd }: SegmentFrames, end: number): SegmentFrames {
  const keptCount = Math.max(0, frames.length - (frameEnd - end));
  return { segment, frames: frames.slice(0, keptCount), frameEnd: end };
}

/** The frames that were sealed in a segment: one more may lie there, one less is damage. */
export function sealedFrames(
  { segment, frameEnd }: SealedSegment,
  bytes: Buffer,
): readonly FrameView[] {
  const read = readSegment(segment, bytes);
  if (read === undefined) throw new StoreFault(`${segmentName(segment)} is unreadable`);
  const count = frameEnd - read.firstFrame;
  if (read.frames.length < count) {
    const end = endOf(segment, read.wholeBytes);
    throw new StoreFault(`journal damaged: ${end}, but frames up to ${frameEnd - 1} were written.`);
  }
  return read.frames.slice(0, count);
}

/**
 * The frames of one segment, up to the first that is not whole. `undefined` when not even the
 * header is whole and no frame follows: the segment was being made when the power went.
 */
export function readSegment(
  segment: number,
  bytes: Buffer,
): { firstFrame: number; frames: FrameView[]; wholeBytes: number } | undefined {
  const isWhole =
    bytes.length >= HEADER_BYTES &&
    bytes.toString("latin1", 0, 8) === MAGIC &&
    bytes.readUInt32LE(24) === crc32(bytes.subarray(0, 24)) >>> 0 &&
    bytes.readDoubleLE(8) === segment;
  if (!isWhole) {
    if (!hasLaterFrame(bytes, HEADER_BYTES - 1, 0)) return undefined;
    throw new StoreFault(
      `journal damaged: ${segmentName(segment)} has no valid header. Restore a backup.`,
    );
  }
  const firstFrame = bytes.readDoubleLE(16);
  const frames: FrameView[] = [];
  let at = HEADER_BYTES;
  while (at < bytes.length) {
    const end = frameEnd(bytes, at, firstFrame + frames.length);
    if (end === undefined) break;
    frames.push({ bytes, start: at + FRAME_HEADER_BYTES, end });
    at = end;
  }
  if (at < bytes.length && hasLaterFrame(bytes, at, firstFrame + frames.length)) {
    throw new StoreFault(
      `journal damaged: ${segmentName(segment)} is unreadable at offset ${at}, and acknowledged ` +
        "writes follow. Restore a backup.",
    );
  }
  if (at < bytes.length && isOneBitOff(bytes, at, firstFrame + frames.length)) {
    throw new StoreFault(
      `journal damaged: the last frame of ${segmentName(segment)}, at offset ${at}, was whole ` +
        "and one bit of it has changed. Restore a backup, or cut the file off at that offset to " +
        "go on without the writes of that frame.",
    );
  }
  return { firstFrame, frames, wholeBytes: at };
}

function endOf(segment: number, wholeBytes: number): string {
  return `${segmentName(segment)} is whole up to offset ${wholeBytes}`;
}

/** The offset behind the frame at `at`, or `undefined` when it is not whole and the next due. */
function frameEnd(bytes: Buffer, at: number, number: number): number | undefined {
  if (at + FRAME_HEADER_BYTES > bytes.length) return undefined;
  const end = at + FRAME_HEADER_BYTES + bytes.readUInt32LE(at);
  if (end > bytes.length || end - at > FRAME_BYTES_MAX) return undefined;
  if (bytes.readDoubleLE(at + 8) !== number) return undefined;
  if (bytes.readUInt32LE(at + 4) !== crc32(bytes.subarray(at + 8, end)) >>> 0) return undefined;
  return end;
}

/** Longer frames are not tried: the more bits there are, the likelier a torn end looks like it. */
const ONE_BIT_BYTES_MAX = 1 << 20;

/**
 * A power cut leaves out sectors of the last frame, or its end. If a single changed bit explains
 * why the frame is not whole, it was written to its end and acknowledged: that is rot.
 */
function isOneBitOff(bytes: Buffer, at: number, number: number): boolean {
  if (at + FRAME_HEADER_BYTES > bytes.length) return false;
  const end = at + FRAME_HEADER_BYTES + bytes.readUInt32LE(at);
  if (end <= bytes.length && end - at <= ONE_BIT_BYTES_MAX) {
    const [noted, found] = [bytes.readUInt32LE(at + 4), crc32(bytes.subarray(at + 8, end))];
    if (isPowerOfTwo((noted ^ found) >>> 0)) return true;
    if (changedBit(noted, found, end - at - 8) !== undefined) return true;
  }
  // The length may be what has changed.
  const header = Buffer.from(bytes.subarray(at, at + 4));
  const rest = bytes.subarray(at);
  for (let bit = 0; bit < 32; bit++) {
    const mended = (header.readUInt32LE(0) ^ (1 << bit)) >>> 0;
    const frameBytes = FRAME_HEADER_BYTES + mended;
    if (frameBytes > rest.length || rest.readDoubleLE(8) !== number) continue;
    if (rest.readUInt32LE(4) === crc32(rest.subarray(8, frameBytes))) return true;
  }
  return false;
}

function isPowerOfTwo(value: number): boolean {
  return value !== 0 && (value & (value - 1)) === 0;
}

/**
 * Is there a whole frame behind a bad one? A power cut cannot leave that, rot can. The bad frame's
 * length may be what is damaged, so every offset is tried; number and checksum make a false hit
 * impossible in practice, and only a damaged file is ever searched.
 */
function hasLaterFrame(bytes: Buffer, from: number, dueFrame: number): boolean {
  for (let at = from + 1; at + FRAME_HEADER_BYTES <= bytes.length; at++) {
    const number = bytes.readDoubleLE(at + 8);
    if (!Number.isSafeInteger(number) || number <= dueFrame) continue;
    if (frameEnd(bytes, at, number) !== undefined) return true;
  }
  return false;
}
