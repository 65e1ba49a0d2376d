/**
 * From lookups to items: which numbers of one source a filter leaves, found in its index.
 *
 * Numbers come in order of creation whatever the index was asked, so a position in them is a number
 * and nothing else, and the answer's order does not depend on how it was found. What would take in
 * more than a bounded number of terms is given up: then the items themselves are looked at.
 */

import type { Run } from "../evaluate/run.ts";
import type { Lookup } from "../plan/lookup.ts";
import type { TermBounds } from "../plan/termBounds.ts";
import { confined } from "./confinedParts.ts";
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
import type { Visit, Work } from "./work.ts";

export type Candidates =
  /** Every item has to be looked at. */
  | { readonly kind: "everything" }
  /** Sorted, each once. */
  | { readonly kind: "numbers"; readonly numbers: readonly number[]; readonly isExact: boolean }
  /** The items of one term: they are in order where they are, and need not be collected. */
  | { readonly kind: "term"; readonly bounds: TermBounds; readonly isExact: boolean };

/** Terms that one lookup may take in before it is given up. */
const GATHER_MAX = 50_000;
/** Trying a value is much less work than reading an item, so more of that is worth while. */
const TESTED_MAX = 1_000_000;
/** So few that nothing else needs to be asked. */
const FEW = 64;
const STEP = 1_000;

export interface Gathering {
  readonly source: Source;
  readonly run: Run;
  readonly work: Work;
  /** Who pays for the values that are tried; absent when nobody does. */
  readonly visit?: Visit | undefined;
  /** Called between steps, to let others in. */
  pause(): Promise<void> | undefined;
  /** Has trying values taken so long that it is given up? A page should have items, too. */
  isLate?(hadTurn: boolean): boolean;
  readonly gatherMax?: number;
  readonly testedMax?: number;
  /** The answer is only counted, so nothing that was asked for it counts as used. */
  readonly isTrial?: boolean;
  /** Conditions that are tried value by value are left to whoever looks at the items. */
  readonly isTryingRefused?: boolean;
}

/** What a filter comes to as questions to the index, with the parameters of an execution. */
export interface Asked {
  /** Ranges of terms, of all lookups. */
  readonly lookupCount: number;
  /** The lookups say exactly what passes, if there is one for each condition. */
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
 * Candidates of a conjunction. With `isExactWanted` every lookup is taken into account, for an
 * answer from the index alone; otherwise those that say enough are.
 */
export async function candidatesOf(
  lookups: readonly Lookup[],
  gathering: Gathering,
  isExactWanted = false,
): Promise<Candidates> {
  const { source, run, visit, isTryingRefused = false } = gathering;
  const parts = lookups
    .map((lookup) => resolve(lookup, run))
    .map((part) => (isTryingRefused && part !== undefined && isTried(part) ? undefined : part));
  if (visit !== undefined) {
    const asked = askedBy(parts);
    visit.lookupCount = asked.lookupCount;
    visit.isAnswered = asked.isAnswered;
    if (asked.lookupCount === 0 && source.placement !== undefined) visit.lookupCount = 1;
  }
  const found = parts.filter((part) => part !== undefined);
  const isWhole = found.length === parts.length;
  const { parts: known, implied } = confined(found, source, isExactWanted);
  // Lookups that the scope implies are those that were used, and not the scope.
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
  for (const part of cheapestFirst(known)) {
    const numbers = await gather(part, gathering, isExactWanted);
    if (numbers === undefined) {
      isExact = false;
      if (singleTermOf(part) !== undefined) lazy ??= part;
      continue;
    }
    markUsed(part);
    best = best === undefined ? numbers : intersection(best, numbers);
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

function noteUse(part: Part, gathering: Gathering): void {
  if (gathering.isTrial === true) return;
  if (part.kind !== "terms") for (const inner of part.parts) noteUse(inner, gathering);
  else if (part.lookup === undefined) gathering.work.isPlacementUsed = true;
  else gathering.work.usedLookups.add(part.lookup);
}

/** Single terms, then ranges, then what has to be tried value by value. */
function cheapestFirst(parts: readonly Part[]): readonly Part[] {
  const cost = (part: Part): number => {
    if (part.kind !== "terms") return 1 + Math.max(...part.parts.map(cost));
    return part.test !== undefined ? 100 : singleTermOf(part) !== undefined ? 0 : 1;
  };
  return [...parts].sort((a, b) => cost(a) - cost(b));
}

/** Sorted, each once; undefined when there are too many, or too many for an exact answer. */
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

/** All together may take in as much as a single one: of many that overlap each would be few. */
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

/** Sorted, and none touching another. */
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
          // Thousands of conditions may be tried on each value.
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
