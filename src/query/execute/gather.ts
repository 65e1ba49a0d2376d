/**
 * Reads lookups of an index into lists of item numbers, sorted and each once. A lookup that would
 * take in more than a bounded number of index entries is given up.
 */
import type { Run } from "../evaluate/run.ts";
import type { TermBounds } from "../plan/termBounds.ts";
import type { Part } from "./lookupParts.ts";
import { partOf } from "./lookupParts.ts";
import type { Source } from "./source.ts";
import type { QueryWork, Visit } from "./work.ts";

/** Number of index entries that one lookup may read before it is given up. */
export const GATHER_MAX = 50_000;
/**
 * The same bound for a lookup whose values are tried one by one; larger, because trying a value is
 * much less work than reading an item.
 */
const TESTED_MAX = 1_000_000;
const STEP = 1_000;

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

/**
 * Returns the item numbers of a part: sorted, each once. Undefined when the part was given up, or,
 * where an exact answer is wanted, when one of its inner parts was.
 */
export async function gather(
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
  return distinctSorted(numbers);
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
  return mayRepeat || ranges.length > 1 || !isSorted(numbers) ? distinctSorted(numbers) : numbers;
}

/** Sorts numbers and leaves each in once. */
export function distinctSorted(numbers: readonly number[]): readonly number[] {
  // Numbers in an array of their own kind are sorted several times as fast.
  return isSorted(numbers) ? numbers : distinct([...Float64Array.from(numbers).sort()]);
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

export function intersection(left: readonly number[], right: readonly number[]): readonly number[] {
  const common: number[] = [];
  let at = 0;
  for (const number of left) {
    while (at < right.length && right[at]! < number) at++;
    if (right[at] === number) common.push(number);
  }
  return common;
}
