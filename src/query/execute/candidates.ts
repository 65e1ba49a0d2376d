/**
 * From lookups to candidates: the item numbers of one source that a filter leaves, found in its
 * index.
 *
 * Candidates come in order of creation whatever the index was asked. So a position among them is an
 * item number and nothing else, and the order of the rows does not depend on how the items were
 * found. A lookup that would take in more than a bounded number of index entries is given up: then
 * the items themselves are looked at.
 */

import type { Run } from "../evaluate/run.ts";
import type { Lookup } from "../plan/lookup.ts";
import type { TermBounds } from "../plan/termBounds.ts";
import { confined, isImpliedExactly } from "./confinedParts.ts";
import type { Part } from "./lookupParts.ts";
import {
  isAnswer,
  isExactPart,
  isScope,
  isTried,
  partOf,
  rangeCountOf,
  resolve,
  singleTermOf,
} from "./lookupParts.ts";
import type { Source } from "./source.ts";
import type { QueryWork, Visit } from "./work.ts";

export type Candidates =
  /** Every item has to be looked at. */
  | { readonly kind: "everything" }
  /** The numbers of the candidates: sorted, each once. */
  | { readonly kind: "numbers"; readonly numbers: readonly number[]; readonly isExact: boolean }
  /** The items of one term. The index holds them in order, so they need not be collected. */
  | { readonly kind: "term"; readonly bounds: TermBounds; readonly isExact: boolean };

/** Number of index entries that one lookup may read before it is given up. */
const GATHER_MAX = 50_000;
/**
 * The same bound for a lookup whose values are tried one by one; larger, because trying a value is
 * much less work than reading an item.
 */
const TESTED_MAX = 1_000_000;
/** Number of candidates at which no further lookup is asked: reading so few items is cheaper. */
const FEW = 64;
const STEP = 1_000;
/** By how much more is read of each term in the next turn, when the shortest is looked for. */
const LOOK_GROWTH = 4;
/** The most that is read of a term for that; a longer step would make other requests wait. */
const LOOK_MAX = 4_096;
/** Number of index entries that are read at once where numbers are compared with a term. */
const MEETING_STEP = 64;

export interface Gathering {
  readonly source: Source;
  readonly run: Run;
  readonly work: QueryWork;
  /** The visit that pays for the values that are tried; absent when nobody pays. */
  readonly visit?: Visit | undefined;
  /** Called between steps, to let other requests have a turn. */
  pause(): Promise<void> | undefined;
  /**
   * True when trying values has taken so long that the lookup is given up and the items are looked
   * at instead; otherwise a page could spend all of its time without giving a row.
   */
  isLate?(hadTurn: boolean): boolean;
  readonly gatherMax?: number;
  readonly testedMax?: number;
  /** True when the candidates are only counted, so no lookup is noted as used. */
  readonly isTrial?: boolean;
  /**
   * True when lookups that try values one by one are left out; their conditions are then evaluated
   * on the items.
   */
  readonly isTryingRefused?: boolean;
}

/** What a filter asks of the index, with the parameters of one execution. */
interface Asked {
  /** Number of term ranges, over all lookups. */
  readonly lookupCount: number;
  /** True when every condition has a lookup, and the lookups alone say which items pass. */
  readonly isAnswered: boolean;
}

export function askedOf(lookups: readonly Lookup[], run: Run): Asked {
  return askedBy(lookups.map((lookup) => resolve(lookup, run)));
}

function askedBy(parts: readonly (Part | undefined)[]): Asked {
  let lookupCount = 0;
  for (const part of parts) if (part !== undefined) lookupCount += rangeCountOf(part);
  const isAnswered = parts.every((part) => part !== undefined && isAnswer(part));
  return { lookupCount, isAnswered };
}

/**
 * Returns the candidates of a conjunction. With `isExactWanted` every lookup is read, for an answer
 * from the index alone; otherwise reading stops as soon as few enough candidates are left.
 */
export async function candidatesOf(
  lookups: readonly Lookup[],
  gathering: Gathering,
  isExactWanted = false,
): Promise<Candidates> {
  const { source } = gathering;
  const parts = partsOf(lookups, gathering);
  const found = parts.filter((part) => part !== undefined);
  const isWhole = found.length === parts.length;
  const { parts: known, implied } = confined(found, source, isExactWanted);
  // Where the scope stands in for lookups that it implies, those lookups are noted as used instead
  // of the scope.
  const markUsed = (part: Part): void => {
    for (const used of implied.length > 0 && isScope(part) ? implied : [part]) {
      noteUse(used, gathering);
    }
  };
  const single = known.length === 1 ? singleTermOf(known[0]!) : undefined;
  if (single !== undefined) {
    markUsed(known[0]!);
    return { ...single, isExact: single.isExact && isWhole && implied.length === 0 };
  }
  let best: readonly number[] | undefined;
  let isExact = isWhole && isExactWanted;
  let lazy: Part | undefined;
  for (const part of await selectiveFirst(known, gathering)) {
    const bounds = singleTermOf(part)?.bounds;
    const numbers: readonly number[] | undefined =
      best !== undefined && bounds !== undefined
        ? await meeting(best, bounds, gathering)
        : await gather(part, gathering, isExactWanted);
    if (numbers === undefined) {
      isExact = false;
      if (singleTermOf(part) !== undefined) lazy ??= part;
      continue;
    }
    markUsed(part);
    best = best === undefined || bounds !== undefined ? numbers : intersection(best, numbers);
    isExact &&= isExactPart(part);
    if (!isExactWanted && best.length <= FEW) {
      return { kind: "numbers", numbers: best, isExact: false };
    }
  }
  if (best !== undefined) return { kind: "numbers", numbers: best, isExact };
  if (lazy === undefined) return { kind: "everything" };
  markUsed(lazy);
  return { ...singleTermOf(lazy)!, isExact: false };
}

/**
 * True when every item in scope passes all of the lookups, so that no index has to be asked which
 * ones do.
 */
export function isScopeAnswer(lookups: readonly Lookup[], gathering: Gathering): boolean {
  const { source } = gathering;
  const parts = partsOf(lookups, gathering);
  const isAnswer = parts.every((part) => part !== undefined && isImpliedExactly(part, source));
  if (!isAnswer) return false;
  for (const part of parts) noteUse(part!, gathering);
  if (parts.length === 0 && source.placement !== undefined) noteUse(SCOPE, gathering);
  return true;
}

const SCOPE: Part = partOf([], false);

/** The lookups as parts, undefined where one cannot be used; the visit is told what was asked. */
function partsOf(
  lookups: readonly Lookup[],
  { source, run, visit, isTryingRefused = false }: Gathering,
): readonly (Part | undefined)[] {
  const parts = lookups
    .map((lookup) => resolve(lookup, run))
    .map((part) => (isTryingRefused && part !== undefined && isTried(part) ? undefined : part));
  if (visit !== undefined) {
    const asked = askedBy(parts);
    visit.lookupCount = asked.lookupCount;
    visit.isAnswered = asked.isAnswered;
    if (asked.lookupCount === 0 && source.placement !== undefined) visit.lookupCount = 1;
  }
  return parts;
}

function noteUse(part: Part, gathering: Gathering): void {
  if (gathering.isTrial === true) return;
  if (part.kind !== "terms") for (const inner of part.parts) noteUse(inner, gathering);
  else if (part.lookup === undefined) gathering.work.isPlacementUsed = true;
  else gathering.work.usedLookups.add(part.lookup);
}

/**
 * Returns the parts in the order in which they are read. Where several of them are single terms,
 * the one with the fewest items comes first. Which one that is shows when all are read a little,
 * and then a little more: the first to end is the shortest, and no more was read of the others.
 */
async function selectiveFirst(
  known: readonly Part[],
  gathering: Gathering,
): Promise<readonly Part[]> {
  const parts = cheapestFirst(known);
  const singles = parts.filter((part) => singleTermOf(part) !== undefined);
  if (singles.length < 2) return parts;
  const { source, work, pause } = gathering;
  for (let countMax = FEW; countMax <= LOOK_MAX; countMax *= LOOK_GROWTH) {
    for (const part of singles) {
      const { bounds } = singleTermOf(part)!;
      const { entries, isLast } = await source.scanTerms({ bounds, isReverse: false, countMax });
      work.termCount += entries.length;
      await pause();
      if (isLast) return [part, ...parts.filter((other) => other !== part)];
    }
  }
  return parts;
}

/**
 * Returns those of the numbers that have the term. The index is asked for it beginning with the
 * next number that matters, so what lies between two numbers far apart is not read.
 */
async function meeting(
  numbers: readonly number[],
  bounds: TermBounds,
  { source, work, pause, gatherMax = GATHER_MAX }: Gathering,
): Promise<readonly number[] | undefined> {
  const common: number[] = [];
  let seen = 0;
  for (let at = 0; at < numbers.length; ) {
    const after = { term: bounds.min, number: numbers[at]! - 1 };
    const scan = { bounds, after, isReverse: false, countMax: MEETING_STEP };
    const { entries, isLast } = await source.scanTerms(scan);
    for (const { number } of entries) {
      while (at < numbers.length && numbers[at]! < number) at++;
      if (numbers[at] === number) common.push(number);
    }
    if (isLast) return common;
    const last = entries.at(-1)!.number;
    while (at < numbers.length && numbers[at]! <= last) at++;
    seen += entries.length;
    work.termCount += entries.length;
    if (seen > gatherMax) return undefined;
    await pause();
  }
  return common;
}

/**
 * Orders single terms before ranges, and ranges before lookups whose values are tried one by one.
 */
function cheapestFirst(parts: readonly Part[]): readonly Part[] {
  const cost = (part: Part): number => {
    if (part.kind !== "terms") return 1 + Math.max(...part.parts.map(cost));
    return part.test !== undefined ? 100 : singleTermOf(part) !== undefined ? 0 : 1;
  };
  return [...parts].sort((a, b) => cost(a) - cost(b));
}

/**
 * Returns the item numbers of a part: sorted, each once. Undefined when the part was given up, or,
 * where an exact answer is wanted, when one of its inner parts was.
 */
async function gather(
  part: Part,
  gathering: Gathering,
  isExactWanted: boolean,
): Promise<readonly number[] | undefined> {
  if (part.kind === "terms") return gatherTerms(part, gathering);
  if (part.kind === "or") return gatherAny(part.parts, gathering, isExactWanted);
  const lists: (readonly number[])[] = [];
  for (const inner of part.parts) {
    const numbers = await gather(inner, gathering, isExactWanted);
    if (numbers !== undefined) lists.push(numbers);
    else if (isExactWanted) return undefined;
  }
  return lists.length === 0 ? undefined : lists.reduce(intersection);
}

/**
 * Gathers the numbers of all alternatives of an OR. The alternatives share one bound, because the
 * union of many small ones may still be large.
 */
async function gatherAny(
  parts: readonly Part[],
  gathering: Gathering,
  isExactWanted: boolean,
): Promise<readonly number[] | undefined> {
  const { gatherMax = GATHER_MAX, testedMax = TESTED_MAX, work } = gathering;
  const plain = parts.filter((part) => part.kind === "terms" && part.test === undefined);
  const others = parts.filter((part) => !plain.includes(part));
  const ranges = plain.flatMap((part) => (part.kind === "terms" ? part.ranges : []));
  const numbers: number[] = [];
  const { termCount, scannedTermCount } = work;
  const merged = ranges.length === 0 ? [] : [partOf(unionOf(ranges), true)];
  for (const part of [...merged, ...others]) {
    const tested = work.scannedTermCount - scannedTermCount;
    const untested = work.termCount - termCount - tested;
    const left = { gatherMax: gatherMax - untested, testedMax: testedMax - tested };
    const found = await gather(part, { ...gathering, ...left }, isExactWanted);
    if (found === undefined) return undefined;
    for (const number of found) numbers.push(number);
  }
  return distinct(numbers.sort((a, b) => a - b));
}

/** Merges overlapping ranges; the result is sorted. */
function unionOf(ranges: readonly TermBounds[]): readonly TermBounds[] {
  const found: TermBounds[] = [];
  for (const next of [...ranges].sort((a, b) => (a.min < b.min ? -1 : a.min > b.min ? 1 : 0))) {
    const last = found.at(-1);
    if (last === undefined || last.max <= next.min) found.push(next);
    else if (last.max < next.max) found[found.length - 1] = { min: last.min, max: next.max };
  }
  return found;
}

async function gatherTerms(
  { ranges, test, mayRepeat }: Extract<Part, { readonly kind: "terms" }>,
  gathering: Gathering,
): Promise<readonly number[] | undefined> {
  const { source, work, visit, pause, isLate, run } = gathering;
  const { gatherMax = GATHER_MAX, testedMax = TESTED_MAX } = gathering;
  const numbers: number[] = [];
  let seen = 0;
  let lastTerm = "";
  let isLastFine = true;
  for (const bounds of ranges) {
    let after: { readonly term: string; readonly number: number } | undefined;
    for (let isLast = false; !isLast; ) {
      const page = source.scanTerms({ bounds, after, isReverse: false, countMax: STEP });
      const found = page instanceof Promise ? await page : page;
      for (const entry of found.entries) {
        if (test !== undefined && entry.term !== lastTerm) {
          lastTerm = entry.term;
          isLastFine = test(entry.term);
          run.effort.spend(1);
          if (visit !== undefined) visit.scannedEntryCount++;
          // The pause comes after every value, because one value may be tried on thousands of
          // conditions.
          const pausing = pause();
          if (pausing !== undefined) await pausing;
          if (isLate?.(pausing !== undefined) === true) return undefined;
        }
        if (isLastFine) numbers.push(entry.number);
      }
      seen += found.entries.length;
      work.termCount += found.entries.length;
      if (test !== undefined) work.scannedTermCount += found.entries.length;
      if (seen > (test === undefined ? gatherMax : testedMax) && !found.isLast) return undefined;
      isLast = found.isLast;
      after = found.entries.at(-1);
      await pause();
    }
  }
  if (ranges.length === 1 && isSorted(numbers)) return numbers;
  numbers.sort((a, b) => a - b);
  return mayRepeat || ranges.length > 1 ? distinct(numbers) : numbers;
}

function isSorted(numbers: readonly number[]): boolean {
  for (let index = 1; index < numbers.length; index++) {
    if (numbers[index]! <= numbers[index - 1]!) return false;
  }
  return true;
}

function distinct(sorted: readonly number[]): readonly number[] {
  return sorted.filter((number, index) => index === 0 || number !== sorted[index - 1]);
}

function intersection(left: readonly number[], right: readonly number[]): readonly number[] {
  const common: number[] = [];
  let at = 0;
  for (const number of left) {
    while (at < right.length && right[at]! < number) at++;
    if (right[at] === number) common.push(number);
  }
  return common;
}
