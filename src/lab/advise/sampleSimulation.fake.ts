/**
 * Simulations made by hand for tests, by the simplest rules there are: partitions of 50 GB and
 * 10,000 RU/s, the hottest key on one of them and all else evenly over all, a fixed price for each
 * visit that finds nothing. What a candidate is like is stated, not worked out.
 */
import { parseKeyExpression } from "../../keys/expressionText.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Candidate } from "../candidate/candidate.ts";
import { exactly } from "../counting/estimate.ts";
import type { DataFacts, PropertyFacts } from "../data/facts.ts";
import type { OperationOutcome, Routing, Simulation } from "../simulate/simulation.ts";
import type { Operation, OperationKind, Workload } from "../workload/workload.ts";
import type { AdviseInput } from "./advise.ts";

export const GB: number = 1024 ** 3;

export interface SampleSpec {
  readonly name: string;
  readonly itemBytes: number;
  readonly itemsPerDay: number;
  readonly retentionDays: number;
  readonly peakFactor: number;
  /** RU/s; undefined: a fifth more than the useful work takes. */
  readonly provisioned?: number;
  readonly operations: readonly SampleOperation[];
  readonly keys: readonly SampleKey[];
  readonly properties?: readonly PropertyFacts[];
}

interface SampleOperation {
  readonly id: string;
  readonly kind: OperationKind;
  readonly rate: number;
  readonly ru: number;
  readonly sql?: string;
  readonly resultItems?: number;
  readonly scope?: readonly string[];
  readonly changes?: readonly string[];
}

export interface SampleKey {
  readonly id: string;
  /** Expressions, one for each level. */
  readonly key: readonly string[];
  readonly origin?: Candidate["origin"];
  readonly count: number;
  readonly storage: number;
  readonly writes: number;
  readonly reads: number;
  readonly pins: readonly string[];
  readonly asks?: Readonly<Record<string, number>>;
  readonly period?: string;
  readonly breaks?: readonly string[];
  readonly changing?: number;
  readonly missing?: number;
  /** Keys over the limit, when the largest is. */
  readonly over?: number;
}

export interface SampleWorld {
  /** RU of a visit that finds nothing. */
  readonly visitRu: number;
  /** Physical partitions over the fewest that would do. */
  readonly spare: number;
}

/** The guides' price of a visit. */
export const GUIDES_WORLD: SampleWorld = { visitRu: 1, spare: 1 };
/** Nearer to what is measured: visits cost more, and splits leave partitions half full. */
export const REAL_WORLD: SampleWorld = { visitRu: 2.8, spare: 1.5 };

export function sampleInput(spec: SampleSpec, world: SampleWorld = GUIDES_WORLD): AdviseInput {
  const workload = sampleWorkload(spec);
  const candidates = spec.keys.map(candidateOf);
  const simulate: AdviseInput["simulate"] = (changed, asked) =>
    asked.map((candidate) => sampleSimulation(spec, changed, candidate, world));
  return {
    workload,
    facts: sampleFacts(spec),
    simulations: simulate(workload, candidates),
    limits: SERVICE_LIMITS,
    simulate,
  };
}

function sampleWorkload(spec: SampleSpec): Workload {
  const { name, itemsPerDay, retentionDays, peakFactor, provisioned } = spec;
  return {
    name,
    title: `The ${name}`,
    item: { bytes: spec.itemBytes, example: undefined },
    properties: new Map(),
    growth: {
      itemsPerDay,
      initialItems: 0,
      retentionDays,
      perMonth: 0,
      peakFactor,
      hours: undefined,
    },
    throughput:
      provisioned === undefined ? undefined : { mode: "manual", ratePerSecond: provisioned },
    consistency: "session",
    operations: spec.operations.map(operationOf),
    candidates: [],
    horizonMonths: Math.ceil(retentionDays / 30),
    remarks: [],
  };
}

function operationOf(one: SampleOperation): Operation {
  return {
    id: one.id,
    kind: one.kind,
    ratePerSecond: one.rate,
    peakFactor: undefined,
    hours: undefined,
    sql: one.sql,
    parameters: new Map(),
    knows: undefined,
    resultItems: one.resultItems,
    pageSize: 100,
    ru: one.ru,
    changes: one.changes ?? [],
    transactionScope: one.scope,
    ageDays: undefined,
  };
}

export function candidateOf({ id, key, origin = "named" }: SampleKey): Candidate {
  const levels = key.map((text) => {
    const parsed = parseKeyExpression(text);
    if (!parsed.ok) throw new Error(text);
    return parsed.value;
  });
  return { id, levels, origin, stated: undefined };
}

export function sampleFacts({ itemBytes, properties = [] }: SampleSpec): DataFacts {
  return {
    itemBytes,
    leafCount: 8,
    example: undefined,
    properties: new Map(properties.map((each) => [each.path, each])),
    sampleCount: undefined,
    populationOf: (paths) => ({ paths, rows: [], distinct: exactly(0) }),
  };
}

export function sampleProperty(path: string, facts: Partial<PropertyFacts> = {}): PropertyFacts {
  return {
    path,
    missingShare: 0,
    distinct: exactly(1000),
    time: undefined,
    isScalar: true,
    isNumber: false,
    bytesMax: 40,
    changingShare: 0,
    hottestHourShare: undefined,
    ...facts,
  };
}

function sampleSimulation(
  spec: SampleSpec,
  workload: Workload,
  candidate: Candidate,
  { visitRu, spare }: SampleWorld,
): Simulation {
  const { growth } = workload;
  const days = growth.retentionDays ?? 0;
  const key = keyOver(spec, candidate, days);
  const totalBytes = growth.itemsPerDay * days * spec.itemBytes;
  const isRead = ({ kind }: Operation): boolean => kind === "query" || kind === "pointRead";
  const ruRate = (chosen: readonly Operation[]): number =>
    chosen.reduce((sum, one) => sum + one.ratePerSecond * (one.ru ?? 0), 0);
  const usefulRate = ruRate(workload.operations);
  const usefulPeak = usefulRate * growth.peakFactor;
  const gigabytes = totalBytes / GB;
  const provisioned = Math.max(
    workload.throughput?.ratePerSecond ?? 1.2 * usefulPeak,
    gigabytes,
    400,
  );
  const partitionCount = Math.ceil(spare * Math.max(1, gigabytes / 50, provisioned / 10_000));
  const allotment = provisioned / partitionCount;

  const operations = workload.operations.map((one): OperationOutcome => {
    const routing = isRead(one) ? routingOf(key, one.id) : { kind: "key" as const };
    const visits =
      routing.kind === "everywhere" ? partitionCount : partitionsOf(routing, partitionCount);
    return {
      id: one.id,
      kind: one.kind,
      ratePerSecond: one.ratePerSecond,
      routing,
      partitionsVisited: visits,
      ruEach: (one.ru ?? 0) + visitRu * (visits - 1),
      usefulRuEach: one.ru ?? 0,
    };
  });
  const meanRate = operations.reduce((sum, one) => sum + one.ratePerSecond * one.ruEach, 0);
  const peakRate = meanRate * growth.peakFactor;
  const reads = workload.operations.filter(isRead);
  const writes = workload.operations.filter((one) => !isRead(one));
  const aimed = reads.filter(({ id }) => routingOf(key, id).kind !== "everywhere");
  const keyRate = (ruRate(writes) * key.writes + ruRate(aimed) * key.reads) * growth.peakFactor;
  const hottest = keyRate + Math.max(0, peakRate - keyRate) / partitionCount;
  const largestBytes = totalBytes * key.storage;
  const passesOn = (bytes: number): number | undefined =>
    largestBytes > bytes ? (days * bytes) / largestBytes : undefined;
  const readRate = reads.reduce((sum, one) => sum + one.ratePerSecond, 0);
  const shareOf = (kind: Routing["kind"]): number =>
    readRate === 0
      ? 0
      : reads
          .filter(({ id }) => routingOf(key, id).kind === kind)
          .reduce((sum, one) => sum + one.ratePerSecond, 0) / readRate;
  const neededRate = keyRate > 10_000 ? undefined : hottest * partitionCount;
  const paidRate = Math.max(provisioned, neededRate ?? provisioned);
  const storageCost = gigabytes * 0.25;
  const cost = paidRate * 0.00008 * 730 + storageCost;
  return {
    candidate,
    keys: {
      count: exactly(key.count),
      period: key.period,
      itemsPerKey: (growth.itemsPerDay * days) / key.count,
      largest: {
        label: `"${key.id} 1"`,
        bytesAtEnd: exactly(largestBytes),
        share: key.storage,
        passes15GbOnDay: passesOn(15 * GB),
        passes20GbOnDay: passesOn(20 * GB),
        overLimitCount: largestBytes > 20 * GB ? (key.over ?? 1) : 0,
        overLimitShare: largestBytes > 20 * GB ? key.storage * (key.over ?? 1) : 0,
      },
      lorenz: [
        [0, 0],
        [1, 1],
      ],
      giniBytes: 0,
      effectiveKeys: key.count,
    },
    months: [0, 1].map((month) => ({
      month,
      totalBytes: totalBytes * month,
      partitionCount,
      splitCount: 0,
      largestPartitionBytes: 0,
      largestKeyBytes: largestBytes * month,
      ratePerSecond: peakRate,
      hottestPartitionRate: hottest,
      allotment,
    })),
    partitions: [{ id: "0", from: 0, to: 1 / partitionCount, bytes: 0, rates: [], allotment }],
    load: {
      peakRate,
      meanRate,
      provisioned,
      neededRate,
      hottestPartition: {
        id: "0",
        rate: exactly(hottest),
        share: peakRate > 0 ? hottest / peakRate : 0,
        overMean: peakRate > 0 ? (hottest * partitionCount) / peakRate : 1,
      },
      hottestKey: {
        label: `"${key.id} 1"`,
        rate: exactly(keyRate),
        writeShare: key.writes,
        readShare: key.reads,
      },
      giniRates: 0,
      archetype: "even",
    },
    throttling: {
      share: hottest > allotment ? (hottest - allotment) / hottest : 0,
      failedShare: 0,
      waitP50: 0,
      waitP99: 0,
      usableRate: provisioned,
    },
    operations,
    fanOut: {
      keyShare: shareOf("key"),
      keysShare: shareOf("keys"),
      prefixShare: shareOf("prefix"),
      everywhereShare: shareOf("everywhere"),
      surchargeRate: meanRate - usefulRate,
      usefulRate,
    },
    cost: {
      ruPerMonth: meanRate * 2_628_000,
      storage: storageCost,
      manual: cost,
      autoscale: undefined,
      serverless: undefined,
      serverlessProblem: "too large",
      cheapest: exactly(cost),
      laidOut: cost,
    },
    brokenTransactions: key.breaks ?? [],
    changingShare: key.changing ?? 0,
    missingShare: key.missing ?? 0,
  };
}

/** Periods do not grow with the time that items are kept: there are more of them. */
function keyOver(spec: SampleSpec, { id }: Candidate, days: number): SampleKey {
  const key = spec.keys.find((each) => each.id === id)!;
  if (key.period === undefined || days === spec.retentionDays) return key;
  const factor = days / spec.retentionDays;
  return { ...key, storage: key.storage / factor, count: key.count * factor };
}

/** So many keys lie on so many partitions, by chance. */
function partitionsOf(routing: Routing, partitionCount: number): number {
  const count = routing.kind === "keys" ? routing.count : 1;
  return partitionCount * (1 - (1 - 1 / partitionCount) ** count);
}

function routingOf(key: SampleKey, operation: string): Routing {
  if (key.pins.includes(operation)) return { kind: "key" };
  const count = key.asks?.[operation];
  return count === undefined ? { kind: "everywhere" } : { kind: "keys", count };
}
