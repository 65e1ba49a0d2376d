/**
 * How many periods of a key are asked, and how often each: all that a range touches; the one of an
 * item, which may be of any age; or the newest first, until there is enough.
 *
 * The newest few are in the newest period if it has so many already. If not, who asks goes back
 * through the periods of its range, as long as they are not more than the physical partitions, and
 * otherwise to the one before. `prove/requests.ts` does the same with real keys.
 */
import type { KeyEntry } from "../candidate/keyEntries.ts";
import { grainDays } from "../candidate/keyShape.ts";
import {
  type AskedKeys,
  askedKeysOf,
  isLookedBack,
  isNewestFirst,
  keySpanOf,
  NEWEST_KEYS,
  routingFor,
} from "../candidate/routing.ts";
import { oldestDay } from "../workload/totalItems.ts";
import {
  type AskedGrain,
  olderMaxOf,
  type PeriodWeight,
  periodsTouched,
  weightsOfAge,
  weightsOfSpan,
} from "./askedKeys.ts";
import { byKeySize, type KeySize, MEAN_SIZE, sizesAsked, toldPaths } from "./askedSizes.ts";
import { passedShare } from "./calendar.ts";
import type { LoadSetting } from "./load.ts";
import { foundWithin, newShareOf, type OperationModel } from "./operationModel.ts";
import type { Routing } from "./simulation.ts";

/** What one operation asks of the keys that are made in one way. */
export interface AskedPeriods {
  /** All keys that are asked, on average. */
  readonly routing: Routing;
  /** Keys, or prefixes, of one period. */
  readonly values: number;
  /** How often each period is asked, for one operation that has its subject in that key. */
  weightsOf(entry: KeyEntry): readonly PeriodWeight[];
  /** The same, for a key that differs so from one that is asked for. */
  weightsFor(size: KeySize): readonly PeriodWeight[];
  readonly days: number | undefined;
  /** Who has enough asks no further. */
  readonly isInTurn: boolean;
  /** Of the periods one is asked, whichever has the item; otherwise all of them. */
  readonly isOneOf: boolean;
}

/** The period of now and no other. */
export const NOW: readonly PeriodWeight[] = [{ back: 0, weight: 1 }];

export function askedPeriodsOf(
  model: OperationModel,
  grain: AskedGrain,
  setting: LoadSetting,
): AskedPeriods {
  const { shape } = setting;
  const { operation, access, spanDays } = model;
  const asked = askedKeysOf(shape, operation, access, spanDays, grain.choices);
  const { values } = asked;
  const isInTurn =
    asked.grain !== undefined && isLookedBack(asked.grain) && isNewestFirst(shape, access);
  const weightsFor = isInTurn
    ? ({ factor }: KeySize): readonly PeriodWeight[] => newestWeights(asked, factor, model, setting)
    : steady(steadyWeights(model, grain, setting));
  const weightsOf = byKeySize(model, setting, weightsFor);
  const count = isInTurn ? values * meanSum(grain, weightsOf) : countNow(asked, model, setting);
  return {
    routing: routingFor(asked, count),
    values,
    weightsOf,
    weightsFor,
    days: grain.days,
    isInTurn,
    isOneOf: asked.grain === undefined,
  };
}

function steady<T>(one: T): () => T {
  return () => one;
}

export function sumOf(weights: readonly PeriodWeight[]): number {
  return weights.reduce((sum, { weight }) => sum + weight, 0);
}

/** The weights of a key, to be looked up. */
interface Turns {
  readonly periods: number;
  readonly weightAt: ReadonlyMap<number, number>;
}

/** The periods that any of these keys is asked in, and how often each of them is. */
export function turnsOf(
  { weightsOf, weightsFor, isInTurn }: AskedPeriods,
  entries: readonly KeyEntry[],
): { readonly backs: ReadonlySet<number>; of(entry: KeyEntry): Turns } {
  if (!isInTurn) {
    const same = asTurns(weightsFor(MEAN_SIZE));
    return { backs: new Set(same.weightAt.keys()), of: () => same };
  }
  const kept = new Map<readonly PeriodWeight[], Turns>();
  const of = (entry: KeyEntry): Turns => {
    const weights = weightsOf(entry);
    const known = kept.get(weights);
    if (known !== undefined) return known;
    const turns = asTurns(weights);
    kept.set(weights, turns);
    return turns;
  };
  for (const entry of entries) of(entry);
  return { backs: new Set([...kept.keys()].flat().map(({ back }) => back)), of };
}

function asTurns(weights: readonly PeriodWeight[]): Turns {
  const weightAt = new Map(weights.map(({ back, weight }) => [back, weight]));
  return { periods: sumOf(weights), weightAt };
}

/** By how often each key is asked for. */
function meanSum(
  grain: AskedGrain,
  weightsOf: (entry: KeyEntry) => readonly PeriodWeight[],
): number {
  let [sum, total] = [0, 0];
  for (const entry of grain.periodsBack(0)) {
    sum += entry.requestShare * sumOf(weightsOf(entry));
    total += entry.requestShare;
  }
  return total === 0 ? 1 : sum / total;
}

/** A range of time touches as many periods as it does in the calendar, if that is known. */
function countNow(asked: AskedKeys, model: OperationModel, setting: LoadSetting): number {
  const { values, grain, periods } = asked;
  const passed = passedIn(grain, setting);
  const { spanDays } = model;
  const isOfNow = grain !== undefined && passed !== undefined && spanDays !== undefined;
  if (!isOfNow || model.isWrite) return values * periods;
  return values * periodsTouched(spanDays, grainDays(grain), passed);
}

const DAY_MILLIS = 86_400_000;

/** How much of the period of now is over; undefined: now is any time. */
function passedIn(grain: AskedKeys["grain"], setting: LoadSetting): number | undefined {
  if (grain === undefined || setting.isInstant !== true) return undefined;
  return passedShare(grain, setting.startMillis + setting.day * DAY_MILLIS);
}

function steadyWeights(
  model: OperationModel,
  { days, passed, periodsBack }: AskedGrain,
  setting: LoadSetting,
): readonly PeriodWeight[] {
  const { operation, spanDays, ageDays, isWrite } = model;
  const { workload, day } = setting;
  if (days === undefined || operation.kind === "create") return NOW;
  if (!isWrite && operation.kind === "query" && spanDays !== undefined) {
    return weightsOfSpan(spanDays, days, passed);
  }
  const kept = Math.max(1, day - oldestDay(workload.growth, day));
  const olderMax = olderMaxOf(periodsBack(0).length);
  const ofAge = weightsOfAge(Math.min(kept, ageDays ?? kept), days, passed, olderMax);
  const newShare = newShareIn(model, setting);
  return ofAge.map(({ back, weight }) => ({
    back,
    weight: weight * (1 - newShare) + (back === 0 ? newShare : 0),
  }));
}

/** Of an operation, how much of it makes items that were not there. */
export function newShareIn({ operation }: OperationModel, { workload }: LoadSetting): number {
  if (operation.kind === "create") return 1;
  return operation.kind === "upsert" ? newShareOf(operation, workload) : 0;
}

/** One after the other, each with the chance that those before it have too little. */
function newestWeights(
  asked: AskedKeys,
  keyFactor: number,
  model: OperationModel,
  setting: LoadSetting,
): readonly PeriodWeight[] {
  const days = grainDays(asked.grain!);
  const passed = passedIn(asked.grain, setting);
  const spanDays = keySpanOf(setting.shape, model.access, model.spanDays);
  const count = turnCount(spanDays, days, passed, setting.ranges.length);
  const sizes = sizesAsked(model, setting, toldPaths(setting.shape, model.access));
  return Array.from({ length: count }, (_, back): PeriodWeight => {
    if (back === 0) return { back, weight: 1 };
    const reached = spanDays === undefined ? 1 : reachOf(spanDays / days, passed, back);
    // How much is found is declared, and with it that the newest period has it but for the first.
    if (model.operation.resultItems !== undefined) {
      return { back, weight: back === 1 ? Math.min(NEWEST_KEYS - 1, reached) : 0 };
    }
    const short = sizes.reduce((sum, { weight, factor }) => {
      const look = { back, days, passed, valueFactor: keyFactor * factor };
      return sum + weight * shortAfter(look, model, setting);
    }, 0);
    return { back, weight: reached * short };
  });
}

/** Periods that are looked at, at most. */
function turnCount(
  spanDays: number | undefined,
  days: number,
  passed: number | undefined,
  partitionCount: number,
): number {
  if (spanDays === undefined) return TURNS;
  const touched = Math.ceil(periodsTouched(spanDays, days, passed));
  return touched <= turnsMax(partitionCount) ? touched : TURNS;
}

/** The period of now and the one before it. */
export const TURNS = 2;

/** Who would ask more periods than there are partitions is content with the newest two. */
export function turnsMax(partitionCount: number): number {
  return Math.max(TURNS, partitionCount);
}

/** Whether a range reaches a period so many back, or how often it does at any time. */
function reachOf(span: number, passed: number | undefined, back: number): number {
  if (passed !== undefined) return span - passed > back - 1 ? 1 : 0;
  return Math.min(1, Math.max(0, span - (back - 1)));
}

interface Look {
  readonly back: number;
  readonly days: number;
  readonly passed: number | undefined;
  readonly valueFactor: number;
}

/** How often the periods before that one have too few. */
function shortAfter(
  { back, days, passed, valueFactor }: Look,
  model: OperationModel,
  { workload, day, isEven }: LoadSetting,
): number {
  const top = model.access.top ?? 0;
  const within = (window: number): number =>
    foundWithin(model, workload, day, window, valueFactor).candidateCount;
  if (passed !== undefined) {
    const mean = within(days * (passed + back - 1));
    return isEven === true ? evenlyFewer(top, mean) : chanceOfFewer(top, mean);
  }
  // At any time of a period it has any part of what it will have.
  const short = top / Math.max(within(days), Number.MIN_VALUE) - (back - 1);
  return Math.min(1, Math.max(0, short));
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

/** The same in even steps: of 1.3 on average there is one, and three times of ten two. */
function evenlyFewer(count: number, mean: number): number {
  return Math.min(1, Math.max(0, count - mean));
}

/** From here on chance does not matter, and the smallest term is too small for a number. */
const CERTAIN = 500;
