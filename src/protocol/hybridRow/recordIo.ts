/**
 * RecordIO, the envelope in which rows travel: segments, each a header and any number of records,
 * each of those a header with the length and the CRC-32 of the row behind it.
 *
 * Headers are rows themselves, of two schemas that never change, so they are spelled out here by
 * their bytes. Every length is checked against what is there before anything is cut off, and each
 * step goes forward by a header at least: whatever the bytes are, reading them ends.
 *
 * Not here: what is in a row (`row.ts`). What a segment says beside its length is a comment or a
 * description of the rows; nobody who reads batches needs it, and it is passed over.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";

/** The first byte of every row. No text begins with it: it would not be UTF-8. */
export const ROW_VERSION = 0x81;
/** A row header holds the version and the schema id. */
export const ROW_HEADER_BYTES = 5;

const SEGMENT_ID = 2_147_473_648;
const RECORD_ID = 2_147_473_649;
/** Behind the row header: a byte that says whether there is a length, and the length. */
const SEGMENT_BYTES = ROW_HEADER_BYTES + 5;
/** Behind the row header: length and checksum, which are never absent. */
const RECORD_BYTES = ROW_HEADER_BYTES + 8;

export function isHybridRow(bytes: Buffer): boolean {
  return bytes[0] === ROW_VERSION;
}

/** The rows of all segments, in order; they share the memory of `bytes`. */
export function readRecords(bytes: Buffer): Result<readonly Buffer[], string> {
  const rows: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const rest = bytes.subarray(at);
    const refuse = (problem: string): Result<never, string> => no(`At byte ${at}, ${problem}`);
    if (rest.length < SEGMENT_BYTES) return refuse("it ends inside a header.");
    if (rest[0] !== ROW_VERSION) return refuse("there should be a header, and is none.");
    const schemaId = rest.readInt32LE(1);
    if (schemaId === SEGMENT_ID) {
      const segmentBytes = segmentBytesOf(rest);
      if (segmentBytes === undefined) return refuse("a segment has no length that it can have.");
      at += segmentBytes;
    } else if (schemaId === RECORD_ID && at > 0) {
      const row = rowOf(rest);
      if (!row.ok) return refuse(row.error);
      rows.push(row.value);
      at += RECORD_BYTES + row.value.length;
    } else {
      const expected = at === 0 ? "a segment" : "a segment or a record";
      return refuse(`there should be ${expected}, not a row of schema ${schemaId}.`);
    }
  }
  return ok(rows);
}

function segmentBytesOf(rest: Buffer): number | undefined {
  const hasLength = (rest[ROW_HEADER_BYTES]! & 1) === 1;
  const length = rest.readInt32LE(ROW_HEADER_BYTES + 1);
  return hasLength && length >= SEGMENT_BYTES && length <= rest.length ? length : undefined;
}

function rowOf(rest: Buffer): Result<Buffer, string> {
  if (rest.length < RECORD_BYTES) return no("it ends inside a header.");
  const length = rest.readInt32LE(ROW_HEADER_BYTES);
  if (length < 0 || length > rest.length - RECORD_BYTES) {
    return no(`a record claims to have ${length} bytes, and has ${rest.length - RECORD_BYTES}.`);
  }
  const row = rest.subarray(RECORD_BYTES, RECORD_BYTES + length);
  return rest.readUInt32LE(ROW_HEADER_BYTES + 4) === crc32(row)
    ? ok(row)
    : no("a record does not have the checksum that its header names.");
}

/** One segment with these rows. */
export function writeRecords(rows: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [SEGMENT];
  for (const row of rows) {
    const header = Buffer.alloc(RECORD_BYTES);
    writeRowHeader(header, RECORD_ID);
    header.writeInt32LE(row.length, ROW_HEADER_BYTES);
    header.writeUInt32LE(crc32(row), ROW_HEADER_BYTES + 4);
    parts.push(header, row);
  }
  return Buffer.concat(parts);
}

export function writeRowHeader(bytes: Buffer, schemaId: number): void {
  bytes.writeUInt8(ROW_VERSION, 0);
  bytes.writeInt32LE(schemaId, 1);
}

/** The header of a segment that says nothing but how long it is itself. */
const SEGMENT: Buffer = Buffer.alloc(SEGMENT_BYTES);
writeRowHeader(SEGMENT, SEGMENT_ID);
SEGMENT.writeUInt8(1, ROW_HEADER_BYTES);
SEGMENT.writeInt32LE(SEGMENT_BYTES, ROW_HEADER_BYTES + 1);

/** The remainder of each byte by the polynomial that Ethernet and gzip use, bits reversed. */
const REMAINDERS: Uint32Array = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) {
    remainder = (remainder >>> 1) ^ ((remainder & 1) === 1 ? 0xedb88320 : 0);
  }
  return remainder;
});

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ REMAINDERS[(crc ^ byte) & 0xff]!;
  return (crc ^ 0xffffffff) >>> 0;
}
