/**
 * The items of a query's sources in the order of an index, merged over all sources.
 *
 * Items that have no value at the path have no term in its ranges; they come first, or last when
 * the order is descending, and are found by their shapes. Long strings are in the index by their
 * beginnings only: where one is met, the order of the index is not good enough, and the stream
 * throws `NeedsSort`: the caller has to sort.
 */
import { compositeRange, hasLongString } from "../../index/compositeTerm.ts";
import type { Scalar } from "../../index/term.ts";
import { isTruncatedTerm, termOf, termOfNode, termRangeOfPath } from "../../index/term.ts";
import type { JsonObject } from "../../json/value.ts";
import type { OrderPlace, OrderValues } from "../evaluate/orderKey.ts";
import { compareOrderPlaces, compareOrderValues } from "../evaluate/orderKey.ts";
import type { OrderAccess } from "../plan/orderAccess.ts";
import type { TermBounds } from "../plan/termBounds.ts";
import { itemsLacking, NeedsSort } from "./lackingItems.ts";
import { loadSome } from "./loadSome.ts";
import type { Progress } from "./marks.ts";
import { isDone, startIn } from "./marks.ts";
import type { PageRun } from "./pageRun.ts";
import type { Source, SourceItem, SourceTerm } from "./source.ts";

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
  /** About how many entries of the index there are for each that may be in scope. */
  readonly entriesPerItem: number;
  /** After so many entries of a source the caller has to sort. */
  readonly entriesMax: number;
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
/** A step reads at most so many times as many entries as it may load items. */
const STRETCH_MAX = 8;
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

/** An entry of the walk whose item may be in scope. */
interface Found {
  readonly number: number;
  /** The term by which it was found; undefined when the item lacks the path. */
  readonly term: string | undefined;
  /** How many entries lie between the one found before and this one, itself included. */
  readonly walkedCount: number;
}

type Entry = Pick<Found, "number" | "term">;

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
  /** Entries that were read and whose items are not loaded yet. */
  #found: readonly Found[] = [];
  /** How many entries were read behind the last of `#found`. */
  #behindCount = 0;
  #entryCount = 0;
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
    this.#countMax = Math.min(this.#stepMax, Math.ceil(setting.countFirst * this.#stretch));
    this.#phases = phasesOf(setting, this.#isReverse);
    this.#start = start;
    if (start !== undefined) this.#begin(start);
  }

  /** A step may read more entries where the items of most of them need not be loaded. */
  get #stretch(): number {
    return Math.min(this.#setting.entriesPerItem, STRETCH_MAX);
  }

  get #stepMax(): number {
    return Math.ceil(STEP_MAX * this.#stretch);
  }

  get head(): OrderedItem | undefined {
    return this.#buffer[this.#at];
  }

  get isDone(): boolean {
    return this.#phases.length === 0 && this.#found.length === 0 && this.head === undefined;
  }

  take(): OrderedItem {
    return this.#buffer[this.#at++]!;
  }

  async fill(): Promise<void> {
    while (this.head === undefined && !this.isDone) {
      if (this.#found.length === 0) await this.#findSome();
      const found = this.#found;
      const numbers = found.map(({ number }) => number);
      const loaded = await this.#page.timedLoad(this.source, () => loadSome(this.source, numbers));
      const looked = found.slice(0, loaded.count);
      this.#found = found.slice(loaded.count);
      const buffer = this.#freshOf(looked, loaded.items);
      if (this.#found.length === 0) {
        this.restWalkedCount += this.#behindCount;
        this.#behindCount = 0;
      }
      const isSlow = await this.#setting.rehearse(
        this.source,
        buffer.map(({ item }) => item),
      );
      this.#buffer = buffer;
      this.#at = 0;
      if (isSlow) this.#countMax = Math.max(1, this.#countMax >> 1);
      else this.#countMax = Math.min(this.#countMax * 2, this.#stepMax);
      // With an item at hand the page can end; without one it may take long to find the next, so
      // the page may be suspended.
      await (this.head === undefined ? this.#page.pauseOrSuspend() : this.#page.pause());
    }
  }

  /**
   * Returns the loaded items that are to be given, each with how many entries lie between it and
   * the item before. An item that changed since its entry was read now stands elsewhere in the
   * index, and is not given here.
   */
  #freshOf(found: readonly Found[], items: readonly SourceItem[]): OrderedItem[] {
    const fresh: OrderedItem[] = [];
    let at = 0;
    for (const { number, term, walkedCount } of found) {
      this.restWalkedCount += walkedCount;
      const item = items[at];
      if (item?.number !== number) continue;
      at++;
      const ordered = this.#orderedOf(item, this.restWalkedCount);
      if (termAt(this.#setting.order, ordered.values) !== term || this.#isGiven(ordered)) continue;
      fresh.push(ordered);
      this.restWalkedCount = 0;
    }
    return fresh;
  }

  /** Reads the next entries; those of items that are known to be out of scope are only counted. */
  async #findSome(): Promise<void> {
    const phase = this.#phases[0]!;
    const entries =
      phase.kind === "missing" ? await this.#someMissing() : await this.#someTerms(phase.bounds);
    this.#entryCount += entries.length;
    if (this.#entryCount > this.#setting.entriesMax) throw new NeedsSort();
    const { isOutside } = this.source;
    const found: Found[] = [];
    let walkedCount = 0;
    for (const { number, term } of entries) {
      walkedCount++;
      if (isOutside?.(number) === true) continue;
      found.push({ number, term, walkedCount });
      walkedCount = 0;
    }
    this.#found = found;
    this.#behindCount = walkedCount;
  }

  /** True when an earlier page gave the item, from a source that has been split or merged since. */
  #isGiven({ values, item }: OrderedItem): boolean {
    if (this.#start === undefined) return false;
    const { isDescending } = this.#setting;
    if (compareOrderValues(values, this.#start.values, isDescending) !== 0) return false;
    const epk = this.source.epkOf(item);
    return isDone(this.#start.progress, epk, item.number, this.#isReverse ? "down" : "up");
  }

  #orderedOf(item: SourceItem, walkedCount: number): OrderedItem {
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
      walkedCount,
    };
  }

  /** Reads the next entries of a range of terms. */
  async #someTerms(bounds: TermBounds): Promise<readonly Entry[]> {
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
    return entries;
  }

  #isInexact(term: string): boolean {
    const { order } = this.#setting;
    return order.kind === "path" ? isTruncatedTerm(term) : hasLongString(order.layout, term);
  }

  async #someMissing(): Promise<readonly Entry[]> {
    this.#missing ??= await this.#page.timedIndex(this.source, () => this.#findMissing());
    const some = this.#missing.slice(0, this.#countMax);
    this.#missing = this.#missing.slice(this.#countMax);
    if (this.#missing.length === 0) {
      this.#phases.shift();
      this.#missing = undefined;
    }
    return some.map((number) => ({ number, term: undefined }));
  }

  async #findMissing(): Promise<readonly number[]> {
    const { order } = this.#setting;
    const segments = order.kind === "path" ? (order.path.segments as string[]) : undefined;
    const numbers = await itemsLacking(segments, this.source, this.#page);
    const start = this.#afterMissing;
    const sorted = [...numbers].sort((a, b) => (this.#isReverse ? b - a : a - b));
    if (start === undefined) return sorted;
    return sorted.filter((number) => (this.#isReverse ? number < start : number > start));
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
