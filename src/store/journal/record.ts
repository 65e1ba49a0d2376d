/**
 * What one journal frame says: a sequence of records, each one change of one part, and how they are
 * written. `recordVisitor.ts` reads them.
 *
 * A record holds results, not steps: the head of the part and its tallies as they are afterwards,
 * the bodies as they are stored, the terms that come and go. Applying a record twice is therefore
 * the same as applying it once, and recovery may start anywhere before the place where it stopped.
 *
 * Layout of an item write: fixed fields, then key, body, and last the terms, whose total length is
 * known. A reader that does not want the terms steps over them: the memory table reads them only
 * when somebody scans. Versions that are kept are no addition to that: the kind of the record tells
 * that its writes are such versions as well.
 */
import { assert } from "../../base/assert.ts";
import type { CountedWrite } from "../partHead.ts";
import { encodeHead, HEAD_BYTES } from "../partHead.ts";
import type {
  Adopted,
  ItemPut,
  KeptVersion,
  Lease,
  LogKind,
  PartHead,
  WriteGroup,
} from "../partitionStore.ts";
import { isVersion } from "../partitionStore.ts";
import type { Tallies } from "../tallies.ts";
import { encodeTallies, talliesBytes } from "../tallies.ts";
import type { FrameView } from "./segment.ts";
import { newFrame } from "./segment.ts";

export type StoreRecord =
  | {
      readonly kind: "commit";
      readonly part: number;
      readonly head: PartHead;
      readonly groups: readonly WriteGroup[];
      /** Of the families that the writes touch. */
      readonly tallies: Tallies;
      readonly keepsVersions?: boolean;
    }
  | {
      readonly kind: "adopt";
      readonly part: number;
      readonly head: PartHead;
      readonly versions: readonly Adopted[];
      readonly tallies: Tallies;
    }
  | {
      readonly kind: "adoptVersions";
      readonly part: number;
      readonly versions: readonly KeptVersion[];
    }
  /** A head that moved without an item: a part claimed, or its deletions swept. */
  | { readonly kind: "head"; readonly part: number; readonly head: PartHead }
  | { readonly kind: "drop"; readonly part: number }
  | { readonly kind: "lease"; readonly name: string; readonly lease: Lease };

/** A commit as it was before there were tallies: read in old directories, never written. */
export const UNTALLIED_COMMIT = 1;
export const HEAD = 2;
export const DROP = 3;
export const LEASE = 4;
export const COMMIT = 5;
export const ADOPT = 6;
/** A commit, and each of its versions is kept. */
export const KEEPING_COMMIT = 7;
export const ADOPT_VERSIONS = 8;

/** A write that is no version: only its terms are news. */
export const RETERMED = 4;
/** Every other write says what the log says of it. */
const LOG_CODES: Readonly<Record<LogKind, number>> = {
  created: 1,
  replaced: 2,
  deleted: 3,
  expired: 5,
};
/** What the log says of a write, by its code. */
export const LOG_KINDS: readonly (LogKind | undefined)[] = [
  undefined,
  "created",
  "replaced",
  "deleted",
  undefined,
  "expired",
];

/** Kind, number, LSN before, tag, key length, body length, terms length. */
export const WRITE_BYTES: number = 1 + 8 + 8 + 4 + 2 + 4 + 4;
/** Added or removed, length. */
export const TERM_BYTES: number = 1 + 2;

/** A frame that holds `records` and nothing else, ready for the journal. */
export function frameOf(records: readonly StoreRecord[]): FrameView {
  let total = 0;
  for (const record of records) total += recordBytes(record);
  const frame = newFrame(total);
  let at = frame.start;
  for (const record of records) at = encodeRecord(record, frame.bytes, at);
  assert(at === frame.end, "a record is not as long as it was said to be");
  return frame;
}

export function recordBytes(record: StoreRecord): number {
  switch (record.kind) {
    case "commit": {
      const isKeeping = record.keepsVersions === true;
      let total = 1 + 4 + HEAD_BYTES + 4;
      for (const group of record.groups) {
        total += 4;
        for (const write of group) total += writeBytes(write, isKeeping);
      }
      return total + talliesBytes(record.tallies);
    }
    case "adopt": {
      let total = 1 + 4 + HEAD_BYTES + 4;
      for (const { write } of record.versions) total += 8 + writeBytes(write, false);
      return total + talliesBytes(record.tallies);
    }
    case "adoptVersions": {
      let total = 1 + 4 + 4;
      for (const version of record.versions) total += 8 + writeBytes(asPut(version), false);
      return total;
    }
    case "head":
      return 1 + 4 + HEAD_BYTES;
    case "drop":
      return 1 + 4;
    case "lease":
      return 1 + 2 + record.name.length + 2 + record.lease.owner.length + 8 + 8;
  }
}

/** Writes `record` at `offset` and returns the offset behind it. */
export function encodeRecord(record: StoreRecord, into: Buffer, offset: number): number {
  switch (record.kind) {
    case "commit": {
      const isKeeping = record.keepsVersions === true;
      let at = into.writeUInt8(isKeeping ? KEEPING_COMMIT : COMMIT, offset);
      at = into.writeUInt32LE(record.part, at);
      at = encodeHead(record.head, into, at);
      at = into.writeUInt32LE(record.groups.length, at);
      for (const group of record.groups) {
        at = into.writeUInt32LE(group.length, at);
        for (const write of group) at = encodeWrite(write, codeOf(write), isKeeping, into, at);
      }
      return encodeTallies(record.tallies, into, at);
    }
    case "adopt": {
      let at = into.writeUInt8(ADOPT, offset);
      at = into.writeUInt32LE(record.part, at);
      at = encodeHead(record.head, into, at);
      at = into.writeUInt32LE(record.versions.length, at);
      for (const adopted of record.versions) {
        const isNews = isVersion(adopted);
        at = into.writeDoubleLE(isNews ? adopted.lsn : 0, at);
        const code = isNews ? LOG_CODES[adopted.logKind] : RETERMED;
        at = encodeWrite(adopted.write, code, false, into, at);
      }
      return encodeTallies(record.tallies, into, at);
    }
    case "adoptVersions": {
      let at = into.writeUInt32LE(record.part, into.writeUInt8(ADOPT_VERSIONS, offset));
      at = into.writeUInt32LE(record.versions.length, at);
      for (const version of record.versions) {
        at = into.writeDoubleLE(version.lsn, at);
        at = encodeWrite(asPut(version), LOG_CODES[version.kind], false, into, at);
      }
      return at;
    }
    case "head": {
      const at = into.writeUInt32LE(record.part, into.writeUInt8(HEAD, offset));
      return encodeHead(record.head, into, at);
    }
    case "drop":
      return into.writeUInt32LE(record.part, into.writeUInt8(DROP, offset));
    case "lease": {
      let at = encodeText(record.name, into, into.writeUInt8(LEASE, offset));
      at = encodeText(record.lease.owner, into, at);
      at = into.writeDoubleLE(record.lease.fencingToken, at);
      return into.writeDoubleLE(record.lease.until, at);
    }
  }
}

/** A kept version has the fields of a put, an end too; only the code tells what it was. */
function asPut({ key, number, tag, previousLsn, body }: KeptVersion): ItemPut {
  const before = { lsn: previousLsn, bodyBytes: 0 };
  return { kind: "put", key, number, tag, body, before, termsAdded: [], termsRemoved: [] };
}

function writeBytes(write: CountedWrite, isKeeping: boolean): number {
  const body = bodyOf(write, isKeeping)?.length ?? 0;
  return WRITE_BYTES + write.key.length + body + termsBytesOf(write);
}

/** What a delete ended is of use only to those who keep versions. */
function bodyOf(write: CountedWrite, isKeeping: boolean): Uint8Array | undefined {
  if (write.kind === "put") return write.body;
  return isKeeping && write.kind === "delete" ? write.last : undefined;
}

function termsBytesOf(write: CountedWrite): number {
  let total = 0;
  for (const term of write.termsRemoved) total += TERM_BYTES + term.length;
  if (write.kind !== "delete") {
    for (const term of write.termsAdded) total += TERM_BYTES + term.length;
  }
  return total;
}

function encodeWrite(
  write: CountedWrite,
  code: number,
  isKeeping: boolean,
  into: Buffer,
  offset: number,
): number {
  const body = bodyOf(write, isKeeping);
  const isReterm = write.kind === "reterm";
  let at = into.writeUInt8(code, offset);
  at = into.writeDoubleLE(write.number, at);
  at = into.writeDoubleLE(isReterm ? 0 : (write.before?.lsn ?? 0), at);
  at = into.writeInt32LE(isReterm ? 0 : write.tag, at);
  at = into.writeUInt16LE(write.key.length, at);
  at = into.writeUInt32LE(body?.length ?? 0, at);
  at = into.writeUInt32LE(termsBytesOf(write), at);
  at += into.write(write.key, at, "latin1");
  if (body !== undefined) {
    into.set(body, at);
    at += body.length;
  }
  // Removals first: a term that is both removed and added stays.
  for (const term of write.termsRemoved) at = encodeTerm(term, 0, into, at);
  if (write.kind !== "delete") {
    for (const term of write.termsAdded) at = encodeTerm(term, 1, into, at);
  }
  return at;
}

function codeOf(write: CountedWrite): number {
  if (write.kind === "reterm") return RETERMED;
  if (write.kind === "delete") return LOG_CODES[write.isExpiry === true ? "expired" : "deleted"];
  return LOG_CODES[write.before === undefined ? "created" : "replaced"];
}

function encodeTerm(term: string, isPresent: 0 | 1, into: Buffer, offset: number): number {
  const { length } = term;
  into[offset] = isPresent;
  into[offset + 1] = length & 255;
  into[offset + 2] = length >>> 8;
  const at = offset + TERM_BYTES;
  if (length > LOOPED_LENGTH_MAX) return at + into.write(term, at, "latin1");
  for (let index = 0; index < length; index++) into[at + index] = term.charCodeAt(index);
  return at + length;
}

/** Below this a call into native code costs more than a loop. A write has some thirty terms. */
const LOOPED_LENGTH_MAX = 48;

function encodeText(text: string, into: Buffer, offset: number): number {
  const at = into.writeUInt16LE(text.length, offset);
  return at + into.write(text, at, "latin1");
}
