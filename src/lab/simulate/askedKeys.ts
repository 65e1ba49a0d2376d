/**
 * Which keys are asked, and how much each: the load side of a population.
 *
 * Writes go to the keys of now. Reads go where their items are: under keys with periods, to those
 * that the range or the age of what they ask for touches.
 */

import { DAY_MS } from "../../base/units.ts";
import type { Choices } from "../candidate/choices.ts";
import { rowsByWay } from "../candidate/choices.ts";
import type { KeyEntry } from "../candidate/keyEntries.ts";
import { keyEntriesAt } from "../candidate/keyEntries.ts";
import { grainDays, type KeyShape } from "../candidate/keyShape.ts";
import type { Population } from "../data/facts.ts";
import { passedShare } from "./calendar.ts";

/** Keys that are made in one way, a list for each period: the first is that of now. */
export interface AskedGrain {
  /** What is taken where the key chooses. */
  readonly choices: Choices;
  /** Of a period; undefined: they have none. */
  readonly days: number | undefined;
  /** How much of the period of now is over, from 0 to 1; undefined: now is any time. */
  readonly passed: number | undefined;
  periodsBack(count: number): readonly KeyEntry[];
}

/** Keys of older periods that are told apart: so many lie evenly, and stand for all others. */
const TOLD_APART = 2048;

export function askedGrains(
  shape: KeyShape,
  population: Population,
  { nowMillis, isInstant }: { readonly nowMillis: number; readonly isInstant: boolean },
): readonly AskedGrain[] {
  return rowsByWay(shape, population).map(({ choices, grain, rows }) => {
    const days = grain === undefined ? undefined : grainDays(grain);
    const kept = new Map<number, readonly KeyEntry[]>();
    const keysOf = (back: number): readonly KeyEntry[] => {
      const millis = nowMillis - back * (days ?? 0) * DAY_MS;
      const keys = keyEntriesAt(shape, { paths: population.paths, rows }, millis);
      kept.set(back, keys);
      return keys;
    };
    const olderMax = (): number => {
      const { length } = kept.get(0) ?? keysOf(0);
      return Math.max(1, Math.ceil(TOLD_APART / Math.max(1, length)));
    };
    return {
      choices,
      days,
      passed: isInstant && grain !== undefined ? passedShare(grain, nowMillis) : undefined,
      periodsBack(count) {
        const back = count === 0 ? 0 : 1 + ((count - 1) % olderMax());
        const known = kept.get(back);
        return known ?? keysOf(back);
      },
    };
  });
}

/** How often a period so many back is asked, for each operation. */
export interface PeriodWeight {
  readonly back: number;
  readonly weight: number;
}

/** Older periods are looked at a few at a time; more of them where they have few keys. */
const OLDER_MAX = 24;
const OLDER_KEYS = 2048;

export function olderMaxOf(keysOfPeriod: number): number {
  return Math.max(OLDER_MAX, Math.floor(OLDER_KEYS / Math.max(1, keysOfPeriod)));
}

/** Every period that a range up to now touches is asked: now is somewhere in the first. */
export function weightsOfSpan(
  spanDays: number,
  days: number,
  passed: number | undefined,
): readonly PeriodWeight[] {
  const span = spanDays / days;
  if (passed === undefined) {
    return [{ back: 0, weight: 1 }, ...spread(span, (back) => clamp(span - (back - 1)))];
  }
  const older = span - passed;
  return [{ back: 0, weight: 1 }, ...spread(older, (back) => (older > back - 1 ? 1 : 0))];
}

/** How many periods a range up to now touches. */
export function periodsTouched(spanDays: number, days: number, passed: number | undefined): number {
  const span = spanDays / days;
  return 1 + (passed === undefined ? span : Math.max(0, Math.ceil(span - passed)));
}

/** One period is asked: that of an item whose age is anything up to so many days. */
export function weightsOfAge(
  ageDays: number,
  days: number,
  passed: number | undefined,
  olderMax: number = OLDER_MAX,
): readonly PeriodWeight[] {
  const age = ageDays / days;
  // Where now may be any time, the period of now is half over on average; but an age of less than
  // a period is within it more often than that.
  const isAnyTime = passed === undefined && age < 1;
  const ofNow = passed ?? 0.5;
  const now = isAnyTime ? 1 - age / 2 : Math.min(1, ofNow / Math.max(age, Number.MIN_VALUE));
  const older = isAnyTime
    ? [{ back: 1, weight: 1 }]
    : spread(age - ofNow, (back) => clamp(age - ofNow - (back - 1)), olderMax);
  const total = older.reduce((sum, { weight }) => sum + weight, 0);
  const scaled = older.map(({ back, weight }) => ({
    back,
    weight: total === 0 ? 0 : (weight * (1 - now)) / total,
  }));
  return [{ back: 0, weight: now }, ...scaled];
}

/** Periods before now; of many a few stand for all, with the weight of those they stand for. */
function spread(
  count: number,
  weightOf: (back: number) => number,
  olderMax: number = OLDER_MAX,
): readonly PeriodWeight[] {
  const total = Math.max(0, Math.ceil(count));
  if (total <= olderMax) {
    return Array.from({ length: total }, (_, at) => ({ back: 1 + at, weight: weightOf(1 + at) }));
  }
  const each = total / olderMax;
  return Array.from({ length: olderMax }, (_, at) => {
    const back = 1 + Math.floor((at + 0.5) * each);
    return { back, weight: each * weightOf(back) };
  });
}

function clamp(weight: number): number {
  return Math.min(1, Math.max(0, weight));
}
