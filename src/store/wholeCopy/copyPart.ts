/**
 * Copies one part from a store that nobody writes to into another store, so that every reader of
 * the copy is told what it would have been told before: items with number, LSN and tag, terms, the
 * log with its kinds, kept versions, tallies and counters.
 *
 * It may be ended at any moment and called again: how far it came is read from the target. Versions
 * come in the order of the log and terms in their own, so the last one there says what is missing.
 */
import type { Lsn } from "../../base/units.ts";
import { lsn } from "../../base/units.ts";
import type {
  Adopted,
  AdoptedVersion,
  LogEntry,
  PartHead,
  PartitionStore,
  StoredItem,
  TermEntry,
} from "../partitionStore.ts";
import { isEnd, StoreFault } from "../partitionStore.ts";

export type SourceStore = Pick<
  PartitionStore,
  | "get"
  | "getMany"
  | "head"
  | "parts"
  | "readLog"
  | "readVersions"
  | "scanItems"
  | "scanTallies"
  | "scanTerms"
>;

interface PartCopy {
  readonly source: SourceStore;
  readonly target: PartitionStore;
  readonly part: number;
  /** Told after each step: how many items and ends of items are copied by it. */
  onStep(versionCount: number): void;
  isStopped(): boolean;
}

const STEP_BYTES = 1024 * 1024;
const STEP_COUNT_MAX = 1024;
const TERMS_AT_ONCE = 4096;
const WHOLE = { min: "", max: "\xff".repeat(64) };

/** False if it was stopped before the end. */
export async function copyPart(copy: PartCopy): Promise<boolean> {
  const { source, target, part } = copy;
  const head = await source.head(part);
  if (head === undefined) return true;
  const there = await target.claim(part, head.epoch);
  const isWhole =
    (await copyLog(copy, head, there)) &&
    (await copyTerms(copy, head)) &&
    (await copyVersions(copy, head));
  if (!isWhole) return false;
  if (head.sweptLsn > 0) {
    await spendNumbers(copy, head);
    await target.sweepLog(part, head.epoch, head.sweptLsn);
  }
  return true;
}

async function copyLog(copy: PartCopy, head: PartHead, there: PartHead): Promise<boolean> {
  const { source, target, part, onStep, isStopped } = copy;
  let after = there.lsn;
  let count = 16;
  while (after < head.lsn) {
    if (isStopped()) return false;
    const { entries, isLast } = await source.readLog(part, after, count);
    const living = entries.filter(({ kind }) => !isEnd(kind));
    const items = await source.getMany(
      part,
      living.map(({ key }) => key),
    );
    const byKey = new Map(living.map(({ key }, index) => [key, items[index]]));
    const versions = entries.map((entry) => versionOf(entry, byKey.get(entry.key)));
    after = isLast ? head.lsn : entries.at(-1)!.lsn;
    await target.adopt(part, head.epoch, versions, after);
    onStep(entries.length);
    const bytes = items.reduce((sum, item) => sum + (item?.body.length ?? 0), 0);
    const each = Math.max(64, bytes / Math.max(1, entries.length));
    count = Math.max(1, Math.min(STEP_COUNT_MAX, 2 * count, Math.ceil(STEP_BYTES / each)));
  }
  return true;
}

function versionOf(entry: LogEntry, item: StoredItem | undefined): AdoptedVersion {
  const { key, number, lsn: at, kind } = entry;
  if (isEnd(kind)) return endOf(at, number, key, kind);
  if (item?.lsn !== at || item.number !== number) {
    throw new StoreFault(`the log names a version of item ${number} that is not there`);
  }
  const { tag, body } = item;
  const terms = { termsAdded: [], termsRemoved: [] };
  const write = { kind: "put", key, number, tag, body, before: undefined, ...terms } as const;
  return { lsn: at, logKind: kind, write };
}

function endOf(
  at: Lsn,
  number: number,
  key: string,
  logKind: AdoptedVersion["logKind"],
): AdoptedVersion {
  const terms = { before: undefined, termsRemoved: [] };
  return { lsn: at, logKind, write: { kind: "delete", key, number, tag: 0, ...terms } };
}

async function copyTerms(copy: PartCopy, head: PartHead): Promise<boolean> {
  const { source, target, part, isStopped } = copy;
  const last = { range: WHOLE, isReverse: true, withItems: false, countMax: 1, bytesMax: 1 };
  let after: TermEntry | undefined = (await target.scanTerms(part, last)).entries[0];
  for (let isLast = false; !isLast; ) {
    if (isStopped()) return false;
    const page = await source.scanTerms(part, {
      range: WHOLE,
      after,
      withItems: false,
      countMax: TERMS_AT_ONCE,
      bytesMax: STEP_BYTES,
    });
    if (page.entries.length > 0) {
      await target.adopt(part, head.epoch, termsOf(page.entries), head.lsn);
    }
    after = page.entries.at(-1) ?? after;
    isLast = page.isLast;
  }
  return true;
}

function termsOf(entries: readonly TermEntry[]): readonly Adopted[] {
  const byNumber = new Map<number, string[]>();
  for (const { term, number } of entries) {
    const known = byNumber.get(number);
    if (known === undefined) byNumber.set(number, [term]);
    else known.push(term);
  }
  return [...byNumber].map(([number, termsAdded]) => {
    return { write: { kind: "reterm", key: "", number, termsAdded, termsRemoved: [] } };
  });
}

async function copyVersions(copy: PartCopy, head: PartHead): Promise<boolean> {
  const { source, target, part, isStopped } = copy;
  const limits = { countMax: STEP_COUNT_MAX, bytesMax: STEP_BYTES };
  for (let after = lsn(0), isLast = false; !isLast; ) {
    if (isStopped()) return false;
    const page = await source.readVersions(part, after, limits);
    if (page.versions.length > 0) await target.adoptVersions(part, head.epoch, page.versions);
    after = page.versions.at(-1)?.lsn ?? after;
    isLast = page.isLast;
  }
  return true;
}

/**
 * The largest number may be that of an item whose end was swept. It must not be given again, so it
 * is adopted as an end that the sweep takes away.
 */
async function spendNumbers({ target, part }: PartCopy, head: PartHead): Promise<void> {
  const there = await target.head(part);
  if (there !== undefined && there.numberMax >= head.numberMax) return;
  const end = endOf(lsn(1), head.numberMax, "", "deleted");
  await target.adopt(part, head.epoch, [end], head.lsn);
}
