/**
 * What a journal segment comes to: the last word on every key of every table.
 *
 * Terms are nearly all of it. They are collected per term, as lists of item numbers: that is how
 * they are kept (`termBlocks.ts`), and a list grows at a fraction of the cost of a key of its own.
 */
import { encodeNumber } from "../bytes.ts";
import { visitRecords } from "../journal/recordVisitor.ts";
import type { SealedSegment } from "../journal/segment.ts";
import { sealedFrames } from "../journal/segment.ts";
import { lsnKey } from "../memory/layer.ts";
import type { KeptVersion, PartHead } from "../partitionStore.ts";
import {
  encodeChange,
  encodeItem,
  encodeLease,
  encodeTally,
  KEY_TABLE,
  LEASE_PREFIX,
  prefixOf,
  tablePrefix,
} from "./keys.ts";
import { sealed } from "./seal.ts";

export interface SegmentChanges {
  /** `null` removes the key. */
  readonly entries: ReadonlyMap<string, Buffer | null>;
  readonly terms: ReadonlyMap<number, TermChanges>;
  /** By part: the versions that it keeps, also those that a later sweep of the segment forgets. */
  readonly versions: ReadonlyMap<number, readonly KeptVersion[]>;
  readonly heads: ReadonlyMap<number, PartHead>;
  readonly dropped: ReadonlySet<number>;
  readonly lastFrame: number;
}

/** The terms of one part. */
export interface TermChanges {
  /** By term: the items that got it, in the order in which they did; one may occur twice. */
  readonly added: Map<string, number[]>;
  /** By term: items that lost it at some time, and whether they have it in the end. */
  readonly lost: Map<string, Map<number, boolean>>;
}

export function changesOf({ segment, frameEnd }: SealedSegment, bytes: Buffer): SegmentChanges {
  const entries = new Map<string, Buffer | null>();
  const terms = new Map<number, TermChanges>();
  const versions = new Map<number, KeptVersion[]>();
  const heads = new Map<number, PartHead>();
  const dropped = new Set<number>();
  const put = (key: string, value: Buffer): unknown => entries.set(key, sealed(key, value));
  for (const frame of sealedFrames({ segment, frameEnd }, bytes)) {
    visitRecords(frame.bytes, frame.start, frame.end, {
      put(part, item) {
        const number = encodeNumber(item.number);
        put(prefixOf(part, KEY_TABLE) + item.key, Buffer.from(number, "latin1"));
        put(tablePrefix(part, "items") + number, encodeItem(item));
      },
      remove(part, key, number) {
        entries.set(prefixOf(part, KEY_TABLE) + key, null);
        entries.set(tablePrefix(part, "items") + encodeNumber(number), null);
      },
      tally(part, family, tally) {
        const key = tablePrefix(part, "tallies") + family;
        if (tally.itemCount === 0) entries.set(key, null);
        else put(key, encodeTally(tally));
      },
      term: (part, term, number, isPresent) =>
        changeTerm(termsOf(terms, part), term, number, isPresent),
      logged(part, lsn, number, kind, key) {
        put(logKey(part, lsn, number), encodeChange(kind, key));
      },
      unlogged(part, lsn, number) {
        entries.set(logKey(part, lsn, number), null);
      },
      kept(part, version) {
        const kept = versions.get(part);
        if (kept === undefined) versions.set(part, [version]);
        else kept.push(version);
      },
      head: (part, head) => heads.set(part, head),
      drop: (part) => dropped.add(part),
      lease: (name, lease) => put(LEASE_PREFIX + name, encodeLease(lease)),
    });
  }
  return { entries, terms, versions, heads, dropped, lastFrame: frameEnd - 1 };
}

function changeTerm(
  { added, lost }: TermChanges,
  term: string,
  number: number,
  isPresent: boolean,
): void {
  const losers = lost.get(term);
  if (losers?.has(number)) {
    losers.set(number, isPresent);
  } else if (!isPresent) {
    if (losers === undefined) lost.set(term, new Map([[number, false]]));
    else losers.set(number, false);
  } else {
    const numbers = added.get(term);
    if (numbers === undefined) added.set(term, [number]);
    else numbers.push(number);
  }
}

function termsOf(terms: Map<number, TermChanges>, part: number): TermChanges {
  let found = terms.get(part);
  if (found === undefined) {
    found = { added: new Map(), lost: new Map() };
    terms.set(part, found);
  }
  return found;
}

function logKey(part: number, lsn: number, number: number): string {
  return tablePrefix(part, "log") + lsnKey(lsn, number);
}
