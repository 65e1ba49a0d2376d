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
  Partial<Pick<PartitionStore, "tally" | "scanTallies" | "head">>;

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
      return new StoredSource(store, container, partition, byId.get(id)!, { vectors, keyTerms });
    });
}

class StoredSource implements PartitionSource {
  readonly partition: PhysicalPartition;
  readonly range: EpkRange;
  readonly placement: readonly TermBounds[] | undefined;
  readonly keyTerms: KeyTerms | undefined;
  readonly itemCount: number;
  readonly countInScope: (() => MaybePromise<number>) | undefined;
  readonly isOutside: ((number: number) => boolean) | undefined;
  readonly rankVectors: Source["rankVectors"];
  readonly #store: QueryableStore;
  readonly #container: Container;
  readonly #part: number;
  readonly #scope: readonly EpkRange[];
  readonly #isWhole: boolean;

  constructor(
    store: QueryableStore,
    container: Container,
    partition: PhysicalPartition,
    scope: readonly EpkRange[],
    { vectors, keyTerms }: SourceSetting,
  ) {
    const { part, range: owned } = partition.entry;
    const [first] = scope;
    this.#store = store;
    this.#container = container;
    this.#part = part;
    this.#scope = scope;
    this.#isWhole = scope.length === 1 && first!.min === owned.min && first!.max === owned.max;
    this.partition = partition;
    this.range = { min: first!.min, max: scope.at(-1)!.max };
    this.placement = this.#isWhole ? undefined : scope.map(placementBounds);
    this.keyTerms = keyTerms;
    this.itemCount = partition.head.itemCount;
    const { tally, scanTallies } = store;
    if (tally !== undefined && scanTallies !== undefined) {
      const counting = { tally: tally.bind(store), scanTallies: scanTallies.bind(store) };
      this.countInScope = () => countWithin(counting, part, scope);
    }
    this.isOutside = this.#isWhole ? undefined : container.places.outside(scope);
    this.rankVectors = vectors && ((question) => vectors.rank(partition, question));
  }

  isEveryTermLive(): MaybePromise<boolean> {
    if (this.#container.definition.defaultTtl !== undefined) return false;
    const found = scanTerms(this.#store, this.#part, ANY_UNINDEXED);
    return after(found, ({ entries }) => entries.length === 0);
  }

  /** Of a scope of one key only; of others it is not worth the counting. */
  wholeAt(): number | undefined {
    const store = this.#store;
    const [only, ...others] = this.#scope;
    if (this.#isWhole || others.length > 0 || !isPoint(only!)) return undefined;
    const own = store.tally?.(this.#part, only!.min);
    const head = store.head?.(this.#part);
    if (own === undefined || head === undefined) return undefined;
    if (own instanceof Promise || head instanceof Promise) return undefined;
    return own.itemCount === head.itemCount ? head.lsn : undefined;
  }

  scanItems(afterNumber: number, countMax: number): ReturnType<Source["scanItems"]> {
    const limits = { countMax, bytesMax: STEP_BYTES };
    return after(this.#store.scanItems(this.#part, afterNumber, limits), ({ items, isLast }) => ({
      items: this.#seenOf(items),
      lastNumber: items.at(-1)?.number ?? afterNumber,
      isLast,
    }));
  }

  scanTerms(scan: SourceScan): ReturnType<Source["scanTerms"]> {
    return scanTerms(this.#store, this.#part, scan);
  }

  load(numbers: readonly number[]): MaybePromise<readonly SourceItem[]> {
    return after(this.#store.itemsByNumber(this.#part, numbers), (items) => this.#seenOf(items));
  }

  valueOf(item: SourceItem): JsonObject {
    return exactObjectOf(item.body);
  }

  /** Every item of this source came from the store. */
  epkOf(item: SourceItem): Epk {
    return epkOfKey((item as StoredItem).key);
  }

  #seenOf(items: readonly StoredItem[]): readonly StoredItem[] {
    return items.filter((item) => {
      if (!this.partition.isLive(item) || isUnindexed(item.body)) return false;
      if (this.#isWhole) return true;
      const epk = epkOfKey(item.key);
      if (isWithin(this.#scope, epk)) return true;
      // Whoever meets items of other keys will meet them again.
      this.#container.places.learn(item.number, epk);
      return false;
    });
  }
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

type Counting = Pick<PartitionStore, "tally" | "scanTallies">;

/** The counters of the logical partitions, added up. */
function countWithin(
  counting: Counting,
  part: number,
  scope: readonly EpkRange[],
): MaybePromise<number> {
  const [only, ...others] = scope;
  if (others.length > 0 || !isPoint(only!)) return countEach(counting, part, scope);
  return after(counting.tally(part, only!.min), ({ itemCount }) => itemCount);
}

async function countEach(
  { scanTallies }: Counting,
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
