/**
 * Pages answered from the index alone. Where a term does not hold the whole value, or belongs to an
 * item that the query must not see, the functions here return undefined and the items have to be
 * read.
 */
import { PATH_HASH_BYTES } from "../../index/hash.ts";
import type { Scalar } from "../../index/term.ts";
import { decodeValue, isTruncatedTerm, termOf, termRangeOfPath } from "../../index/term.ts";
import { ofTypes } from "../../index/termRange.ts";
import { compareValues } from "../../json/compare.ts";
import { type Carried, carriedAt, mayHaveDigits, plainOf } from "../../json/digits.ts";
import { isObject, type JsonValue, property } from "../../json/value.ts";
import type { Accumulator } from "../evaluate/aggregates.ts";
import { isCarrying, makeAccumulator } from "../evaluate/aggregates.ts";
import { bindSlot } from "../evaluate/carriedSlots.ts";
import { rowText } from "../evaluate/rowText.ts";
import type { Slots } from "../evaluate/run.ts";
import type { IndexOnly } from "../plan/indexOnly.ts";
import type { TermBounds } from "../plan/termBounds.ts";
import { candidatesOf, isScopeAnswer } from "./candidates.ts";
import type { Ended } from "./collected.ts";
import type { PageRun } from "./pageRun.ts";
import type { Position } from "./position.ts";
import type { Source, SourceTerm } from "./source.ts";
import { isPlain } from "./source.ts";
import type { CollectSetting } from "./streamRows.ts";
import type { Visit } from "./work.ts";

/**
 * Number of index entries that a count may read; larger than for other lookups, because the numbers
 * are dropped once they are counted.
 */
const COUNT_MAX = 5_000_000;
const STEP = 1_000;
const STEP_DISTINCT = 32;
const NUMBER_MAX = Number.MAX_SAFE_INTEGER;

/** Resolves with the page, or with undefined when the items have to be read. */
export async function answerFromIndex(
  setting: CollectSetting,
  indexOnly: IndexOnly,
): Promise<Ended | undefined> {
  if (indexOnly.kind === "count") return countItems(setting);
  const { sources } = setting;
  for (const source of sources) if (!(await isPlain(source))) return undefined;
  return indexOnly.aggregates === undefined
    ? distinctValues(setting, indexOnly)
    : aggregateValues(setting, indexOnly, indexOnly.aggregates);
}

async function countItems({
  plan,
  sources,
  page,
  rows,
}: CollectSetting): Promise<Ended | undefined> {
  let total = 0;
  for (const source of sources) {
    if (!(await source.isEveryTermLive())) return undefined;
    const visit = page.work.visit(source, false);
    const count = await countIn(visit, plan.filter.lookups, page);
    if (count === undefined) return undefined;
    visit.scannedEntryCount = count;
    total += count;
  }
  page.work.reach();
  page.work.access.push("index only");
  const slots: Slots = new Array(plan.slotCount).fill(undefined);
  for (const { slot } of plan.query.aggregates) slots[slot] = total;
  return lastRow({ plan, page, rows }, slots);
}

async function countIn(
  visit: Visit,
  lookups: CollectSetting["plan"]["filter"]["lookups"],
  page: PageRun,
): Promise<number | undefined> {
  const { source } = visit;
  if (lookups.length === 0 && source.placement === undefined) return source.itemCount;
  const gathering = {
    ...page.gathering(source, visit),
    gatherMax: COUNT_MAX,
    isTryingRefused: true,
  };
  const { countInScope } = source;
  if (countInScope !== undefined && isScopeAnswer(lookups, gathering)) {
    return page.timedIndex(source, countInScope);
  }
  const candidates = await page.timedIndex(source, () => candidatesOf(lookups, gathering, true));
  if (candidates.kind === "everything" || !candidates.isExact) return undefined;
  if (candidates.kind === "numbers") return candidates.numbers.length;
  let count = 0;
  await everyEntry(source, [candidates.bounds], page, (entries) => {
    count += entries.length;
  });
  return count;
}

async function everyEntry(
  source: Source,
  ranges: readonly TermBounds[],
  page: PageRun,
  visit: (entries: readonly SourceTerm[]) => void,
): Promise<void> {
  for (const bounds of ranges) {
    let after: SourceTerm | undefined;
    for (let isLast = false; !isLast; ) {
      const scan = { bounds, after, isReverse: false, countMax: STEP };
      const found = await page.timedIndex(source, () => source.scanTerms(scan));
      page.work.countScanned(found.entries.length);
      visit(found.entries);
      after = found.entries.at(-1);
      isLast = found.isLast;
      await page.pauseOrSuspend();
    }
  }
}

type ValuesOnly = Extract<IndexOnly, { readonly kind: "values" }>;

/**
 * Returns the term ranges of the path; undefined when the conditions on it have no exact ranges.
 */
function rangesOf({ hash, within }: ValuesOnly, page: PageRun): readonly TermBounds[] | undefined {
  if (within.length === 0) return [termRangeOfPath(hash)];
  if (within.length > 1) return undefined;
  const found = within[0]!.resolve(page.run);
  return found?.isExact === true && found.test === undefined ? found.ranges : undefined;
}

async function aggregateValues(
  { plan, sources, page, rows }: CollectSetting,
  indexOnly: ValuesOnly,
  names: NonNullable<ValuesOnly["aggregates"]>,
): Promise<Ended | undefined> {
  const ranges = rangesOf(indexOnly, page);
  if (ranges === undefined) return undefined;
  const accumulators = names.map((name) => makeAccumulator(name));
  const isOfEnds = names.every((name) => name === "MIN" || name === "MAX");
  for (const source of sources) {
    const visit = visitInIndex(source, indexOnly, ranges, page);
    const before = page.work.scannedTermCount;
    const isWhole = isOfEnds
      ? await addEnds(source, indexOnly, ranges, page, accumulators)
      : await addAll(source, ranges, page, accumulators, names.some(isCarrying));
    if (!isWhole) return undefined;
    visit.scannedEntryCount ||= page.work.scannedTermCount - before;
  }
  page.work.reach();
  page.work.access.push("index only");
  const slots: Slots = new Array(plan.slotCount).fill(undefined);
  plan.query.aggregates.forEach(({ slot }, index) => {
    bindSlot(slots, slot, accumulators[index]!.result());
  });
  return lastRow({ plan, page, rows }, slots);
}

/**
 * Begins the visit of a source. All entries of a path are paid for, as in the service, though
 * entries that the answer does not need are not read here.
 */
function visitInIndex(
  source: Source,
  { within }: ValuesOnly,
  ranges: readonly TermBounds[],
  page: PageRun,
): Visit {
  const visit = page.work.visit(source, false);
  if (within.length === 0) visit.scannedEntryCount = source.itemCount;
  else visit.lookupCount = ranges.length;
  return visit;
}

/** Stands for a value that the term does not hold: an array or an object. */
const SOME_ARRAY: readonly never[] = [];

async function addAll(
  source: Source,
  ranges: readonly TermBounds[],
  page: PageRun,
  accumulators: readonly Accumulator[],
  areValuesGiven: boolean,
): Promise<boolean> {
  let isWhole = true;
  let lastTerm = "";
  let value: Scalar | readonly never[] | undefined;
  await everyEntry(source, ranges, page, (entries) => {
    for (const { term } of entries) {
      if (term !== lastTerm) {
        lastTerm = term;
        value = valueIn(term);
        if (value === undefined || (areValuesGiven && isUnsure(value))) isWhole = false;
      }
      for (const accumulator of accumulators) accumulator.add(value);
    }
  });
  return isWhole;
}

/**
 * Adds the lowest and the highest value, and one array or object if there is any, which has no
 * order.
 */
async function addEnds(
  source: Source,
  { hash, path }: ValuesOnly,
  ranges: readonly TermBounds[],
  page: PageRun,
  accumulators: readonly Accumulator[],
): Promise<boolean> {
  const nodes = ofTypes(hash, ["array", "object"]).ranges.filter(({ min }) =>
    ranges.some((range) => range.min <= min && min < range.max),
  );
  const looks = [
    { bounds: ranges[0], isReverse: false },
    { bounds: ranges.at(-1), isReverse: true },
    ...nodes.map((bounds) => ({ bounds, isReverse: false })),
  ];
  for (const { bounds, isReverse } of looks) {
    if (bounds === undefined) continue;
    const found = await firstIn(source, ranges, bounds, isReverse, page);
    if (found === undefined) continue;
    const value = valueIn(found.term);
    const exact = isUnsure(value) ? await valueOfItem(source, path, found, page) : value;
    if (exact === undefined || plainOf(exact) !== value) return false;
    for (const accumulator of accumulators) accumulator.add(exact);
  }
  return true;
}

/** True when items may have digits that the term does not hold. */
function isUnsure(value: Scalar | readonly never[] | undefined): boolean {
  return typeof value === "number" && mayHaveDigits(value);
}

/**
 * Resolves with what the item of an entry has at the path, with its digits; undefined when the item
 * or the value is gone.
 */
async function valueOfItem(
  source: Source,
  { segments }: ValuesOnly["path"],
  { number }: SourceTerm,
  page: PageRun,
): Promise<Carried | undefined> {
  const [item] = await page.timedLoad(source, () => source.load([number]));
  let holder: JsonValue | undefined = item && source.valueOf(item);
  for (const [depth, segment] of segments.entries()) {
    if (typeof segment !== "string" || !isObject(holder)) return undefined;
    const value: JsonValue | undefined = property(holder, segment);
    if (depth === segments.length - 1) return carriedAt(holder, segment, value);
    holder = value;
  }
  return undefined;
}

/**
 * Resolves with the first entry of `bounds` in the direction of the scan; if there is none, with
 * the first of the ranges that follow.
 */
async function firstIn(
  source: Source,
  ranges: readonly TermBounds[],
  bounds: TermBounds,
  isReverse: boolean,
  page: PageRun,
): Promise<SourceTerm | undefined> {
  const at = ranges.indexOf(bounds);
  const rest = at < 0 ? [bounds] : isReverse ? ranges.slice(0, at + 1).reverse() : ranges.slice(at);
  for (const range of rest) {
    const scan = { bounds: range, isReverse, countMax: 1 };
    const { entries } = await page.timedIndex(source, () => source.scanTerms(scan));
    page.work.countScanned(entries.length);
    if (entries[0] !== undefined) return entries[0];
  }
  return undefined;
}

/** Returns the value of a term; undefined when the term has only the beginning of a string. */
function valueIn(term: string): Scalar | readonly never[] | undefined {
  const encoded = term.slice(PATH_HASH_BYTES);
  const value = decodeValue(encoded);
  if (value !== undefined) return value;
  return encoded.length === 1 ? SOME_ARRAY : undefined;
}

/**
 * Gives the values of the path in order, each once. Arrays and objects are not in the index with
 * their values: where one is met the items have to be read.
 */
async function distinctValues(
  { sources, page, rows, position }: CollectSetting,
  indexOnly: ValuesOnly,
): Promise<Ended | undefined> {
  const ranges = rangesOf(indexOnly, page);
  if (ranges === undefined) return undefined;
  const start = position?.kind === "values" ? position.after.at(-1) : undefined;
  // Arrays and objects come last, and the values that follow one are not in the index.
  if (typeof start === "object" && start !== null) return undefined;
  const startTerm = start === undefined ? undefined : termOf(indexOnly.hash, start);
  // Long strings with the same beginning stand in the index in another order than their own.
  if (startTerm !== undefined && isTruncatedTerm(startTerm)) return undefined;
  const found = new Map<string, Scalar>();
  const wanted = rows.wantedCount;
  for (const source of sources) {
    const visit = visitInIndex(source, indexOnly, ranges, page);
    const before = page.work.scannedTermCount;
    const isWhole = await addDistinct(source, ranges, startTerm, wanted, page, found);
    if (!isWhole) return undefined;
    visit.scannedEntryCount ||= page.work.scannedTermCount - before;
  }
  page.work.reach();
  // The first page has paid for the visits.
  if (position !== undefined) page.work.forgetVisits();
  page.work.access.push("index only");
  let last: Position | undefined = position;
  for (const value of [...found.values()].sort(compareValues).slice(0, wanted)) {
    const added = rows.add(() => rowText(value));
    if (added === "full") return { rows: rows.texts, next: last };
    if (added === "last") break;
    last = { kind: "values", after: [value], ...rows.remaining };
  }
  return { rows: rows.texts, next: undefined };
}

async function addDistinct(
  source: Source,
  ranges: readonly TermBounds[],
  startTerm: string | undefined,
  wanted: number,
  page: PageRun,
  found: Map<string, Scalar>,
): Promise<boolean> {
  let count = 0;
  for (const bounds of ranges) {
    let after: SourceTerm | undefined;
    if (startTerm !== undefined && startTerm >= bounds.min) {
      if (startTerm >= bounds.max) continue;
      after = { term: startTerm, number: NUMBER_MAX };
    }
    for (let isLast = false; !isLast && count < wanted; ) {
      const scan = { bounds, after, isReverse: false, countMax: STEP_DISTINCT };
      const { entries, isLast: isEnd } = await page.timedIndex(source, () =>
        source.scanTerms(scan),
      );
      page.work.countScanned(entries.length);
      for (const { term } of entries) {
        if (found.has(term)) continue;
        const value = valueIn(term);
        if (value === undefined || typeof value === "object") {
          if (value !== null) return false;
        }
        // Only the items tell which digits the value has, and the first of them decides.
        if (isUnsure(value)) return false;
        found.set(term, value as Scalar);
        count++;
      }
      // The next scan steps over the other entries of the last value.
      const last = entries.at(-1);
      after = last && { term: last.term, number: NUMBER_MAX };
      isLast = isEnd;
      await page.pauseOrSuspend();
    }
  }
  return true;
}

/** Ends the page with the one row of an aggregate. */
async function lastRow(
  { plan, page, rows }: Pick<CollectSetting, "plan" | "page" | "rows">,
  slots: Slots,
): Promise<Ended> {
  await page.rehearse([slots], () => void plan.select(slots, page.run));
  page.run.calls?.begin(slots);
  const row = plan.select(slots, page.run);
  if (row !== undefined) rows.add(() => rowText(row));
  return { rows: rows.texts, next: undefined };
}
