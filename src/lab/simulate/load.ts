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
import { isNewestFirst, routingOf } from "../candidate/routing.ts";
import type { DataFacts, Population } from "../data/facts.ts";
import { type AskedValues, asAskedFor, askedByValue } from "../data/requestView.ts";
import { growthFactor, oldestDay } from "../data/totalItems.ts";
import type { Workload } from "../workload/workload.ts";
import {
  type AskedGrain,
  askedGrains,
  olderMaxOf,
  type PeriodWeight,
  weightsOfAge,
  weightsOfNewest,
  weightsOfSpan,
} from "./askedKeys.ts";
import { routingNow, ruByKey } from "./askedSizes.ts";
import { type Bill, billOf } from "./bill.ts";
import { isOfMany, keyName } from "./keyLabel.ts";
import { newShareOf, type OperationModel } from "./operationModel.ts";
import { forEachPart, type PlacedRange, rangeIndexOf } from "./partitions.ts";
import type { Routing } from "./simulation.ts";

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
  readonly limits: Limits;
  readonly facts: DataFacts;
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
  /** Requests of one operation: visits, or keys. */
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
  const { shape, workload, ranges, day } = setting;
  const { operation, access } = model;
  const usual = routingOf(shape, operation, access, model.spanDays);
  const stated = routingNow(usual, model, grains, setting);
  // Asking so many keys one by one is dearer than asking every partition once.
  const isTooMany = stated.kind === "keys" && stated.count > ranges.length && !model.isWrite;
  const routing: Routing = isTooMany ? { kind: "everywhere" } : stated;
  const target = new Target(
    ranges.length,
    operation.ratePerSecond * growthFactor(workload.growth, day),
  );
  const shared = { model, grains, setting, target, routing };
  const bill = billOf(model, setting, routing, passedIn(grains));
  if (routing.kind === "key" || routing.kind === "keys") askKeys(shared, bill);
  else if (routing.kind === "prefix") askPrefix(shared, bill, routing.levelCount);
  else askEverywhere(shared, bill);
  return {
    model,
    routing: stated,
    rates: target.rates,
    requests: target.requests,
    isWhole: routing.kind === "everywhere",
    visitCount: target.visitCount,
    ruEach: target.ruEach,
    usefulRuEach: Math.min(target.ruEach, billOf(model, setting, ONE_KEY).inKey(1)),
    keyRates: target.keyRates,
    manyNames: target.manyNames,
  };
}

const ONE_KEY: Routing = { kind: "key" };

/** Of the period of now, how much is over; all of it where now is any time. */
function passedIn(grains: readonly AskedGrain[]): number {
  return Math.max(...grains.map(({ passed }) => passed ?? 1));
}

/** Sums up what one operation asks of whom. */
class Target {
  readonly rates: Float64Array;
  readonly requests: Float64Array;
  readonly keyRates = new Map<string, number>();
  readonly manyNames = new Set<string>();
  readonly #rate: number;
  visitCount = 0;
  ruEach = 0;

  constructor(partitionCount: number, rate: number) {
    this.rates = new Float64Array(partitionCount);
    this.requests = new Float64Array(partitionCount);
    this.#rate = rate;
  }

  /** So many visits of each operation, at so many RU, to a partition. */
  add(partition: number, visits: number, ru: number): void {
    this.rates[partition]! += this.#rate * visits * ru;
    this.requests[partition]! += this.#rate * visits;
    this.visitCount += visits;
    this.ruEach += visits * ru;
  }

  addKey(entry: KeyEntry, visits: number, ru: number): void {
    const name = keyName(entry);
    if (isOfMany(entry)) this.manyNames.add(name);
    this.keyRates.set(name, (this.keyRates.get(name) ?? 0) + this.#rate * visits * ru);
  }
}

interface Asking {
  readonly model: OperationModel;
  readonly grains: readonly AskedGrain[];
  readonly setting: LoadSetting;
  readonly target: Target;
  readonly routing: Routing;
}

function askKeys({ model, grains, setting, target, routing }: Asking, bill: Bill): void {
  const count = routing.kind === "keys" ? routing.count : 1;
  const newShare = newShareIn(model, setting);
  for (const grain of grains) {
    const weights = weightsOf(model, grain, setting, count);
    const periods = weights.reduce((sum, { weight }) => sum + weight, 0);
    const ofEach = Math.max(1, count) / Math.max(periods, Number.MIN_VALUE);
    const ruOf = ruByKey(model, setting, (factor) => bill.inKey(count, factor));
    for (const { back, weight } of weights) {
      for (const entry of grain.periodsBack(back)) {
        const ru = ruOf(entry);
        const share = newShare * entry.itemShare + (1 - newShare) * entry.requestShare;
        const visits = share * weight * ofEach;
        if (visits === 0) continue;
        addAt(entry.place, setting.ranges, (partition, part) => {
          target.add(partition, visits * part, ru);
        });
        if (back === 0) target.addKey(entry, visits / entry.keyCount, ru);
      }
    }
  }
}

function addAt(
  place: KeyPlace,
  ranges: readonly PlacedRange[],
  add: (partition: number, part: number) => void,
): void {
  if (place.kind === "point") add(rangeIndexOf(ranges, place.epk), 1);
  else forEachPart(place.prefix, ranges, add);
}

/** The period of now and no other. */
const NOW: readonly PeriodWeight[] = [{ back: 0, weight: 1 }];

function weightsOf(
  model: OperationModel,
  { days, passed, periodsBack }: AskedGrain,
  setting: LoadSetting,
  count: number,
): readonly PeriodWeight[] {
  const { operation, spanDays, ageDays, isWrite, access } = model;
  const { workload, day, shape } = setting;
  if (days === undefined || operation.kind === "create") return NOW;
  if (!isWrite && isNewestFirst(shape, access) && count <= 2) return weightsOfNewest(count);
  if (!isWrite && operation.kind === "query" && spanDays !== undefined) {
    return weightsOfSpan(spanDays, days, passed);
  }
  const kept = Math.max(1, day - oldestDay(workload.growth, day));
  const olderMax = olderMaxOf(periodsBack(0).length);
  const ofAge = weightsOfAge(Math.min(kept, ageDays ?? kept), days, passed, olderMax);
  const newShare = newShareIn(model, setting);
  if (newShare === 0) return ofAge;
  const older = ofAge.map(({ back, weight }) => ({ back, weight: weight * (1 - newShare) }));
  return [{ back: 0, weight: newShare }, ...older];
}

/** Of an operation, how much of it makes items that were not there. */
function newShareIn({ operation }: OperationModel, { workload }: LoadSetting): number {
  if (operation.kind === "create") return 1;
  return operation.kind === "upsert" ? newShareOf(operation, workload) : 0;
}

/** All partitions that hold something below the prefix. */
function askPrefix(
  { model, grains, setting, target, routing }: Asking,
  bill: Bill,
  levelCount: number,
): void {
  const { definition, candidate, times } = setting.shape;
  const count = routing.kind === "prefix" ? routing.count : 1;
  const isOfTime = candidate.levels
    .slice(0, levelCount)
    .some((level) => pathsOf(level).some((path) => times.has(pathText(path))));
  /** Visits to each. */
  const prefixes = new Map<Epk, number>();
  for (const grain of grains) {
    const weights = isOfTime ? weightsOf(model, grain, setting, count) : NOW;
    const periods = weights.reduce((sum, { weight }) => sum + weight, 0);
    for (const { back, weight } of weights) {
      for (const { key, place, requestShare } of grain.periodsBack(back)) {
        const whole = epkOf(definition, key.slice(0, levelCount));
        // What is spread over all prefixes has none of its own: any one stands for the others.
        const prefix = place.kind === "mass" && place.prefix.length < whole.length ? SPREAD : whole;
        const visits = (requestShare * count * weight) / periods;
        prefixes.set(prefix, (prefixes.get(prefix) ?? 0) + visits);
      }
    }
  }
  const bills = new Map<number, readonly number[]>();
  const paidIn = (visited: number): readonly number[] => {
    const known = bills.get(visited);
    if (known !== undefined) return known;
    const parts = Array.from({ length: visited }, () => 1 / (visited * count));
    const paid = bill.inPartitions(parts, false);
    bills.set(visited, paid);
    return paid;
  };
  for (const [prefix, visits] of prefixes) {
    if (prefix === SPREAD) {
      // Light ones lie in one partition each, whichever that is.
      const ru = paidIn(1)[0]!;
      addAt({ kind: "mass", prefix: WHOLE_RANGE.min }, setting.ranges, (partition, part) => {
        target.add(partition, visits * part, ru);
      });
      continue;
    }
    const { min, max } = prefixRange(prefix);
    const first = rangeIndexOf(setting.ranges, min);
    const visited = lastIndexOf(setting.ranges, max) - first + 1;
    paidIn(visited).forEach((ru, at) => {
      target.add(first + at, visits, ru);
    });
  }
}

/** No prefix is this. */
const SPREAD = "spread" as Epk;

function lastIndexOf(ranges: readonly PlacedRange[], end: Epk): number {
  const index = rangeIndexOf(ranges, end);
  return ranges[index]!.range.min === end && index > 0 ? index - 1 : index;
}

/** What is found lies where the bytes are. */
function askEverywhere({ setting, target }: Asking, bill: Bill): void {
  const { bytes, ranges } = setting;
  const total = bytes.reduce((sum, each) => sum + each, 0);
  const shares = ranges.map((_, at) => (total === 0 ? 1 / ranges.length : bytes[at]! / total));
  bill.inPartitions(shares, true).forEach((ru, at) => {
    // Who is not visited any more, because enough was found before, pays nothing.
    if (ru > 0) target.add(at, 1, ru);
  });
}
