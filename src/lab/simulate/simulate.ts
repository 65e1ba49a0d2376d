/**
 * One candidate under one workload, over the horizon: the keys it makes, where the server would put
 * them and cut its partitions, what each hour asks of each partition, what is refused, and what it
 * costs. Keys and operations are weights: time grows with the number of entries, never with the
 * number of keys or operations.
 */
import { DAYS_PER_MONTH } from "../../base/units.ts";
import { seededRandom } from "../../base/world.ts";
import type { Limits } from "../../model/limits.ts";
import type { Epk } from "../../partition/epkRange.ts";
import { positionOf } from "../../partition/keySpace.ts";
import { partitionCountAtCreation } from "../../throughput/partitionCount.ts";
import type { Candidate } from "../candidate/candidate.ts";
import type { KeyEntry } from "../candidate/keyEntries.ts";
import { type KeyShape, keyShapeOf } from "../candidate/keyShape.ts";
import { brokenTransactions } from "../candidate/transactions.ts";
import type { DataFacts, Population } from "../data/facts.ts";
import { storedBytesOf } from "../price/itemPrice.ts";
import { itemsOnDay } from "../workload/totalItems.ts";
import type { Workload } from "../workload/workload.ts";
import type { ItemLayout } from "./askedSizes.ts";
import { costOutcomeOf, fanOutOf, operationOutcomes } from "./costOutcome.ts";
import { keyOutcomeOf, missingKeyOf } from "./keyOutcome.ts";
import { type OperationLoad, operationLoads } from "./load.ts";
import {
  type DayLoad,
  dayLoadOf,
  demandsOf,
  greatest,
  jointDemandOf,
  type LoadContext,
  loadOutcomeOf,
  missingRateOf,
} from "./loadOutcome.ts";
import { missingShareOf } from "./missingShare.ts";
import type { OperationModel } from "./operationModel.ts";
import { bytesPerRange, PartitionModel, type PlacedRange, type Weights } from "./partitions.ts";
import type {
  LoadOutcome,
  MonthOutcome,
  PartitionOutcome,
  Simulation,
  ThrottlingOutcome,
} from "./simulation.ts";
import {
  bytesOnDay,
  contendersOf,
  largestKeyOn,
  type StorageSetting,
  type StoredKeys,
  storedKeys,
  timelessKeys,
} from "./storage.ts";
import { jointThrottlingOf, throttlingOf } from "./throttledPartitions.ts";
import type { RetryRules } from "./throttling.ts";

export interface SimulateInput {
  readonly workload: Workload;
  readonly facts: DataFacts;
  readonly models: readonly OperationModel[];
  /** RU/s that are provisioned all the time. */
  readonly provisioned: number;
  /** Or more, if the candidate needs more: nobody has declared a rate. */
  readonly isAsNeeded?: boolean | undefined;
  readonly limits: Limits;
  /** When day 0 is: names of periods are part of keys. */
  readonly startMillis: number;
  /**
   * What is looked at is one instant, and its place in the calendar is known: a week that begins on
   * the twelfth lies in one month. Otherwise now is any time, and it lies in two now and then.
   */
  readonly isInstant?: boolean | undefined;
  /** Items of a value come in even steps of time, as those do that are made up; else by chance. */
  readonly isEven?: boolean | undefined;
  /** What is stored, key by key, if somebody has it; otherwise it follows from the facts. */
  readonly storedKeys?: readonly KeyEntry[] | undefined;
  /** And where its items lie, if somebody has them all. */
  readonly layout?: ItemLayout | undefined;
  readonly seed: number;
  /** How those ask again who are refused, and for how long all of them ask. */
  readonly clients?: { readonly retries: RetryRules; readonly seconds: number } | undefined;
}

export function simulate(input: SimulateInput, candidate: Candidate): Simulation {
  const { workload, facts, limits } = input;
  const shape = keyShapeOf(candidate, facts);
  const population = facts.populationOf(shape.staticPaths);
  const storage: StorageSetting = {
    growth: workload.growth,
    horizonDays: workload.horizonMonths * DAYS_PER_MONTH,
    startMillis: input.startMillis,
    itemBytes: storedBytesOf(facts.itemBytes),
  };
  const stored =
    input.storedKeys === undefined
      ? storedKeys(shape, population, storage)
      : timelessKeys(input.storedKeys);
  const setting = { ...input, shape, population, storage, stored };
  const { course, context, load, provisioned } = servedCourse(setting);
  const { loads, day, ranges, bytes } = course;
  const keySetting = { ...setting, limitBytes: limits.logicalPartitionBytesMax };
  const keys = keyOutcomeOf(keySetting);
  return {
    candidate,
    keys,
    measured: facts.measuredKey?.(candidate),
    months: course.months,
    partitions: partitionOutcomes({ ...setting, provisioned }, ranges, bytes, day),
    load,
    throttling: throttled(context, input),
    operations: operationOutcomes(loads),
    fanOut: fanOutOf(loads),
    cost: costOutcomeOf({ load, day, ranges, limits, totalBytes: sum(bytes) }),
    brokenTransactions: brokenTransactions(shape, workload),
    changingShare: changingShareOf(shape, workload, facts),
    missingShare: missingShareOf(shape, population, input.startMillis),
    missingKey: missingKeyOf(keySetting, missingRateOf(course)),
  };
}

/** So many partitions are looked at request by request; of more, some stand for others alike. */
const JOINT_MAX = 16;

function throttled(context: LoadContext, input: SimulateInput): ThrottlingOutcome {
  const { seed, clients } = input;
  const { provisioned } = context;
  const demands = demandsOf(context);
  if (demands.length > JOINT_MAX) return throttlingOf(demands, provisioned, seed, clients);
  return jointThrottlingOf(jointDemandOf(context), demands, provisioned, seed, clients);
}

interface Served {
  readonly course: Course;
  readonly context: LoadContext;
  readonly load: LoadOutcome;
  readonly provisioned: number;
}

/** A higher rate may make more partitions, which may need another rate; not for ever. */
const ROUNDS_MAX = 4;

/** The course of things at the rate that is declared, or at one that is enough. */
function servedCourse(setting: Setting): Served {
  const first = servedAt(setting, setting.provisioned);
  if (setting.isAsNeeded !== true) return first;
  const served = fewestServed(setting, first, enoughServed(setting, first));
  return { ...served, load: { ...served.load, reference: setting.provisioned } };
}

function enoughServed(setting: Setting, first: Served): Served {
  let served = first;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const wanted = wantedRate(served, setting.limits);
    if (wanted <= served.provisioned) break;
    const isSameLayout =
      served.load.neededRate === undefined ||
      countAt(setting, wanted) === countAt(setting, served.provisioned) ||
      round === ROUNDS_MAX - 1;
    served = servedAt(setting, wanted, isSameLayout ? served.course : undefined);
  }
  return served;
}

/** Who needs nearly all of a rate would not do with fewer partitions. */
const OVERSHOT = 0.8;

/**
 * Where a query looks at all of a physical partition, it costs the less the more of them there are,
 * and what one would need makes many. The fewest that are enough for themselves are looked for.
 */
function fewestServed(setting: Setting, first: Served, enough: Served): Served {
  const { limits } = setting;
  const { partitionRateMax } = limits;
  let served = enough;
  let tooFew = countAt(setting, first.provisioned);
  let count = countAt(setting, enough.provisioned);
  const isOvershot = wantedRate(enough, limits) < OVERSHOT * enough.provisioned;
  if (enough.load.neededRate === undefined || !isOvershot) return enough;
  while (count - tooFew > 1) {
    const middle = Math.floor((tooFew + count) / 2);
    const tried = servedAt(setting, Math.min(limits.rateMax, middle * partitionRateMax));
    if (tried.load.neededRate === undefined || wantedRate(tried, limits) > tried.provisioned) {
      tooFew = middle;
    } else {
      count = middle;
      served = tried;
    }
  }
  const least = (count - 1) * partitionRateMax + limits.manualRate.rateStep;
  const rate = Math.max(wantedRate(served, limits), count > 1 ? least : limits.manualRate.rateMin);
  return rate < served.provisioned ? servedAt(setting, rate, served.course) : served;
}

/** What is needed; of a key that no rate is enough for, the most that there can be. */
function wantedRate(
  { load, course }: Served,
  { rateMax, partitionRateMax, manualRate }: Limits,
): number {
  const most = Math.min(rateMax, course.ranges.length * partitionRateMax);
  const { rateStep } = manualRate;
  return load.neededRate === undefined ? most : Math.ceil(load.neededRate / rateStep) * rateStep;
}

function servedAt(setting: Setting, provisioned: number, known?: Course): Served {
  const { shape, facts, limits, seed } = setting;
  const course = withAllotment(known ?? courseOf({ ...setting, provisioned }), provisioned, limits);
  const { loads, day, ranges } = course;
  const random = seededRandom(seed);
  const context = { shape, facts, loads, day, ranges, provisioned, limits, random };
  return { course, context, load: loadOutcomeOf(context), provisioned };
}

function withAllotment(course: Course, provisioned: number, limits: Limits): Course {
  const months = course.months.map((month) => ({
    ...month,
    allotment: Math.min(provisioned / month.partitionCount, limits.partitionRateMax),
  }));
  return { ...course, months };
}

interface Setting extends SimulateInput {
  readonly shape: KeyShape;
  readonly population: Population;
  readonly storage: StorageSetting;
  readonly stored: readonly StoredKeys[];
}

interface Course {
  readonly months: readonly MonthOutcome[];
  readonly ranges: readonly PlacedRange[];
  readonly bytes: Float64Array;
  readonly loads: readonly OperationLoad[];
  readonly day: DayLoad;
}

/** Load is looked at anew this often; in between it keeps its shape. */
const LOOKS = 2;

function courseOf(setting: Setting): Course {
  const { shape, workload, limits, provisioned, stored, storage } = setting;
  const count = countAt(setting, provisioned);
  const partitions = new PartitionModel(shape.definition, count, limits);
  const points = stored.filter(({ place }) => place.kind === "point");
  const epks = points.map(({ place }) => (place.kind === "point" ? place.epk : place.prefix));
  const masses = stored.filter(({ place }) => place.kind === "mass");
  const contenders = contendersOf(stored);
  const months: MonthOutcome[] = [];
  const { horizonMonths } = workload;
  const lookEvery = Math.max(1, Math.ceil(horizonMonths / LOOKS));
  let last: Pick<Course, "loads" | "day"> | undefined;
  let bytes: Float64Array = new Float64Array(count);
  for (let month = 0; month <= horizonMonths; month++) {
    const day = month * DAYS_PER_MONTH;
    const weights: Weights = {
      epks,
      bytes: bytesOnDay(points, storage, day),
      masses: massesOn(masses, storage, day),
    };
    const splitCount = partitions.grow(weights);
    const { ranges } = partitions;
    bytes = bytesPerRange(ranges, weights);
    const isDue = month % lookEvery === 0 || month === horizonMonths;
    if (last === undefined || isDue) {
      const loads = operationLoads({ ...setting, ranges, bytes, day });
      last = { loads, day: dayLoadOf(loads, ranges.length) };
    }
    months.push(
      monthOf(setting, { contenders, month, day, splitCount, ranges, bytes, load: last.day }),
    );
  }
  return { months, ranges: partitions.ranges, bytes, ...last! };
}

/** Physical partitions that a container begins with. */
function countAt({ limits }: Setting, ratePerSecond: number): number {
  const rates = {
    isLimited: true,
    isServerless: false,
    hasBurst: false,
    manualRatePerPartition: limits.partitionRateMax,
  };
  return partitionCountAtCreation({ kind: "manual", ratePerSecond }, rates, limits);
}

function massesOn(
  masses: readonly StoredKeys[],
  storage: StorageSetting,
  day: number,
): Weights["masses"] {
  const spread = new Map<Epk, number>();
  const bytes = bytesOnDay(masses, storage, day);
  masses.forEach(({ place }, at) => {
    if (place.kind !== "mass") return;
    spread.set(place.prefix, (spread.get(place.prefix) ?? 0) + bytes[at]!);
  });
  return [...spread].map(([prefix, all]) => ({ prefix, bytes: all }));
}

function monthOf(
  { storage, provisioned, limits }: Setting,
  now: {
    readonly contenders: readonly StoredKeys[];
    readonly month: number;
    readonly day: number;
    readonly splitCount: number;
    readonly ranges: readonly PlacedRange[];
    readonly bytes: Float64Array;
    readonly load: DayLoad;
  },
): MonthOutcome {
  return {
    month: now.month,
    totalBytes: itemsOnDay(storage.growth, now.day) * storage.itemBytes,
    partitionCount: now.ranges.length,
    splitCount: now.splitCount,
    largestPartitionBytes: greatest(now.bytes),
    largestKeyBytes: largestKeyOn(now.contenders, storage, now.day).bytes,
    ratePerSecond: now.load.total,
    hottestPartitionRate: greatest(now.load.peaks),
    allotment: Math.min(provisioned / now.ranges.length, limits.partitionRateMax),
  };
}

function partitionOutcomes(
  { shape, provisioned, limits }: Setting,
  ranges: readonly PlacedRange[],
  bytes: Float64Array,
  day: DayLoad,
): readonly PartitionOutcome[] {
  const allotment = Math.min(provisioned / ranges.length, limits.partitionRateMax);
  return ranges.map(({ id, range }, at) => ({
    id,
    from: positionOf(shape.definition, range.min),
    to: positionOf(shape.definition, range.max),
    bytes: bytes[at]!,
    rates: [...day.rates[at]!],
    allotment,
  }));
}

/** Share of the updates that would change the key. */
function changingShareOf(shape: KeyShape, workload: Workload, facts: DataFacts): number {
  if (shape.candidate.stated?.isMutable === true) return 1;
  const paths = [...shape.staticPaths, ...shape.times.keys()];
  const updates = workload.operations.filter(({ kind }) =>
    ["upsert", "replace", "patch"].includes(kind),
  );
  const total = updates.reduce((rate, { ratePerSecond }) => rate + ratePerSecond, 0);
  const changing = updates
    .filter(({ changes }) => changes.some((path) => paths.includes(path)))
    .reduce((rate, { ratePerSecond }) => rate + ratePerSecond, 0);
  const measured = Math.max(
    0,
    ...paths.map((path) => facts.properties.get(path)?.changingShare ?? 0),
  );
  return Math.max(total === 0 ? 0 : changing / total, measured);
}

function sum(amounts: Iterable<number>): number {
  let total = 0;
  for (const amount of amounts) total += amount;
  return total;
}
