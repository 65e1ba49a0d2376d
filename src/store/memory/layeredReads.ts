/**
 * The reading half of an embedded store: the operations of `PartitionStore` on a stack of layers.
 * Synchronous throughout, so one call sees one state.
 */
import { assert } from "../../base/assert.ts";
import { type Lsn, lsn } from "../../base/units.ts";
import { decodeNumber, encodeNumber } from "../bytes.ts";
import type {
  FamilyTally,
  ItemPage,
  KeptVersion,
  KeyRange,
  LogEntry,
  LogPage,
  ScanLimits,
  StoredItem,
  Tally,
  TallyPage,
  TermEntry,
  TermPage,
  TermScan,
  VersionPage,
} from "../partitionStore.ts";
import { isEnd, StoreDamage } from "../partitionStore.ts";
import { NO_ITEMS } from "../tallies.ts";
import type { Layer } from "./layer.ts";
import { KEY_MAX, merged, numberOfKey } from "./layer.ts";
import { mergedTerms } from "./termCursor.ts";

export function itemByKey(
  layers: readonly Layer[],
  part: number,
  key: string,
): StoredItem | undefined {
  for (const layer of layers) {
    const found = layer.byKey(part, key);
    if (found !== undefined) return found ?? undefined;
  }
  return undefined;
}

export function itemsByNumber(
  layers: readonly Layer[],
  part: number,
  numbers: readonly number[],
): readonly StoredItem[] {
  return numbers
    .map((number) => itemByNumber(layers, part, number))
    .filter((item) => item !== undefined);
}

export function scanItems(
  layers: readonly Layer[],
  part: number,
  afterNumber: number,
  limits: ScanLimits,
): ItemPage {
  const items: StoredItem[] = [];
  let bytes = 0;
  const range = { min: encodeNumber(afterNumber + 1), max: KEY_MAX };
  for (const { item } of merged(layers, part, "items", range)) {
    if (items.length >= limits.countMax || bytes >= limits.bytesMax) {
      return { items, isLast: false };
    }
    assert(item !== undefined, "an entry of the items table has no item");
    items.push(item);
    bytes += item.body.length;
  }
  return { items, isLast: true };
}

export function scanTerms(layers: readonly Layer[], part: number, scan: TermScan): TermPage {
  const { range, after, isReverse = false, countMax } = scan;
  if (range.min >= range.max) return { entries: [], isLast: true };
  const walk = { range, after, isReverse };
  const cursors = layers.map((layer) => layer.terms(part, walk));
  const page = mergedTerms(cursors, countMax, isReverse);
  return scan.withItems ? withItems(layers, part, page, scan.bytesMax) : page;
}

function withItems(
  layers: readonly Layer[],
  part: number,
  page: TermPage,
  bytesMax: number,
): TermPage {
  const entries: TermEntry[] = [];
  let bytes = 0;
  for (const { term, number } of page.entries) {
    if (bytes >= bytesMax) return { entries, isLast: false };
    const item = itemByNumber(layers, part, number);
    if (item === undefined) {
      throw new StoreDamage(`part ${part}: a term points to item ${number}, which is not there`);
    }
    entries.push({ term, number, item });
    bytes += item.body.length;
  }
  return { entries, isLast: page.isLast };
}

interface LogRead {
  readonly afterLsn: Lsn;
  /** Ends up to here are no longer shown; lower layers may still hold them. */
  readonly sweptLsn: Lsn;
  readonly countMax: number;
}

export function readLog(
  layers: readonly Layer[],
  part: number,
  { afterLsn, sweptLsn, countMax }: LogRead,
): LogPage {
  const entries: LogEntry[] = [];
  const range = { min: encodeNumber(afterLsn + 1), max: KEY_MAX };
  for (const { key, change } of merged(layers, part, "log", range)) {
    const entryLsn = lsn(decodeNumber(key, 0));
    assert(change !== undefined, "a log entry has no change");
    if (isEnd(change.kind) && entryLsn <= sweptLsn) continue;
    if (entries.length >= countMax && entries.at(-1)?.lsn !== entryLsn) {
      return { entries, isLast: false };
    }
    const number = numberOfKey(key);
    entries.push({ lsn: entryLsn, number, kind: change.kind, key: change.key });
  }
  return { entries, isLast: true };
}

/** Those up to `afterLsn` may be swept, or merely read. */
export function readVersions(
  layers: readonly Layer[],
  part: number,
  afterLsn: Lsn,
  limits: ScanLimits,
): VersionPage {
  const versions: KeptVersion[] = [];
  let bytes = 0;
  const range = { min: encodeNumber(afterLsn + 1), max: KEY_MAX };
  for (const { version } of merged(layers, part, "versions", range)) {
    assert(version !== undefined, "an entry of the table of versions has none");
    const isFull = versions.length >= limits.countMax || bytes >= limits.bytesMax;
    if (isFull && versions.at(-1)?.lsn !== version.lsn) return { versions, isLast: false };
    versions.push(version);
    bytes += version.body.length;
  }
  return { versions, isLast: true };
}

export function tallyOf(layers: readonly Layer[], part: number, family: string): Tally {
  for (const layer of layers) {
    const found = layer.tally(part, family);
    if (found !== undefined) return found ?? NO_ITEMS;
  }
  return NO_ITEMS;
}

export interface TallyScan {
  readonly range: KeyRange;
  readonly after?: string | undefined;
  readonly countMax: number;
}

export function scanTallies(
  layers: readonly Layer[],
  part: number,
  { range: { min, max }, after, countMax }: TallyScan,
): TallyPage {
  const tallies: FamilyTally[] = [];
  const resume = after === undefined ? min : `${after}\x00`;
  const range = { min: resume > min ? resume : min, max };
  if (range.min >= range.max) return { tallies, isLast: true };
  for (const { key, tally } of merged(layers, part, "tallies", range)) {
    if (tallies.length >= countMax) return { tallies, isLast: false };
    assert(tally !== undefined, "a family has no tally");
    tallies.push({ family: key, ...tally });
  }
  return { tallies, isLast: true };
}

function itemByNumber(
  layers: readonly Layer[],
  part: number,
  number: number,
): StoredItem | undefined {
  for (const layer of layers) {
    const found = layer.byNumber(part, number);
    if (found !== undefined) return found ?? undefined;
  }
  return undefined;
}
