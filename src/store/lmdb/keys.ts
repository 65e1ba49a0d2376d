/**
 * The key layout of the embedded engine. One environment holds all parts; every key starts with
 * the part, so a part is one contiguous range and a new one costs nothing. Measured in
 * docs/inside/decisions/0003: documents by ascending number and short terms, because what an insert
 * costs is the number of random pages it touches.
 *
 *   part table=0                    → head of the part
 *   part table=1 item key           → number
 *   part table=2 number             → LSN, tag, item key, body
 *   part table=3 term first number  → the further numbers of a block (termBlocks.ts)
 *   part table=5 term number        → nothing: a term got late (termBlocks.ts)
 *   part table=4 LSN number         → kind, item key
 *   part table=6 family             → number of items, bytes of their bodies
 *   part table=7 LSN number         → kind, tag, LSN before, item key, body of a kept version
 *   FFFFFFFF "format"               → version of this layout
 *   FFFFFFFF "segment"              → last absorbed journal segment, its last frame
 *   FFFFFFFF "lease " name          → lease
 *   FFFFFFFF "lost " number         → a range whose entries damage has taken (lostRanges.ts)
 *
 * Every value but those of terms ends with a checksum (seal.ts).
 */
import { lsn } from "../../base/units.ts";
import { decodeNumber, encodeNumber } from "../bytes.ts";
import type { TableName } from "../memory/layer.ts";
import type { KeptVersion, Lease, LogKind, StoredItem, Tally } from "../partitionStore.ts";

export const HEAD_TABLE = 0;
export const KEY_TABLE = 1;
export const LATE_TERMS_TABLE = 5;
const TABLES: Readonly<Record<TableName, number>> = {
  items: 2,
  terms: 3,
  log: 4,
  tallies: 6,
  versions: 7,
};
const LOG_KINDS: readonly LogKind[] = ["created", "replaced", "deleted", "expired"];

/** Above every part but the last there can be. */
export const PARTS_END = "\xff\xff\xff\xff";
export const FORMAT_KEY: string = `${PARTS_END}format`;
/** Of everything in this file and of what the values hold. */
export const FORMAT = "3";
/** The same without tallies. */
export const UNTALLIED_FORMAT = "3 without tallies";
/** Formats whose values have no checksums, and what they become. */
export const UNSEALED_FORMATS: Readonly<Record<string, string>> = {
  "1": UNTALLIED_FORMAT,
  "2": FORMAT,
};
export const SEGMENT_KEY: string = `${PARTS_END}segment`;
export const LEASE_PREFIX: string = `${PARTS_END}lease `;
export const LOST_PREFIX: string = `${PARTS_END}lost `;
/** Fixed fields before the item key and the body: LSN, tag, key length. */
const ITEM_HEADER_BYTES = 8 + 4 + 2;
/** Fixed fields of a kept version before its key: kind, tag, LSN before, key length. */
const VERSION_HEADER_BYTES = 1 + 4 + 8 + 2;

export function tablePrefix(part: number, table: TableName): string {
  return prefixOf(part, TABLES[table]);
}

/** Four bytes of part, one of table. */
export function prefixOf(part: number, table: number): string {
  return String.fromCharCode(
    part >>> 24,
    (part >>> 16) & 255,
    (part >>> 8) & 255,
    part & 255,
    table,
  );
}

export const PREFIX_BYTES = 5;

/** Is it a record of the store itself? Their names start with letters, beyond every table. */
export function isStoreKey(key: string): boolean {
  return key.startsWith(PARTS_END) && key.charCodeAt(PREFIX_BYTES - 1) >= 0x20;
}

export function partPrefix(part: number): string {
  return String.fromCharCode(part >>> 24, (part >>> 16) & 255, (part >>> 8) & 255, part & 255);
}

export function partOfKey(key: string): number {
  return decodeNumber(`\x00\x00\x00\x00${key.slice(0, 4)}`, 0);
}

/** `roomBytes` are left at the end. */
export function encodeItem(item: StoredItem, roomBytes = 0): Buffer {
  const { key, body } = item;
  const bytes = Buffer.allocUnsafe(ITEM_HEADER_BYTES + key.length + body.length + roomBytes);
  bytes.writeDoubleLE(item.lsn, 0);
  bytes.writeInt32LE(item.tag, 8);
  bytes.writeUInt16LE(key.length, 12);
  bytes.write(key, ITEM_HEADER_BYTES, "latin1");
  bytes.set(body, ITEM_HEADER_BYTES + key.length);
  return bytes;
}

export function decodeItem(number: number, bytes: Buffer): StoredItem {
  const bodyAt = ITEM_HEADER_BYTES + bytes.readUInt16LE(12);
  return {
    key: bytes.toString("latin1", ITEM_HEADER_BYTES, bodyAt),
    number,
    lsn: lsn(bytes.readDoubleLE(0)),
    tag: bytes.readInt32LE(8),
    body: bytes.subarray(bodyAt),
  };
}

export function encodeChange(kind: LogKind, key: string): Buffer {
  return Buffer.from(String.fromCharCode(LOG_KINDS.indexOf(kind)) + key, "latin1");
}

export function decodeChange(bytes: Buffer): { kind: LogKind; key: string } {
  return { kind: LOG_KINDS[bytes[0]!]!, key: bytes.toString("latin1", 1) };
}

export function encodeVersion({ kind, tag, previousLsn, key, body }: KeptVersion): Buffer {
  const bytes = Buffer.allocUnsafe(VERSION_HEADER_BYTES + key.length + body.length);
  bytes.writeUInt8(LOG_KINDS.indexOf(kind), 0);
  bytes.writeInt32LE(tag, 1);
  bytes.writeDoubleLE(previousLsn, 5);
  bytes.writeUInt16LE(key.length, 13);
  bytes.write(key, VERSION_HEADER_BYTES, "latin1");
  bytes.set(body, VERSION_HEADER_BYTES + key.length);
  return bytes;
}

/** `place` is its key without the prefix. */
export function decodeVersion(place: string, bytes: Buffer): KeptVersion {
  const bodyAt = VERSION_HEADER_BYTES + bytes.readUInt16LE(13);
  return {
    lsn: lsn(decodeNumber(place, 0)),
    number: decodeNumber(place, 8),
    kind: LOG_KINDS[bytes[0]!]!,
    key: bytes.toString("latin1", VERSION_HEADER_BYTES, bodyAt),
    tag: bytes.readInt32LE(1),
    previousLsn: lsn(bytes.readDoubleLE(5)),
    body: bytes.subarray(bodyAt),
  };
}

export function encodeTally({ itemCount, itemBytes }: Tally): Buffer {
  const bytes = Buffer.allocUnsafe(16);
  bytes.writeDoubleLE(itemBytes, bytes.writeDoubleLE(itemCount, 0));
  return bytes;
}

export function decodeTally(bytes: Buffer): Tally {
  return { itemCount: bytes.readDoubleLE(0), itemBytes: bytes.readDoubleLE(8) };
}

export function encodeLease(lease: Lease): Buffer {
  return Buffer.from(
    encodeNumber(lease.fencingToken) + encodeNumber(lease.until) + lease.owner,
    "latin1",
  );
}

export function decodeLease(bytes: Buffer): Lease {
  const text = bytes.toString("latin1");
  return {
    fencingToken: decodeNumber(text, 0),
    until: decodeNumber(text, 8),
    owner: text.slice(16),
  };
}
