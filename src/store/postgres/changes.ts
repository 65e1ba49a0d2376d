/**
 * A change of one part as the statements of one transaction. The head is moved first: that locks
 * the part against other writers, checks the epoch, and gives the rows that follow their LSN.
 */

import type { CountedWrite } from "../partHead.ts";
import { EMPTY_HEAD, headAfter } from "../partHead.ts";
import type { Adopted, KeptVersion, PartHead, WriteGroup } from "../partitionStore.ts";
import { NO_ITEMS, TallyDraft } from "../tallies.ts";
import { byteaArray, int4Array, int8Array } from "./binaryArrays.ts";
import type { EndRow, ItemRow, VersionRow } from "./foldedWrites.ts";
import { FoldedWrites } from "./foldedWrites.ts";
import { numberOfKind } from "./rows.ts";
import type { SqlQuery, SqlValue } from "./session.ts";
import type { Statement } from "./statements.ts";
import { WRITES } from "./statements.ts";

/** Who writes to which part. */
export interface Author {
  readonly part: number;
  readonly epoch: number;
  /** Of this one change: by it a transaction is found again whose answer was lost. */
  readonly stamp: Buffer;
}

/**
 * The first query moves the head and answers with it; no row of it means that the author is
 * deposed.
 */
export type PartChange = readonly [SqlQuery, ...SqlQuery[]];

export function commitChange(
  author: Author,
  groups: readonly WriteGroup[],
  keepsVersions: boolean,
): PartChange {
  const folded = FoldedWrites.ofCommit(groups, keepsVersions);
  return [
    moveHead(author, { ...moved(groups), lsnStep: groups.length }),
    ...rowChanges(author, folded),
    ...tallyChanges(author, groups),
  ];
}

/**
 * `before` is the head that the part has; nobody else can move it while the author is not
 * deposed.
 */
export function adoptionChange(
  author: Author,
  versions: readonly Adopted[],
  before: PartHead,
  after: PartHead,
): PartChange {
  const writes = versions.map(({ write }) => write);
  return [
    moveHead(author, { ...moved([writes]), lsnStep: after.lsn - before.lsn }),
    ...rowChanges(author, FoldedWrites.ofAdoption(versions, after.lsn)),
    ...tallyChanges(author, [writes]),
  ];
}

export function keptVersionsChange(
  author: Author,
  versions: readonly KeptVersion[],
  head: PartHead,
): PartChange {
  const rows = FoldedWrites.ofKept(versions, head.lsn);
  return [moveHead(author, { ...UNMOVED, lsnStep: 0 }), putVersions(author, rows)];
}

export function sweepChange(author: Author, throughLsn: number): PartChange {
  const { part, epoch } = author;
  return [
    moveHead(author, { ...UNMOVED, lsnStep: 0, sweptLsn: throughLsn }),
    query(WRITES.sweepEnds, [part, epoch]),
    query(WRITES.sweepVersions, [part, epoch]),
  ];
}

interface Moved {
  readonly itemCount: number;
  readonly itemBytes: number;
  readonly numberMax: number;
}

const UNMOVED: Moved = EMPTY_HEAD;

function moved(groups: readonly (readonly CountedWrite[])[]): Moved {
  return headAfter(EMPTY_HEAD, groups);
}

function moveHead(
  { part, epoch, stamp }: Author,
  {
    lsnStep,
    itemCount,
    itemBytes,
    numberMax,
    sweptLsn = 0,
  }: Moved & { readonly lsnStep: number; readonly sweptLsn?: number },
): SqlQuery {
  const by = [lsnStep, itemCount, itemBytes, numberMax, sweptLsn];
  return query(WRITES.moveHead, [part, epoch, ...by, stamp]);
}

/** What goes comes before what comes: a key may pass from one item to another. */
function rowChanges({ part, epoch }: Author, folded: FoldedWrites): readonly SqlQuery[] {
  const { keysGone, itemsPut, termsRemoved, termsAdded, ends, versions } = folded;
  const of = [part, epoch];
  const queries: SqlQuery[] = [];
  if (termsRemoved.length > 0) {
    queries.push(query(WRITES.removeTerms, [...of, ...termArrays(termsRemoved)]));
  }
  if (keysGone.length > 0) queries.push(query(WRITES.removeItems, [...of, byteaArray(keysGone)]));
  if (itemsPut.length > 0) queries.push(query(WRITES.putItems, [...of, ...itemArrays(itemsPut)]));
  if (termsAdded.length > 0) {
    queries.push(query(WRITES.addTerms, [...of, ...termArrays(termsAdded)]));
  }
  if (ends.length > 0) queries.push(query(WRITES.putEnds, [...of, ...endArrays(ends)]));
  if (versions.length > 0) queries.push(putVersions({ part, epoch }, versions));
  return queries;
}

function tallyChanges(
  { part, epoch }: Author,
  groups: readonly (readonly CountedWrite[])[],
): readonly SqlQuery[] {
  const tallies = [...new TallyDraft(() => NO_ITEMS).move(part, groups)];
  if (tallies.length === 0) return [];
  const families = byteaArray(tallies.map(([family]) => family));
  const counts = int8Array(tallies.map(([, { itemCount }]) => itemCount));
  const bytes = int8Array(tallies.map(([, { itemBytes }]) => itemBytes));
  const move = query(WRITES.moveTallies, [part, epoch, families, counts, bytes]);
  const mayEmpty = tallies.some(([, { itemCount }]) => itemCount < 0);
  return mayEmpty ? [move, query(WRITES.removeTallies, [part, families])] : [move];
}

function putVersions(
  { part, epoch }: Pick<Author, "part" | "epoch">,
  rows: readonly VersionRow[],
): SqlQuery {
  const [keys, numbers, backs, tags, kinds, bodies] = itemArrays(rows);
  const previous = int8Array(rows.map(({ previousLsn }) => previousLsn));
  const values = [keys!, numbers!, backs!, tags!, kinds!, previous, bodies!];
  return query(WRITES.putVersions, [part, epoch, ...values]);
}

function itemArrays(rows: readonly ItemRow[]): readonly Buffer[] {
  return [
    byteaArray(rows.map(({ key }) => key)),
    int8Array(rows.map(({ number }) => number)),
    int8Array(rows.map(({ back }) => back)),
    int4Array(rows.map(({ tag }) => tag)),
    int4Array(rows.map(({ kind }) => numberOfKind(kind))),
    byteaArray(rows.map(({ body }) => body)),
  ];
}

function endArrays(rows: readonly EndRow[]): readonly Buffer[] {
  return [
    byteaArray(rows.map(({ key }) => key)),
    int8Array(rows.map(({ number }) => number)),
    int8Array(rows.map(({ back }) => back)),
    int4Array(rows.map(({ kind }) => numberOfKind(kind))),
  ];
}

function termArrays(
  rows: readonly { readonly term: string; readonly number: number }[],
): readonly Buffer[] {
  return [byteaArray(rows.map(({ term }) => term)), int8Array(rows.map(({ number }) => number))];
}

function query(statement: Statement, values: readonly SqlValue[]): SqlQuery {
  return { statement, values };
}
