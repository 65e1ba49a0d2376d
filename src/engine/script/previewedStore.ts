/**
 * A part of the store as it will be when some writes are committed: what a script reads, who sees
 * his own writes before anybody else does.
 *
 * Only reading, and only of the part that the writes are of.
 */
import type { MaybePromise } from "../../base/result.ts";
import { lsn } from "../../base/units.ts";
import type {
  ItemPage,
  ItemWrite,
  PartitionStore,
  ScanLimits,
  StoredItem,
  TermEntry,
  TermPage,
  TermScan,
} from "../../store/partitionStore.ts";
import type { ReadableStore } from "../querySource.ts";

interface Preview {
  /** `undefined`: gone. */
  readonly byNumber: ReadonlyMap<number, StoredItem | undefined>;
  readonly byKey: ReadonlyMap<string, StoredItem | undefined>;
  readonly termsAdded: readonly TermEntry[];
  /** Terms that the store has and the writes take away, by number. */
  readonly termsRemoved: ReadonlyMap<number, ReadonlySet<string>>;
}

/** `writes`: one for each item at most. */
export function previewedStore(store: PartitionStore, writes: readonly ItemWrite[]): ReadableStore {
  if (writes.length === 0) return store;
  const preview = previewOf(writes);
  return {
    orderTerms: () => store.orderTerms(),
    get: (asked, key) => (preview.byKey.has(key) ? preview.byKey.get(key) : store.get(asked, key)),
    itemsByNumber: (asked, numbers) => {
      const stored = numbers.filter((number) => !preview.byNumber.has(number));
      return after(store.itemsByNumber(asked, stored), (items) => {
        const found = new Map(items.map((item) => [item.number, item]));
        return numbers
          .map((number) => preview.byNumber.get(number) ?? found.get(number))
          .filter((item) => item !== undefined);
      });
    },
    scanItems: (asked, afterNumber, limits) =>
      scanItems(store, asked, preview, afterNumber, limits),
    scanTerms: (asked, scan) => scanTerms(store, asked, preview, scan),
  };
}

/** No item shows the LSN of what is not committed; none is lower than those to come. */
const NOT_YET = lsn(Number.MAX_SAFE_INTEGER);

function previewOf(writes: readonly ItemWrite[]): Preview {
  const byNumber = new Map<number, StoredItem | undefined>();
  const byKey = new Map<string, StoredItem | undefined>();
  const termsAdded: TermEntry[] = [];
  const termsRemoved = new Map<number, Set<string>>();
  for (const write of writes) {
    if (write.kind === "reterm") continue;
    const { key, number, tag } = write;
    const item =
      write.kind === "put"
        ? { key, number, tag, lsn: NOT_YET, body: Buffer.from(write.body) }
        : undefined;
    byNumber.set(number, item);
    // One item may have ended, and another one begun, under the same key.
    if (item !== undefined || byKey.get(key) === undefined) byKey.set(key, item);
    termsRemoved.set(number, new Set(write.termsRemoved));
    if (write.kind !== "put") continue;
    // A term that is removed and added stays: it may be in the store, and must not be seen twice.
    for (const term of new Set(write.termsAdded)) termsAdded.push({ term, number });
    for (const term of write.termsAdded) termsRemoved.get(number)!.add(term);
  }
  return { byNumber, byKey, termsAdded, termsRemoved };
}

/** What the writes leave out of a page is made up for: only the last page may be a short one. */
async function scanItems(
  store: PartitionStore,
  part: number,
  { byNumber }: Preview,
  afterNumber: number,
  limits: ScanLimits,
): Promise<ItemPage> {
  const items: StoredItem[] = [];
  let from = afterNumber;
  let isLast = false;
  while (!isLast && items.length < limits.countMax) {
    const page = await store.scanItems(part, from, limits);
    const through = page.isLast ? Number.POSITIVE_INFINITY : page.items.at(-1)!.number;
    const here = page.items.filter(({ number }) => !byNumber.has(number));
    for (const [number, item] of byNumber) {
      if (item !== undefined && number > from && number <= through) here.push(item);
    }
    items.push(...here.sort((a, b) => a.number - b.number));
    from = through;
    isLast = page.isLast;
  }
  if (items.length <= limits.countMax) return { items, isLast };
  return { items: items.slice(0, limits.countMax), isLast: false };
}

async function scanTerms(
  store: PartitionStore,
  part: number,
  preview: Preview,
  scan: TermScan,
): Promise<TermPage> {
  const sign = scan.isReverse === true ? -1 : 1;
  const added = preview.termsAdded
    .filter(({ term }) => term >= scan.range.min && term < scan.range.max)
    .sort((a, b) => sign * compareEntries(a, b));
  const entries: TermEntry[] = [];
  let from = scan.after;
  let isLast = false;
  while (!isLast && entries.length < scan.countMax) {
    const page = await store.scanTerms(part, { ...scan, after: from, withItems: false });
    const through = page.isLast ? undefined : page.entries.at(-1)!;
    const here = page.entries.filter(
      ({ term, number }) => preview.termsRemoved.get(number)?.has(term) !== true,
    );
    for (const entry of added) {
      const isBeyond = from === undefined || sign * compareEntries(entry, from) > 0;
      const isWithin = through === undefined || sign * compareEntries(entry, through) <= 0;
      if (isBeyond && isWithin) here.push(entry);
    }
    entries.push(...here.sort((a, b) => sign * compareEntries(a, b)));
    from = through;
    isLast = page.isLast;
  }
  if (entries.length <= scan.countMax) return { entries, isLast };
  return { entries: entries.slice(0, scan.countMax), isLast: false };
}

function compareEntries(a: TermEntry, b: TermEntry): number {
  if (a.term !== b.term) return a.term < b.term ? -1 : 1;
  return a.number - b.number;
}

function after<T, U>(value: MaybePromise<T>, then: (value: T) => U): MaybePromise<U> {
  return value instanceof Promise ? value.then(then) : then(value);
}
