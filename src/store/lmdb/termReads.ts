/**
 * Reads the terms as they are kept (`termBlocks.ts`), a page of entries at a time.
 *
 * Pages that were read lately are kept: the beginning of an order, and the items of a logical
 * partition, are what one query after the other asks for. Like `ItemCache` this relies on tables
 * that change with an absorption only, which empties it. Entries of a page must not be changed.
 */
import { encodeNumber } from "../bytes.ts";
import type { TermCursor, TermWalk } from "../memory/termCursor.ts";
import { isEntryBefore } from "../memory/termCursor.ts";
import type { TermEntry, TermPage } from "../partitionStore.ts";
import type { LmdbEnvironment } from "./environment.ts";
import { LATE_TERMS_TABLE, PREFIX_BYTES, prefixOf, tablePrefix } from "./keys.ts";
import { blockAround, decodeBlock, firstOfKey, termOfKey } from "./termBlocks.ts";

/** A first page serves those who want a few entries, a later one those who walk on. */
const FIRST_PAGE_ENTRIES = 64;
const PAGE_ENTRIES = 256;
/** About 100 bytes of memory each. */
const KEPT_ENTRIES_MAX = 64 * 1024;
/** Bytes of a term that say what kind it is and of which path. */
const KIND_BYTES = 6;
const KINDS_MAX = 1024;
const END = "\xff";

export class TermReads {
  readonly #tables: LmdbEnvironment;
  #young = new Map<string, TermPage>();
  #old = new Map<string, TermPage>();
  #youngEntryCount = 0;
  /** Whether there are late terms of a kind, by part and kind. */
  readonly #hasLate = new Map<string, boolean>();

  constructor(tables: LmdbEnvironment) {
    this.#tables = tables;
  }

  /** Called when the tables have changed. */
  forget(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#youngEntryCount = 0;
    this.#hasLate.clear();
  }

  walk(part: number, walk: TermWalk): TermCursor {
    return new PageWalk(this, part, walk);
  }

  /** The next entries of a walk; a page that is not the last may still have none behind it. */
  page(part: number, walk: TermWalk): TermPage {
    const name = nameOf(part, walk);
    const kept = this.#young.get(name);
    if (kept !== undefined) return kept;
    const page = this.#old.get(name) ?? this.#read(part, walk);
    if (this.#youngEntryCount >= KEPT_ENTRIES_MAX / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngEntryCount = 0;
    }
    this.#young.set(name, page);
    this.#youngEntryCount += page.entries.length + 1;
    return page;
  }

  #read(part: number, walk: TermWalk): TermPage {
    const countMax = walk.after === undefined ? FIRST_PAGE_ENTRIES : PAGE_ENTRIES;
    const prefix = tablePrefix(part, "terms");
    const blocks = walk.isReverse
      ? this.#blocksDown(prefix, walk, countMax)
      : this.#blocksUp(prefix, walk, countMax);
    if (!this.#mayHaveLate(part, walk)) return blocks;
    const late = this.#late(prefixOf(part, LATE_TERMS_TABLE), walk, countMax);
    return together(blocks, late, walk.isReverse);
  }

  #blocksUp(prefix: string, { range, after }: TermWalk, countMax: number): TermPage {
    const entries: TermEntry[] = [];
    let start = prefix + range.min;
    if (after !== undefined) {
      const { term, number } = after;
      // The block that the walk stopped in may have more.
      const block = blockAround(this.#tables, prefix + term, number);
      for (const next of block?.numbers ?? []) {
        if (next > number) entries.push({ term, number: next });
      }
      start = prefix + term + encodeNumber(number + 1);
    }
    if (entries.length >= countMax) return { entries, isLast: false };
    for (const { key, value } of this.#tables.getRange({ start, end: prefix + range.max })) {
      if (entries.length >= countMax) return { entries, isLast: false };
      addBlock(key, value, entries);
    }
    return { entries, isLast: true };
  }

  /** Backwards, the engine includes the upper bound, and a block may begin before the lower one. */
  #blocksDown(prefix: string, { range, after }: TermWalk, countMax: number): TermPage {
    const entries: TermEntry[] = [];
    const low = prefix + range.min;
    const high = prefix + (after === undefined ? range.max : after.term + numberText(after));
    for (const { key, value } of this.#tables.getRange({
      start: high,
      end: prefix,
      reverse: true,
    })) {
      if (key === high) continue;
      if (key < low) break;
      if (entries.length >= countMax) return { entries, isLast: false };
      const first = firstOfKey(key);
      const term = termOfKey(key).slice(PREFIX_BYTES);
      const numbers = value.length === 0 ? [first] : decodeBlock(first, value);
      for (let at = numbers.length - 1; at >= 0; at--) {
        const number = numbers[at]!;
        if (after !== undefined && term === after.term && number >= after.number) continue;
        entries.push({ term, number });
      }
    }
    return { entries, isLast: true };
  }

  #late(prefix: string, { range, after, isReverse }: TermWalk, countMax: number): TermPage {
    const entries: TermEntry[] = [];
    const low = prefix + range.min;
    const high = prefix + range.max;
    const resume = after && prefix + after.term + numberText(after);
    const start = resume ?? (isReverse ? high : low);
    const bounds = isReverse ? { start, end: prefix, reverse: true } : { start, end: high };
    for (const key of this.#tables.getKeys(bounds)) {
      if (key === resume || (isReverse && key === high)) continue;
      if (isReverse && key < low) break;
      if (entries.length >= countMax) return { entries, isLast: false };
      entries.push({ term: termOfKey(key).slice(PREFIX_BYTES), number: firstOfKey(key) });
    }
    return { entries, isLast: true };
  }

  /** Most containers have no late terms of most paths, and then nothing has to be looked for. */
  #mayHaveLate(part: number, { range: { min, max } }: TermWalk): boolean {
    const kind = min.slice(0, KIND_BYTES);
    if (kind.length < KIND_BYTES || !max.startsWith(kind)) return true;
    const name = prefixOf(part, LATE_TERMS_TABLE) + kind;
    let known = this.#hasLate.get(name);
    if (known === undefined) {
      const keys = this.#tables.getKeys({ start: name, end: name + END, limit: 1 });
      known = [...keys].length > 0;
      if (this.#hasLate.size >= KINDS_MAX) this.#hasLate.clear();
      this.#hasLate.set(name, known);
    }
    return known;
  }
}

class PageWalk implements TermCursor {
  readonly #reads: TermReads;
  readonly #part: number;
  readonly #walk: TermWalk;
  readonly isPresent = true;
  #page: TermPage;
  #at = 0;

  constructor(reads: TermReads, part: number, walk: TermWalk) {
    this.#reads = reads;
    this.#part = part;
    this.#walk = walk;
    this.#page = reads.page(part, walk);
  }

  get entry(): TermEntry | undefined {
    return this.#page.entries[this.#at];
  }

  /** All that is left of the walk, if it has been read already. */
  get rest(): readonly TermEntry[] | undefined {
    return this.#page.isLast && this.#at === 0 ? this.#page.entries : undefined;
  }

  advance(): void {
    this.#at++;
    const { entries, isLast } = this.#page;
    if (this.#at < entries.length || isLast) return;
    this.#page = this.#reads.page(this.#part, { ...this.#walk, after: entries.at(-1) });
    this.#at = 0;
  }
}

function addBlock(key: string, value: Buffer, entries: TermEntry[]): void {
  const term = termOfKey(key).slice(PREFIX_BYTES);
  const first = firstOfKey(key);
  if (value.length === 0) entries.push({ term, number: first });
  else for (const number of decodeBlock(first, value)) entries.push({ term, number });
}

/**
 * Joins the entries of both tables. Where one of them has more that was not read, what lies behind
 * its last entry is left for the next page.
 */
function together(blocks: TermPage, late: TermPage, isReverse: boolean): TermPage {
  if (late.entries.length === 0) return blocks;
  const ends = [blocks, late].filter(({ isLast }) => !isLast).map(({ entries }) => entries.at(-1)!);
  const isIn = (entry: TermEntry): boolean =>
    ends.every((end) => !isEntryBefore(end, entry, isReverse));
  const entries = [...blocks.entries, ...late.entries].filter(isIn);
  entries.sort((a, b) => (a === b ? 0 : isEntryBefore(a, b, isReverse) ? -1 : 1));
  return { entries, isLast: ends.length === 0 };
}

function nameOf(part: number, { range: { min, max }, after, isReverse }: TermWalk): string {
  const from = after === undefined ? "" : after.term + numberText(after);
  return `${part}${isReverse ? "<" : ">"}${min.length},${from.length} ${min}${from}${max}`;
}

function numberText({ number }: { readonly number: number }): string {
  return encodeNumber(number);
}
