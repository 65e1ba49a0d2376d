/**
 * One segment file of the journal: how it is laid out, and what can be read of it.
 *
 *   header: "ORRERYJ1", number of the segment (8 bytes), number of its first frame (8), crc32 (4)
 *   frame: length of the records (4), crc32 of what follows (4), number of the frame (8), records
 *
 * A frame is written and made durable in one step, and the next one starts only after that, so a
 * power cut can damage the last frame of a segment only. `readSegment` tells such an end from
 * damage: behind damage there is a whole frame, or one changed bit explains it.
 *
 * Not here: what the segments of a journal say together (`foundJournal.ts`).
 */
import { crc32 } from "node:zlib";
import { assert } from "../../base/assert.ts";
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

/** A segment that cannot be used as it is. Offsets are those of the first bad frame. */
export type SegmentDamage =
  /** The header is not whole, and frames follow it. */
  | { readonly kind: "headerLost" }
  /** A frame is not whole, and a later one is: acknowledged writes follow. */
  | { readonly kind: "frameLost"; readonly offset: number }
  /** One changed bit explains why the last frame is not whole: it was acknowledged. */
  | { readonly kind: "bitChanged"; readonly offset: number };

/** What one segment file holds. */
type SegmentReading =
  /** No whole header and no frame: the power went while the segment was being made. */
  | { readonly kind: "unmade" }
  | {
      readonly kind: "readable";
      readonly firstFrame: number;
      /** Up to the first that is not whole. */
      readonly frames: readonly FrameView[];
      /** The offset behind the last whole frame. */
      readonly wholeBytes: number;
    }
  | { readonly kind: "damaged"; readonly damage: SegmentDamage };

export function segmentName(segment: number): string {
  return `${String(segment).padStart(10, "0")}.journal`;
}

/** The numbers of the segments among the files of a directory, ascending; others are not ours. */
export function segmentsIn(names: readonly string[]): readonly number[] {
  return names
    .map((name) => ({ name, segment: Number.parseInt(name, 10) }))
    .filter(({ name, segment }) => name === segmentName(segment))
    .map(({ segment }) => segment)
    .sort((a, b) => a - b);
}

/**
 * Frames are cut from blocks of this size. Frames of one segment come after each other and are let
 * go of together, so a block is too; and a block is large enough for the system to take it back,
 * where what is let go of among small ones stays with the process.
 */
const BLOCK_BYTES = 1024 * 1024;

let block: Buffer = Buffer.alloc(0);
let blockAt = 0;

/** A new frame, to be filled from `start` on; `numberFrame` completes its header. */
export function newFrame(recordBytes: number): FrameView {
  const frameBytes = FRAME_HEADER_BYTES + recordBytes;
  if (frameBytes > BLOCK_BYTES / 4) return frameIn(Buffer.allocUnsafeSlow(frameBytes));
  if (blockAt + frameBytes > block.length) {
    block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    blockAt = 0;
  }
  const bytes = block.subarray(blockAt, blockAt + frameBytes);
  blockAt += frameBytes;
  return frameIn(bytes);
}

function frameIn(bytes: Buffer): FrameView {
  return { bytes, start: FRAME_HEADER_BYTES, end: bytes.length };
}

/** Completes the header of a frame made by `newFrame`. */
export function numberFrame({ bytes, start }: FrameView, number: number): void {
  assert(start === FRAME_HEADER_BYTES, "not a frame made by newFrame");
  bytes.writeUInt32LE(bytes.length - FRAME_HEADER_BYTES, 0);
  bytes.writeDoubleLE(number, 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(8)) >>> 0, 4);
}

/** What a new segment starts with. */
export function segmentHeader(segment: number, firstFrame: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(MAGIC, 0, "latin1");
  header.writeDoubleLE(segment, 8);
  header.writeDoubleLE(firstFrame, 16);
  header.writeUInt32LE(crc32(header.subarray(0, 24)) >>> 0, 24);
  return header;
}

export function readSegment(segment: number, bytes: Buffer): SegmentReading {
  const isWhole =
    bytes.length >= HEADER_BYTES &&
    bytes.toString("latin1", 0, 8) === MAGIC &&
    bytes.readUInt32LE(24) === crc32(bytes.subarray(0, 24)) >>> 0 &&
    bytes.readDoubleLE(8) === segment;
  if (!isWhole) {
    if (!hasLaterFrame(bytes, HEADER_BYTES - 1, 0)) return { kind: "unmade" };
    return { kind: "damaged", damage: { kind: "headerLost" } };
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
  if (at < bytes.length) {
    const dueFrame = firstFrame + frames.length;
    if (hasLaterFrame(bytes, at, dueFrame)) {
      return { kind: "damaged", damage: { kind: "frameLost", offset: at } };
    }
    if (isOneBitOff(bytes, at, dueFrame)) {
      return { kind: "damaged", damage: { kind: "bitChanged", offset: at } };
    }
  }
  return { kind: "readable", firstFrame, frames, wholeBytes: at };
}

/** The frames that were sealed in a segment: one more may lie there, one less is damage. */
export function sealedFrames(
  { segment, frameEnd }: SealedSegment,
  bytes: Buffer,
): readonly FrameView[] {
  const read = readSegment(segment, bytes);
  if (read.kind === "damaged") throw new StoreFault(segmentDamageText(segment, read.damage));
  if (read.kind === "unmade") throw new StoreFault(`${segmentName(segment)} is unreadable`);
  const count = frameEnd - read.firstFrame;
  if (read.frames.length < count) {
    throw new StoreFault(
      `journal damaged: ${segmentName(segment)} is whole up to offset ${read.wholeBytes}, but ` +
        `frames up to ${frameEnd - 1} were written.`,
    );
  }
  return read.frames.slice(0, count);
}

export function segmentDamageText(segment: number, damage: SegmentDamage): string {
  const name = segmentName(segment);
  switch (damage.kind) {
    case "headerLost":
      return `journal damaged: ${name} has no valid header. Restore a backup.`;
    case "frameLost":
      return (
        `journal damaged: ${name} is unreadable at offset ${damage.offset}, and acknowledged ` +
        "writes follow. Restore a backup."
      );
    case "bitChanged":
      return (
        `journal damaged: the last frame of ${name}, at offset ${damage.offset}, was whole ` +
        "and one bit of it has changed. Restore a backup, or cut the file off at that offset to " +
        "go on without the writes of that frame."
      );
  }
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
