/**
 * New tables from the entries of old ones: those of another format, or what is left of damaged
 * ones. What a damaged page took is noted as a lost range, unless it can be told from the items:
 * which key leads to which item, and how much each logical partition holds.
 */
import { mkdirSync } from "node:fs";
import { afterPrefix, decodeNumber, encodeNumber } from "../bytes.ts";
import type { StoredItem } from "../partitionStore.ts";
import { talliesOf } from "../tallies.ts";
import type { LmdbEnvironment } from "./environment.ts";
import { openEnvironment } from "./environment.ts";
import {
  decodeItem,
  encodeTally,
  KEY_TABLE,
  LOST_PREFIX,
  PREFIX_BYTES,
  partOfKey,
  prefixOf,
  tablePrefix,
} from "./keys.ts";
import type { LostRange } from "./lostRanges.ts";
import { encodeLost, lostKey, lostWithout, overlaps } from "./lostRanges.ts";
import type { Survivor } from "./pages/survivors.ts";
import { sealed, unsealed } from "./seal.ts";

export interface Rebuilt {
  readonly entryCount: number;
  readonly lost: readonly LostRange[];
  /** Entries whose values do not fit their checksums; they are there, and nobody can read them. */
  readonly damagedKeys: readonly string[];
}

/** Entries that one transaction takes. */
const BATCH_COUNT = 50_000;

/** Makes tables in a folder that is not there yet. Durable when it resolves. */
export async function rebuildTables(
  folder: string,
  survivors: Iterable<Survivor>,
  onCount: (entryCount: number) => void,
): Promise<Rebuilt> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const tables = openEnvironment(folder);
  try {
    const { lost, ...copied } = copyEntries(tables, survivors, onCount);
    const left = mendDerived(tables, lost, copied.damagedKeys);
    const formerCount = [...tables.getKeys(spanOf(LOST_PREFIX))].length;
    tables.transactionSync(() => {
      for (const [index, range] of left.entries()) {
        const key = lostKey(formerCount + index);
        tables.putSync(key, sealed(key, encodeLost(range)));
      }
    });
    return { ...copied, lost: left };
  } finally {
    await tables.close();
  }
}

function copyEntries(
  tables: LmdbEnvironment,
  survivors: Iterable<Survivor>,
  onCount: (entryCount: number) => void,
): Rebuilt {
  const lost: LostRange[] = [];
  const damagedKeys: string[] = [];
  let entryCount = 0;
  const copy = (survivor: Survivor): void => {
    if (survivor.kind === "lost") {
      lost.push(survivor.range);
      return;
    }
    if (survivor.kind === "damaged") damagedKeys.push(survivor.key);
    tables.putSync(survivor.key, survivor.value);
    entryCount++;
  };
  const iterator = survivors[Symbol.iterator]();
  for (let isDone = false; !isDone; ) {
    tables.transactionSync(() => {
      for (let count = 0; count < BATCH_COUNT; count++) {
        const next = iterator.next();
        isDone = next.done === true;
        if (next.done === true) return;
        copy(next.value);
      }
    });
    onCount(entryCount);
  }
  return { entryCount, lost, damagedKeys };
}

/** Keys and tallies follow from items; where all items of a part are whole, theirs are not lost. */
function mendDerived(
  tables: LmdbEnvironment,
  lost: readonly LostRange[],
  damagedKeys: readonly string[],
): readonly LostRange[] {
  let left = lost;
  for (const part of partsOf(lost)) {
    const items = rangeOf(tablePrefix(part, "items"));
    const isWhole =
      !lost.some((range) => overlaps(range, items)) &&
      !damagedKeys.some((key) => key >= items.min && key < items.max);
    if (!isWhole) continue;
    for (const mend of [mendKeys, mendTallies]) left = lostWithout(left, mend(tables, part));
  }
  return left;
}

function mendKeys(tables: LmdbEnvironment, part: number): LostRange {
  const prefix = prefixOf(part, KEY_TABLE);
  tables.transactionSync(() => {
    for (const item of itemsOf(tables, part)) {
      const key = prefix + item.key;
      tables.putSync(key, sealed(key, Buffer.from(encodeNumber(item.number), "latin1")));
    }
  });
  return rangeOf(prefix);
}

function mendTallies(tables: LmdbEnvironment, part: number): LostRange {
  const prefix = tablePrefix(part, "tallies");
  tables.transactionSync(() => {
    for (const [family, tally] of talliesOf(itemsOf(tables, part))) {
      tables.putSync(prefix + family, sealed(prefix + family, encodeTally(tally)));
    }
  });
  return rangeOf(prefix);
}

function* itemsOf(tables: LmdbEnvironment, part: number): Generator<StoredItem, void, undefined> {
  for (const { key, value } of tables.getRange(spanOf(tablePrefix(part, "items")))) {
    yield decodeItem(decodeNumber(key, PREFIX_BYTES), unsealed(key, value));
  }
}

/** A range of a damaged page begins and ends in these; a part between them has no entry left. */
function partsOf(lost: readonly LostRange[]): ReadonlySet<number> {
  return new Set(lost.flatMap(({ min, max }) => [partOfKey(min), partOfKey(max)]));
}

function rangeOf(prefix: string): LostRange {
  return { min: prefix, max: afterPrefix(prefix) };
}

function spanOf(prefix: string): { readonly start: string; readonly end: string } {
  return { start: prefix, end: afterPrefix(prefix) };
}
