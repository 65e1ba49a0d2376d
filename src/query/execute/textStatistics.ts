/**
 * Statistics of all texts that a rank compares: how many items there are, how many words their
 * texts have, and how many texts have each term. The filter of the query makes no difference to
 * them.
 *
 * Where an index has the words, the statistics come from it; otherwise, and for phrases, all items
 * are read once, for all scores together.
 */
import { PATH_HASH_BYTES } from "../../index/hash.ts";
import { decodeValue } from "../../index/term.ts";
import { equalTo } from "../../index/termRange.ts";
import { type WordPlace, wordCountsRange } from "../../index/wordTerm.ts";
import type { TextStatistics } from "../../text/bm25.ts";
import { proseOf } from "../../text/prose.ts";
import type { SearchTerm } from "../../text/searchTerm.ts";
import { isInProse } from "../../text/searchTerm.ts";
import type { Sought, TextScore } from "../evaluate/rankScores.ts";
import type { Slots } from "../evaluate/run.ts";
import type { TermBounds } from "../plan/termBounds.ts";
import { itemStream } from "./itemStream.ts";
import type { PageRun } from "./pageRun.ts";
import type { Source, SourceTerm } from "./source.ts";
import { isPlain } from "./source.ts";
import type { CollectSetting } from "./streamRows.ts";

export interface SoughtText {
  readonly score: TextScore;
  readonly sought: Sought;
}

/** Resolves with the statistics of each text, in the order of `texts`. */
export async function statisticsOf(
  setting: CollectSetting,
  texts: readonly SoughtText[],
): Promise<readonly TextStatistics[]> {
  const known = await Promise.all(texts.map((text) => statisticsByIndex(setting, text)));
  const others = texts.filter((_, at) => known[at] === undefined);
  const walked = others.length === 0 ? [] : await statisticsByItems(setting, others);
  let next = 0;
  return known.map((statistics) => statistics ?? walked[next++]!);
}

/** Returns the word of a term that is a single exact word; undefined for any other term. */
function wordAlone({ words, distance }: SearchTerm): string | undefined {
  return words.length === 1 && distance === 0 ? words[0] : undefined;
}

/** Returns the place whose index has the words in the language that the text is read in, if any. */
export function wordPlaceFor({ score: { place }, sought }: SoughtText): WordPlace | undefined {
  return place?.language === sought.language ? place : undefined;
}

/** Resolves with undefined when the index cannot tell. */
async function statisticsByIndex(
  { sources, page }: CollectSetting,
  text: SoughtText,
): Promise<TextStatistics | undefined> {
  const place = wordPlaceFor(text);
  const words = text.sought.terms.map(wordAlone);
  if (place === undefined || !words.every((word) => word !== undefined)) return undefined;
  // Counting terms is only right if each of them belongs to an item that the query sees.
  for (const source of sources) if (!(await isPlain(source))) return undefined;
  const ranges = words.map((word) => equalTo(place.hash, word));
  if (!ranges.every(({ isExact }) => isExact)) return undefined;
  const hitCounts = words.map(() => 0);
  let documentCount = 0;
  let totalWordCount = 0;
  for (const source of sources) {
    documentCount += source.itemCount;
    await eachEntry(source, wordCountsRange(place), page, ({ term }) => {
      totalWordCount += Number(decodeValue(term.slice(PATH_HASH_BYTES)));
    });
    for (const [at, { ranges: bounds }] of ranges.entries()) {
      await eachEntry(source, bounds[0]!, page, () => hitCounts[at]!++);
    }
  }
  return { documentCount, totalWordCount, hitCounts };
}

const STEP = 1_000;

async function eachEntry(
  source: Source,
  bounds: TermBounds,
  page: PageRun,
  visitEntry: (entry: SourceTerm) => void,
): Promise<void> {
  const visit = page.work.visit(source, false);
  let after: SourceTerm | undefined;
  for (let isLast = false; !isLast; ) {
    const scan = { bounds, after, isReverse: false, countMax: STEP };
    const found = await page.timedIndex(source, () => source.scanTerms(scan));
    for (const entry of found.entries) visitEntry(entry);
    page.work.countScanned(found.entries.length);
    visit.scannedEntryCount += found.entries.length;
    after = found.entries.at(-1);
    isLast = found.isLast;
    await page.pauseOrSuspend();
  }
}

async function statisticsByItems(
  { plan, sources, page }: CollectSetting,
  texts: readonly SoughtText[],
): Promise<readonly TextStatistics[]> {
  const everything = { ...plan, filter: { lookups: [], isWhole: false }, rehearsal: undefined };
  const stream = itemStream(sources, everything, page, undefined);
  const slots: Slots = new Array(plan.slotCount).fill(undefined);
  let documentCount = 0;
  const counts = texts.map(({ sought }) => ({ words: 0, hits: sought.terms.map(() => 0) }));
  for (let isLast = false; !isLast; ) {
    const step = await stream.next();
    for (const { visit, item } of step.items) {
      documentCount++;
      slots[plan.itemSlot] = visit.source.valueOf(item);
      for (const [at, { score, sought }] of texts.entries()) {
        const value = score.text(slots, page.run);
        if (typeof value === "string") take(counts[at]!, value, sought);
      }
      visit.look(item, false);
      await page.pauseOrSuspend(true);
    }
    isLast = step.isLast;
  }
  return counts.map(({ words, hits }) => ({
    documentCount,
    totalWordCount: words,
    hitCounts: hits,
  }));
}

function take(
  counts: { words: number; readonly hits: number[] },
  text: string,
  { terms, language }: Sought,
): void {
  const prose = proseOf(text, language);
  counts.words += prose.wordCount;
  for (const [at, term] of terms.entries()) if (isInProse(prose, term)) counts.hits[at]!++;
}
