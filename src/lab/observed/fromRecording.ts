/**
 * Makes a workload from a recording of a container: its operations with their rates, how often
 * which values are asked for and written, and what items look like.
 *
 * A recording knows only what happened while it ran. The remarks say what is assumed because of
 * that.
 */
import { DAY_SECONDS } from "../../base/units.ts";
import { pathText } from "../../keys/paths.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type {
  OperationRecord,
  ParameterRecord,
  PathRecord,
  Recording,
  ValuesRecord,
} from "../../recording/recording.ts";
import { horizonOf } from "../workload/growthField.ts";
import { PAGE_SIZE } from "../workload/operationField.ts";
import { stepsOf } from "../workload/pathField.ts";
import type {
  DeclaredThroughput,
  Growth,
  Operation,
  OperationKind,
  ParameterShape,
  PropertyShape,
  Workload,
} from "../workload/workload.ts";
import {
  distributionsOf,
  mergedValues,
  rankedDistribution,
  rounded,
} from "./recordedDistribution.ts";
import { exampleOf } from "./recordedExample.ts";
import { remarksOf } from "./recordedRemarks.ts";

interface FromRecordingOptions {
  /** The name of the workload; by default that of the container. */
  readonly name?: string | undefined;
}

/** Of an hour of the day, so that it counts as seen. */
const HOUR_SECONDS_MIN = 600;
/** In a shorter recording no minute can be called the busiest. */
const PEAK_SECONDS_MIN = 600;
/** Share of updates that must change a property for it to count as changing. */
const CHANGED_SHARE_MIN = 0.01;

export function fromRecording(recording: Recording, options: FromRecordingOptions = {}): Workload {
  const { database, container, items } = recording;
  const growth = growthOf(recording);
  return {
    name: options.name ?? container,
    title: `${database}/${container}, as recorded`,
    item: {
      bytes: items.count === 0 ? undefined : Math.round(items.bytes.mean),
      example: exampleOf(items),
    },
    properties: propertiesOf(recording),
    growth,
    throughput: throughputOf(recording),
    consistency: consistencyOf(recording),
    operations: recording.operations
      .filter(({ count }) => count > 0)
      .map((operation) => operationOf(operation, recording)),
    candidates: [],
    horizonMonths: horizonOf(growth),
    remarks: remarksOf(recording),
  };
}

/** Returns a path in the form that workloads use, or undefined if it names no property. */
function propertyPath(text: string): string | undefined {
  if (text.includes("/[]")) return undefined;
  const steps = stepsOf(text);
  return steps && pathText({ kind: "path", steps });
}

function propertiesOf(recording: Recording): ReadonlyMap<string, PropertyShape> {
  const requests = requestsByPath(recording);
  const changing = changingPaths(recording);
  const written = new Map<string, PathRecord>();
  for (const record of recording.items.paths) {
    const path = propertyPath(record.path);
    if (path !== undefined && record.values !== undefined) written.set(path, record);
  }
  const properties = new Map<string, PropertyShape>();
  for (const path of new Set([...written.keys(), ...requests.keys()])) {
    const record = written.get(path);
    const asked = mergedValues(requests.get(path) ?? []);
    properties.set(path, {
      path,
      ...valuesOf(path, record, asked, recording),
      within: undefined,
      distinctWithin: undefined,
      time: timeOf(record),
      changes: changing.has(path),
      missingShare:
        record === undefined ? 0 : rounded(1 - record.presentCount / recording.items.count),
    });
  }
  return properties;
}

function valuesOf(
  path: string,
  record: PathRecord | undefined,
  asked: ValuesRecord | undefined,
  { items }: Recording,
): Pick<PropertyShape, "distinct" | "isUnique" | "items" | "requests"> {
  const values = record?.values;
  // Some of many different values come twice by chance, and an estimate is off by a few percent.
  const isUnique =
    path === "/id" ||
    (values !== undefined &&
      items.createdCount >= 100 &&
      values.distinct >= (1 - 3 * values.distinctError) * 0.98 * items.createdCount &&
      values.count <= 1.02 * items.createdCount);
  const distributions = isUnique
    ? { items: { kind: "uniform" } as const, requests: asked && rankedDistribution(asked) }
    : distributionsOf(values, asked);
  const seen = Math.max(values?.distinct ?? 0, asked?.distinct ?? 0, namedCount(distributions));
  return {
    distinct: isUnique || seen === 0 ? undefined : seen,
    isUnique,
    ...distributions,
  };
}

function namedCount({ items, requests }: ReturnType<typeof distributionsOf>): number {
  const count = (each: typeof items | undefined): number =>
    each?.kind === "shares" ? each.shares.size : 0;
  return Math.max(count(items), count(requests));
}

/** The values that requests other than whole writes were about, by path. */
function requestsByPath({
  operations,
  partitionKeyPaths,
}: Recording): ReadonlyMap<string, readonly ValuesRecord[]> {
  const found = new Map<string, ValuesRecord[]>();
  const add = (text: string | undefined, values: ValuesRecord | undefined): void => {
    const path = text === undefined ? undefined : propertyPath(text);
    if (path === undefined || values === undefined || values.count === 0) return;
    const list = found.get(path) ?? [];
    found.set(path, list);
    list.push(values);
  };
  for (const operation of operations) {
    const { kind, keys, keyComponents, ids, parameters } = operation;
    if (kind === "create" || kind === "upsert") continue;
    if (partitionKeyPaths.length === 1) add(partitionKeyPaths[0], keys);
    else for (const [level, path] of partitionKeyPaths.entries()) add(path, keyComponents[level]);
    add("/id", ids);
    for (const parameter of parameters) add(equalPath(parameter), parameter.values);
  }
  return found;
}

function equalPath({ compared }: ParameterRecord): string | undefined {
  return compared.find(({ comparison }) => comparison === "equal" || comparison === "in")?.path;
}

function changingPaths({ operations }: Recording): ReadonlySet<string> {
  return new Set(operations.flatMap(changesOf));
}

function changesOf({ changes }: OperationRecord): readonly string[] {
  if (changes === undefined) return [];
  const often = changes.paths.filter(
    ({ count }) => count >= CHANGED_SHARE_MIN * changes.comparedCount,
  );
  return often.flatMap(({ path }) => propertyPath(path) ?? []);
}

/** The grain of a property that holds the time of writing, not some other time. */
function timeOf(record: PathRecord | undefined): PropertyShape["time"] {
  if (record?.time === undefined) return undefined;
  const { agoDays, grain } = record.time;
  const grainDays = { second: 1, minute: 1, hour: 1, day: 1, month: 31, year: 366 }[grain];
  return agoDays.p90 <= grainDays ? grain : undefined;
}

function growthOf(recording: Recording): Growth {
  const { items, seconds, itemCountAtStart, ttlSeconds, series, operationCount } = recording;
  const hours = hoursOf(series.hours, recording);
  return {
    itemsPerDay: seconds === 0 ? 0 : rounded((items.createdCount / seconds) * DAY_SECONDS),
    initialItems: itemCountAtStart,
    retentionDays: ttlSeconds === undefined ? undefined : rounded(ttlSeconds / DAY_SECONDS),
    perMonth: 0,
    peakFactor: peakOf(series.busiestMinute, operationCount, seconds) ?? 1,
    hours,
  };
}

/** The weights of the hours; undefined unless every hour of the day was seen for a while. */
function hoursOf(counts: readonly number[], { series }: Recording): readonly number[] | undefined {
  if (series.hourSeconds.some((seconds) => seconds < HOUR_SECONDS_MIN)) return undefined;
  const rates = counts.map((count, hour) => count / series.hourSeconds[hour]!);
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  return mean === 0 ? undefined : rates.map((rate) => rounded(rate / mean));
}

function peakOf(busiestMinute: number, count: number, seconds: number): number | undefined {
  if (seconds < PEAK_SECONDS_MIN || count === 0) return undefined;
  return rounded(Math.max(1, busiestMinute / ((count / seconds) * 60)));
}

function throughputOf({ throughput }: Recording): DeclaredThroughput | undefined {
  if (throughput === undefined || throughput.isShared) return undefined;
  const { kind, ratePerSecond, isLimited, isDefault } = throughput;
  // Nobody chose such a rate, or it was not enforced.
  if (kind !== "serverless" && (isLimited === false || isDefault === true)) return undefined;
  if (kind !== "serverless") return { mode: kind, ratePerSecond };
  return { mode: kind, ratePerSecond: SERVICE_LIMITS.serverlessPartitionRateMax };
}

function consistencyOf({ consistency }: Recording): Workload["consistency"] {
  const known = ["strong", "boundedStaleness", "session", "consistentPrefix", "eventual"] as const;
  return known.find((each) => each.toLowerCase() === consistency.toLowerCase()) ?? "session";
}

function operationOf(record: OperationRecord, recording: Recording): Operation {
  const { seconds, partitionKeyPaths } = recording;
  const { kind, count, keyedShare, rows, ru } = record;
  const isQuery = kind === "query" || kind === "readFeed";
  const isKeyed = keyedShare >= 0.5;
  const hours = hoursOf(record.hours, recording);
  return {
    id: record.id,
    kind: kind === "readFeed" ? "query" : (kind satisfies OperationKind),
    ratePerSecond: rounded(count / Math.max(seconds, 1)),
    peakFactor: peakOf(record.busiestMinute, count, seconds),
    hours,
    sql: kind === "query" ? record.text : isQuery ? "SELECT * FROM c" : undefined,
    parameters: new Map(
      record.parameters.map((parameter) => [parameter.name, parameterOf(parameter, recording)]),
    ),
    knows:
      isQuery && isKeyed
        ? partitionKeyPaths.flatMap((path) => propertyPath(path) ?? [])
        : undefined,
    resultItems: isQuery ? rounded(rows?.mean ?? 0) : undefined,
    pageSize: record.pageSize || PAGE_SIZE,
    ru: rounded(ru.mean),
    // The charge of a query without a key includes a visit of each physical partition.
    ruPartitions: isQuery && !isKeyed ? partitionsAsked(record, recording) : undefined,
    changes: changesOf(record),
    transactionScope: undefined,
    ageDays: record.ageDays === undefined ? undefined : rounded(record.ageDays.p50),
  };
}

/**
 * Number of physical partitions that a query asked. If the recording does not say it, it is
 * estimated from the pages, because every physical partition gives at least one.
 */
function partitionsAsked({ pagesMean }: OperationRecord, recording: Recording): number {
  return recording.partitionCountAtStart ?? Math.max(1, Math.round(pagesMean ?? 1));
}

const VALUES_MAX = 5;

/**
 * Describes a parameter: an instant by its age, a value of a known property by that property, and
 * any other value by examples.
 */
function parameterOf(parameter: ParameterRecord, recording: Recording): ParameterShape {
  const none = { like: undefined, distribution: undefined, agoDays: undefined, values: undefined };
  const { agoDays, values, isSecret, compared } = parameter;
  const isRange = compared.some(({ comparison }) => comparison === "range");
  if (agoDays !== undefined && (isRange || compared.length === 0)) {
    return { ...none, agoDays: rounded(agoDays.p50) };
  }
  const path = equalPath(parameter);
  const like = path === undefined ? undefined : propertyPath(path);
  if (like !== undefined && requestsByPath(recording).has(like)) return { ...none, like };
  if (isSecret || values === undefined) return none;
  return { ...none, values: values.heaviest.slice(0, VALUES_MAX).map(({ value }) => value) };
}
