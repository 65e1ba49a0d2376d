/**
 * What a query reads of one physical partition: its items and terms, without items that have
 * expired, were left out of the index, or lie outside the scope of the query.
 */
import type { MaybePromise } from "../../base/result.ts";
import type { JsonObject } from "../../json/value.ts";
import type { Epk, EpkRange } from "../../partition/epkRange.ts";
import { intersect, isPoint } from "../../partition/epkRange.ts";
import { overlapping } from "../../partition/partitionMap.ts";
import type { KeyTerms, Source, SourceItem, SourceScan } from "../../query/execute/source.ts";
import type { TermBounds } from "../../query/plan/termBounds.ts";
import type { PartitionStore, StoredItem } from "../../store/partitionStore.ts";
import { exactObjectOf, isUnindexed } from "../item/itemBody.ts";
import { epkOfKey, placementRange, placementTerm } from "../item/itemKey.ts";
import { UNINDEXED_RANGE } from "../item/itemTerms.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import type { VectorTables } from "../vectors/vectorTables.ts";

/**
 * The methods of a store that a query uses. A store that shows changes before they are committed
 * has no counters of its own.
 */
export type QueryableStore = Pick<
  PartitionStore,
  "get" | "itemsByNumber" | "scanItems" | "scanTerms" | "orderTerms"
> &
  Partial<Pick<PartitionStore, "scanTallies">>;

export interface PartitionSource extends Source {
  readonly partition: PhysicalPartition;
}

interface SourceSetting {
  /** Absent where vectors are not searched. */
  readonly vectors: VectorTables | undefined;
  /** The terms of the keys that the ranges are made of. */
  readonly keyTerms: KeyTerms | undefined;
}

/**
 * Returns a source for each physical partition that holds a part of `ranges`, which are sorted and
 * do not overlap.
 */
export function sourcesOf(
  store: QueryableStore,
  container: Container,
  ranges: readonly EpkRange[],
  { vectors, keyTerms }: SourceSetting,
): readonly PartitionSource[] {
  const byId = new Map<string, EpkRange[]>();
  for (const range of ranges) {
    for (const { id, range: owned } of overlapping(container.map, range)) {
      const scope = byId.get(id) ?? [];
      scope.push(intersect(owned, range)!);
      byId.set(id, scope);
    }
  }
  return container.map.entries
    .filter(({ id }) => byId.has(id))
    .map(({ id }) => {
      const partition = container.partitions.get(id)!;
      const source = { ...sourceOf(store, container, partition, byId.get(id)!), keyTerms };
      if (vectors === undefined) return source;
      return { ...source, rankVectors: (question) => vectors.rank(partition, question) };
    });
}

function sourceOf(
  store: QueryableStore,
  container: Container,
  partition: PhysicalPartition,
  scope: readonly EpkRange[],
): PartitionSource {
  const { part, range: owned } = partition.entry;
  const [first] = scope;
  const isWhole = scope.length === 1 && first!.min === owned.min && first!.max === owned.max;
  const isSeen = (item: StoredItem): boolean =>
    partition.isLive(item) &&
    !isUnindexed(item.body) &&
    (isWhole || isWithin(scope, epkOfKey(item.key)));
  const { scanTallies } = store;
  return {
    ...(scanTallies !== undefined && {
      countInScope: () => countWithin(scanTallies.bind(store), part, scope),
    }),
    partition,
    range: { min: first!.min, max: scope.at(-1)!.max },
    placement: isWhole ? undefined : scope.map(placementBounds),
    itemCount: partition.head.itemCount,
    isEveryTermLive: () =>
      container.definition.defaultTtl === undefined &&
      after(scanTerms(store, part, ANY_UNINDEXED), ({ entries }) => entries.length === 0),
    scanItems: (afterNumber, countMax) =>
      after(store.scanItems(part, afterNumber, { countMax, bytesMax: STEP_BYTES }), (page) => ({
        items: page.items.filter(isSeen),
        lastNumber: page.items.at(-1)?.number ?? afterNumber,
        isLast: page.isLast,
      })),
    scanTerms: (scan) => scanTerms(store, part, scan),
    load: (numbers) => after(store.itemsByNumber(part, numbers), (items) => items.filter(isSeen)),
    valueOf: (item: SourceItem): JsonObject => exactObjectOf(item.body),
    // Every item of this source came from the store.
    epkOf: (item) => epkOfKey((item as StoredItem).key),
  };
}

const ANY_UNINDEXED: SourceScan = { bounds: UNINDEXED_RANGE, isReverse: false, countMax: 1 };

/** Bytes that one step reads; a longer step would make other requests wait. */
const STEP_BYTES = 1024 * 1024;
const TALLIES_STEP = 1_000;

function scanTerms(
  store: QueryableStore,
  part: number,
  { bounds, after: resume, isReverse, countMax }: SourceScan,
): ReturnType<Source["scanTerms"]> {
  return store.scanTerms(part, {
    range: bounds,
    after: resume,
    isReverse,
    countMax,
    bytesMax: Number.POSITIVE_INFINITY,
    withItems: false,
  });
}

/** The counters of the logical partitions, added up. */
async function countWithin(
  scanTallies: PartitionStore["scanTallies"],
  part: number,
  scope: readonly EpkRange[],
): Promise<number> {
  let count = 0;
  for (const range of scope) {
    let after: string | undefined;
    for (let isLast = false; !isLast; ) {
      const page = await scanTallies(part, { range, after, countMax: TALLIES_STEP });
      for (const { itemCount } of page.tallies) count += itemCount;
      after = page.tallies.at(-1)?.family;
      isLast = page.isLast;
    }
  }
  return count;
}

function placementBounds(range: EpkRange): TermBounds {
  if (!isPoint(range)) return placementRange(range);
  const term = placementTerm(range.min);
  return { min: term, max: `${term}\xff`, isTerm: true };
}

function isWithin(scope: readonly EpkRange[], epk: Epk): boolean {
  let low = 0;
  let high = scope.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (scope[middle]!.max <= epk) low = middle + 1;
    else high = middle;
  }
  const range = scope[low];
  return range !== undefined && range.min <= epk;
}

function after<T, U>(value: MaybePromise<T>, then: (value: T) => U): MaybePromise<U> {
  return value instanceof Promise ? value.then(then) : then(value);
}
