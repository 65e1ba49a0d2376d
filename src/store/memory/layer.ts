/**
 * A layer of stored versions. A store is a stack of them: the newest memory table on top, the
 * tables of the embedded engine at the bottom. Looking something up means asking from the top
 * until a layer knows; scanning means merging all of them, the topmost having the last word.
 *
 * Each part has five ordered tables, keyed by latin1 strings:
 * - items, by number;
 * - terms, by term then number;
 * - log, by LSN then number;
 * - versions that are kept, by LSN then number;
 * - tallies, by family.
 */
import { decodeNumber, encodeNumber } from "../bytes.ts";
import type { KeptVersion, LogKind, StoredItem, Tally } from "../partitionStore.ts";
import { isBefore } from "./sortedRuns.ts";
import type { TermCursor, TermWalk } from "./termCursor.ts";

export type TableName = "items" | "terms" | "log" | "versions" | "tallies";

export interface LayerEntry {
  readonly key: string;
  /** False: this layer says that the key is gone, whatever the layers below hold. */
  readonly isPresent: boolean;
  /** In the items table. */
  readonly item?: StoredItem | undefined;
  /** In the log. */
  readonly change?: LoggedChange | undefined;
  /** In the table of kept versions. */
  readonly version?: KeptVersion | undefined;
  /** Of a family. */
  readonly tally?: Tally | undefined;
}

export interface LoggedChange {
  readonly kind: LogKind;
  readonly key: string;
}

export interface Layer {
  /** `null`: known to be gone. `undefined`: ask the layer below. */
  byKey(part: number, key: string): StoredItem | null | undefined;
  byNumber(part: number, number: number): StoredItem | null | undefined;
  tally(part: number, family: string): Tally | null | undefined;
  entries(
    part: number,
    table: TableName,
    min: string,
    max: string,
    isReverse: boolean,
  ): Iterator<LayerEntry, void, undefined>;
  /** The terms, by (term, number), again but as what they are; for those who ask often. */
  terms(part: number, walk: TermWalk): TermCursor;
}

/** Greater than every key that starts with a number. */
export const KEY_MAX: string = "\xff".repeat(16);

/** The present entries of all layers between `min` and `max`, in order. `layers` is top first. */
export function* merged(
  layers: readonly Layer[],
  part: number,
  table: TableName,
  range: { readonly min: string; readonly max: string },
  isReverse = false,
): Generator<LayerEntry, void, undefined> {
  const heads = layers.map((layer) => {
    const iterator = layer.entries(part, table, range.min, range.max, isReverse);
    return { iterator, entry: iterator.next().value ?? undefined };
  });
  try {
    for (;;) {
      let first: LayerEntry | undefined;
      for (const { entry } of heads) {
        if (entry === undefined) continue;
        if (first === undefined || isBefore(entry.key, first.key, isReverse)) first = entry;
      }
      if (first === undefined) return;
      for (const head of heads) {
        if (head.entry?.key === first.key) head.entry = head.iterator.next().value ?? undefined;
      }
      if (first.isPresent) yield first;
    }
  } finally {
    // A cursor of the embedded engine pins pages until it is closed.
    for (const { iterator } of heads) iterator.return?.();
  }
}

/** A key of the log, or of the kept versions. */
export function lsnKey(lsn: number, number: number): string {
  return encodeNumber(lsn) + encodeNumber(number);
}

/** The item number at the end of a key of any table but the tallies. */
export function numberOfKey(key: string): number {
  return decodeNumber(key, key.length - 8);
}
