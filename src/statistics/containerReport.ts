/**
 * Makes the report of a container from what its meters counted and from what its owner knows.
 *
 * Looking up the partition key and the size of a logical partition takes a read of the store. So
 * the owner first asks which logical partitions have the most load (`heaviestKeys`), looks these
 * up, and passes them in with the other facts.
 */

import type { Millis } from "../base/units.ts";
import { HOUR_MS } from "../base/units.ts";
import type { JsonValue } from "../json/value.ts";
import type { Epk, EpkRange } from "../partition/epkRange.ts";
import type { ContainerMeter } from "./containerMeter.ts";
import { gini } from "./inequality.ts";
import type { PartitionMeter } from "./partitionMeter.ts";
import { byLoad, type KeyLoad } from "./recentKeys.ts";
import { SECONDS_KEPT } from "./recentSeconds.ts";
import type {
  ContainerReport,
  CopyReport,
  Figures,
  JobReport,
  LifecycleReport,
  LimitsReport,
  LogicalReport,
  PartitionReport,
  ThroughputReport,
  ViewReport,
} from "./report.ts";
import { topOf } from "./top.ts";

export interface ReportFacts {
  readonly database: string;
  readonly container: string;
  readonly rid: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly now: Millis;
  readonly partitionKeyPaths: readonly string[];
  readonly throughput: ThroughputReport;
  readonly limits: LimitsReport;
  readonly jobs: readonly JobReport[];
  readonly copies?: readonly CopyReport[] | undefined;
  readonly view?: ViewReport | undefined;
  readonly lifecycle?: LifecycleReport | undefined;
  readonly meter: ContainerMeter;
  /** The physical partitions in key order. */
  readonly partitions: readonly PartitionFacts[];
  /** The largest logical partitions, largest first. */
  readonly topBySize: readonly LogicalFacts[];
  /** The logical partitions that `heaviestKeys` returned, in the same order. */
  readonly topByLoad: readonly LogicalFacts[];
  /** The Gini coefficient of the bytes of all logical partitions. */
  readonly giniOfBytes: number | undefined;
}

interface PartitionFacts {
  readonly entry: {
    readonly id: string;
    readonly range: EpkRange;
    readonly parents: readonly string[];
  };
  readonly lsn: number;
  readonly itemCount: number;
  readonly itemBytes: number;
  readonly logicalPartitionCount: number;
  readonly allottedRate: number;
  readonly meter: PartitionMeter;
}

export interface LogicalFacts {
  readonly epk: Epk;
  readonly partitionKey?: readonly JsonValue[] | undefined;
  /** The range id of the physical partition that has this logical partition. */
  readonly partitionId: string;
  readonly itemCount: number;
  readonly itemBytes: number;
}

/** A logical partition with much load, and the range id of its physical partition. */
interface HeavyKey extends KeyLoad {
  readonly partitionId: string;
}

/** Returns the logical partitions of a container with the most load in the last five minutes. */
export function heaviestKeys(
  meter: ContainerMeter,
  count: number,
  now: Millis,
): readonly HeavyKey[] {
  const keys = [...meter.meters].flatMap(([partitionId, partition]) =>
    partition.topKeys(count, now).map((load) => ({ ...load, partitionId })),
  );
  return keys.sort(byLoad).slice(0, count);
}

export function containerReport(facts: ReportFacts): ContainerReport {
  const { database, container, rid, at, now, partitionKeyPaths, throughput, limits, jobs } = facts;
  facts.meter.settle(now);
  const partitions = facts.partitions.map((partition) => partitionReport(partition, now));
  const meters = new Map(facts.partitions.map(({ entry, meter }) => [entry.id, meter]));
  const withLoad = (logical: LogicalFacts): LogicalReport => {
    const load = meters.get(logical.partitionId)?.keyLoad(logical.epk, now);
    return load === undefined ? logical : { ...logical, ...load };
  };
  return {
    ...(facts.copies && facts.copies.length > 0 && { copies: facts.copies }),
    ...(facts.meter.rateChanges.length > 0 && { rateChanges: facts.meter.rateChanges }),
    ...(facts.view && { view: facts.view }),
    ...(facts.lifecycle && { lifecycle: facts.lifecycle }),
    database,
    container,
    rid,
    at,
    partitionKeyPaths,
    throughput,
    limits,
    partitions,
    topBySize: facts.topBySize.map(withLoad),
    topByLoad: facts.topByLoad.map(withLoad),
    figures: figuresOf(facts, partitions),
    jobs,
  };
}

function partitionReport(facts: PartitionFacts, now: Millis): PartitionReport {
  const { entry, lsn, itemCount, itemBytes, logicalPartitionCount, allottedRate, meter } = facts;
  return {
    id: entry.id,
    min: entry.range.min,
    max: entry.range.max,
    parents: entry.parents,
    lsn,
    itemCount,
    itemBytes,
    logicalPartitionCount,
    allottedRate,
    lastSecond: meter.load(1, now),
    lastMinute: meter.load(60, now),
    lastFiveMinutes: meter.load(SECONDS_KEPT, now),
  };
}

/** Sizes are sums over the reported physical partitions; loads include those of retired ones. */
function figuresOf(facts: ReportFacts, partitions: readonly PartitionReport[]): Figures {
  const { meter, now, topBySize, giniOfBytes } = facts;
  const itemBytes = sum(partitions, (partition) => partition.itemBytes);
  const logicalPartitionCount = sum(partitions, (partition) => partition.logicalPartitionCount);
  const load = meter.load(now);
  const queries = meter.queryLoad(now);
  const loads = partitions.map((partition) => partition.lastFiveMinutes.ru);
  const [largest] = topOf(partitions, 1, (partition) => partition.itemBytes);
  return {
    itemCount: sum(partitions, (partition) => partition.itemCount),
    itemBytes,
    logicalPartitionCount,
    largestLogicalBytes: topBySize[0]?.itemBytes ?? 0,
    averageLogicalBytes: logicalPartitionCount === 0 ? 0 : itemBytes / logicalPartitionCount,
    largestPhysicalBytes: largest?.itemBytes ?? 0,
    averagePhysicalBytes: partitions.length === 0 ? 0 : itemBytes / partitions.length,
    bytesPerDay: meter.bytesPerDay(itemBytes),
    ru: load.ru,
    requestCount: load.requestCount,
    throttledCount: load.throttledCount,
    // Only physical partitions that are open count here, because the load of a parent belongs to
    // none of them.
    normalizedPercent: Math.max(0, ...partitions.map(percentOf)),
    busiestShare: shareOf(
      Math.max(0, ...loads),
      sum(loads, (ru) => ru),
    ),
    throttledShare: shareOf(load.throttledCount, load.requestCount),
    queryCount: queries.queryCount,
    crossPartitionQueryCount: queries.crossPartitionQueryCount,
    crossPartitionShare: shareOf(queries.crossPartitionQueryCount, queries.queryCount),
    giniOfBytes,
    giniOfLoad: gini(loads),
    hourlyPeakPercents: hourlyPeaks(facts),
  };
}

const HOURS = 24;

function hourlyPeaks({ meter, at, now }: ReportFacts): readonly number[] {
  // Columns have fixed edges, so a span of 24 hours needs one column more.
  const hours = meter.timeline({ from: at - HOURS * HOUR_MS, to: at }, HOURS + 1, now);
  return hours.flatMap(({ counted }) => counted?.normalizedPercent ?? []).slice(-HOURS);
}

function percentOf({ lastFiveMinutes }: PartitionReport): number {
  return lastFiveMinutes.normalizedPercent;
}

function shareOf(part: number, whole: number): number | undefined {
  return whole > 0 ? part / whole : undefined;
}

function sum<T>(things: readonly T[], amountOf: (thing: T) => number): number {
  return things.reduce((total, thing) => total + amountOf(thing), 0);
}
