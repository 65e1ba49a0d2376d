/**
 * A part of the store as it will be after some writes are committed. A script reads it, because a
 * script sees its own writes before anybody else does.
 *
 * The store can only be read, and only in the part to which the writes belong.
 */
import type { MaybePromise } from "../../base/result.ts";
import { decodeNumber, encodeNumber } from "../../store/bytes.ts";
import type { RunEntry } from "../../store/memory/sortedRuns.ts";
import type {
  ItemPage,
  PartitionStore,
  ScanLimits,
  StoredItem,
  TermEntry,
  TermPage,
  TermScan,
} from "../../store/partitionStore.ts";
import type { QueryableStore } from "../query/querySource.ts";
import type { Preview } from "./preview.ts";

export function previewedStore(store: PartitionStore, preview: Preview): QueryableStore {
  if (preview.isEmpty) return store;
  return {
    orderTerms: () => store.orderTerms(),
    get: (asked, key) => {
      const previewed = preview.byKey(key);
      return previewed === undefined ? store.get(asked, key) : previewed.item;
    },
    itemsByNumber: (asked, numbers) => {
      const stored = numbers.filter((number) => preview.byNumber(number) === undefined);
      return after(store.itemsByNumber(asked, stored), (items) => {
        const found = new Map(items.map((item) => [item.number, item]));
        return numbers
          .map((number) => preview.byNumber(number)?.item ?? found.get(number))
          .filter((item) => item !== undefined);
      });
    },
    scanItems: (asked, afterNumber, limits) =>
      scanItems(store, asked, preview, afterNumber, limits),
    scanTerms: (asked, scan) => scanTerms(store, asked, preview, scan),
  };
}

async function scanItems(
  store: PartitionStore,
  part: number,
  preview: Preview,
  afterNumber: number,
  limits: ScanLimits,
): Promise<ItemPage> {
  const own = preview.items.entries(encodeNumber(afterNumber + 1), NUMBERS_END, false);
  const { found, isLast } = await mergedPage<StoredItem>(own, {
    countMax: limits.countMax,
    isReverse: false,
    keyOf: ({ number }) => encodeNumber(number),
    ownOf: (key) => preview.byNumber(decodeNumber(key, 0))!.item!,
    nextPage: async (last) => {
      const page = await store.scanItems(part, last?.number ?? afterNumber, limits);
      return { found: page.items, isLast: page.isLast };
    },
  });
  return { items: found, isLast };
}

async function scanTerms(
  store: PartitionStore,
  part: number,
  preview: Preview,
  scan: TermScan,
): Promise<TermPage> {
  const isReverse = scan.isReverse === true;
  const resume = scan.after && keyOfEntry(scan.after);
  const min = resume !== undefined && !isReverse ? `${resume}\0` : scan.range.min;
  const max = resume !== undefined && isReverse ? resume : scan.range.max;
  const own = preview.terms.entries(min, max, isReverse);
  const { found, isLast } = await mergedPage<TermEntry>(own, {
    countMax: scan.countMax,
    isReverse,
    keyOf: keyOfEntry,
    ownOf: (key) => ({ term: key.slice(0, -8), number: decodeNumber(key, key.length - 8) }),
    nextPage: async (last) => {
      const from = last ?? scan.after;
      const page = await store.scanTerms(part, { ...scan, after: from, withItems: false });
      return { found: page.entries, isLast: page.isLast };
    },
  });
  return { entries: found, isLast };
}

/** Sorts after every encoded item number. */
const NUMBERS_END = "\xff".repeat(9);

const keyOfEntry = ({ term, number }: TermEntry): string => term + encodeNumber(number);

interface Merging<T> {
  readonly countMax: number;
  readonly isReverse: boolean;
  keyOf(stored: T): string;
  /** Returns the entry under a key that the preview has. */
  ownOf(key: string): T;
  /** Resolves with the stored entries after `last`, or with the first ones. */
  nextPage(last: T | undefined): Promise<FoundPage<T>>;
}

interface FoundPage<T> {
  readonly found: readonly T[];
  readonly isLast: boolean;
}

/** Merges stored and previewed entries in order; where both have a key, the preview decides. */
async function mergedPage<T>(
  own: Iterator<RunEntry, void, undefined>,
  { countMax, isReverse, keyOf, ownOf, nextPage }: Merging<T>,
): Promise<FoundPage<T>> {
  const found: T[] = [];
  let next = own.next();
  /**
   * Adds the preview's entries up to `through`; returns true if the preview has `through` itself.
   */
  const takeOwn = (through: string | undefined): boolean => {
    while (!next.done && found.length <= countMax) {
      const { key, isPresent } = next.value;
      const isBeyond = through !== undefined && (isReverse ? key < through : key > through);
      if (isBeyond) return false;
      if (isPresent) found.push(ownOf(key));
      next = own.next();
      if (key === through) return true;
    }
    return false;
  };
  let last: T | undefined;
  for (let isLast = false; !isLast && found.length <= countMax; ) {
    const page = await nextPage(last);
    for (const stored of page.found) {
      if (!takeOwn(keyOf(stored))) found.push(stored);
      if (found.length > countMax) break;
    }
    last = page.found.at(-1);
    isLast = page.isLast;
  }
  takeOwn(undefined);
  // One entry too many shows that there are more.
  if (found.length <= countMax) return { found, isLast: true };
  return { found: found.slice(0, countMax), isLast: false };
}

function after<T, U>(value: MaybePromise<T>, then: (value: T) => U): MaybePromise<U> {
  return value instanceof Promise ? value.then(then) : then(value);
}
