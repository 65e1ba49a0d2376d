/**
 * Takes sealed journal segments into the tables. Runs on a thread of its own: writing a segment
 * costs a second of processor time that no request should wait for, and the thread reads the
 * segment from the disk itself, so nothing is copied between threads.
 *
 * The entries of a segment are sorted: neighbours land on the same pages, which is what makes index
 * writes affordable (measured: five times fewer bytes written per item). Terms are put down in
 * several transactions, because the engine keeps every page that one changes in memory until its
 * commit, and in the file until two more have been made. Everything else, heads and the segment's
 * number among it, comes with the last: until then the tables are as of the segment before,
 * whatever else they hold already, and doing the same once more comes to the same
 * (docs/inside/decisions/0053).
 */
import { readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../../base/assert.ts";
import { afterPrefix, decodeNumber, encodeNumber } from "../bytes.ts";
import type { SealedSegment } from "../journal/segment.ts";
import { segmentName } from "../journal/segment.ts";
import { lsnKey } from "../memory/layer.ts";
import { decodeHead, encodeHead, HEAD_BYTES } from "../partHead.ts";
import type { KeptVersion, PartHead, StoredItem } from "../partitionStore.ts";
import { isEnd } from "../partitionStore.ts";
import { failureCodeOf, hasLeftOpenLine } from "./engineFailure.ts";
import type { LmdbEnvironment } from "./environment.ts";
import { openEnvironment } from "./environment.ts";
import {
  decodeChange,
  encodeItem,
  encodeVersion,
  HEAD_TABLE,
  PREFIX_BYTES,
  partOfKey,
  partPrefix,
  prefixOf,
  SEGMENT_KEY,
  tablePrefix,
} from "./keys.ts";
import { sumChangedPages } from "./pages/changedPages.ts";
import { newestMeta, PageFile } from "./pages/pageFile.ts";
import { PageSums } from "./pages/pageSums.ts";
import { isWhole, SEAL_BYTES, sealed, sealInPlace, unsealed } from "./seal.ts";
import type { SegmentChanges } from "./segmentChanges.ts";
import { changesOf } from "./segmentChanges.ts";
import type { SegmentTerms, TermChange } from "./segmentTerms.ts";
import { addLate, appendNumbers, removeNumber, restore } from "./termBlocks.ts";

export interface AbsorberPaths {
  readonly journalDirectory: string;
  readonly tablesDirectory: string;
  /** How many terms one transaction puts down, if not as many as usual; for tests. */
  readonly stepCountMax?: number;
}

export interface AbsorberAnswer {
  readonly segment: number;
  readonly problem?: string;
  /** The system's name of the failure, if the problem is one of the system's. */
  readonly code?: string | undefined;
}

if (parentPort !== null && workerData?.["orreryAbsorber"] === true) {
  serve(workerData as AbsorberPaths);
}

function serve(paths: AbsorberPaths): void {
  const port = parentPort!;
  const tables = openEnvironment(paths.tablesDirectory);
  const sums = PageSums.read(paths.tablesDirectory)?.sums ?? new PageSums();
  port.on("message", (asked: SealedSegment | "close") => {
    if (asked === "close") {
      void tables.close().then(() => port.close());
      return;
    }
    port.postMessage(answerTo(tables, sums, paths, asked));
  });
}

function answerTo(
  tables: LmdbEnvironment,
  sums: PageSums,
  paths: AbsorberPaths,
  { segment, frameEnd }: SealedSegment,
): AbsorberAnswer {
  try {
    const bytes = readFileSync(join(paths.journalDirectory, segmentName(segment)));
    absorb(tables, segment, changesOf({ segment, frameEnd }, bytes), paths.stepCountMax);
    noteSums(paths.tablesDirectory, sums);
    return { segment };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    if (hasLeftOpenLine(error)) writeSync(STANDARD_ERROR, "\n");
    return { segment, problem, code: failureCodeOf(error, paths.tablesDirectory) };
  }
}

/** The segment may be let go of only when the pages it has become have their sums. */
function noteSums(tablesDirectory: string, sums: PageSums): void {
  const file = PageFile.open(tablesDirectory);
  const meta = file && newestMeta(file.metaPages());
  assert(meta !== undefined, "the engine has committed and its file has no meta page");
  try {
    sumChangedPages(file!, meta, sums);
  } finally {
    file!.close();
  }
  sums.save(tablesDirectory);
}

const STANDARD_ERROR = 2;
const PART_BYTES = PREFIX_BYTES - 1;
const LOG_TABLE = tablePrefix(0, "log").charCodeAt(PART_BYTES);

export function absorb(
  tables: LmdbEnvironment,
  segment: number,
  changes: SegmentChanges,
  stepCountMax: number = STEP_COUNT_MAX,
): void {
  const { heads, dropped } = changes;
  const swept = [...heads].filter(([part, head]) => head.sweptLsn > 0 && !dropped.has(part));
  while (sweepSomeVersions(tables, swept) === SWEPT_COUNT_MAX);
  const steps = absorbTermsAhead(tables, changes);
  for (let isOver = false; !isOver; ) {
    tables.transactionSync(() => {
      // Somebody else has absorbed it, and perhaps later ones: tables never go back. A server that
      // lost its directory and does not know it yet finds this out inside the transaction.
      isOver = absorbedSegmentIn(tables) >= segment || takeSteps(steps, stepCountMax);
      if (isOver && absorbedSegmentIn(tables) < segment) finish(tables, segment, changes);
    });
  }
}

/** Terms that one transaction puts down; each may change a page of its own. */
const STEP_COUNT_MAX = 4096;

/** True when there are no more. */
function takeSteps(steps: Iterator<void>, countMax: number): boolean {
  for (let count = 0; count < countMax; count++) {
    if (steps.next().done === true) return true;
  }
  return false;
}

/**
 * The terms, one a step. A part that is new to the tables has no entries before it has a head, so
 * its terms wait for the last transaction.
 */
function* absorbTermsAhead(
  tables: LmdbEnvironment,
  { terms, dropped }: SegmentChanges,
): Generator<void, void, undefined> {
  for (const [part, changed] of terms) {
    const isKnown = headOf(tables, part) !== undefined;
    if (isKnown && !dropped.has(part)) yield* absorbTerms(tables, part, changed);
  }
}

/** Keys, items, log and tallies: in one transaction, because they have to agree. */
function absorbEntries(tables: LmdbEnvironment, { entries, items, dropped }: SegmentChanges): void {
  const droppedPrefixes = new Set([...dropped].map(partPrefix));
  for (const key of [...entries.keys()].sort()) {
    if (droppedPrefixes.size > 0 && droppedPrefixes.has(key.slice(0, PART_BYTES))) continue;
    const value = entries.get(key)!;
    if (value !== null) tables.putSync(key, value);
    else if (!isLoggedLater(tables, key)) tables.removeSync(key);
  }
  for (const [part, versions] of items) {
    if (!dropped.has(part)) absorbItems(tables, part, versions);
  }
}

/** The last transaction: what makes the segment count as absorbed. */
function finish(tables: LmdbEnvironment, segment: number, changes: SegmentChanges): void {
  const { terms, versions, heads, dropped } = changes;
  absorbEntries(tables, changes);
  for (const [part, changed] of terms) {
    if (headOf(tables, part) !== undefined || dropped.has(part)) continue;
    for (const _ of absorbTerms(tables, part, changed));
  }
  for (const [part, kept] of versions) {
    if (!dropped.has(part)) absorbVersions(tables, part, kept, heads.get(part)?.sweptLsn ?? 0);
  }
  for (const [part, head] of heads) {
    if (!dropped.has(part)) absorbHead(tables, part, head);
  }
  for (const part of dropped) removeRange(tables, partPrefix(part), afterPrefix(partPrefix(part)));
  const absorbed = encodeNumber(segment) + encodeNumber(changes.lastFrame);
  tables.putSync(SEGMENT_KEY, sealed(SEGMENT_KEY, Buffer.from(absorbed, "latin1")));
}

function absorbedSegmentIn(tables: LmdbEnvironment): number {
  const stored = tables.getBinary(SEGMENT_KEY);
  return stored === undefined ? 0 : decodeNumber(stored.toString("latin1"), 0);
}

/** A log entry that is younger than the head in the tables cannot be there. */
function isLoggedLater(tables: LmdbEnvironment, key: string): boolean {
  if (key.charCodeAt(PART_BYTES) !== LOG_TABLE) return false;
  return decodeNumber(key, PREFIX_BYTES) > (headOf(tables, partOfKey(key))?.lsn ?? 0);
}

function absorbItems(
  tables: LmdbEnvironment,
  part: number,
  versions: ReadonlyMap<number, StoredItem | null>,
): void {
  const prefix = tablePrefix(part, "items");
  for (const number of [...versions.keys()].sort((a, b) => a - b)) {
    const key = prefix + encodeNumber(number);
    const item = versions.get(number)!;
    if (item === null) tables.removeSync(key);
    else tables.putSync(key, sealInPlace(key, encodeItem(item, SEAL_BYTES)));
  }
}

/** Must run before the part's head is written: the head tells which items are older. */
function* absorbTerms(
  tables: LmdbEnvironment,
  part: number,
  terms: SegmentTerms,
): Generator<void, void, undefined> {
  const oldMax = headOf(tables, part)?.numberMax ?? 0;
  for (const index of terms.inOrder()) {
    absorbTerm(tables, part, terms.termAt(index), terms.changeAt(index), oldMax);
    yield;
  }
}

function absorbTerm(
  tables: LmdbEnvironment,
  part: number,
  term: string,
  { gained, regained, lost }: TermChange,
  oldMax: number,
): void {
  if (regained.length + lost.length === 0 && gained.every((number) => number > oldMax)) {
    appendNumbers(tables, part, term, sortedDistinct(gained));
    return;
  }
  const fresh = [...gained, ...regained].filter((number) => number > oldMax);
  if (fresh.length > 0) appendNumbers(tables, part, term, sortedDistinct(fresh));
  for (const number of gained) if (number <= oldMax) addLate(tables, part, term, number);
  for (const number of regained) if (number <= oldMax) restore(tables, part, term, number);
  // A newer item that lost the term again never had it, as far as the tables know.
  for (const number of lost) if (number <= oldMax) removeNumber(tables, part, term, number);
}

/** Kept versions that one transaction takes away; some milliseconds of work. */
const SWEPT_COUNT_MAX = 4096;

function sortedDistinct(numbers: readonly number[]): readonly number[] {
  for (let index = 1; index < numbers.length; index++) {
    if (numbers[index - 1]! < numbers[index]!) continue;
    return [...new Set(numbers)].sort((a, b) => a - b);
  }
  return numbers;
}

function absorbHead(tables: LmdbEnvironment, part: number, head: PartHead): void {
  sweepEnds(tables, part, head);
  const value = Buffer.alloc(HEAD_BYTES);
  encodeHead(head, value, 0);
  const key = prefixOf(part, HEAD_TABLE);
  tables.putSync(key, sealed(key, value));
}

function headOf(tables: LmdbEnvironment, part: number): PartHead | undefined {
  const key = prefixOf(part, HEAD_TABLE);
  const stored = tables.getBinary(key);
  return stored && decodeHead(unsealed(key, stored), 0);
}

/** Takes the ends out of the log that the head says nobody may ask for any more. */
function sweepEnds(tables: LmdbEnvironment, part: number, head: PartHead): void {
  const sweptBefore = headOf(tables, part)?.sweptLsn ?? 0;
  if (head.sweptLsn <= sweptBefore) return;
  const prefix = tablePrefix(part, "log");
  const start = prefix + encodeNumber(sweptBefore);
  const end = prefix + encodeNumber(head.sweptLsn + 1);
  const swept: string[] = [];
  for (const { key, value } of tables.getRange({ start, end })) {
    // An entry that is damaged stays, so that whoever reads it is told.
    if (isWhole(key, value) && isEnd(decodeChange(value).kind)) swept.push(key);
  }
  for (const key of swept) tables.removeSync(key);
}

/** What the segment itself has swept again is not put down at all. */
function absorbVersions(
  tables: LmdbEnvironment,
  part: number,
  versions: readonly KeptVersion[],
  sweptLsn: number,
): void {
  const prefix = tablePrefix(part, "versions");
  for (const version of versions) {
    const { lsn, number } = version;
    if (lsn <= sweptLsn) continue;
    const key = prefix + lsnKey(lsn, number);
    tables.putSync(key, sealed(key, encodeVersion(version)));
  }
}

/**
 * Takes swept versions out of the tables, and returns how many. There may be an hour of them, so it
 * is done a little at a time, in transactions of their own before the segment's: the journal has
 * the sweep, and readers no longer ask for them. It starts with the oldest there are, not where the
 * last sweep ended: what a crash or a full disk left is seen to with the next head of the part, and
 * each opening makes one.
 */
function sweepSomeVersions(
  tables: LmdbEnvironment,
  heads: readonly (readonly [number, PartHead])[],
): number {
  let count = 0;
  tables.transactionSync(() => {
    for (const [part, { sweptLsn }] of heads) {
      const start = tablePrefix(part, "versions");
      const end = start + encodeNumber(sweptLsn + 1);
      const keys = [...tables.getKeys({ start, end, limit: SWEPT_COUNT_MAX - count })];
      for (const key of keys) tables.removeSync(key);
      count += keys.length;
      if (count === SWEPT_COUNT_MAX) return;
    }
  });
  return count;
}

function removeRange(tables: LmdbEnvironment, start: string, end: string): void {
  for (const key of [...tables.getKeys({ start, end })]) tables.removeSync(key);
}
