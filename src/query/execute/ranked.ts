/**
 * Rows under `ORDER BY RANK`: every row that passes the filter gets its scores, the scores become
 * one order (`fusion.ts`), and only then the rows that the page gives are made from their items. Of
 * all other rows only the scores are held.
 *
 * An order of ranks has no values to go on from, so a position says how many rows are done.
 *
 * Where a rank is one score of a text and an index has the words of the text, items without any of
 * the words are not looked at, as long as enough items have one: the others score nothing and come
 * last.
 */
import { equalTo } from "../../index/termRange.ts";
import type { TextStatistics } from "../../text/bm25.ts";
import { wordsOfTerm } from "../../text/searchTerm.ts";
import type { RankPlan, VectorScore } from "../evaluate/rankScores.ts";
import { soughtBy, textScoreOf, vectorScoreOf, weightsOf } from "../evaluate/rankScores.ts";
import { rowText } from "../evaluate/rowText.ts";
import type { Run, Slots } from "../evaluate/run.ts";
import type { ItemPlan } from "../plan/plan.ts";
import type { CollectedRow, Ended } from "./collected.ts";
import { give } from "./collected.ts";
import { everyRow } from "./collectRows.ts";
import { fusedOrder } from "./fusion.ts";
import { loadSome } from "./loadSome.ts";
import { rehearseItems } from "./rehearseItems.ts";
import type { Source, SourceItem } from "./source.ts";
import type { CollectSetting } from "./streamRows.ts";
import type { SoughtText } from "./textStatistics.ts";
import { statisticsOf, wordPlaceFor } from "./textStatistics.ts";

interface RankedRow {
  readonly source: Source;
  readonly number: number;
}

type Score = (slots: Slots, run: Run) => number | undefined;

/** Memory of a row while only its scores are held, in bytes. */
const ROW_BYTES = 48;

export async function collectRanked(setting: CollectSetting, rank: RankPlan): Promise<Ended> {
  const { page, rows } = setting;
  const texts = soughtTexts(rank, page.run);
  const weights = weightsOf(rank, page.run);
  const statistics = await statisticsOf(setting, texts);
  const scores = scoresOf(rank, texts, statistics);
  page.work.access.push("rank");
  const scored = (await hitsAlone(setting, texts, scores)) ?? (await scoreRows(setting, scores));
  const order = await fusedOrder(
    rank.components.map((component, at) => ({
      scores: scored.scores[at]!,
      isLargerBetter: component.kind === "text" || component.isLargerBetter,
      weight: weights[at]!,
    })),
    () => page.pauseOrSuspend(),
  );
  const wanted = order.slice(0, rows.wantedCount);
  const made = await textsOf(
    setting,
    wanted.map((place) => scored.rows[place]!),
  );
  let done = 0;
  const collected = made.map((text): CollectedRow => {
    if (text !== undefined) done++;
    return { text: text && (() => text), place: { kind: "ordinal", done } };
  });
  return give(
    { rows: collected, isAll: wanted.length === order.length },
    rows,
    undefined,
    page.work,
  );
}

function soughtTexts({ components }: RankPlan, run: Run): readonly SoughtText[] {
  return components
    .filter((component) => component.kind === "text")
    .map((score) => ({ score, sought: soughtBy(score, run) }));
}

function scoresOf(
  { components }: RankPlan,
  texts: readonly SoughtText[],
  statistics: readonly TextStatistics[],
): readonly Score[] {
  let textCount = 0;
  return components.map((component): Score => {
    if (component.kind === "vector") return vectorScore(component);
    const { score, sought } = texts[textCount]!;
    const known = statistics[textCount++]!;
    return (slots, run) => textScoreOf(score, sought, known, slots, run);
  });
}

function vectorScore(component: VectorScore): Score {
  return (slots, run) => vectorScoreOf(component, slots, run);
}

interface Scored {
  readonly rows: readonly RankedRow[];
  /** Scores by component, then by row. */
  readonly scores: readonly (readonly (number | undefined)[])[];
}

async function scoreRows(setting: CollectSetting, scores: readonly Score[]): Promise<Scored> {
  const { page } = setting;
  const rows: RankedRow[] = [];
  const lists = scores.map((): (number | undefined)[] => []);
  await everyRow(setting, (slots, source, { number }) => {
    page.held.hold(ROW_BYTES);
    rows.push({ source, number });
    for (const [at, score] of scores.entries()) lists[at]!.push(score(slots, page.run));
  });
  return { rows, scores: lists };
}

/**
 * Scores only the rows that have one of the words; undefined when all rows have to be looked at.
 */
async function hitsAlone(
  setting: CollectSetting,
  texts: readonly SoughtText[],
  scores: readonly Score[],
): Promise<Scored | undefined> {
  const { plan, page, rows } = setting;
  const { skip, take } = rows.remaining;
  // A row whose value is undefined is not given, and another row has to take its place.
  const isEveryRowGiven = plan.isStar || plan.query.selection.kind === "list";
  const [text] = texts;
  if (scores.length > 1 || text === undefined || take === undefined || !isEveryRowGiven) {
    return undefined;
  }
  const withHits = plannedForHits(plan, text);
  if (withHits === undefined) return undefined;
  const found = await scoreRows({ ...setting, plan: withHits }, scores);
  const hitCount = found.scores[0]!.filter((score) => score !== undefined && score > 0).length;
  if (hitCount >= skip + take) return found;
  page.work.forgetVisits();
  page.held.release(ROW_BYTES * found.rows.length);
  return undefined;
}

/**
 * Returns the plan of the same query for items that have at least one of the words; undefined when
 * no index can find them.
 */
function plannedForHits(plan: ItemPlan, text: SoughtText): ItemPlan | undefined {
  const place = wordPlaceFor(text);
  const { terms } = text.sought;
  if (place === undefined || terms.some(({ distance }) => distance > 0)) return undefined;
  // The first word of a phrase is enough: an item that has the phrase has that word.
  const words = terms.flatMap((term) => wordsOfTerm(term).slice(0, 1));
  const ranges = [...new Set(words)]
    .flatMap((word) => equalTo(place.hash, word).ranges)
    .sort((a, b) => (a.min < b.min ? -1 : 1));
  const lookup = {
    kind: "terms",
    path: { segments: [], isOne: true },
    what: "RANK",
    isOfParts: true,
    resolve: () => ({ ranges, isExact: false, mayRepeat: true }),
  } as const;
  return { ...plan, filter: { lookups: [...plan.filter.lookups, lookup], isWhole: false } };
}

/**
 * Resolves with the text of each row; undefined where the item has gone, or changed so that it
 * gives no row, since it was scored.
 */
async function textsOf(
  setting: CollectSetting,
  rows: readonly RankedRow[],
): Promise<readonly (Buffer | undefined)[]> {
  const bySource = new Map<Source, number[]>();
  for (const { source, number } of rows) {
    const numbers = bySource.get(source);
    if (numbers === undefined) bySource.set(source, [number]);
    else numbers.push(number);
  }
  const made = new Map<Source, ReadonlyMap<number, Buffer>>();
  for (const [source, numbers] of bySource) {
    made.set(source, await rowsOfSource(setting, source, numbers));
  }
  return rows.map(({ source, number }) => made.get(source)?.get(number));
}

async function rowsOfSource(
  { plan, page }: CollectSetting,
  source: Source,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, Buffer>> {
  const made = new Map<number, Buffer>();
  const slots: Slots = new Array(plan.slotCount).fill(undefined);
  for (let at = 0; at < numbers.length; ) {
    const some = numbers.slice(at);
    const { items, count } = await page.timedLoad(source, () => loadSome(source, some));
    at += count;
    await rehearseItems(plan, page, source, items);
    for (const item of items) {
      const row = rowOf(plan, page, source, item, slots);
      if (row === undefined) continue;
      page.held.hold(row.length);
      made.set(item.number, row);
      await page.pauseOrSuspend();
    }
  }
  return made;
}

function rowOf(
  plan: ItemPlan,
  page: CollectSetting["page"],
  source: Source,
  item: SourceItem,
  slots: Slots,
): Buffer | undefined {
  page.effort.begin();
  slots[plan.itemSlot] = page.valueOf(source, item);
  if (plan.where !== undefined && plan.where(slots, page.run) !== true) return undefined;
  if (plan.isStar) return item.body;
  const row = plan.select(slots, page.run);
  return row === undefined ? undefined : rowText(row);
}
