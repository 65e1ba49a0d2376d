/**
 * The items of a query's sources that may pass its filter, a few at a time, in the order of the
 * sources and within one in order of creation.
 */
import { WHOLE_RANGE } from "../../partition/epkRange.ts";
import type { ItemPlan } from "../plan/plan.ts";
import type { StreamedCandidates } from "./candidates.ts";
import { isScopeAnswer, streamedCandidatesOf } from "./candidates.ts";
import { loadSome } from "./loadSome.ts";
import type { Progress } from "./marks.ts";
import { isDone, progressTo, startIn } from "./marks.ts";
import type { PageRun } from "./pageRun.ts";
import { rehearseItems, stepOf } from "./rehearseItems.ts";
import type { Source, SourceItem } from "./source.ts";
import { TermMeeting } from "./termMeeting.ts";
import type { Visit } from "./work.ts";

export interface StreamedItem {
  readonly visit: Visit;
  readonly item: SourceItem;
}

interface StreamStep {
  readonly items: readonly StreamedItem[];
  /** How far the stream has come: every item up to here has been given. */
  readonly reached: Progress;
  /** True when the items after this step are of other sources. */
  readonly isEndOfSource: boolean;
  /** True when no item follows. */
  readonly isLast: boolean;
}

interface ItemStream {
  /** Resolves with the next few items; a step may have none although others follow. */
  next(): Promise<StreamStep>;
}

export function itemStream(
  sources: readonly Source[],
  plan: ItemPlan,
  page: PageRun,
  start: Progress | undefined,
  countFirst: number = Number.POSITIVE_INFINITY,
): ItemStream {
  const waiting = sources.filter(
    ({ range }) => start === undefined || startIn(start, range) !== "done",
  );
  let opened: OpenedSource | undefined;
  const { first, max } = stepOf(plan);
  let countMax = Math.min(first, countFirst);
  const next = async (): Promise<StreamStep> => {
    const source = waiting[0];
    if (source === undefined) return NOTHING;
    opened ??= await openSource(source, plan, page, start);
    const { visit } = opened;
    const step = await opened.next(countMax);
    if (step.isLast) {
      waiting.shift();
      opened = undefined;
    }
    const items =
      start === undefined
        ? step.items
        : step.items.filter((item) => !isDone(start, source.epkOf(item), item.number));
    const isSlow = await rehearseItems(plan, page, source, items);
    countMax = isSlow ? Math.max(1, countMax >> 1) : Math.min(countMax * 2, max);
    // When the source has nothing left, the position names the next source, so that the next page
    // does not look into this one again.
    const next = step.isLast ? waiting[0] : undefined;
    return {
      items: items.map((item) => ({ visit, item })),
      reached:
        next === undefined
          ? progressTo(start, source.range, step.lastNumber)
          : progressTo(start, next.range, 0),
      isEndOfSource: step.isLast,
      isLast: waiting.length === 0,
    };
  };
  return { next };
}

const NOTHING: StreamStep = {
  items: [],
  reached: { range: WHOLE_RANGE, number: 0 },
  isEndOfSource: true,
  isLast: true,
};

interface SourceStep {
  readonly items: readonly SourceItem[];
  readonly lastNumber: number;
  readonly isLast: boolean;
}

interface OpenedSource {
  readonly visit: Visit;
  next(countMax: number): Promise<SourceStep>;
}

async function openSource(
  source: Source,
  { filter, makeGroups }: ItemPlan,
  page: PageRun,
  start: Progress | undefined,
): Promise<OpenedSource> {
  const from = start === undefined ? "beginning" : startIn(start, source.range);
  const after = typeof from === "number" ? from : 0;
  const visit = page.work.visit(source, after > 0);
  // As in the service, aggregates evaluate such conditions on the items themselves.
  const isTryingRefused = makeGroups !== undefined;
  const gathering = { ...page.gathering(source, visit), isTryingRefused };
  const candidates = await page.timedIndex(source, () =>
    streamedCandidatesOf(filter.lookups, gathering),
  );
  page.work.access.push(accessText(candidates));
  visit.isPassed = filter.isWhole && isScopeAnswer(filter.lookups, { ...gathering, isTrial: true });
  visit.isAnswered &&= filter.isWhole;
  // If the index has the whole answer and all items are read all the same, that is our choice, and
  // the client pays as if the items had been found through the index.
  visit.isFound = candidates.kind !== "everything" || (visit.isAnswered && visit.lookupCount > 0);
  if (!visit.isFound) visit.lookupCount = 0;
  return { visit, next: stepsOf(source, candidates, page, after) };
}

function accessText(candidates: StreamedCandidates): string {
  if (candidates.kind === "everything") return "scan";
  return candidates.kind === "numbers" ? `index(${candidates.numbers.length})` : "seek";
}

function stepsOf(
  source: Source,
  candidates: StreamedCandidates,
  page: PageRun,
  afterNumber: number,
): (countMax: number) => Promise<SourceStep> {
  let after = afterNumber;
  switch (candidates.kind) {
    case "everything":
      return async (countMax) => {
        const found = await page.timedLoad(source, () => source.scanItems(after, countMax));
        after = found.lastNumber;
        return found;
      };
    case "numbers": {
      const { numbers } = candidates;
      let at = firstBeyond(numbers, after);
      return async (countMax) => {
        const some = numbers.slice(at, at + countMax);
        const { items, count } = await page.timedLoad(source, () => loadSome(source, some));
        at += count;
        return { items, lastNumber: numbers[at - 1] ?? after, isLast: at >= numbers.length };
      };
    }
    case "terms": {
      const meeting = new TermMeeting(candidates.bounds, page.gathering(source), after);
      let found: readonly number[] = [];
      let end = { reached: after, isLast: false };
      return async (countMax) => {
        if (found.length === 0) {
          const next = await page.timedIndex(source, () => meeting.next(countMax));
          found = next.numbers;
          end = next;
        }
        const { items, count } = await page.timedLoad(source, () => loadSome(source, found));
        const isAll = count === found.length;
        after = isAll ? end.reached : found[count - 1]!;
        found = found.slice(count);
        return { items, lastNumber: after, isLast: end.isLast && isAll };
      };
    }
    case "term": {
      const { bounds } = candidates;
      return async (countMax) => {
        const resume = after === 0 ? undefined : { term: termIn(bounds), number: after };
        const scan = { bounds, after: resume, isReverse: false, countMax };
        const { entries, isLast } = await page.timedIndex(source, () => source.scanTerms(scan));
        page.work.termCount += entries.length;
        const numbers = entries.map(({ number }) => number);
        const { items, count } = await page.timedLoad(source, () => loadSome(source, numbers));
        after = numbers[count - 1] ?? after;
        return { items, lastNumber: after, isLast: isLast && count === numbers.length };
      };
    }
  }
}

/** Returns the term of bounds that hold one term only. */
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
