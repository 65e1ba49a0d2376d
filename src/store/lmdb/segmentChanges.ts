/**
 * What a journal segment comes to: the last word on every key of every table.
 *
 * Of an item that is written many times, only its last version is encoded. Terms are nearly all of
 * a segment, and are left where they lie in it (`segmentTerms.ts`).
 */
import { encodeNumber } from "../bytes.ts";
import { visitRecords } from "../journal/recordVisitor.ts";
import type { SealedSegment } from "../journal/segment.ts";
import { sealedFrames } from "../journal/segment.ts";
import { lsnKey } from "../memory/layer.ts";
import type { KeptVersion, PartHead, StoredItem } from "../partitionStore.ts";
import {
  encodeChange,
  encodeLease,
  encodeTally,
  KEY_TABLE,
  LEASE_PREFIX,
  prefixOf,
  tablePrefix,
} from "./keys.ts";
import { sealed } from "./seal.ts";
import { SegmentTerms } from "./segmentTerms.ts";

export interface SegmentChanges {
  /** All but items, terms and versions; `null` removes the key. */
  readonly entries: ReadonlyMap<string, Buffer | null>;
  /** By part and number: the last version of an item; `null` removes the item. */
  readonly items: ReadonlyMap<number, ReadonlyMap<number, StoredItem | null>>;
  readonly terms: ReadonlyMap<number, SegmentTerms>;
  /** By part: the versions that it keeps, also those that a later sweep of the segment forgets. */
  readonly versions: ReadonlyMap<number, readonly KeptVersion[]>;
  readonly heads: ReadonlyMap<number, PartHead>;
  readonly dropped: ReadonlySet<number>;
  readonly lastFrame: number;
}

export function changesOf({ segment, frameEnd }: SealedSegment, bytes: Buffer): SegmentChanges {
  const entries = new Map<string, Buffer | null>();
  const items = new Map<number, Map<number, StoredItem | null>>();
  const terms = new Map<number, SegmentTerms>();
  const versions = new Map<number, KeptVersion[]>();
  const heads = new Map<number, PartHead>();
  const dropped = new Set<number>();
  const put = (key: string, value: Buffer): unknown => entries.set(key, sealed(key, value));
  for (const frame of sealedFrames({ segment, frameEnd }, bytes)) {
    visitRecords(frame.bytes, frame.start, frame.end, {
      put(part, item) {
        const number = encodeNumber(item.number);
        put(prefixOf(part, KEY_TABLE) + item.key, Buffer.from(number, "latin1"));
        of(items, part, newItems).set(item.number, item);
      },
      remove(part, key, number) {
        entries.set(prefixOf(part, KEY_TABLE) + key, null);
        of(items, part, newItems).set(number, null);
      },
      tally(part, family, tally) {
        const key = tablePrefix(part, "tallies") + family;
        if (tally.itemCount === 0) entries.set(key, null);
        else put(key, encodeTally(tally));
      },
      terms: (part, number, start, end) =>
        of(terms, part, () => new SegmentTerms(bytes)).note(number, start, end),
      logged(part, lsn, number, kind, key) {
        put(logKey(part, lsn, number), encodeChange(kind, key));
      },
      unlogged(part, lsn, number) {
        entries.set(logKey(part, lsn, number), null);
      },
      kept(part, version) {
        of(versions, part, (): KeptVersion[] => []).push(version);
      },
      head: (part, head) => heads.set(part, head),
      drop: (part) => dropped.add(part),
      lease: (name, lease) => put(LEASE_PREFIX + name, encodeLease(lease)),
    });
  }
  return { entries, items, terms, versions, heads, dropped, lastFrame: frameEnd - 1 };
}

function newItems(): Map<number, StoredItem | null> {
  return new Map();
}

/** What is kept for a part, made when it is first asked for. */
function of<T>(byPart: Map<number, T>, part: number, make: () => T): T {
  let found = byPart.get(part);
  if (found === undefined) {
    found = make();
    byPart.set(part, found);
  }
  return found;
}

function logKey(part: number, lsn: number, number: number): string {
  return tablePrefix(part, "log") + lsnKey(lsn, number);
}
