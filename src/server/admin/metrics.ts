/**
 * What is told to Prometheus, family by family. Labels are databases, containers, range ids and a
 * few fixed words, so the number of series is bounded by that of physical partitions; logical
 * partitions are too many for labels, and are asked for by `topKeys`.
 */
import type { ArchiveEntry, ArchiveJobEntry } from "../../model/archiveJob.ts";
import type { CopyJobEntry } from "../../model/copyJob.ts";
import type { LifecycleEntry } from "../../model/lifecycle.ts";
import type { ViewReport } from "../../statistics/report.ts";
import { archiveFamilies } from "./jobs/archiveMetrics.ts";
import { copyFamilies } from "./jobs/copyMetrics.ts";
import { lifecycleFamilies } from "./jobs/lifecycleMetrics.ts";
import type { ProcessFigures } from "./processFigures.ts";
import type { Family, MetricSample } from "./prometheus.ts";
import type { ContainerCounters, PartitionCounters } from "./surface.ts";

interface Measured {
  readonly containers: readonly ContainerCounters[];
  readonly copies: readonly CopyJobEntry[];
  readonly lifecycles: readonly LifecycleEntry[];
  readonly wallNow: number;
  readonly archives: readonly ArchiveEntry[];
  readonly archiveJobs: readonly ArchiveJobEntry[];
  readonly process: ProcessFigures;
  readonly version: string;
  /** How many answers had which status, since the process started; absent when not counted. */
  readonly statusCounts: ReadonlyMap<number, number> | undefined;
  /** What there is to tell besides, of nodes. */
  readonly more?: readonly Family[] | undefined;
}

export function familiesOf(measured: Measured): readonly Family[] {
  return [
    ...partitionFamilies(measured.containers),
    ...containerFamilies(measured.containers),
    ...copyFamilies(measured.copies),
    ...lifecycleFamilies(measured.lifecycles, measured.wallNow),
    ...archiveFamilies(measured.archives, measured.archiveJobs),
    ...viewFamilies(measured.containers),
    ...processFamilies(measured),
    ...(measured.more ?? []),
  ];
}

type Labels = MetricSample["labels"];

function partitionFamilies(containers: readonly ContainerCounters[]): readonly Family[] {
  const all = containers.flatMap((counters) =>
    counters.partitions.map((partition) => ({
      labels: { ...labelsOf(counters), partition: partition.id },
      partition,
    })),
  );
  const each = (figureOf: (partition: PartitionCounters) => number): readonly MetricSample[] =>
    all.map(({ labels, partition }) => ({ labels, value: figureOf(partition) }));
  const byKind = all.flatMap(({ labels, partition }) =>
    Object.entries(partition.requestCounts).map(([kind, value]) => ({
      labels: { ...labels, kind },
      value,
    })),
  );
  return [
    gauge(
      "orrery_partition_items",
      "Items of a physical partition.",
      each(({ itemCount }) => itemCount),
    ),
    gauge(
      "orrery_partition_bytes",
      "Bytes of the items of a physical partition, as stored.",
      each(({ itemBytes }) => itemBytes),
    ),
    counter(
      "orrery_partition_request_units_total",
      "Request units spent on a physical partition.",
      each(({ ru }) => ru),
    ),
    counter(
      "orrery_partition_requests_total",
      "Requests to a physical partition by kind, throttled ones included.",
      byKind,
    ),
    counter(
      "orrery_partition_throttled_requests_total",
      "Requests refused because the budget of their physical partition was empty.",
      each(({ throttledCount }) => throttledCount),
    ),
    gauge(
      "orrery_partition_allotted_request_units_per_second",
      "What a physical partition may spend each second.",
      each(({ allottedRate }) => allottedRate),
    ),
    gauge(
      "orrery_partition_normalized_percent",
      "Spent over allotted in the busiest second of the last minute, in percent.",
      each(({ normalizedPercent }) => normalizedPercent),
    ),
  ];
}

function containerFamilies(containers: readonly ContainerCounters[]): readonly Family[] {
  const each = (
    figureOf: (counters: ContainerCounters) => number | undefined,
    extra: Labels = {},
  ): readonly MetricSample[] =>
    containers.map((counters) => ({
      labels: { ...labelsOf(counters), ...extra },
      value: figureOf(counters),
    }));
  return [
    gauge(
      "orrery_container_provisioned_request_units_per_second",
      "What a container may spend each second, under autoscale at most; a shared rate is whole.",
      each(({ ratePerSecond }) => ratePerSecond),
    ),
    gauge(
      "orrery_container_logical_partitions",
      "Logical partitions of a container.",
      each(({ logicalPartitionCount }) => logicalPartitionCount),
    ),
    gauge(
      "orrery_container_largest_logical_partition_bytes",
      "Bytes of the largest logical partition.",
      each(({ largestLogicalBytes }) => largestLogicalBytes),
    ),
    gauge("orrery_container_gini", "Inequality: 0 all alike, towards 1 all in one.", [
      ...each(({ giniOfBytes }) => giniOfBytes, { of: "bytes" }),
      ...each(({ giniOfLoad }) => giniOfLoad, { of: "load" }),
    ]),
    counter(
      "orrery_container_queries_total",
      "Queries.",
      each(({ queryCount }) => queryCount),
    ),
    counter(
      "orrery_container_cross_partition_queries_total",
      "Queries about more than one physical partition.",
      each(({ crossPartitionQueryCount }) => crossPartitionQueryCount),
    ),
  ];
}

function viewFamilies(containers: readonly ContainerCounters[]): readonly Family[] {
  const each = (figureOf: (view: ViewReport) => number): readonly MetricSample[] =>
    containers.flatMap((counters) => {
      const { view } = counters;
      if (view === undefined) return [];
      const labels = { ...labelsOf(counters), source: view.source };
      return [{ labels, value: figureOf(view) }];
    });
  return [
    gauge(
      "orrery_view_lag_changes",
      "Changes of the source that a view does not have yet, at most.",
      each(({ lagCount }) => lagCount),
    ),
    gauge(
      "orrery_view_lag_seconds",
      "Seconds since a view had everything that its source had.",
      each(({ lagSeconds }) => lagSeconds),
    ),
    gauge(
      "orrery_view_set_aside_items",
      "Items of the source that cannot be rows of a view.",
      each(({ setAsideCount }) => setAsideCount),
    ),
  ];
}

/** About the process, whatever it does. */
export function processFamilies({
  process,
  version,
  statusCounts,
}: Pick<Measured, "process" | "version"> & Partial<Measured>): readonly Family[] {
  const one = (value: number): readonly MetricSample[] => [{ labels: {}, value }];
  const statuses = [...(statusCounts ?? [])].sort(([a], [b]) => a - b);
  return [
    counter(
      "orrery_responses_total",
      "Answers by HTTP status.",
      statuses.map(([status, value]) => ({ labels: { status: String(status) }, value })),
    ),
    gauge("orrery_info", "Always 1; the version is its label.", [
      { labels: { version }, value: 1 },
    ]),
    gauge("orrery_uptime_seconds", "Since the process started.", one(process.uptimeSeconds)),
    counter("process_cpu_seconds_total", "Processor time.", one(process.cpuSeconds)),
    gauge("process_resident_memory_bytes", "Resident memory.", one(process.residentBytes)),
    gauge("orrery_heap_used_bytes", "JavaScript heap in use.", one(process.heapBytes)),
    counter(
      "orrery_event_loop_active_seconds_total",
      "Time in which the event loop was not waiting: its rate is how busy the one thread is.",
      one(process.eventLoopActiveSeconds),
    ),
  ];
}

function labelsOf({ database, container }: ContainerCounters): Labels {
  return { database, container };
}

export function gauge(name: string, help: string, samples: readonly MetricSample[]): Family {
  return { name, type: "gauge", help, samples };
}

export function counter(name: string, help: string, samples: readonly MetricSample[]): Family {
  return { name, type: "counter", help, samples };
}
