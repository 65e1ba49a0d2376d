/**
 * A smaller world: limits that a laptop can reach, either all sizes of partitions by one factor or
 * single limits by their names.
 *
 * Invariants
 * - `LIMITS` has one entry for every number in `Limits`, under a name that does not change.
 * - A logical partition fits into a physical one, because a logical partition cannot be split.
 *
 * Proportions are kept. The rate that each stored GB needs rises as sizes fall by the factor, so a
 * full physical partition needs the same rate as in the service. When the rate of a physical
 * partition is changed, the rates of serverless and burst change with it, unless they are named
 * themselves. Rates, items and requests are within reach of a laptop as they are, and change by
 * name only.
 */

import { no, ok, type Result } from "../base/result.ts";
import { BYTE_UNITS, grouped, limitBytesText } from "../base/wording.ts";
import type { Limits, RateLimits } from "./limits.ts";
import { SERVICE_LIMITS } from "./limits.ts";

export interface NamedLimit {
  readonly name: string;
  readonly unit: string;
  readonly place: Place;
  /** The values that the limit can be set to by its name; absent when it cannot be set. */
  readonly range?: { readonly min: number; readonly max: number };
}

/** A limit that differs from that of the service. */
interface ChangedLimit {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  readonly serviceValue: number;
}

type Scalar = Exclude<keyof Limits, "manualRate" | "autoscaleRate">;
type Place = Scalar | readonly ["manualRate" | "autoscaleRate", keyof RateLimits];

const KB = 1024;
const PB: number = 1024 ** 5;
/** Data has to fit on a disk, and rates into what one process can do. */
const PARTITION_BYTES = { min: KB, max: PB };
const RATE_MAX = 1_000_000;

export const LIMITS: readonly NamedLimit[] = [
  { name: "itemBytes", unit: "bytes", place: "itemBytesMax", range: lowered("itemBytesMax", KB) },
  { name: "itemIdBytes", unit: "bytes", place: "itemIdBytesMax" },
  { name: "partitionKeyBytes", unit: "bytes", place: "partitionKeyBytesMax" },
  { name: "nesting", unit: "levels", place: "nestingMax" },
  { name: "ttlSeconds", unit: "s", place: "ttlSecondsMax" },
  {
    name: "requestBytes",
    unit: "bytes",
    place: "requestBytesMax",
    range: lowered("requestBytesMax", 4 * KB),
  },
  { name: "pageBytes", unit: "bytes", place: "pageBytesMax", range: lowered("pageBytesMax", KB) },
  { name: "pageItems", unit: "items", place: "pageItemsMax" },
  {
    name: "patchOperations",
    unit: "operations",
    place: "patchOperationsMax",
    range: lowered("patchOperationsMax", 1),
  },
  {
    name: "batchOperations",
    unit: "operations",
    place: "batchOperationsMax",
    range: lowered("batchOperationsMax", 1),
  },
  { name: "clockSkewMs", unit: "ms", place: "clockSkewMsMax" },
  { name: "tokenSecondsLeast", unit: "s", place: "tokenSecondsMin" },
  { name: "tokenSeconds", unit: "s", place: "tokenSecondsMax" },
  { name: "queryCharacters", unit: "characters", place: "queryCharactersMax" },
  { name: "queryJoins", unit: "JOINs", place: "queryJoinsMax" },
  { name: "queryUdfCalls", unit: "calls", place: "queryUdfCallsMax" },
  { name: "queryAnds", unit: "ANDs", place: "queryAndsMax" },
  { name: "queryOrs", unit: "ORs", place: "queryOrsMax" },
  { name: "queryInItems", unit: "values", place: "queryInItemsMax" },
  { name: "nameCharacters", unit: "characters", place: "nameCharactersMax" },
  { name: "keyLevels", unit: "levels", place: "keyLevelsMax" },
  { name: "uniqueKeys", unit: "keys", place: "uniqueKeysMax" },
  { name: "uniqueKeyPaths", unit: "paths", place: "uniqueKeyPathsMax" },
  { name: "computedProperties", unit: "properties", place: "computedPropertiesMax" },
  { name: "views", unit: "views", place: "viewsMax" },
  { name: "indexedPaths", unit: "paths", place: "indexedPathsMax" },
  { name: "compositeIndexes", unit: "indexes", place: "compositeIndexesMax" },
  { name: "compositePaths", unit: "paths", place: "compositePathsMax" },
  { name: "scriptTimeMs", unit: "ms", place: "scriptTimeMsMax", range: { min: 100, max: 5000 } },
  {
    name: "scriptMemoryBytes",
    unit: "bytes",
    place: "scriptMemoryBytesMax",
    range: { min: 4 * KB * KB, max: KB ** 3 },
  },
  { name: "procedures", unit: "procedures", place: "proceduresMax" },
  { name: "triggers", unit: "triggers", place: "triggersMax" },
  { name: "functions", unit: "functions", place: "functionsMax" },
  { name: "vectorDimensions", unit: "dimensions", place: "vectorDimensionsMax" },
  { name: "flatVectorDimensions", unit: "dimensions", place: "flatVectorDimensionsMax" },
  { name: "quantizationBytes", unit: "bytes", place: "quantizationBytesMax" },
  {
    name: "logicalPartitionBytes",
    unit: "bytes",
    place: "logicalPartitionBytesMax",
    range: PARTITION_BYTES,
  },
  {
    name: "physicalPartitionBytes",
    unit: "bytes",
    place: "physicalPartitionBytesMax",
    range: PARTITION_BYTES,
  },
  {
    name: "partitionRate",
    unit: "RU/s",
    place: "partitionRateMax",
    range: { min: 100, max: RATE_MAX },
  },
  {
    name: "serverlessPartitionRate",
    unit: "RU/s",
    place: "serverlessPartitionRateMax",
    range: { min: 1, max: RATE_MAX },
  },
  { name: "burstRate", unit: "RU/s", place: "burstRateMax", range: { min: 1, max: RATE_MAX } },
  { name: "burstSeconds", unit: "s", place: "burstSecondsMax", range: { min: 1, max: 86_400 } },
  { name: "throughputBuckets", unit: "buckets", place: "throughputBucketsMax" },
  ...rateLimitsNamed("manualRate"),
  ...rateLimitsNamed("autoscaleRate"),
  { name: "provisionedRate", unit: "RU/s", place: "rateMax", range: lowered("rateMax", 1000) },
  {
    name: "sharingContainers",
    unit: "containers",
    place: "sharingContainersMax",
    range: lowered("sharingContainersMax", 1),
  },
  { name: "stalenessWrites", unit: "writes", place: "stalenessWritesMin" },
  { name: "stalenessSeconds", unit: "s", place: "stalenessSecondsMin" },
];

/** Reads a factor from "1/1000", "0.001" or the number. */
export function parseScale(scale: number | string): Result<number, string> {
  const [, dividend, divisor] = /^\s*([\d.]+)\s*(?:\/\s*([\d.]+)\s*)?$/.exec(String(scale)) ?? [];
  const factor = typeof scale === "number" ? scale : Number(dividend) / Number(divisor ?? 1);
  if (factor >= SCALE_MIN && factor <= 1) return ok(factor);
  return no(
    `The scale of the limits is '${scale}'; it must be a fraction such as 1/1000 or 0.001, ` +
      "from 1/1000000 to 1.",
  );
}

/** The smallest factor; below it there would be no room for an item with its system properties. */
const SCALE_MIN = 1e-6;

/**
 * Multiplies the sizes of partitions by the factor; the header says what else follows from that.
 */
export function scaleLimits(limits: Limits, factor: number): Limits {
  const { logicalPartitionBytesMax, physicalPartitionBytesMax, manualRate, autoscaleRate } = limits;
  const rates = (rate: RateLimits): RateLimits => ({ ...rate, ratePerGb: rate.ratePerGb / factor });
  return {
    ...limits,
    logicalPartitionBytesMax: Math.floor(logicalPartitionBytesMax * factor),
    physicalPartitionBytesMax: Math.floor(physicalPartitionBytesMax * factor),
    manualRate: rates(manualRate),
    autoscaleRate: rates(autoscaleRate),
  };
}

/**
 * Returns the limits with those that are named set to other values: `{ logicalPartitionBytes:
 * "20MB" }`.
 */
export function parseLimitOverrides(
  limits: Limits,
  overrides: Readonly<Record<string, number | string>>,
): Result<Limits, string> {
  const named: { [K in Scalar]?: number } = {};
  for (const [name, value] of Object.entries(overrides)) {
    const limit = LIMITS.find((candidate) => candidate.name === name);
    if (limit?.range === undefined || typeof limit.place !== "string") {
      return no(notSettable(name, limit !== undefined));
    }
    const amount = parseAmount(value, limit.unit);
    const { min, max } = limit.range;
    if (amount === undefined || amount < min || amount > max) return no(outOfRange(limit, value));
    named[limit.place] = amount;
  }
  const changed = { ...limits, ...ratesBeside(named.partitionRateMax), ...named };
  const { logicalPartitionBytesMax, physicalPartitionBytesMax } = changed;
  if (logicalPartitionBytesMax <= physicalPartitionBytesMax) return ok(changed);
  return no(
    `logicalPartitionBytes is ${limitText(logicalPartitionBytesMax, "bytes")} and ` +
      `physicalPartitionBytes ${limitText(physicalPartitionBytesMax, "bytes")}: a logical ` +
      "partition lies in one physical partition and must fit into it.",
  );
}

function ratesBeside(partitionRate: number | undefined): Partial<Limits> {
  if (partitionRate === undefined) return {};
  const { partitionRateMax, serverlessPartitionRateMax, burstRateMax } = SERVICE_LIMITS;
  return {
    serverlessPartitionRateMax: (serverlessPartitionRateMax * partitionRate) / partitionRateMax,
    burstRateMax: (burstRateMax * partitionRate) / partitionRateMax,
  };
}

/** Returns the limits that differ from the service's, in the order of `LIMITS`. */
export function changedLimits(limits: Limits): readonly ChangedLimit[] {
  return LIMITS.map(({ name, unit, place }) => ({
    name,
    unit,
    value: limitValue(limits, place),
    serviceValue: limitValue(SERVICE_LIMITS, place),
  })).filter(({ value, serviceValue }) => value !== serviceValue);
}

export function limitValue(limits: Limits, place: Place): number {
  return typeof place === "string" ? limits[place] : limits[place[0]][place[1]];
}

/**
 * Writes a limit for people: bytes in the largest unit of which there is at least one, and all with
 * their unit.
 */
export function limitText(value: number, unit: string): string {
  return unit === "bytes"
    ? limitBytesText(value)
    : `${grouped(Math.round(value * 100) / 100)} ${unit}`;
}

function parseAmount(value: number | string, unit: string): number | undefined {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(String(value));
  if (match === null) return undefined;
  const [, digits, size] = match;
  const power = size === "" ? 0 : BYTE_UNITS.indexOf(size!.toUpperCase());
  if (power === -1 || (power > 0 && unit !== "bytes")) return undefined;
  const amount = Number(digits) * 1024 ** power;
  return power > 0 ? Math.floor(amount) : Number.isInteger(amount) ? amount : undefined;
}

function notSettable(name: string, isKnown: boolean): string {
  const names = LIMITS.filter(({ range }) => range !== undefined).map((limit) => limit.name);
  const problem = isKnown
    ? `The limit '${name}' cannot be changed.`
    : `There is no limit called '${name}'.`;
  return `${problem} These can be: ${names.join(", ")}.`;
}

function outOfRange({ name, unit, range }: NamedLimit, value: number | string): string {
  const bounds = `from ${limitText(range!.min, unit)} to ${limitText(range!.max, unit)}`;
  const form = unit === "bytes" ? "a size such as 20MB or a number of bytes" : "a whole number";
  return `The limit ${name} is '${value}'; it must be ${form}, ${bounds}.`;
}

/**
 * Returns the range of a limit that can only be lowered: the engine accepts no more than the
 * service does.
 */
function lowered(place: Scalar, min: number): NonNullable<NamedLimit["range"]> {
  return { min, max: SERVICE_LIMITS[place] };
}

/** Limits of rates, which cannot be set by name: they follow from each other. */
function rateLimitsNamed(kind: "manualRate" | "autoscaleRate"): readonly NamedLimit[] {
  return [
    { name: `${kind}Min`, unit: "RU/s", place: [kind, "rateMin"] },
    { name: `${kind}Step`, unit: "RU/s", place: [kind, "rateStep"] },
    { name: `${kind}PerGb`, unit: "RU/s per GB", place: [kind, "ratePerGb"] },
    { name: `${kind}Fall`, unit: "times", place: [kind, "fallMax"] },
  ];
}
