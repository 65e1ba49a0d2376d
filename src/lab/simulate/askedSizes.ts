/**
 * How much is found depends on how large a key is: what an operation pays in each, and whether the
 * newest period has enough for who wants the newest few.
 */
import type { KeyEntry } from "../candidate/keyEntries.ts";
import { grainDays, type KeyShape } from "../candidate/keyShape.ts";
import { isNewestFirst } from "../candidate/routing.ts";
import type { Population } from "../data/facts.ts";
import { askedByValue } from "../data/requestView.ts";
import type { Access } from "../workload/access.ts";
import { type AskedGrain, periodsTouched } from "./askedKeys.ts";
import type { LoadSetting } from "./load.ts";
import { foundWithin, type OperationModel } from "./operationModel.ts";
import type { Routing } from "./simulation.ts";

/**
 * How many keys are asked now. The newest few are in the newest period if it has so many already;
 * otherwise the one before is asked as well. A range of time touches as many periods as it does in
 * the calendar, if it is known where in it now is.
 */
export function routingNow(
  routing: Routing,
  model: OperationModel,
  grains: readonly AskedGrain[],
  setting: LoadSetting,
): Routing {
  const { spanDays, access } = model;
  if (routing.kind === "key" || routing.kind === "everywhere") return routing;
  const { days, passed } = finestOf(grains);
  if (days === undefined) return routing;
  if (isNewestFirst(setting.shape, access)) return withEnough(routing, model, passed, setting);
  if (passed === undefined || spanDays === undefined || model.isWrite) return routing;
  const ofEach = routing.count / periodsTouched(spanDays, days, undefined);
  return { ...routing, count: ofEach * periodsTouched(spanDays, days, passed) };
}

function finestOf(grains: readonly AskedGrain[]): Pick<AskedGrain, "days" | "passed"> {
  const dated = grains.filter(({ days }) => days !== undefined);
  return dated.sort((a, b) => a.days! - b.days!)[0] ?? { days: undefined, passed: undefined };
}

function withEnough(
  routing: Routing,
  model: OperationModel,
  passed: number | undefined,
  { shape, workload, day }: LoadSetting,
): Routing {
  const { access, operation } = model;
  const isOfOne = routing.kind === "keys" && routing.count < 2;
  if (!isOfOne || operation.resultItems !== undefined || access.top === undefined) return routing;
  const days = Math.max(...[...shape.times.values()].map(({ grain }) => grainDays(grain)));
  const { candidateCount } = foundWithin(model, workload, day, days * (passed ?? 1));
  // At any time of a period it has any part of what it will have.
  const short =
    passed === undefined
      ? Math.min(1, access.top / Math.max(candidateCount, Number.MIN_VALUE))
      : chanceOfFewer(access.top, candidateCount);
  return { kind: "keys", count: 1 + short };
}

/** That there are fewer than so many where the mean is known (Poisson). */
function chanceOfFewer(count: number, mean: number): number {
  if (mean > CERTAIN) return mean < count ? 1 : 0;
  let term = Math.exp(-mean);
  let sum = 0;
  for (let at = 0; at < count && term > 0; at++) {
    sum += term;
    term *= mean / (at + 1);
  }
  return Math.min(1, sum);
}

/** From here on chance does not matter, and the smallest term is too small for a number. */
const CERTAIN = 500;

/** Keys whose sizes differ by less are alike. */
const SIZES_PER_DOUBLING = 8;

/**
 * What is paid in a key: more is found where more is, if the filter asks for what the key is made
 * of. Otherwise nobody knows, and all pay the same.
 */
export function ruByKey(
  { access, operation }: OperationModel,
  { shape, population }: LoadSetting,
  ruFor: (factor: number) => number,
): (entry: KeyEntry) => number {
  const mean = meanKeyShare(population);
  const isAsked = operation.kind === "query" && isKeyAsked(shape, access);
  if (!isAsked || mean === 0) {
    const ru = ruFor(1);
    return () => ru;
  }
  const bills = new Map<number, number>();
  return ({ itemShare, keyCount }) => {
    const share = itemShare / keyCount / mean;
    const step =
      share <= 0 ? Number.NEGATIVE_INFINITY : Math.round(SIZES_PER_DOUBLING * Math.log2(share));
    const known = bills.get(step);
    if (known !== undefined) return known;
    const ru = ruFor(share);
    bills.set(step, ru);
    return ru;
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
