/**
 * The items of a query's sources in the order of an index, merged over all sources.
 *
 * Items that have no value at the path have no term in its ranges; they come first, or last when
 * the order is descending, and are found by their shapes. Long strings are in the index by their
 * beginnings only: where one is met, the order of the index is not good enough, and the stream
 * throws `NeedsSort`: the caller has to sort.
 */
import { compositeRange, hasLongString } from "../../index/compositeTerm.ts";
import { PATH_HASH_BYTES } from "../../index/hash.ts";
import { isShapeTerm, shapeTermRange } from "../../index/shapeTerm.ts";
import type { Scalar } from "../../index/term.ts";
import { isTruncated, termOf, termOfNode, termRangeOfPath } from "../../index/term.ts";
import type { JsonObject } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import type { OrderPlace, OrderValues } from "../evaluate/orderKey.ts";
import { compareOrderPlaces, compareOrderValues } from "../evaluate/orderKey.ts";
import type { Value } from "../functions/builtIn.ts";
import type { OrderAccess } from "../plan/orderAccess.ts";
import type { TermBounds } from "../plan/termBounds.ts";
import { loadInside } from "./loadSome.ts";
import type { Progress } from "./marks.ts";
import { isDone, startIn } from "./marks.ts";
import type { PageRun } from "./pageRun.ts";
import type { Source, SourceItem, SourceTerm } from "./source.ts";

/** Thrown when the index does not have the order that is asked for. */
export class NeedsSort extends Error {}

interface OrderedItem extends OrderPlace {
  readonly source: Source;
  readonly item: SourceItem;
  readonly value: JsonObject;
  /** Number of index entries from the item before, of the same source, up to this one. */
  readonly walkedCount: number;
}

export type IndexedOrder = Exclude<OrderAccess, { readonly kind: "sort" }>;

interface OrderedSetting {
  readonly order: IndexedOrder;
  readonly isDescending: readonly boolean[];
  /**
   * Narrower bounds on the terms of the path, from the filter; sorted. With them, items that lack
   * the path are left out.
   */
  readonly within: readonly TermBounds[] | undefined;
  /** How many items of each source the first step reads. */
  readonly countFirst: number;
  orderValuesOf(value: JsonObject): OrderValues;
  /**
   * Called for the items that will be given next; resolves with true when the next step should be
   * smaller.
   */
  rehearse(source: Source, items: readonly SourceItem[]): Promise<boolean>;
}

/**
 * Items before these values are done; of items with these very values, those that `progress` says.
 */
interface OrderedStart {
  readonly values: OrderValues;
  readonly progress: Progress;
}

const STEP_MAX = 256;
const SHAPE_COUNT_MAX = 1_000;
const SHAPE_STEP = 8;
const NUMBER_MAX = Number.MAX_SAFE_INTEGER;

/** Returns a stream that gives one item after the other, and undefined at the end. */
export function orderedStream(
  sources: readonly Source[],
  setting: OrderedSetting,
  page: PageRun,
  start: OrderedStart | undefined,
): OrderedStream {
  const streams = sources.map((source) => new SourceStream(source, setting, page, start));
  const next = async (): Promise<OrderedItem | undefined> => {
    let first: SourceStream | undefined;
    for (const stream of streams) {
      if (stream.head === undefined && !stream.isDone) await stream.fill();
      if (stream.head === undefined) continue;
      const isBefore =
        first === undefined ||
        compareOrderPlaces(stream.head, first.head!, setting.isDescending) < 0;
      if (isBefore) first = stream;
    }
    return first?.take();
  };
  const restWalked = (): ReturnType<OrderedStream["restWalked"]> =>
    streams.map(({ source, restWalkedCount: count }) => ({ source, count }));
  return { next, restWalked };
}

interface OrderedStream {
  next(): Promise<OrderedItem | undefined>;
  /** Returns, at the end of the stream, how many entries each source has behind its last item. */
  restWalked(): readonly { readonly source: Source; readonly count: number }[];
}

/**
 * Item numbers in order, each with the term it was found by, or undefined when the item lacks the
 * path.
 */
type Places = ReadonlyMap<number, string | undefined>;

const NO_PLACES: Places = new Map();

type Phase = { readonly kind: "missing" } | { readonly kind: "terms"; readonly bounds: TermBounds };

class SourceStream {
  readonly source: Source;
  /** Number of entries that were read since the last item that is in the buffer. */
  restWalkedCount = 0;
  readonly #setting: OrderedSetting;
  readonly #page: PageRun;
  readonly #isReverse: boolean;
  readonly #phases: Phase[];
  readonly #start: OrderedStart | undefined;
  /** Items that were found in the index and are not loaded yet. */
  #found: Places = NO_PLACES;
  #buffer: OrderedItem[] = [];
  #at = 0;
  #after: SourceTerm | undefined;
  #afterMissing: number | undefined;
  #missing: readonly number[] | undefined;
  #countMax: number;

  constructor(
    source: Source,
    setting: OrderedSetting,
    page: PageRun,
    start: OrderedStart | undefined,
  ) {
    this.source = source;
    this.#setting = setting;
    this.#page = page;
    this.#isReverse = setting.isDescending[0] === true;
    this.#countMax = Math.min(STEP_MAX, setting.countFirst);
    this.#phases = phasesOf(setting, this.#isReverse);
    this.#start = start;
    if (start !== undefined) this.#begin(start);
  }

  get head(): OrderedItem | undefined {
    return this.#buffer[this.#at];
  }

  get isDone(): boolean {
    return this.#phases.length === 0 && this.#found.size === 0 && this.head === undefined;
  }

  take(): OrderedItem {
    return this.#buffer[this.#at++]!;
  }

  async fill(): Promise<void> {
    while (this.head === undefined && !this.isDone) {
      const places = this.#found.size > 0 ? this.#found : await this.#somePlaces();
      const numbers = [...places.keys()];
      const loaded = await this.#page.timedLoad(this.source, () =>
        loadInside(this.source, numbers),
      );
      const { items, count } = loaded;
      this.#found = count === numbers.length ? NO_PLACES : new Map([...places].slice(count));
      // An item that changed since its entry was read now stands elsewhere in the index, and is not
      // given here.
      const fresh = items
        .map((item) => this.#orderedOf(item))
        .filter(({ values, number }) => termAt(this.#setting.order, values) === places.get(number))
        .filter((ordered) => !this.#isGiven(ordered));
      const buffer = this.#walked(numbers.slice(0, count), fresh);
      const isSlow = await this.#setting.rehearse(
        this.source,
        buffer.map(({ item }) => item),
      );
      this.#buffer = buffer;
      this.#at = 0;
      if (isSlow) this.#countMax = Math.max(1, this.#countMax >> 1);
      else if (places.size > 0) this.#countMax = Math.min(this.#countMax * 2, STEP_MAX);
      // With an item at hand the page can end; without one it may take long to find the next, so
      // the page may be suspended.
      await (this.head === undefined ? this.#page.pauseOrSuspend() : this.#page.pause());
    }
  }

  /** Sets, for each item, how many entries lie between it and the item before. */
  #walked(numbers: readonly number[], items: readonly OrderedItem[]): OrderedItem[] {
    const buffer: OrderedItem[] = [];
    for (const number of numbers) {
      this.restWalkedCount++;
      const item = items[buffer.length];
      if (item?.number !== number) continue;
      buffer.push({ ...item, walkedCount: this.restWalkedCount });
      this.restWalkedCount = 0;
    }
    return buffer;
  }

  #somePlaces(): Promise<Places> {
    const phase = this.#phases[0]!;
    return phase.kind === "missing" ? this.#someMissing() : this.#someTerms(phase.bounds);
  }

  /** True when an earlier page gave the item, from a source that has been split or merged since. */
  #isGiven({ values, item }: OrderedItem): boolean {
    if (this.#start === undefined) return false;
    const { isDescending } = this.#setting;
    if (compareOrderValues(values, this.#start.values, isDescending) !== 0) return false;
    const epk = this.source.epkOf(item);
    return isDone(this.#start.progress, epk, item.number, this.#isReverse ? "down" : "up");
  }

  #orderedOf(item: SourceItem): OrderedItem {
    const value = this.source.valueOf(item);
    const values = this.#setting.orderValuesOf(value);
    const { range } = this.source;
    return {
      source: this.source,
      item,
      value,
      values,
      rangeMin: range.min,
      number: item.number,
      walkedCount: 0,
    };
  }

  /** Reads the next entries of a range of terms. */
  async #someTerms(bounds: TermBounds): Promise<Places> {
    const scan = {
      bounds,
      after: this.#after,
      isReverse: this.#isReverse,
      countMax: this.#countMax,
    };
    const { work } = this.#page;
    const { entries, isLast } = await this.#page.timedIndex(this.source, () =>
      this.source.scanTerms(scan),
    );
    work.countScanned(entries.length);
    if (entries.some(({ term }) => this.#isInexact(term))) throw new NeedsSort();
    this.#after = isLast ? undefined : entries.at(-1);
    if (isLast) this.#phases.shift();
    return new Map(entries.map(({ term, number }) => [number, term]));
  }

  #isInexact(term: string): boolean {
    const { order } = this.#setting;
    return order.kind === "path"
      ? isTruncated(term.slice(PATH_HASH_BYTES))
      : hasLongString(order.layout, term);
  }

  async #someMissing(): Promise<Places> {
    this.#missing ??= await this.#page.timedIndex(this.source, () => this.#findMissing());
    const some = this.#missing.slice(0, this.#countMax);
    this.#missing = this.#missing.slice(this.#countMax);
    if (this.#missing.length === 0) {
      this.#phases.shift();
      this.#missing = undefined;
    }
    return new Map(some.map((number) => [number, undefined]));
  }

  /**
   * Resolves with the items of all shapes that lack the path. One item of a shape is enough to
   * tell.
   */
  async #findMissing(): Promise<readonly number[]> {
    const { max } = shapeTermRange();
    let { min } = shapeTermRange();
    const numbers: number[] = [];
    for (let count = 0; ; count++) {
      if (count > SHAPE_COUNT_MAX) throw new NeedsSort();
      const found = await this.#scan({ min, max }, undefined, 1);
      const [first] = found.entries;
      if (first === undefined) break;
      const bounds = { min: first.term, max: `${first.term}\xff` };
      min = bounds.max;
      if (!isShapeTerm(first.term)) continue;
      if (await this.#lacksPath(bounds)) await this.#addAll(bounds, numbers);
    }
    const start = this.#afterMissing;
    const sorted = numbers.sort((a, b) => (this.#isReverse ? b - a : a - b));
    if (start === undefined) return sorted;
    return sorted.filter((number) => (this.#isReverse ? number < start : number > start));
  }

  async #lacksPath(bounds: TermBounds): Promise<boolean> {
    const { order } = this.#setting;
    if (order.kind !== "path") return false;
    let after: SourceTerm | undefined;
    for (;;) {
      const { entries, isLast } = await this.#scan(bounds, after, SHAPE_STEP);
      const [item] = await this.source.load(entries.map(({ number }) => number));
      // Items of another scope and expired items are not loaded; any other item of the shape will
      // do.
      if (item !== undefined) {
        const value = valueAt(this.source.valueOf(item), order.path.segments as string[]);
        if (value === undefined || (await this.#isStillAt(bounds, item.number))) {
          return value === undefined;
        }
      }
      if (isLast) return false;
      after = entries.at(-1);
      // A shape may have many items, all of them outside the scope.
      await this.#page.pauseOrSuspend();
    }
  }

  /** True when the item still has the shape; the item may have changed before it was loaded. */
  async #isStillAt({ min, max }: TermBounds, number: number): Promise<boolean> {
    const found = await this.#scan({ min, max }, { term: min, number: number - 1 }, 1);
    return found.entries[0]?.number === number;
  }

  async #addAll(bounds: TermBounds, numbers: number[]): Promise<void> {
    let after: SourceTerm | undefined;
    for (let isLast = false; !isLast; ) {
      const found = await this.#scan(bounds, after, 1_000);
      for (const { number } of found.entries) numbers.push(number);
      after = found.entries.at(-1);
      isLast = found.isLast;
      await this.#page.pauseOrSuspend();
    }
  }

  async #scan(
    bounds: TermBounds,
    after: SourceTerm | undefined,
    countMax: number,
  ): Promise<{ readonly entries: readonly SourceTerm[]; readonly isLast: boolean }> {
    const found = await this.source.scanTerms({ bounds, after, isReverse: false, countMax });
    this.#page.work.termCount += found.entries.length;
    return found;
  }

  /** Skips everything before the start: whole phases, then entries of one phase. */
  #begin({ values, progress }: OrderedStart): void {
    const from = startIn(progress, this.source.range, this.#isReverse ? "down" : "up");
    const [first, last] = this.#isReverse ? [NUMBER_MAX, 0] : [0, NUMBER_MAX];
    const number = from === "beginning" ? first : from === "done" ? last : from;
    const term = termAt(this.#setting.order, values);
    if (term === undefined) {
      while (this.#phases[0]?.kind === "terms") this.#phases.shift();
      this.#afterMissing = number;
      return;
    }
    if (this.#isInexact(term)) throw new NeedsSort();
    while (this.#phases.length > 0 && this.#isPast(this.#phases[0]!, term)) this.#phases.shift();
    const [phase] = this.#phases;
    const isIn = phase?.kind === "terms" && term >= phase.bounds.min && term < phase.bounds.max;
    this.#after = isIn ? { term, number } : undefined;
  }

  /** True when the phase lies wholly before the term, in the direction of the order. */
  #isPast(phase: Phase, term: string): boolean {
    if (phase.kind === "missing") return !this.#isReverse;
    return this.#isReverse ? phase.bounds.min > term : phase.bounds.max <= term;
  }
}

function phasesOf({ order, within }: OrderedSetting, isReverse: boolean): Phase[] {
  if (order.kind === "composite") {
    const bounds = within ?? [compositeRange(order.layout, [])];
    const phases = bounds.map((range): Phase => ({ kind: "terms", bounds: range }));
    return isReverse ? phases.reverse() : phases;
  }
  const ranges = within ?? [termRangeOfPath(order.hash)];
  const phases: Phase[] = ranges.map((bounds) => ({ kind: "terms", bounds }));
  if (within === undefined) phases.unshift({ kind: "missing" });
  return isReverse ? phases.reverse() : phases;
}

/** Returns the term of these values; undefined when the value is missing and so has no term. */
function termAt(order: IndexedOrder, values: OrderValues): string | undefined {
  // The range of a full list of values begins with their term. A forged position may have more
  // values than the index has paths.
  if (order.kind === "composite") {
    return compositeRange(order.layout, values.slice(0, order.layout.steps.length)).min;
  }
  const [value] = values;
  if (value === undefined) return undefined;
  if (typeof value === "object" && value !== null) {
    return termOfNode(order.hash, Array.isArray(value) ? "array" : "object");
  }
  return termOf(order.hash, value as Scalar);
}

function valueAt(item: JsonObject, path: readonly string[]): Value {
  let value: Value = item;
  for (const name of path) value = isObject(value) ? property(value, name) : undefined;
  return value;
}
