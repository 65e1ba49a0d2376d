/**
 * What one journal frame says: a sequence of records, each one change of one part.
 *
 * A record holds results, not steps: the head of the part and its tallies as they are afterwards,
 * the bodies as they are stored, the terms that come and go. Applying a record twice is therefore
 * the same as applying it once, and recovery may start anywhere before the place where it stopped.
 *
 * Layout of an item write: fixed fields, then key, body, and last the terms, whose total length is
 * known. A reader that does not want the terms steps over them: the memory table reads them only
 * when somebody scans.
 */
import { assert } from "../base/assert.ts";
import { type Lsn, lsn } from "../base/units.ts";
import type { CountedWrite } from "./partHead.ts";
import { decodeHead, encodeHead, HEAD_BYTES } from "./partHead.ts";
import type {
  AdoptedVersion,
  Lease,
  LogKind,
  PartHead,
  StoredItem,
  Tally,
  WriteGroup,
} from "./partitionStore.ts";
import type { Tallies } from "./tallies.ts";
import { encodeTallies, talliesBytes, visitTallies } from "./tallies.ts";

export type StoreRecord =
  | {
      readonly kind: "commit";
      readonly part: number;
      readonly head: PartHead;
      readonly groups: readonly WriteGroup[];
      /** Of the families that the writes touch. */
      readonly tallies: Tallies;
    }
  | {
      readonly kind: "adopt";
      readonly part: number;
      readonly head: PartHead;
      readonly versions: readonly AdoptedVersion[];
      readonly tallies: Tallies;
    }
  /** A head that moved without an item: a part claimed, or its deletions swept. */
  | { readonly kind: "head"; readonly part: number; readonly head: PartHead }
  | { readonly kind: "drop"; readonly part: number }
  | { readonly kind: "lease"; readonly name: string; readonly lease: Lease };

/** Called for every change of a record, in order. Terms are decoded only if `term` is there. */
export interface RecordVisitor {
  head?(part: number, head: PartHead): void;
  /** No items: the family is gone. */
  tally?(part: number, family: string, tally: Tally): void;
  put?(part: number, item: StoredItem): void;
  remove?(part: number, key: string, number: number): void;
  term?(part: number, term: string, number: number, isPresent: boolean): void;
  logged?(part: number, lsn: Lsn, number: number, kind: LogKind, key: string): void;
  unlogged?(part: number, lsn: Lsn, number: number): void;
  drop?(part: number): void;
  lease?(name: string, lease: Lease): void;
}

/** A commit as it was before there were tallies: read in old directories, never written. */
const UNTALLIED_COMMIT = 1;
const HEAD = 2;
const DROP = 3;
const LEASE = 4;
const COMMIT = 5;
const ADOPT = 6;

const CREATED = 1;
const REPLACED = 2;
const DELETED = 3;
const RETERMED = 4;
const LOG_KINDS: readonly LogKind[] = ["created", "created", "replaced", "deleted"];
const CODES: Readonly<Record<LogKind, number>> = {
  created: CREATED,
  replaced: REPLACED,
  deleted: DELETED,
};

/** Kind, number, LSN before, tag, key length, body length, terms length. */
const WRITE_BYTES = 1 + 8 + 8 + 4 + 2 + 4 + 4;
/** Added or removed, length. */
const TERM_BYTES = 1 + 2;

export function recordBytes(record: StoreRecord): number {
  switch (record.kind) {
    case "commit": {
      let total = 1 + 4 + HEAD_BYTES + 4;
      for (const group of record.groups) {
        total += 4;
        for (const write of group) total += writeBytes(write);
      }
      return total + talliesBytes(record.tallies);
    }
    case "adopt": {
      let total = 1 + 4 + HEAD_BYTES + 4;
      for (const { write } of record.versions) total += 8 + writeBytes(write);
      return total + talliesBytes(record.tallies);
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
      let at = into.writeUInt8(COMMIT, offset);
      at = into.writeUInt32LE(record.part, at);
      at = encodeHead(record.head, into, at);
      at = into.writeUInt32LE(record.groups.length, at);
      for (const group of record.groups) {
        at = into.writeUInt32LE(group.length, at);
        for (const write of group) at = encodeWrite(write, codeOf(write), into, at);
      }
      return encodeTallies(record.tallies, into, at);
    }
    case "adopt": {
      let at = into.writeUInt8(ADOPT, offset);
      at = into.writeUInt32LE(record.part, at);
      at = encodeHead(record.head, into, at);
      at = into.writeUInt32LE(record.versions.length, at);
      for (const { lsn: versionLsn, logKind, write } of record.versions) {
        at = into.writeDoubleLE(versionLsn, at);
        at = encodeWrite(write, CODES[logKind], into, at);
      }
      return encodeTallies(record.tallies, into, at);
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

/** Reads the records of `bytes` from `start` to `end`, which must be record borders. */
export function visitRecords(
  bytes: Buffer,
  start: number,
  end: number,
  visitor: RecordVisitor,
): void {
  let at = start;
  while (at < end) at = visitRecord(bytes, at, visitor);
  assert(at === end, "a record runs past its frame");
}

function visitRecord(bytes: Buffer, start: number, visitor: RecordVisitor): number {
  const kind = bytes[start]!;
  const at = start + 1;
  if (kind === LEASE) return visitLease(bytes, at, visitor);
  const part = bytes.readUInt32LE(at);
  switch (kind) {
    case UNTALLIED_COMMIT:
    case COMMIT:
    case ADOPT: {
      const head = decodeHead(bytes, at + 4);
      const visitWrites = kind === ADOPT ? visitVersions : visitGroups;
      let end = visitWrites(bytes, at + 4 + HEAD_BYTES, part, head, visitor);
      if (kind !== UNTALLIED_COMMIT) end = visitPartTallies(bytes, end, part, visitor);
      visitor.head?.(part, head);
      return end;
    }
    case HEAD:
      visitor.head?.(part, decodeHead(bytes, at + 4));
      return at + 4 + HEAD_BYTES;
    case DROP:
      visitor.drop?.(part);
      return at + 4;
    default:
      assert(false, `unknown record kind ${kind}`);
  }
}

function visitGroups(
  bytes: Buffer,
  start: number,
  part: number,
  head: PartHead,
  visitor: RecordVisitor,
): number {
  const groupCount = bytes.readUInt32LE(start);
  let at = start + 4;
  for (let index = 0; index < groupCount; index++) {
    const groupLsn = lsn(head.lsn - groupCount + 1 + index);
    const writeCount = bytes.readUInt32LE(at);
    at += 4;
    for (let write = 0; write < writeCount; write++) {
      at = visitWrite(bytes, at, part, groupLsn, visitor);
    }
  }
  return at;
}

/** Versions from elsewhere: each with an LSN of its own. */
function visitVersions(
  bytes: Buffer,
  start: number,
  part: number,
  _head: PartHead,
  visitor: RecordVisitor,
): number {
  let at = start + 4;
  for (let count = bytes.readUInt32LE(start); count > 0; count--) {
    at = visitWrite(bytes, at + 8, part, lsn(bytes.readDoubleLE(at)), visitor);
  }
  return at;
}

function visitPartTallies(
  bytes: Buffer,
  start: number,
  part: number,
  visitor: RecordVisitor,
): number {
  if (visitor.tally === undefined) return visitTallies(bytes, start, undefined);
  return visitTallies(bytes, start, (family, tally) => visitor.tally?.(part, family, tally));
}

function visitWrite(
  bytes: Buffer,
  start: number,
  part: number,
  writeLsn: Lsn,
  visitor: RecordVisitor,
): number {
  const number = bytes.readDoubleLE(start + 1);
  const keyBytes = bytes.readUInt16LE(start + 21);
  const bodyBytes = bytes.readUInt32LE(start + 23);
  const termsAt = start + WRITE_BYTES + keyBytes + bodyBytes;
  const end = termsAt + bytes.readUInt32LE(start + 27);
  if (bytes[start] !== RETERMED) visitVersion(bytes, start, termsAt, part, writeLsn, visitor);
  if (visitor.term !== undefined) visitTerms(bytes, termsAt, end, part, number, visitor);
  return end;
}

/** What a write makes of the item itself, and of the log. */
function visitVersion(
  bytes: Buffer,
  start: number,
  end: number,
  part: number,
  writeLsn: Lsn,
  visitor: RecordVisitor,
): void {
  const kind = bytes[start]!;
  const number = bytes.readDoubleLE(start + 1);
  const lsnBefore = bytes.readDoubleLE(start + 9);
  const tag = bytes.readInt32LE(start + 17);
  const keyAt = start + WRITE_BYTES;
  const bodyAt = keyAt + bytes.readUInt16LE(start + 21);
  const key = bytes.toString("latin1", keyAt, bodyAt);
  if (kind === DELETED) {
    // An end that is adopted without what it ended is news for the log only: the key may be
    // another item's by now.
    if (lsnBefore > 0) visitor.remove?.(part, key, number);
  } else if (visitor.put !== undefined) {
    const body = bytes.subarray(bodyAt, end);
    visitor.put(part, { key, number, lsn: writeLsn, tag, body });
  }
  if (lsnBefore > 0) visitor.unlogged?.(part, lsn(lsnBefore), number);
  visitor.logged?.(part, writeLsn, number, LOG_KINDS[kind]!, key);
}

function visitTerms(
  bytes: Buffer,
  start: number,
  end: number,
  part: number,
  number: number,
  visitor: RecordVisitor,
): void {
  let at = start;
  while (at < end) {
    const isPresent = bytes[at] === 1;
    const length = bytes.readUInt16LE(at + 1);
    const termAt = at + TERM_BYTES;
    visitor.term?.(part, bytes.toString("latin1", termAt, termAt + length), number, isPresent);
    at = termAt + length;
  }
}

function visitLease(bytes: Buffer, start: number, visitor: RecordVisitor): number {
  const nameLength = bytes.readUInt16LE(start);
  const name = bytes.toString("latin1", start + 2, start + 2 + nameLength);
  const ownerAt = start + 2 + nameLength;
  const ownerLength = bytes.readUInt16LE(ownerAt);
  const owner = bytes.toString("latin1", ownerAt + 2, ownerAt + 2 + ownerLength);
  const at = ownerAt + 2 + ownerLength;
  const fencingToken = bytes.readDoubleLE(at);
  visitor.lease?.(name, { owner, fencingToken, until: bytes.readDoubleLE(at + 8) });
  return at + 16;
}

function writeBytes(write: CountedWrite): number {
  const body = write.kind === "put" ? write.body.length : 0;
  return WRITE_BYTES + write.key.length + body + termsBytesOf(write);
}

function termsBytesOf(write: CountedWrite): number {
  let total = 0;
  for (const term of write.termsRemoved) total += TERM_BYTES + term.length;
  if (write.kind !== "delete") {
    for (const term of write.termsAdded) total += TERM_BYTES + term.length;
  }
  return total;
}

function encodeWrite(write: CountedWrite, code: number, into: Buffer, offset: number): number {
  const isPut = write.kind === "put";
  const before = write.kind === "reterm" ? undefined : write.before;
  let at = into.writeUInt8(code, offset);
  at = into.writeDoubleLE(write.number, at);
  at = into.writeDoubleLE(before?.lsn ?? 0, at);
  at = into.writeInt32LE(isPut ? write.tag : 0, at);
  at = into.writeUInt16LE(write.key.length, at);
  at = into.writeUInt32LE(isPut ? write.body.length : 0, at);
  at = into.writeUInt32LE(termsBytesOf(write), at);
  at += into.write(write.key, at, "latin1");
  if (isPut) {
    into.set(write.body, at);
    at += write.body.length;
  }
  // Removals first: a term that is both removed and added stays.
  for (const term of write.termsRemoved) at = encodeTerm(term, 0, into, at);
  if (write.kind !== "delete") {
    for (const term of write.termsAdded) at = encodeTerm(term, 1, into, at);
  }
  return at;
}

function codeOf(write: CountedWrite): number {
  if (write.kind === "delete") return DELETED;
  if (write.kind === "reterm") return RETERMED;
  return write.before === undefined ? CREATED : REPLACED;
}

function encodeTerm(term: string, isPresent: 0 | 1, into: Buffer, offset: number): number {
  into[offset] = isPresent;
  into[offset + 1] = term.length & 255;
  into[offset + 2] = term.length >>> 8;
  return offset + TERM_BYTES + into.write(term, offset + TERM_BYTES, "latin1");
}

function encodeText(text: string, into: Buffer, offset: number): number {
  const at = into.writeUInt16LE(text.length, offset);
  return at + into.write(text, at, "latin1");
}
