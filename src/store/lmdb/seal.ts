/**
 * The checksum that a value of the tables carries with it, over its key and itself. It tells which
 * entry of a damaged page is still whole, and it is looked at whenever an item is read.
 *
 * Terms carry none: their entries are so short, and so many, that the checksums of their pages
 * (`pages/`) have to do.
 */
import { crc32 } from "node:zlib";
import { StoreDamage } from "../partitionStore.ts";
import {
  isStoreKey,
  LATE_TERMS_TABLE,
  PARTS_END,
  PREFIX_BYTES,
  partOfKey,
  tablePrefix,
} from "./keys.ts";

export const SEAL_BYTES = 4;

const TERMS_TABLE = tablePrefix(0, "terms").charCodeAt(PREFIX_BYTES - 1);

/** Does an entry with this key carry a checksum? */
export function isSealedKey(key: string): boolean {
  if (isStoreKey(key)) return true;
  const table = key.charCodeAt(PREFIX_BYTES - 1);
  return table !== TERMS_TABLE && table !== LATE_TERMS_TABLE;
}

export function sealed(key: string, value: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(value.length + SEAL_BYTES);
  bytes.set(value);
  bytes.writeInt32LE(crc32(value, keySeed(key)) | 0, value.length);
  return bytes;
}

/** As `sealed`, of a value that has room for the checksum at its end: nothing is copied. */
export function sealInPlace(key: string, bytes: Buffer): Buffer {
  const end = bytes.length - SEAL_BYTES;
  bytes.writeInt32LE(crc32(bytes.subarray(0, end), keySeed(key)) | 0, end);
  return bytes;
}

export function isWhole(key: string, bytes: Buffer): boolean {
  const end = bytes.length - SEAL_BYTES;
  return end >= 0 && (crc32(bytes.subarray(0, end), keySeed(key)) | 0) === bytes.readInt32LE(end);
}

/** The value without its checksum. Throws `StoreDamage` when it does not fit. */
export function unsealed(key: string, bytes: Buffer): Buffer {
  if (!isWhole(key, bytes)) {
    throw new StoreDamage(`${placeOf(key)} is damaged: it does not have the checksum it was given`);
  }
  return bytes.subarray(0, bytes.length - SEAL_BYTES);
}

/** What a person can make of a key of the tables. */
export function placeOf(key: string): string {
  if (isStoreKey(key)) return `tables, "${key.slice(PARTS_END.length)}"`;
  const table = TABLE_NAMES[key.charCodeAt(PREFIX_BYTES - 1)] ?? "an unknown table";
  const rest = Buffer.from(key.slice(PREFIX_BYTES, PREFIX_BYTES + 24), "latin1").toString("hex");
  return `tables, part ${partOfKey(key)}, ${table} ${rest}`;
}

/** Indexed by the number of the table. */
const TABLE_NAMES = ["head", "key", "item", "term", "log entry", "late term", "tally", "version"];

/** Where a checksum starts: different for every key, so that an entry is not taken for another. */
function keySeed(key: string): number {
  let seed = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) {
    seed = Math.imul(seed ^ key.charCodeAt(index), 0x01000193);
  }
  return seed >>> 0;
}
