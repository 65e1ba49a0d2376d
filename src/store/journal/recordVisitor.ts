/**
 * Reading records: what a journal frame says, told change by change to whoever wants to know.
 *
 * A visitor has a method for each kind of change it cares about. What nobody asks for is stepped
 * over, not decoded: terms above all, and keys and bodies of writes that only move a head.
 * Records of every version that ever wrote some are read; the layout is in `record.ts`.
 */
import { assert } from "../../base/assert.ts";
import { type Lsn, lsn } from "../../base/units.ts";
import { decodeHead, groupLsn, HEAD_BYTES } from "../partHead.ts";
import type {
  KeptVersion,
  Lease,
  LogKind,
  PartHead,
  StoredItem,
  Tally,
} from "../partitionStore.ts";
import { isEnd } from "../partitionStore.ts";
import { visitTallies } from "../tallies.ts";
import {
  ADOPT,
  ADOPT_VERSIONS,
  COMMIT,
  DROP,
  HEAD,
  KEEPING_COMMIT,
  LEASE,
  LOG_KINDS,
  RETERMED,
  TERM_BYTES,
  UNTALLIED_COMMIT,
  WRITE_BYTES,
} from "./record.ts";

/** Called for every change of a record, in order. Terms are decoded only if `term` is there. */
export interface RecordVisitor {
  head?(part: number, head: PartHead): void;
  /** No items: the family is gone. */
  tally?(part: number, family: string, tally: Tally): void;
  put?(part: number, item: StoredItem): void;
  remove?(part: number, key: string, number: number): void;
  term?(part: number, term: string, number: number, isPresent: boolean): void;
  /** Where the terms of a write are, for those who read them later (`visitTerms`). */
  terms?(part: number, number: number, start: number, end: number): void;
  logged?(part: number, lsn: Lsn, number: number, kind: LogKind, key: string): void;
  unlogged?(part: number, lsn: Lsn, number: number): void;
  /** After what the same write makes of the item, if it does. */
  kept?(part: number, version: KeptVersion): void;
  drop?(part: number): void;
  lease?(name: string, lease: Lease): void;
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
    case KEEPING_COMMIT:
    case ADOPT: {
      const head = decodeHead(bytes, at + 4);
      const writesAt = at + 4 + HEAD_BYTES;
      let end =
        kind === ADOPT
          ? visitEach(bytes, writesAt, part, visitor, visitWrite)
          : visitGroups(bytes, writesAt, part, head, visitor, kind === KEEPING_COMMIT);
      if (kind !== UNTALLIED_COMMIT) end = visitPartTallies(bytes, end, part, visitor);
      visitor.head?.(part, head);
      return end;
    }
    case ADOPT_VERSIONS:
      return visitEach(bytes, at + 4, part, visitor, visitKept);
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
  isKeeping: boolean,
): number {
  const groupCount = bytes.readUInt32LE(start);
  let at = start + 4;
  for (let index = 0; index < groupCount; index++) {
    const writtenAt = groupLsn(head, groupCount, index);
    const writeCount = bytes.readUInt32LE(at);
    at += 4;
    for (let write = 0; write < writeCount; write++) {
      const writeAt = at;
      at = visitWrite(bytes, writeAt, part, writtenAt, visitor);
      if (isKeeping) visitKept(bytes, writeAt, part, writtenAt, visitor);
    }
  }
  return at;
}

/** Versions from elsewhere: each with an LSN of its own. */
function visitEach(
  bytes: Buffer,
  start: number,
  part: number,
  visitor: RecordVisitor,
  visit: typeof visitWrite,
): number {
  let at = start + 4;
  for (let count = bytes.readUInt32LE(start); count > 0; count--) {
    at = visit(bytes, at + 8, part, lsn(bytes.readDoubleLE(at)), visitor);
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
  const termsAt = termsAtOf(bytes, start);
  const end = termsAt + bytes.readUInt32LE(start + 27);
  if (bytes[start] !== RETERMED && asksForVersions(visitor)) {
    visitVersion(bytes, start, termsAt, part, writeLsn, visitor);
  }
  if (visitor.term !== undefined) {
    const number = bytes.readDoubleLE(start + 1);
    visitTerms(bytes, termsAt, end, (term, isPresent) =>
      visitor.term?.(part, term, number, isPresent),
    );
  }
  visitor.terms?.(part, bytes.readDoubleLE(start + 1), termsAt, end);
  return end;
}

function termsAtOf(bytes: Buffer, start: number): number {
  return start + WRITE_BYTES + bytes.readUInt16LE(start + 21) + bytes.readUInt32LE(start + 23);
}

function asksForVersions({ put, remove, logged, unlogged }: RecordVisitor): boolean {
  return (
    put !== undefined || remove !== undefined || logged !== undefined || unlogged !== undefined
  );
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
  const kind = logKindAt(bytes, start);
  const number = bytes.readDoubleLE(start + 1);
  const lsnBefore = bytes.readDoubleLE(start + 9);
  const keyAt = start + WRITE_BYTES;
  const bodyAt = keyAt + bytes.readUInt16LE(start + 21);
  const key = bytes.toString("latin1", keyAt, bodyAt);
  if (isEnd(kind)) {
    // An end that is adopted without what it ended is news for the log only: the key may be
    // another item's by now.
    if (lsnBefore > 0) visitor.remove?.(part, key, number);
  } else if (visitor.put !== undefined) {
    const tag = bytes.readInt32LE(start + 17);
    visitor.put(part, { key, number, lsn: writeLsn, tag, body: bytes.subarray(bodyAt, end) });
  }
  if (lsnBefore > 0) visitor.unlogged?.(part, lsn(lsnBefore), number);
  visitor.logged?.(part, writeLsn, number, kind, key);
}

/** The version that a write is, for those who keep it; returns the offset behind the write. */
function visitKept(
  bytes: Buffer,
  start: number,
  part: number,
  writeLsn: Lsn,
  visitor: RecordVisitor,
): number {
  const termsAt = termsAtOf(bytes, start);
  if (bytes[start] !== RETERMED && visitor.kept !== undefined) {
    const keyAt = start + WRITE_BYTES;
    const bodyAt = keyAt + bytes.readUInt16LE(start + 21);
    visitor.kept(part, {
      lsn: writeLsn,
      number: bytes.readDoubleLE(start + 1),
      kind: logKindAt(bytes, start),
      key: bytes.toString("latin1", keyAt, bodyAt),
      tag: bytes.readInt32LE(start + 17),
      previousLsn: lsn(bytes.readDoubleLE(start + 9)),
      body: bytes.subarray(bodyAt, termsAt),
    });
  }
  return termsAt + bytes.readUInt32LE(start + 27);
}

function logKindAt(bytes: Buffer, start: number): LogKind {
  const kind = LOG_KINDS[bytes[start]!];
  assert(kind !== undefined, "a write has a code that nobody writes");
  return kind;
}

/** Those that begin before `end`; returns the offset behind the last of them. */
export function visitTerms(
  bytes: Buffer,
  start: number,
  end: number,
  visit: (term: string, isPresent: boolean) => void,
): number {
  let at = start;
  while (at < end) {
    const isPresent = bytes[at] === 1;
    const length = bytes.readUInt16LE(at + 1);
    const termAt = at + TERM_BYTES;
    visit(bytes.toString("latin1", termAt, termAt + length), isPresent);
    at = termAt + length;
  }
  return at;
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
