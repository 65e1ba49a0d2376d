/** Reports of made-up containers, for tests: a healthy container, changed as a test says. */
import type {
  ContainerReport,
  Figures,
  Load,
  LogicalReport,
  PartitionReport,
  ThroughputReport,
} from "../statistics/report.ts";

export const GIB: number = 1024 ** 3;

/** The facts of a sample. Figures follow from the physical partitions unless they are given. */
export interface Sample {
  readonly partitions?: readonly SamplePartition[];
  readonly throughput?: Partial<ThroughputReport>;
  readonly limits?: Partial<ContainerReport["limits"]>;
  readonly topBySize?: readonly SampleLogical[];
  readonly topByLoad?: readonly SampleLogical[];
  readonly figures?: Partial<Figures>;
  readonly jobs?: ContainerReport["jobs"];
  readonly partitionKeyPaths?: readonly string[];
  readonly rid?: string;
  readonly at?: number;
}

export interface SamplePartition {
  /** RU spent over RU allotted, as the mean of both the last minute and the last five. */
  readonly usePercent?: number;
  /** The busiest second of both spans; as high as the mean unless given. */
  readonly peakPercent?: number;
  readonly throttledPercent?: number;
  readonly requestCount?: number;
  readonly itemBytes?: number;
  readonly allottedRate?: number;
}

interface SampleLogical extends Partial<LogicalReport> {
  readonly key: string;
}

export function sampleReport(sample: Sample = {}): ContainerReport {
  const given = sample.partitions ?? [{}, {}, {}];
  const partitions = given.map(partitionOf);
  const sum = (amountOf: (partition: PartitionReport) => number): number =>
    partitions.reduce((total, partition) => total + amountOf(partition), 0);
  const ru = sum(({ lastFiveMinutes }) => lastFiveMinutes.ru);
  const requestCount = sum(({ lastFiveMinutes }) => lastFiveMinutes.requestCount);
  const throttledCount = sum(({ lastFiveMinutes }) => lastFiveMinutes.throttledCount);
  const itemBytes = sum((partition) => partition.itemBytes);
  const topBySize = (sample.topBySize ?? []).map(logicalOf);
  return {
    database: "shop",
    container: "orders",
    rid: sample.rid ?? "AAAA",
    at: sample.at ?? 0,
    partitionKeyPaths: sample.partitionKeyPaths ?? ["/tenant"],
    throughput: {
      kind: "manual",
      isShared: false,
      ratePerSecond: sum(({ allottedRate }) => allottedRate),
      isLimited: true,
      ...sample.throughput,
    },
    limits: {
      logicalPartitionBytesMax: 20 * GIB,
      physicalPartitionBytesMax: 50 * GIB,
      partitionRateMax: 10_000,
      ...sample.limits,
    },
    partitions,
    topBySize,
    topByLoad: (sample.topByLoad ?? []).map(logicalOf),
    figures: {
      itemCount: sum(({ itemCount }) => itemCount),
      itemBytes,
      logicalPartitionCount: 1000,
      largestLogicalBytes: topBySize[0]?.itemBytes ?? 0,
      averageLogicalBytes: itemBytes / 1000,
      largestPhysicalBytes: Math.max(...partitions.map((partition) => partition.itemBytes)),
      averagePhysicalBytes: itemBytes / partitions.length,
      ru,
      requestCount,
      throttledCount,
      normalizedPercent: Math.max(...partitions.map((p) => p.lastFiveMinutes.normalizedPercent)),
      busiestShare:
        ru === 0 ? undefined : Math.max(...partitions.map((p) => p.lastFiveMinutes.ru)) / ru,
      throttledShare: requestCount === 0 ? undefined : throttledCount / requestCount,
      queryCount: 0,
      crossPartitionQueryCount: 0,
      hourlyPeakPercents: [],
      ...sample.figures,
    },
    jobs: sample.jobs ?? [],
  };
}

function partitionOf(given: SamplePartition, index: number): PartitionReport {
  const allottedRate = given.allottedRate ?? 6000;
  const load = (seconds: number): Load => {
    const requestCount = given.requestCount ?? (given.usePercent === undefined ? 0 : 10 * seconds);
    return {
      seconds,
      ru: ((given.usePercent ?? 0) / 100) * allottedRate * seconds,
      requestCount,
      throttledCount: (requestCount * (given.throttledPercent ?? 0)) / 100,
      normalizedPercent: given.peakPercent ?? given.usePercent ?? 0,
    };
  };
  return {
    id: String(index),
    min: index.toString(16).padStart(2, "0"),
    max: (index + 1).toString(16).padStart(2, "0"),
    parents: [],
    lsn: 1,
    itemCount: 1000,
    itemBytes: given.itemBytes ?? 10_000_000,
    logicalPartitionCount: 300,
    allottedRate,
    lastSecond: load(1),
    lastMinute: load(60),
    lastFiveMinutes: load(300),
  };
}

function logicalOf({ key, ...given }: SampleLogical): LogicalReport {
  return {
    epk: "00",
    partitionKey: [key],
    partitionId: "0",
    itemCount: 10,
    itemBytes: 1000,
    ...given,
  };
}
