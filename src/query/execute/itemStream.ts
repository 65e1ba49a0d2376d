/**
 * The items of a query's sources that may pass its filter, a few at a time, in the order of the
 * sources and within one in order of creation.
 */
import { WHOLE_RANGE } from "../../partition/epkRange.ts";
import type { Lookup } from "../plan/lookup.ts";
import type { Candidates, Gathering } from "./candidates.ts";
import { candidatesOf } from "./candidates.ts";
import { loadSome } from "./loadSome.ts";
import type { Progress } from "./marks.ts";
import { isDone, progressTo, startIn } from "./marks.ts";
import type { PageRun } from "./pageRun.ts";
import type { Source, SourceItem } from "./source.ts";

export interface StreamedItem {
  readonly source: Source;
  readonly item: SourceItem;
}

export interface StreamStep {
  readonly items: readonly StreamedItem[];
  /** Everything up to here has been given. */
  readonly reached: Progress;
  /** Nothing follows. */
  readonly isLast: boolean;
}

export interface ItemStream {
  /** The next few items, perhaps none of them. */
  next(): Promise<StreamStep>;
}

const STEP_MAX = 256;

export function itemStream(
  sources: readonly Source[],
  lookups: readonly Lookup[],
  page: PageRun,
  start: Progress | undefined,
  countFirst: number = STEP_MAX,
): ItemStream {
  const waiting = sources.filter(
    ({ range }) => start === undefined || startIn(start, range) !== "done",
  );
  let steps: ((countMax: number) => Promise<SourceStep>) | undefined;
  let countMax = Math.min(STEP_MAX, countFirst);
  const next = async (): Promise<StreamStep> => {
    const source = waiting[0];
    if (source === undefined) return { items: [], reached: start ?? BEGINNING, isLast: true };
    steps ??= await openSource(source, lookups, page, start);
    const step = await steps(countMax);
    countMax = Math.min(countMax * 2, STEP_MAX);
    if (step.isLast) {
      waiting.shift();
      steps = undefined;
    }
    const items =
      start === undefined
        ? step.items
        : step.items.filter((item) => !isDone(start, source.epkOf(item), item.number));
    return {
      items: items.map((item) => ({ source, item })),
      reached: progressTo(start, source.range, step.lastNumber),
      isLast: waiting.length === 0,
    };
  };
  return { next };
}

const BEGINNING: Progress = { range: WHOLE_RANGE, number: 0 };

interface SourceStep {
  readonly items: readonly SourceItem[];
  readonly lastNumber: number;
  readonly isLast: boolean;
}

async function openSource(
  source: Source,
  lookups: readonly Lookup[],
  page: PageRun,
  start: Progress | undefined,
): Promise<(countMax: number) => Promise<SourceStep>> {
  const from = start === undefined ? "beginning" : startIn(start, source.range);
  const after = typeof from === "number" ? from : 0;
  const gathering: Gathering = page.gathering(source);
  const candidates = await page.timedIndex(() => candidatesOf(lookups, gathering));
  page.work.access.push(accessText(candidates));
  return stepsOf(source, candidates, page, after);
}

export function accessText(candidates: Candidates): string {
  if (candidates.kind === "everything") return "scan";
  return candidates.kind === "term" ? "seek" : `index(${candidates.numbers.length})`;
}

function stepsOf(
  source: Source,
  candidates: Candidates,
  page: PageRun,
  afterNumber: number,
): (countMax: number) => Promise<SourceStep> {
  let after = afterNumber;
  switch (candidates.kind) {
    case "everything":
      return async (countMax) => {
        const found = await page.timedLoad(() => source.scanItems(after, countMax));
        after = found.lastNumber;
        page.countItems(found.items);
        return found;
      };
    case "numbers": {
      const { numbers } = candidates;
      let at = firstBeyond(numbers, after);
      return async (countMax) => {
        const some = numbers.slice(at, at + countMax);
        const { items, count } = await page.timedLoad(() => loadSome(source, some));
        at += count;
        page.countItems(items);
        page.work.postingCount += items.length;
        return { items, lastNumber: numbers[at - 1] ?? after, isLast: at >= numbers.length };
      };
    }
    case "term": {
      const { bounds } = candidates;
      page.work.lookupCount++;
      return async (countMax) => {
        const resume = after === 0 ? undefined : { term: termIn(bounds), number: after };
        const scan = { bounds, after: resume, isReverse: false, countMax };
        const { entries, isLast } = await page.timedIndex(() => source.scanTerms(scan));
        page.work.termCount += entries.length;
        const numbers = entries.map(({ number }) => number);
        const { items, count } = await page.timedLoad(() => loadSome(source, numbers));
        after = numbers[count - 1] ?? after;
        page.countItems(items);
        page.work.postingCount += items.length;
        return { items, lastNumber: after, isLast: isLast && count === numbers.length };
      };
    }
  }
}

/** Bounds around one term begin with it. */
function termIn({ min }: { readonly min: string }): string {
  return min;
}

function firstBeyond(numbers: readonly number[], after: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}
