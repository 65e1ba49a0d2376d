/**
 * A walk along the terms of one layer, and along those of several as one. There are many terms and
 * few who ask for all of them, so a walk reads no further than it is asked to.
 */
import type { KeyRange, TermEntry, TermPage } from "../partitionStore.ts";

export interface TermWalk {
  /** Begins and ends between two terms, never among the items of one. */
  readonly range: KeyRange;
  /** The walk begins strictly after this entry, in its direction; it lies in the range. */
  readonly after?: { readonly term: string; readonly number: number } | undefined;
  readonly isReverse: boolean;
}

export interface TermCursor {
  /** Undefined at the end. */
  readonly entry: TermEntry | undefined;
  /** False: this layer says that the entry is gone, whatever the layers below hold. */
  readonly isPresent: boolean;
  /** Everything that is left, present all of it, if that is known without going on. */
  readonly rest?: readonly TermEntry[] | undefined;
  advance(): void;
}

/** The first entries of all cursors. On equal entries the first cursor has the last word. */
export function mergedTerms(
  all: readonly TermCursor[],
  countMax: number,
  isReverse: boolean,
): TermPage {
  const cursors = all.filter(({ entry }) => entry !== undefined);
  const [only] = cursors;
  if (only === undefined) return { entries: [], isLast: true };
  const rest = cursors.length === 1 ? only.rest : undefined;
  if (rest !== undefined && rest.length <= countMax) return { entries: rest, isLast: true };
  return cursors.length === 1 ? walkOne(only, countMax) : walkAll(cursors, countMax, isReverse);
}

function walkOne(cursor: TermCursor, countMax: number): TermPage {
  const entries: TermEntry[] = [];
  for (let { entry } = cursor; entry !== undefined; { entry } = cursor) {
    if (cursor.isPresent) {
      if (entries.length >= countMax) return { entries, isLast: false };
      entries.push(entry);
    }
    cursor.advance();
  }
  return { entries, isLast: true };
}

function walkAll(cursors: readonly TermCursor[], countMax: number, isReverse: boolean): TermPage {
  const entries: TermEntry[] = [];
  for (;;) {
    let first: TermCursor | undefined;
    for (const cursor of cursors) {
      if (cursor.entry === undefined) continue;
      const isFirst = first === undefined || isEntryBefore(cursor.entry, first.entry!, isReverse);
      if (isFirst) first = cursor;
    }
    const entry = first?.entry;
    if (first === undefined || entry === undefined) return { entries, isLast: true };
    if (first.isPresent) {
      if (entries.length >= countMax) return { entries, isLast: false };
      entries.push(entry);
    }
    for (const cursor of cursors) {
      const { entry: other } = cursor;
      if (other?.number === entry.number && other.term === entry.term) cursor.advance();
    }
  }
}

/** True when an entry comes before another in the direction of a walk. */
export function isEntryBefore(entry: TermEntry, other: TermEntry, isReverse: boolean): boolean {
  if (entry.term !== other.term) return entry.term < other.term !== isReverse;
  return entry.number !== other.number && entry.number < other.number !== isReverse;
}
