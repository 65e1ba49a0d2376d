/**
 * Adaptive granularity: short periods for values with much traffic, long ones for all others, as in
 * "more than 1,000 readings a day: a key for each day, otherwise one for each month".
 *
 * What makes it safe is that whether a value is heavy never changes within one of its long periods.
 * Otherwise items of the same month would lie under its month and under its days, and a reader who
 * asks by the latest answer would miss some. There are two ways to hold that:
 *
 * - `adaptive` has a list of the heavy values, and is a plain expression. Whoever changes the list
 *   moves items, or makes a new container.
 * - `adaptiveByVolume` asks how heavy a value is, once for each value and long period, and keeps to
 *   the answer. A value can become heavy with the next long period. The answer has to be the same
 *   in every process that writes or reads, also later: counts of the period before, written down
 *   when it ended, are; a count that still grows is not.
 */
import { componentOf, type KeyComponent, textOf } from "./component.ts";
import type { KeyExpression, KeyLevels, PathPart, TimeGrain } from "./expression.ts";
import { pathText, valueAt } from "./paths.ts";
import { meanPeriodMillis, nextPeriodStart, periodOf, periodStartsBetween } from "./period.ts";
import { pathOf, period, separated } from "./strategies.ts";
import {
  BadStrategy,
  type KeyInput,
  type KeyStrategy,
  type StrategyOptions,
  strategyOf,
} from "./strategy.ts";
import { timeOf } from "./time.ts";
import { type Known, VISITS_MAX, type Visits, visitsForLevels } from "./visits.ts";

export interface AdaptiveOptions extends Pick<StrategyOptions, "property"> {
  /** The property whose values differ in volume, such as /deviceId. */
  readonly of: KeyInput;
  readonly time: KeyInput;
  /** The period of heavy values. */
  readonly fine: TimeGrain;
  /** The period of all others. */
  readonly coarse: TimeGrain;
  readonly separator?: string | undefined;
}

/** By a list of heavy values: `reuters_2025-10` for those, `gazette_2025-Q4` for others. */
export function adaptive({
  heavy,
  ...options
}: AdaptiveOptions & { readonly heavy: readonly string[] }): KeyStrategy {
  refuseUnlessFiner(options);
  const { property } = options;
  return strategyOf(levelsFor(options, heavy), { name: "adaptive granularity", property });
}

/** There is no one expression for it: heavy values are others in each long period. */
export interface AdaptiveStrategy extends Omit<KeyStrategy, "expression"> {
  /** The expression that holds in one long period, such as "2025-10", for these values. */
  expressionIn(period: string, values: readonly string[]): KeyLevels;
}

export interface VolumeOptions extends AdaptiveOptions {
  /** How much a value has, as of a long period such as "2025-10". Always the same for the same. */
  readonly volumeOf: (value: string, period: string) => number;
  /** Values with more than this are heavy. */
  readonly threshold: number;
}

/** By a function that tells the volume of a value. */
export function adaptiveByVolume(options: VolumeOptions): AdaptiveStrategy {
  refuseUnlessFiner(options);
  const { fine, coarse, property } = options;
  const of = pathOf(options.of);
  const time = pathOf(options.time);
  const isHeavy = rememberedAnswers(options);
  const expressionIn = (name: string, values: readonly string[]): KeyLevels => {
    const heavy = values.filter((value) => isHeavy(value, name));
    return levelsFor(options, heavy);
  };
  const coarser = strategyOf([keyBy(coarse, options)], { property });
  const finer = strategyOf([keyBy(fine, options)], { property });
  const strategyFor = (item: unknown): KeyStrategy => {
    const value = textOf(componentOf(of, item, NO_DRAW));
    const at = timeOf(valueAt(item, time.steps));
    if (value === undefined || at === undefined) return coarser;
    return isHeavy(value, periodOf(coarse, at)) ? finer : coarser;
  };
  return {
    name: "adaptive granularity by volume",
    paths: coarser.paths,
    keyOf: (item) => strategyFor(item).keyOf(item),
    withKey: (item) => strategyFor(item).withKey(item),
    visits: (known) => visitsByVolume({ of, time, coarse, expressionIn }, known),
    expressionIn,
  };
}

const NO_DRAW = { random: (): number => 0, turn: (): number => 0 };

function refuseUnlessFiner({ fine, coarse }: AdaptiveOptions): void {
  if (meanPeriodMillis(fine) < meanPeriodMillis(coarse)) return;
  throw new BadStrategy(`A ${fine} is not shorter than a ${coarse}.`);
}

function levelsFor(options: AdaptiveOptions, heavy: readonly string[]): KeyLevels {
  const chosen = keyBy(options.fine, options);
  const otherwise = keyBy(options.coarse, options);
  return [{ kind: "choose", of: pathOf(options.of), values: [...heavy], chosen, otherwise }];
}

function keyBy(grain: TimeGrain, { of, time, separator = "_" }: AdaptiveOptions): KeyExpression {
  return separated([pathOf(of), period(grain, time)], separator);
}

function rememberedAnswers(options: VolumeOptions): (value: string, period: string) => boolean {
  const answers = new Map<string, Map<string, boolean>>();
  return (value, name) => {
    const ofPeriod = answers.get(name) ?? new Map<string, boolean>();
    answers.set(name, ofPeriod);
    const isHeavy = ofPeriod.get(value) ?? options.volumeOf(value, name) > options.threshold;
    ofPeriod.set(value, isHeavy);
    return isHeavy;
  };
}

/** Long period by long period, each with its own expression. */
function visitsByVolume(
  {
    of,
    time,
    coarse,
    expressionIn,
  }: Pick<AdaptiveStrategy, "expressionIn"> & {
    readonly of: PathPart;
    readonly time: PathPart;
    readonly coarse: TimeGrain;
  },
  known: Known,
): Visits | undefined {
  const values = known.values.get(pathText(of));
  const spans = spansOf(pathText(time), coarse, known);
  if (values === undefined || spans === undefined) return undefined;
  const texts = values.flatMap((value) => textOf(value) ?? []);
  const keys = new Map<KeyComponent, readonly KeyComponent[]>();
  for (const { name, from, to } of spans) {
    const range = { path: pathText(time), from, to };
    const visits = visitsForLevels(expressionIn(name, texts), { ...known, range });
    if (visits === undefined) return undefined;
    for (const key of visits.keys) keys.set(key[0], key);
    if (keys.size > VISITS_MAX) return undefined;
  }
  return { keys: [...keys.values()], isPrefix: false };
}

interface Span {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The long periods that the known times touch, each cut to what is asked for. */
function spansOf(time: string, coarse: TimeGrain, known: Known): readonly Span[] | undefined {
  const range = known.range?.path === time ? known.range : undefined;
  const values = known.values.get(time);
  const times = values?.flatMap((value) => timeOf(value) ?? []);
  const from = range?.from ?? minOf(times);
  const to = range?.to ?? maxOf(times);
  if (from === undefined || to === undefined) return undefined;
  if ((to - from) / meanPeriodMillis(coarse) > VISITS_MAX) return undefined;
  return periodStartsBetween(coarse, from, to).map((start) => ({
    name: periodOf(coarse, start),
    from: Math.max(start, from),
    to: Math.min(nextPeriodStart(coarse, start) - 1, to),
  }));
}

function minOf(times: readonly number[] | undefined): number | undefined {
  return times?.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
}

function maxOf(times: readonly number[] | undefined): number | undefined {
  return times?.reduce((most, time) => Math.max(most, time), Number.NEGATIVE_INFINITY);
}
