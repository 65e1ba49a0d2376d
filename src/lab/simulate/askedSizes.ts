/** How much is found depends on how large a key is, and so does what an operation pays in it. */
import { chosenRows, pathsAsked } from "../candidate/chosenRows.ts";
import type { KeyEntry } from "../candidate/keyEntries.ts";
import type { KeyShape } from "../candidate/keyShape.ts";
import type { DataFacts, Population } from "../data/facts.ts";
import { askedByValue } from "../data/requestView.ts";
import type { Access } from "../workload/access.ts";
import type { LoadSetting } from "./load.ts";
import type { OperationModel } from "./operationModel.ts";
import type { PlacedRange } from "./partitions.ts";

/** Keys whose sizes differ by less are alike. */
const SIZES_PER_DOUBLING = 8;

/**
 * What differs from key to key: more is found where more is, if the filter asks for what the key is
 * made of. Otherwise nobody knows, and all are alike. `of` gets how a key differs from one that is
 * asked for.
 */
export function byKeySize<T>(
  { access, operation }: OperationModel,
  { shape, population }: Pick<LoadSetting, "shape" | "population">,
  of: (size: KeySize) => T,
): (entry: KeyEntry) => T {
  const mean = askedKeyShare(shape, population);
  const isAsked = operation.kind === "query" && toldPaths(shape, access).size > 0;
  if (!isAsked || mean === 0) {
    const same = of(MEAN_SIZE);
    return () => same;
  }
  const ofSize = bySize(of);
  return ({ itemShare, byteShare, keyCount }) =>
    ofSize({ factor: itemShare / keyCount / mean, bytes: ratioOf(byteShare, itemShare) });
}

/** The same for sizes that are nearly the same. */
export function bySize<T>(of: (size: KeySize) => T): (size: KeySize) => T {
  const byStep = new Map<string, T>();
  return (size) => {
    const name = `${stepOf(size.factor)} ${stepOf(size.bytes)}`;
    const known = byStep.get(name);
    if (known !== undefined) return known;
    const found = of(size);
    byStep.set(name, found);
    return found;
  };
}

function stepOf(factor: number): number {
  return factor <= 0
    ? Number.NEGATIVE_INFINITY
    : Math.round(SIZES_PER_DOUBLING * Math.log2(factor));
}

/** How much longer the items of a value are than others. */
export function ratioOf(byteShare: number, itemShare: number): number {
  return itemShare > 0 && byteShare > 0 ? byteShare / itemShare : 1;
}

/**
 * What the first levels of a key are made of, times left out, where the filter names one value of
 * all of it; otherwise nothing. How much is found then follows from the key.
 */
export function toldPaths(
  { candidate, staticPaths, hashCounts }: KeyShape,
  { equal }: Access,
  levelCount: number = candidate.levels.length,
): ReadonlySet<string> {
  const isNamed = (path: string): boolean => equal.get(path)?.count === 1;
  const paths = candidate.levels
    .slice(0, levelCount)
    .flatMap((level) => pathsAsked(level, isNamed))
    .filter((path) => staticPaths.includes(path));
  const isTold = paths.every((path) => isNamed(path) && !hashCounts.has(path));
  return new Set(isTold ? paths : []);
}

/** How a value, or a key, differs from the mean one that is asked for. */
export interface KeySize {
  /** It has so many times the items. */
  readonly factor: number;
  /** They have so many times the bytes of any item. */
  readonly bytes: number;
}

export const MEAN_SIZE: KeySize = { factor: 1, bytes: 1 };

/** So often a value of that size is asked for. */
export interface AskedValue extends KeySize {
  readonly weight: number;
  /** Which share of its items lies in each physical partition, if somebody knows. */
  readonly parts?: readonly number[] | undefined;
}

const ONE_SIZE: readonly AskedValue[] = [{ weight: 1, ...MEAN_SIZE }];
const CLASSES_PER_DOUBLING = 2;
/** Paths beyond three that are filtered together hardly narrow further. */
const PATHS_MAX = 3;

/**
 * How much values differ that a filter asks for. What is paid is not what the mean value would
 * cost: of the first few rows a value with many items gives no more than another, and who wants all
 * of them reads further pages, which others never come to. `told`: paths that the key tells
 * (`byKeySize`).
 */
export function sizesAsked(
  { access, operation }: OperationModel,
  { facts }: Pick<LoadSetting, "facts">,
  told: ReadonlySet<string>,
): readonly AskedValue[] {
  if (operation.resultItems !== undefined) return ONE_SIZE;
  const paths = valuePaths(access, facts).filter((path) => !told.has(path));
  if (paths.length === 0) return ONE_SIZE;
  const { rows } = askedByValue(facts.populationOf(paths), paths);
  const mean = meanKeyShare({ rows });
  const classes = new Map<number, { weight: number; sum: number; bytes: number }>();
  for (const { requestShare, itemShare, byteShare, keyCount } of rows) {
    const factor = itemShare / keyCount / mean;
    if (!(requestShare > 0 && factor > 0)) continue;
    const name = Math.round(CLASSES_PER_DOUBLING * Math.log2(factor));
    const known = classes.get(name) ?? { weight: 0, sum: 0, bytes: 0 };
    known.weight += requestShare;
    known.sum += requestShare * factor;
    known.bytes += requestShare * factor * ratioOf(byteShare, itemShare);
    classes.set(name, known);
  }
  const total = [...classes.values()].reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return ONE_SIZE;
  return [...classes.values()].map(({ weight, sum, bytes }) => ({
    weight: weight / total,
    factor: sum / weight,
    bytes: bytes / sum,
  }));
}

/** Of what a filter names, no times. */
function valuePaths({ equal }: Access, { properties }: DataFacts): readonly string[] {
  return [...equal.keys()]
    .filter((path) => properties.has(path) && properties.get(path)!.time === undefined)
    .slice(0, PATHS_MAX);
}

/** Where items lie, counted one by one. */
export interface ItemLayout {
  /** For every value at these paths; undefined: there are too many of them to be told apart. */
  valuesIn(
    paths: readonly string[],
    ranges: readonly PlacedRange[],
  ): readonly ValueLayout[] | undefined;
}

export interface ValueLayout {
  readonly requestShare: number;
  readonly itemShare: number;
  readonly byteShare: number;
  /** Which share of its items lies in each range. */
  readonly parts: readonly number[];
}

/**
 * The values that a filter asks for, with where each lies. Whoever is asked first fills a page, or
 * all that was wanted, so what others pay depends on how the matches lie and not only on how many
 * there are. Undefined: nobody knows where they lie.
 */
export function layoutAsked(
  { access, operation }: OperationModel,
  { facts, layout, ranges }: Pick<LoadSetting, "facts" | "layout" | "ranges">,
): readonly AskedValue[] | undefined {
  const paths = valuePaths(access, facts);
  const isCounted = operation.resultItems === undefined && paths.length > 0;
  const values = isCounted ? layout?.valuesIn(paths, ranges) : undefined;
  if (values === undefined) return undefined;
  const asked = values.filter(({ requestShare }) => requestShare > 0);
  const mean = asked.reduce((sum, each) => sum + each.requestShare * each.itemShare, 0);
  if (mean === 0) return undefined;
  return asked.map(({ requestShare, itemShare, byteShare, parts }) => ({
    weight: requestShare,
    factor: itemShare / mean,
    bytes: ratioOf(byteShare, itemShare),
    parts,
  }));
}

/** Of all items, what a key has that is asked for; rows that come to one key are one. */
export function askedKeyShare(shape: KeyShape, { paths, rows }: Population): number {
  return meanKeyShare({ rows: chosenRows(shape, paths, rows) });
}

/** Of all items, what a value has that is asked for. */
export function meanKeyShare({ rows }: Pick<Population, "rows">): number {
  return rows.reduce(
    (sum, { requestShare, itemShare, keyCount }) => sum + (requestShare * itemShare) / keyCount,
    0,
  );
}
