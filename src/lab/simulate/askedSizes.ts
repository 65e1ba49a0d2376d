/** How much is found depends on how large a key is, and so does what an operation pays in it. */
import type { KeyEntry } from "../candidate/keyEntries.ts";
import type { KeyShape } from "../candidate/keyShape.ts";
import type { Population } from "../data/facts.ts";
import { askedByValue } from "../data/requestView.ts";
import type { Access } from "../workload/access.ts";
import type { LoadSetting } from "./load.ts";
import type { OperationModel } from "./operationModel.ts";

/** Keys whose sizes differ by less are alike. */
const SIZES_PER_DOUBLING = 8;

/**
 * What differs from key to key: more is found where more is, if the filter asks for what the key is
 * made of. Otherwise nobody knows, and all are alike. `of` gets how many times the items of one
 * that is asked for a key has.
 */
export function byKeySize<T>(
  { access, operation }: OperationModel,
  { shape, population }: Pick<LoadSetting, "shape" | "population">,
  of: (factor: number) => T,
): (entry: KeyEntry) => T {
  const mean = meanKeyShare(population);
  const isAsked = operation.kind === "query" && isKeyAsked(shape, access);
  if (!isAsked || mean === 0) {
    const same = of(1);
    return () => same;
  }
  const byStep = new Map<number, T>();
  return ({ itemShare, keyCount }) => {
    const share = itemShare / keyCount / mean;
    const step =
      share <= 0 ? Number.NEGATIVE_INFINITY : Math.round(SIZES_PER_DOUBLING * Math.log2(share));
    const known = byStep.get(step);
    if (known !== undefined) return known;
    const found = of(share);
    byStep.set(step, found);
    return found;
  };
}

/** Whether the filter names one value of everything that the key is made of. */
function isKeyAsked({ staticPaths, hashCounts }: KeyShape, { equal }: Access): boolean {
  return (
    staticPaths.length > 0 &&
    hashCounts.size === 0 &&
    staticPaths.every((path) => equal.get(path)?.count === 1)
  );
}

/** So often a value is asked for that has so many times the items of the mean one. */
export interface AskedSize {
  readonly weight: number;
  readonly factor: number;
}

const ONE_SIZE: readonly AskedSize[] = [{ weight: 1, factor: 1 }];
const CLASSES_PER_DOUBLING = 2;
/** Paths beyond three that are filtered together hardly narrow further. */
const PATHS_MAX = 3;

/**
 * How much values differ that a filter asks for. It matters to who wants the first few rows: a
 * value with many items gives no more of them, and one with few gives less, so what is paid is not
 * what the mean value would cost. What the key is made of is told by the key (`ruByKey`).
 */
export function sizesAsked(
  { access, operation }: OperationModel,
  { shape, facts }: Pick<LoadSetting, "shape" | "facts">,
): readonly AskedSize[] {
  if (access.top === undefined || operation.resultItems !== undefined) return ONE_SIZE;
  const told = new Set(isKeyAsked(shape, access) ? shape.staticPaths : []);
  const paths = [...access.equal.keys()]
    .filter((path) => facts.properties.get(path)?.time === undefined && !told.has(path))
    .filter((path) => facts.properties.has(path))
    .slice(0, PATHS_MAX);
  if (paths.length === 0) return ONE_SIZE;
  const { rows } = askedByValue(facts.populationOf(paths), paths);
  const mean = meanKeyShare({ rows });
  const classes = new Map<number, { weight: number; sum: number }>();
  for (const { requestShare, itemShare, keyCount } of rows) {
    const factor = itemShare / keyCount / mean;
    if (!(requestShare > 0 && factor > 0)) continue;
    const name = Math.round(CLASSES_PER_DOUBLING * Math.log2(factor));
    const known = classes.get(name) ?? { weight: 0, sum: 0 };
    known.weight += requestShare;
    known.sum += requestShare * factor;
    classes.set(name, known);
  }
  const total = [...classes.values()].reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return ONE_SIZE;
  return [...classes.values()].map(({ weight, sum }) => ({
    weight: weight / total,
    factor: sum / weight,
  }));
}

/** Of all items, what a key has that is asked for. */
export function meanKeyShare({ rows }: Pick<Population, "rows">): number {
  return rows.reduce(
    (sum, { requestShare, itemShare, keyCount }) => sum + (requestShare * itemShare) / keyCount,
    0,
  );
}
