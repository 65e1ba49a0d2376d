/**
 * The items of a source that have no value at a path, and so no term there: they are found by their
 * shapes. One item of a shape is enough to tell for all of it.
 */
import { isShapeTerm, shapeTermRange } from "../../index/shapeTerm.ts";
import type { JsonObject } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import type { Value } from "../functions/builtIn.ts";
import type { TermBounds } from "../plan/termBounds.ts";
import type { PageRun } from "./pageRun.ts";
import type { Source, SourceTerm } from "./source.ts";

/**
 * Thrown by a walk along an index that does not have the order, or that meets too little for too
 * long: the caller has to sort. A walk begins with what is found here, or ends with it.
 */
export class NeedsSort extends Error {}

const SHAPE_COUNT_MAX = 1_000;
const SHAPE_STEP = 8;
const NUMBERS_STEP = 1_000;

/** In no particular order. Without a path no item lacks it. */
export async function itemsLacking(
  path: readonly string[] | undefined,
  source: Source,
  page: PageRun,
): Promise<readonly number[]> {
  const reading = { source, page };
  const { max } = shapeTermRange();
  let { min } = shapeTermRange();
  const numbers: number[] = [];
  for (let count = 0; ; count++) {
    if (count > SHAPE_COUNT_MAX) throw new NeedsSort();
    const found = await scan(reading, { min, max }, undefined, 1);
    const [first] = found.entries;
    if (first === undefined) return numbers;
    const bounds = { min: first.term, max: `${first.term}\xff` };
    min = bounds.max;
    if (!isShapeTerm(first.term)) continue;
    if (path !== undefined && (await lacksPath(reading, bounds, path))) {
      await addAll(reading, bounds, numbers);
    }
  }
}

interface Reading {
  readonly source: Source;
  readonly page: PageRun;
}

async function lacksPath(
  reading: Reading,
  bounds: TermBounds,
  path: readonly string[],
): Promise<boolean> {
  const { source, page } = reading;
  let after: SourceTerm | undefined;
  for (;;) {
    const { entries, isLast } = await scan(reading, bounds, after, SHAPE_STEP);
    const [item] = await source.load(entries.map(({ number }) => number));
    // Items of another scope and expired items are not loaded; any other item of the shape will do.
    if (item !== undefined) {
      const value = valueAt(source.valueOf(item), path);
      if (value === undefined || (await isStillAt(reading, bounds, item.number))) {
        return value === undefined;
      }
    }
    if (isLast) return false;
    after = entries.at(-1);
    // A shape may have many items, all of them outside the scope.
    await page.pauseOrSuspend();
  }
}

/** True when the item still has the shape; the item may have changed before it was loaded. */
async function isStillAt(
  reading: Reading,
  { min, max }: TermBounds,
  number: number,
): Promise<boolean> {
  const found = await scan(reading, { min, max }, { term: min, number: number - 1 }, 1);
  return found.entries[0]?.number === number;
}

async function addAll(reading: Reading, bounds: TermBounds, numbers: number[]): Promise<void> {
  let after: SourceTerm | undefined;
  for (let isLast = false; !isLast; ) {
    const found = await scan(reading, bounds, after, NUMBERS_STEP);
    for (const { number } of found.entries) numbers.push(number);
    after = found.entries.at(-1);
    isLast = found.isLast;
    await reading.page.pauseOrSuspend();
  }
}

async function scan(
  { source, page }: Reading,
  bounds: TermBounds,
  after: SourceTerm | undefined,
  countMax: number,
): Promise<{ readonly entries: readonly SourceTerm[]; readonly isLast: boolean }> {
  const found = await source.scanTerms({ bounds, after, isReverse: false, countMax });
  page.work.termCount += found.entries.length;
  return found;
}

function valueAt(item: JsonObject, path: readonly string[]): Value {
  let value: Value = item;
  for (const name of path) value = isObject(value) ? property(value, name) : undefined;
  return value;
}
