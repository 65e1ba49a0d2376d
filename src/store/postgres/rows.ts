/** Rows as the statements give them, and what they stand for. Keys are latin1 text outside. */
import { assert } from "../../base/assert.ts";
import { lsn } from "../../base/units.ts";
import type {
  FamilyTally,
  KeptVersion,
  LogEntry,
  LogKind,
  PartHead,
  StoredItem,
} from "../partitionStore.ts";
import type { SqlRow } from "./session.ts";

/** In the order of their numbers in the tables. */
const KINDS: readonly LogKind[] = ["created", "replaced", "deleted", "expired"];

export function numberOfKind(kind: LogKind): number {
  return KINDS.indexOf(kind);
}

/** A key as a parameter. */
export function bytesOf(key: string): Buffer {
  return Buffer.from(key, "latin1");
}

/** A head, and the stamp of the transaction that left it. */
export interface HeadRow {
  readonly head: PartHead;
  readonly stamp: Buffer | undefined;
}

export function headOf(row: SqlRow): HeadRow {
  const [epoch, at, itemCount, itemBytes, numberMax, swept] = row as readonly number[];
  const head: PartHead = {
    epoch: epoch!,
    lsn: lsn(at!),
    itemCount: itemCount!,
    itemBytes: itemBytes!,
    numberMax: numberMax!,
    sweptLsn: lsn(swept!),
  };
  return { head, stamp: (row[6] as Buffer | null) ?? undefined };
}

export function itemOf([number, at, tag, body, key]: SqlRow): StoredItem {
  return {
    key: textOf(key),
    number: number as number,
    lsn: lsn(at as number),
    tag: tag as number,
    body: body as Buffer,
  };
}

/** Columns of a page of items, where the body comes last. */
export function pagedItemOf([number, at, tag, key, body]: SqlRow): StoredItem {
  return itemOf([number, at, tag, body, key]);
}

export function logEntryOf([at, number, kind, key]: SqlRow): LogEntry {
  const name = KINDS[kind as number];
  assert(name !== undefined, `no kind of entry has the number ${String(kind)}`);
  return { lsn: lsn(at as number), number: number as number, kind: name, key: textOf(key) };
}

export function versionOf([at, number, kind, key, tag, previous, body]: SqlRow): KeptVersion {
  return {
    ...logEntryOf([at, number, kind, key]),
    tag: tag as number,
    previousLsn: lsn(previous as number),
    body: body as Buffer,
  };
}

export function tallyOf([family, itemCount, itemBytes]: SqlRow): FamilyTally {
  return {
    family: textOf(family),
    itemCount: itemCount as number,
    itemBytes: itemBytes as number,
  };
}

export function textOf(bytes: unknown): string {
  return (bytes as Buffer).toString("latin1");
}
