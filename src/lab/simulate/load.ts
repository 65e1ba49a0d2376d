/**
 * Who pays what: the load of a workload on the physical partitions and on single keys, at the mean
 * of a day, operation by operation.
 */

import { DAY_MS } from "../../base/units.ts";
import { pathsOf, pathText } from "../../keys/paths.ts";
import type { Limits } from "../../model/limits.ts";
import { epkOf } from "../../partition/epk.ts";
import { type Epk, prefixRange, WHOLE_RANGE } from "../../partition/epkRange.ts";
import type { KeyEntry, KeyPlace } from "../candidate/keyEntries.ts";
import type { KeyShape } from "../candidate/keyShape.ts";
import type { DataFacts, Population } from "../data/facts.ts";
import { type AskedValues, asAskedFor, askedByValue } from "../data/requestView.ts";
import { growthFactor } from "../workload/totalItems.ts";
import type { Workload } from "../workload/workload.ts";
import { type AskedGrain, askedGrains } from "./askedKeys.ts";
import {
  type AskedPeriods,
  askedPeriodsOf,
  NOW,
  newShareIn,
  sumOf,
  turnsOf,
} from "./askedPeriods.ts";
import {
  byKeySize,
  bySize,
  type ItemLayout,
  type KeySize,
  MEAN_SIZE,
  meanKeyShare,
  ratioOf,
  toldPaths,
} from "./askedSizes.ts";
import { type Bill, type BilledKeys, type BilledVisit, billOf } from "./bill.ts";
import type { OperationModel } from "./operationModel.ts";
import { forEachPart, type PlacedRange, rangeIndexOf } from "./partitions.ts";
import { Reached } from "./reached.ts";
import type { Routing } from "./simulation.ts";
import { AskedTarget } from "./target.ts";

export interface LoadSetting {
  readonly shape: KeyShape;
  readonly population: Population;
  readonly workload: Workload;
  readonly models: readonly OperationModel[];
  readonly ranges: readonly PlacedRange[];
  /** Of each of the ranges, on that day. */
  readonly bytes: Float64Array;
  readonly day: number;
  readonly startMillis: number;
  /** Now is that instant of the calendar, not any time like it. */
  readonly isInstant?: boolean | undefined;
  /** Items of a value come in even steps of time; else by chance. */
  readonly isEven?: boolean | undefined;
  readonly limits: Limits;
  readonly facts: DataFacts;
  /** Where items lie, if somebody has them all. */
  readonly layout?: ItemLayout | undefined;
}

export interface OperationLoad {
  readonly model: OperationModel;
  readonly routing: Routing;
  /** RU/s of each physical partition, at the mean rate. */
  readonly rates: Float64Array;
  /** Requests per second of each, retries not counted. */
  readonly requests: Float64Array;
  /** Whether one request goes to all partitions. */
  readonly isWhole: boolean;
  /** Physical partitions that one operation comes to. */
  readonly visitCount: number;
  readonly ruEach: number;
  readonly usefulRuEach: number;
  /** RU/s of single keys, by name. */
  readonly keyRates: ReadonlyMap<string, number>;
  /** Names among them that stand for many keys alike. */
  readonly manyNames: ReadonlySet<string>;
}

export function operationLoads(setting: LoadSetting): readonly OperationLoad[] {
  const views = new Map<string, readonly AskedGrain[]>();
  return setting.models.map((model) => {
    const asked = askedValuesOf(model, setting.shape);
    const named = setting.shape.staticPaths.filter((path) => model.access.equal.has(path));
    const name = JSON.stringify([asked, named], mapsAsLists);
    let grains = views.get(name);
    if (grains === undefined) {
      const population = askedByValue(asAskedFor(setting.population, asked), named);
      const nowMillis = setting.startMillis + setting.day * DAY_MS;
      const isInstant = setting.isInstant === true;
      grains = askedGrains(setting.shape, population, { nowMillis, isInstant });
      views.set(name, grains);
    }
    const population = askedByValue(setting.population, named);
    return loadOf(model, grains, { ...setting, population });
  });
}

function mapsAsLists(_: string, value: unknown): unknown {
  return value instanceof Map ? [...value] : value;
}

/** Frequencies that the workload declares for values of this operation. */
function askedValuesOf({ access, operation }: OperationModel, shape: KeyShape): AskedValues[] {
  return shape.staticPaths.flatMap((path) => {
    const name = access.equal.get(path)?.parameter;
    const declared = name === undefined ? undefined : operation.parameters.get(name)?.distribution;
    return declared === undefined ? [] : [{ path, distribution: declared }];
  });
}

function loadOf(
  model: OperationModel,
  grains: readonly AskedGrain[],
  setting: LoadSetting,
): OperationLoad {
  const { workload, ranges, day } = setting;
  const rate = model.operation.ratePerSecond * growthFactor(workload.growth, day);
  const target = new AskedTarget(ranges.length, rate);
  const askings = grains.map((grain): Asking => {
    const share = grains.length === 1 ? 1 : shareOf(grain, newShareIn(model, setting));
    return { model, grain, share, asked: askedPeriodsOf(model, grain, setting), setting, target };
  });
  for (const asking of askings) ask(asking);
  const routing = saidOf(askings);
  return {
    model,
    routing,
    rates: target.rates,
    requests: target.requests,
    isWhole: isTooMany(routing, askings[0]!) || routing.kind === "everywhere",
    visitCount: target.visitCount,
    ruEach: target.ruEach,
    usefulRuEach: Math.min(target.ruEach, billOf(model, setting, ONE_KEY).inKey(1)),
    keyRates: target.keyRates,
    manyNames: target.manyNames,
  };
}

const ONE_KEY: BilledKeys = {
  routing: { kind: "key" },
  periods: 1,
  days: undefined,
  passed: 1,
  isInTurn: false,
};

/** Of what an operation asks for, what has its key in one way. */
function shareOf(grain: AskedGrain, newShare: number): number {
  return grain.periodsBack(0).reduce((sum, entry) => sum + askedShare(entry, newShare), 0);
}

function askedShare({ itemShare, requestShare }: KeyEntry, newShare: number): number {
  return newShare * itemShare + (1 - newShare) * requestShare;
}

/** In the words of most of it: a mean of the keys that are asked, if keys are. */
function saidOf(askings: readonly Asking[]): Routing {
  const [only] = askings;
  if (askings.length === 1) return only!.asked.routing;
  const kindOf = ({ asked }: Asking): string =>
    asked.routing.kind === "key" ? "keys" : asked.routing.kind;
  const weightOf = (some: readonly Asking[]): number =>
    some.reduce((sum, { share }) => sum + share, 0);
  const groups = [...new Set(askings.map(kindOf))].map((kind) =>
    askings.filter((asking) => kindOf(asking) === kind),
  );
  const [most] = groups.sort((a, b) => weightOf(b) - weightOf(a));
  const { routing } = most![0]!.asked;
  if (routing.kind === "everywhere") return routing;
  const total = weightOf(most!);
  const count = most!.reduce((sum, { asked, share }) => {
    const own = "count" in asked.routing ? asked.routing.count : 1;
    return sum + (total === 0 ? own / most!.length : (own * share) / total);
  }, 0);
  if (routing.kind === "prefix") return { ...routing, count };
  return count <= 1 ? { kind: "key" } : { kind: "keys", count };
}

/** Asking so many keys one by one is dearer than asking every partition once. */
function isTooMany(routing: Routing, { asked, model, setting }: Asking): boolean {
  if (routing.kind !== "keys" || model.isWrite) return false;
  const { length } = setting.ranges;
  // Who has enough after the newest asks no further; but where there is one partition, it has all.
  return (asked.isInTurn && length > 1 ? asked.values : routing.count) > length;
}

function ask(asking: Asking): void {
  const { model, grain, asked, setting } = asking;
  const { values, days, isInTurn } = asked;
  const routing = isTooMany(asked.routing, asking) ? EVERYWHERE : asked.routing;
  const count = "count" in routing ? routing.count : 1;
  const bill = billOf(model, setting, {
    routing,
    periods: Math.max(1, count / Math.max(1, values)),
    days,
    passed: grain.passed ?? 1,
    isInTurn: isInTurn && routing.kind !== "everywhere",
  });
  if (routing.kind === "key" || routing.kind === "keys") askKeys(asking, bill, count);
  else if (routing.kind === "prefix") askPrefix(asking, bill, routing);
  else askEverywhere(asking, bill);
}

const EVERYWHERE: Routing = { kind: "everywhere" };

/** What an operation asks of the keys that are made in one way. */
interface Asking {
  readonly model: OperationModel;
  readonly grain: AskedGrain;
  /** Of all that it asks. */
  readonly share: number;
  readonly asked: AskedPeriods;
  readonly setting: LoadSetting;
  readonly target: AskedTarget;
}

function askKeys(asking: Asking, bill: Bill, count: number): void {
  const { model, grain, share: ofAll, asked, setting, target } = asking;
  const newShare = newShareIn(model, setting);
  const keysIn = (periods: number): number => (asked.isInTurn ? asked.values * periods : count);
  const ruOf = byKeySize(model, setting, (size) => {
    const periods = sumOf(asked.weightsFor(size));
    return asked.isInTurn ? bill.inKey(keysIn(periods), size, periods) : bill.inKey(count, size);
  });
  // One key lies in one partition.
  const isOne = asked.isOneOf && count <= 1;
  const reached = isOne ? undefined : new Reached(setting.ranges.length, asked.values);
  const turns = turnsOf(asked, grain.periodsBack(0));
  for (const back of turns.backs) {
    const entries = grain.periodsBack(back);
    for (let at = 0; at < entries.length; at++) {
      const entry = entries[at]!;
      const { periods, weightAt } = turns.of(entry);
      const share = askedShare(entry, newShare);
      if (back === 0) reached?.addSubject(entry, at, share);
      const ofOne = share * (weightAt.get(back) ?? 0);
      const visits = (ofOne * Math.max(1, keysIn(periods))) / Math.max(periods, Number.MIN_VALUE);
      if (visits === 0) continue;
      const ru = ruOf(entry);
      addAt(entry.place, setting.ranges, (partition, part) => {
        target.add(partition, visits * part, ru);
        reached?.add(entry, at, asked.isOneOf ? 0 : back, partition, ofOne * part);
      });
      if (back === 0) target.addKey(entry, visits / entry.keyCount, ru);
    }
  }
  target.addVisited(reached?.count() ?? ofAll);
}

function addAt(
  place: KeyPlace,
  ranges: readonly PlacedRange[],
  add: (partition: number, part: number) => void,
): void {
  if (place.kind === "point") add(rangeIndexOf(ranges, place.epk), 1);
  else forEachPart(place.prefix, ranges, add);
}

/** All partitions that hold something below the prefix. */
function askPrefix(
  asking: Asking,
  bill: Bill,
  { levelCount, count }: Extract<Routing, { readonly kind: "prefix" }>,
): void {
  const { grain, share, asked, setting, target } = asking;
  const { definition, candidate, times } = setting.shape;
  const isOfTime = candidate.levels
    .slice(0, levelCount)
    .some((level) => pathsOf(level).some((path) => times.has(pathText(path))));
  const prefixes = new Map<Epk, AskedPrefix>();
  const weights = isOfTime ? asked.weightsFor(MEAN_SIZE) : NOW;
  const periods = sumOf(weights);
  for (const { back, weight } of weights) {
    for (const { key, place, requestShare, ...held } of grain.periodsBack(back)) {
      const whole = epkOf(definition, key.slice(0, levelCount));
      // What is spread over all prefixes has none of its own: any one stands for the others.
      const prefix = place.kind === "mass" && place.prefix.length < whole.length ? SPREAD : whole;
      const known = prefixes.get(prefix) ?? { visits: 0, itemShare: 0, byteShare: 0 };
      known.visits += (requestShare * count * weight) / periods;
      known.itemShare += held.itemShare;
      known.byteShare += held.byteShare;
      prefixes.set(prefix, known);
    }
  }
  const bills = new Map<number, (size: KeySize) => readonly BilledVisit[]>();
  const paidIn = (visited: number, size: KeySize): readonly BilledVisit[] => {
    const parts = Array.from({ length: visited }, () => 1 / (visited * count));
    const known = bills.get(visited) ?? bySize((each) => bill.inPartitions(parts, false, each));
    bills.set(visited, known);
    return known(size);
  };
  const sizeOf = isOfTime ? ALIKE : prefixSizes(asking, prefixes, levelCount);
  let visitedCount = 0;
  for (const [prefix, { visits }] of prefixes) {
    if (prefix === SPREAD) {
      // Light ones lie in one partition each, whichever that is.
      const { ru } = paidIn(1, sizeOf(SPREAD))[0]!;
      addAt({ kind: "mass", prefix: WHOLE_RANGE.min }, setting.ranges, (partition, part) => {
        target.add(partition, visits * part, ru);
      });
      visitedCount += visits;
      continue;
    }
    const { min, max } = prefixRange(prefix);
    const first = rangeIndexOf(setting.ranges, min);
    const visited = lastIndexOf(setting.ranges, max) - first + 1;
    paidIn(visited, sizeOf(prefix)).forEach(({ chance, ru }, at) => {
      if (chance === 0) return;
      target.add(first + at, visits * chance, ru / chance);
      visitedCount += visits * chance;
    });
  }
  target.addVisited(Math.min(visitedCount, share * setting.ranges.length));
}

/** No prefix is this. */
const SPREAD = "spread" as Epk;

/** Visits to all that begin with it, and what they hold. */
interface AskedPrefix {
  visits: number;
  itemShare: number;
  byteShare: number;
}

const ALIKE = (): KeySize => MEAN_SIZE;

/**
 * How a prefix differs from one that is asked for, if the filter names what it is made of. Of light
 * ones it is known what they have on average: all together come to the mean.
 */
function prefixSizes(
  { model, setting }: Asking,
  prefixes: ReadonlyMap<Epk, AskedPrefix>,
  levelCount: number,
): (prefix: Epk) => KeySize {
  const told = [...toldPaths(setting.shape, model.access, levelCount)];
  if (told.length === 0 || model.operation.kind !== "query") return ALIKE;
  const mean = meanKeyShare(askedByValue(setting.facts.populationOf(told), told));
  if (mean === 0) return ALIKE;
  let [sum, total] = [0, 0];
  for (const [prefix, { visits, itemShare }] of prefixes) {
    total += visits;
    if (prefix !== SPREAD) sum += (visits * itemShare) / mean;
  }
  const light = prefixes.get(SPREAD)?.visits ?? 0;
  const ofLight = light === 0 ? 1 : Math.max(0, (total - sum) / light);
  return (prefix) => {
    const { itemShare, byteShare } = prefixes.get(prefix)!;
    const factor = prefix === SPREAD ? ofLight : itemShare / mean;
    return { factor, bytes: ratioOf(byteShare, itemShare) };
  };
}

function lastIndexOf(ranges: readonly PlacedRange[], end: Epk): number {
  const index = rangeIndexOf(ranges, end);
  return ranges[index]!.range.min === end && index > 0 ? index - 1 : index;
}

/** What is found lies where the bytes are. */
function askEverywhere({ share, setting, target }: Asking, bill: Bill): void {
  const { bytes, ranges } = setting;
  const total = bytes.reduce((sum, each) => sum + each, 0);
  const shares = ranges.map((_, at) => (total === 0 ? 1 / ranges.length : bytes[at]! / total));
  let visitedCount = 0;
  bill.inPartitions(shares, true).forEach(({ chance, ru }, at) => {
    // Who is not visited any more, because enough was found before, pays nothing.
    if (chance === 0) return;
    target.add(at, share * chance, ru / chance);
    visitedCount += share * chance;
  });
  target.addVisited(visitedCount);
}
