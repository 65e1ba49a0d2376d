/**
 * A workload made so small that a laptop can run it, with its proportions kept: fewer items over
 * the same days, fewer requests a second, and limits and rates of partitions smaller by the same
 * factors. What cannot be kept is said in `remarks`.
 *
 * The small workload is one instant of the large one, the busiest of its last day: rates do not
 * change over the day, and nothing grows.
 */
import { DAYS_PER_MONTH } from "../../base/units.ts";
import { type Limits, SERVICE_LIMITS } from "../../model/limits.ts";
import type { Candidate } from "../candidate/candidate.ts";
import type { OperationModel } from "../simulate/operationModel.ts";
import { growthFactor, oldestDay, totalItems } from "../workload/totalItems.ts";
import type { Operation, Workload } from "../workload/workload.ts";
import { fewerValues } from "./fewerValues.ts";

/** What somebody wants, and what is known of the real thing. */
interface ScaleWish {
  /** One factor for items and rates; undefined: each as wished below. */
  readonly factor?: number | undefined;
  readonly items: number;
  /** All operations together, each second. */
  readonly rate: number;
  /** RU/s provisioned for the real thing. */
  readonly provisioned: number;
  /** The most physical partitions that any of the candidates needs. */
  readonly partitionCount: number;
  readonly limits: Limits;
  /** Paths whose values are those of real data, however many there are. */
  readonly sampledPaths?: ReadonlySet<string> | undefined;
}

export interface ProofScale {
  readonly items: number;
  readonly realItems: number;
  /** Operations a second, and those of the real thing at its peak. */
  readonly rate: number;
  readonly realRate: number;
  readonly provisioned: number;
  readonly realProvisioned: number;
  /** Of items, of rates, and how many physical partitions one stands for. */
  readonly itemFactor: number;
  readonly rateFactor: number;
  readonly partitionFold: number;
  /** Over how many days items were written. */
  readonly keptDays: number;
  readonly limits: Limits;
  readonly workload: Workload;
  readonly remarks: readonly string[];
}

/** More physical partitions than that are folded: a few requests each tell nothing. */
const PARTITIONS_MAX = 8;
const RATE_STEP: number = SERVICE_LIMITS.manualRate.rateStep;
const RATE_MIN: number = SERVICE_LIMITS.manualRate.rateMin;
/** What is served by one physical partition cannot be less. */
const PARTITION_RATE_MIN = 100;
const PARTITION_BYTES_MIN = 1024;

export function scaleOf(
  workload: Workload,
  models: readonly OperationModel[],
  wish: ScaleWish,
): ProofScale {
  const { limits } = wish;
  const end = workload.horizonMonths * DAYS_PER_MONTH;
  const realItems = totalItems(workload.growth, workload.horizonMonths);
  const items = Math.min(
    wish.factor === undefined ? wish.items : Math.round(realItems * wish.factor),
    Math.ceil(realItems),
  );
  const itemFactor = items / realItems;
  const factors = peakFactors(models, growthFactor(workload.growth, end));
  const realRate = models.reduce((sum, { operation }, at) => {
    return sum + operation.ratePerSecond * factors[at]!;
  }, 0);
  const wishedRate = wish.factor === undefined ? wish.rate : realRate * wish.factor;
  const wanted = Math.min(1, wishedRate / Math.max(realRate, Number.MIN_VALUE));
  const provisioned = Math.max(RATE_MIN, stepped(wish.provisioned * wanted));
  const exact = provisioned / wish.provisioned;
  // A rate cannot be lower than the least that can be provisioned: then requests are as wished.
  const rateFactor = exact * realRate <= RATE_EXCESS * wishedRate ? exact : wanted;
  const byRate = wish.provisioned / limits.partitionRateMax;
  const countMax = Math.min(PARTITIONS_MAX, Math.floor(provisioned / PARTITION_RATE_MIN));
  const partitionFold = Math.max(1, wish.partitionCount / PARTITIONS_MAX, byRate / countMax);
  const keptDays = Math.max(1, end - oldestDay(workload.growth, end));
  const { sampledPaths = new Set() } = wish;
  const small = smallWorkload(workload, {
    factors,
    rateFactor,
    items,
    keptDays,
    itemFactor,
    sampledPaths,
  });
  const scaled = {
    items,
    realItems,
    rate: realRate * rateFactor,
    realRate,
    provisioned,
    realProvisioned: wish.provisioned,
    itemFactor,
    rateFactor,
    partitionFold,
    keptDays,
    limits: smallLimits(limits, { itemFactor, partitionFold, provisioned, byRate }),
    workload: small.workload,
  };
  return { ...scaled, remarks: [...remarksOf(scaled, exact), ...small.remarks] };
}

/** So much above what was wished for is still fine. */
const RATE_EXCESS = 1.6;

function stepped(rate: number): number {
  return Math.round(rate / RATE_STEP) * RATE_STEP;
}

/** What each operation has over its mean at the busiest time of all together. */
function peakFactors(models: readonly OperationModel[], growth: number): readonly number[] {
  const hours = models[0]?.hours.map((_, hour) => hour) ?? [];
  const at = (model: OperationModel, hour: number): number => model.hours[hour]! * model.innerPeak;
  const totals = hours.map((hour) =>
    models.reduce((sum, model) => sum + model.operation.ratePerSecond * at(model, hour), 0),
  );
  const busiest = totals.indexOf(Math.max(...totals));
  return models.map((model) => at(model, busiest) * growth);
}

function smallLimits(
  limits: Limits,
  {
    itemFactor,
    partitionFold,
    provisioned,
    byRate,
  }: {
    readonly itemFactor: number;
    readonly partitionFold: number;
    readonly provisioned: number;
    readonly byRate: number;
  },
): Limits {
  const { logicalPartitionBytesMax, physicalPartitionBytesMax } = limits;
  const count = Math.max(1, Math.ceil(byRate / partitionFold - 1e-9));
  const bytes = (of: number): number => Math.max(PARTITION_BYTES_MIN, Math.floor(of));
  return {
    ...limits,
    logicalPartitionBytesMax: bytes(logicalPartitionBytesMax * itemFactor),
    physicalPartitionBytesMax: bytes(physicalPartitionBytesMax * itemFactor * partitionFold),
    partitionRateMax: Math.max(PARTITION_RATE_MIN, Math.ceil(provisioned / count)),
  };
}

interface Shrinking {
  readonly factors: readonly number[];
  readonly rateFactor: number;
  readonly items: number;
  readonly keptDays: number;
  readonly itemFactor: number;
  readonly sampledPaths: ReadonlySet<string>;
}

function smallWorkload(
  workload: Workload,
  { factors, rateFactor, items, keptDays, itemFactor, sampledPaths }: Shrinking,
): { readonly workload: Workload; readonly remarks: readonly string[] } {
  const real = [...workload.properties].filter(([path]) => sampledPaths.has(path));
  const declared = [...workload.properties].filter(([path]) => !sampledPaths.has(path));
  const fewer = fewerValues(new Map(declared), { items, itemFactor });
  const properties = new Map([...real, ...fewer.properties]);
  const { remarks } = fewer;
  // A few items of the last days would stand for all that is young: more of them are taken.
  const ageDaysMin = keptDays * Math.min(1, Math.max(YOUNG_ITEMS / items, YOUNG_SHARE));
  const operations = workload.operations.map((operation, at) =>
    smallOperation(operation, factors[at]! * rateFactor, ageDaysMin),
  );
  const aged = workload.operations.filter(({ ageDays = ageDaysMin }) => ageDays < ageDaysMin);
  const scaled: Workload = {
    ...workload,
    properties,
    operations,
    // All of it has come in before day 0, which is the instant that is looked at.
    growth: {
      itemsPerDay: workload.growth.itemsPerDay * rateFactor * (factors[0] ?? 1),
      initialItems: items,
      retentionDays: keptDays,
      perMonth: 0,
      peakFactor: 1,
      hours: undefined,
    },
    horizonMonths: 0,
    throughput: undefined,
    remarks: [],
  };
  const stated = workload.operations.filter(
    ({ ru, resultItems }) => ru !== undefined || resultItems !== undefined,
  );
  const all = stated.map(({ id }) => `'${id}'`).join(", ");
  const worked =
    stated.length === 0
      ? []
      : [
          `Rows and prices that were declared (${all}) are those of the real thing; here they ` +
            "are worked out.",
        ];
  const older =
    aged.length === 0
      ? []
      : [
          `${aged.map(({ id }) => `'${id}'`).join(", ")} may ask for items of up to ` +
            `${ageDaysMin.toFixed(1)} days: there are too few younger ones.`,
        ];
  return { workload: scaled, remarks: [...remarks, ...worked, ...older] };
}

/** So many items at least are there to be asked for, and such a share of them. */
const YOUNG_ITEMS = 400;
const YOUNG_SHARE = 0.25;

function smallOperation(operation: Operation, factor: number, ageDaysMin: number): Operation {
  const { ageDays } = operation;
  return {
    ...operation,
    ageDays: ageDays === undefined ? undefined : Math.max(ageDays, ageDaysMin),
    ratePerSecond: operation.ratePerSecond * factor,
    peakFactor: undefined,
    hours: undefined,
    resultItems: undefined,
    ru: undefined,
    ruPartitions: undefined,
  };
}

/** Only what cannot be worked out stays stated: that a caller knows the key. */
export function smallCandidate({ stated, ...candidate }: Candidate): Candidate {
  const pins = stated?.pins;
  if (pins === undefined) return { ...candidate, stated: undefined };
  return { ...candidate, stated: { ...NOTHING_STATED, pins } };
}

const NOTHING_STATED = {
  distinctKeys: undefined,
  largestKeyStorageShare: undefined,
  hottestKeyWriteShare: undefined,
  hottestKeyReadShare: undefined,
  boundedFanout: undefined,
  isMutable: undefined,
  breaksTransactions: undefined,
};

/**
 * For keys that are larger than their limit, or become so while the run goes on: a run that refuses
 * their items would show nothing else.
 */
export function limitsHolding(limits: Limits, largestKeyBytes: number): Limits {
  const room = Math.ceil(largestKeyBytes * KEY_ROOM);
  if (room <= limits.logicalPartitionBytesMax) return limits;
  return {
    ...limits,
    logicalPartitionBytesMax: room,
    physicalPartitionBytesMax: Math.max(room, limits.physicalPartitionBytesMax),
  };
}

/** Sizes are means, and real keys differ from them. */
const KEY_ROOM = 1.25;

/** Room for what a run adds, so that no partition is split in the middle of it. */
export function limitsAtRest(
  limits: Limits,
  largestPartitionBytes: number,
  addedBytes: number,
): Limits {
  const { physicalPartitionBytesMax } = limits;
  const room = Math.max(largestPartitionBytes * PARTITION_ROOM, largestPartitionBytes + addedBytes);
  if (room <= physicalPartitionBytesMax || largestPartitionBytes > physicalPartitionBytesMax) {
    return limits;
  }
  return { ...limits, physicalPartitionBytesMax: Math.ceil(room) };
}

const PARTITION_ROOM = 1.25;

/** Such a part of a limit is what a run may be off by: stored sizes are means, cuts fall near. */
const SPLIT_MARGIN = 0.03;
const LIMIT_STEPS = [1, 0.95, 0.9, 1.05, 1.1, 0.85];

/**
 * Limits at which no partition is split, or left whole, by a hair: a little more and a little less
 * room make as many partitions. Otherwise a run would have one more or less by chance, and each of
 * them another load. As they are if there are none near.
 */
export function steadyLimits(
  limits: Limits,
  countAt: (limits: Limits) => number,
  isRoomy: (limits: Limits) => boolean,
): Limits {
  const withBytes = (factor: number): Limits => ({
    ...limits,
    physicalPartitionBytesMax: Math.ceil(limits.physicalPartitionBytesMax * factor),
  });
  const isSteady = (factor: number): boolean => {
    const own = countAt(withBytes(factor));
    return [1 - SPLIT_MARGIN, 1 + SPLIT_MARGIN].every(
      (margin) => countAt(withBytes(factor * margin)) === own,
    );
  };
  const step = LIMIT_STEPS.find((factor) => {
    const tried = withBytes(factor);
    const isWhole = tried.physicalPartitionBytesMax >= limits.logicalPartitionBytesMax;
    return isWhole && isSteady(factor) && isRoomy(tried);
  });
  return step === undefined || step === 1 ? limits : withBytes(step);
}

function remarksOf(
  {
    partitionFold,
    rateFactor,
    provisioned,
  }: Pick<ProofScale, "partitionFold" | "rateFactor" | "provisioned">,
  exact: number,
): readonly string[] {
  const remarks: string[] = [];
  if (partitionFold > 1) {
    remarks.push(
      `Each physical partition here stands for ${partitionFold.toFixed(1)} of the real ones.`,
    );
  }
  if (rateFactor !== exact) {
    const more = exact / rateFactor;
    remarks.push(
      `${provisioned} RU/s is the least that can be provisioned, ${more.toFixed(1)} times what ` +
        "the scale asks for: a higher rate of requests (--rate) keeps the proportion.",
    );
  }
  return remarks;
}
