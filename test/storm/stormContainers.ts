/**
 * The containers of a storm and the small world they live in: limits that are met within minutes.
 *
 * One has a rate of its own, one a hierarchical key and autoscale, one unique keys and no long
 * life, and two share the rate of their database.
 */
import { assert } from "../../src/base/assert.ts";
import type { ContainerDefinition } from "../../src/engine/definition/containerDefinition.ts";
import { parseContainerDefinition } from "../../src/engine/definition/containerDefinition.ts";
import type { JsonObject } from "../../src/json/value.ts";
import type { Limits } from "../../src/model/limits.ts";
import { SERVICE_LIMITS } from "../../src/model/limits.ts";
import type { Throughput } from "../../src/model/throughput.ts";

const LIMITS: Limits = {
  ...SERVICE_LIMITS,
  logicalPartitionBytesMax: 7_000,
  physicalPartitionBytesMax: 22_000,
  pageBytesMax: 6_000,
  partitionRateMax: 200,
  burstRateMax: 150,
  burstSecondsMax: 4,
  manualRate: { rateMin: 60, rateStep: 10, ratePerGb: 1, fallMax: 100 },
  autoscaleRate: { rateMin: 100, rateStep: 50, ratePerGb: 1, fallMax: 10 },
  rateMax: 1_000,
};

/** How much room there is, and how many items each client has. */
export interface StormSize {
  readonly limits: Limits;
  readonly itemsPerClient: number;
}

/** In the first partitions are split all the time; in the second that takes many steps. */
export const SIZES: readonly StormSize[] = [
  { limits: LIMITS, itemsPerClient: 22 },
  {
    limits: { ...LIMITS, logicalPartitionBytesMax: 16_000, physicalPartitionBytesMax: 70_000 },
    itemsPerClient: 55,
  },
];

export interface ContainerKind {
  readonly database: string;
  readonly name: string;
  readonly paths: readonly string[];
  readonly throughput: Throughput | undefined;
  readonly hasUniqueKey: boolean;
  /** How likely it is that it is deleted when something about it is changed. */
  readonly deletedShare: number;
}

/** Absent: its containers have rates of their own. */
export const DATABASES: ReadonlyMap<string, Throughput | undefined> = new Map([
  ["own", undefined],
  ["shared", { kind: "manual", ratePerSecond: 150 }],
]);

const LASTING = { paths: ["/pk"], hasUniqueKey: false, deletedShare: 0 };

export const KINDS: readonly ContainerKind[] = [
  { ...LASTING, database: "own", name: "plain", throughput: manual(150) },
  {
    database: "own",
    name: "levels",
    paths: ["/tenant", "/user"],
    throughput: { kind: "autoscale", rateMax: 200, incrementPercent: 50 },
    hasUniqueKey: false,
    deletedShare: 0,
  },
  {
    database: "own",
    name: "brief",
    paths: ["/pk"],
    throughput: manual(100),
    hasUniqueKey: true,
    deletedShare: 0.25,
  },
  { ...LASTING, database: "shared", name: "first", throughput: undefined },
  { ...LASTING, database: "shared", name: "second", throughput: undefined, deletedShare: 0.1 },
];

function manual(ratePerSecond: number): Throughput {
  return { kind: "manual", ratePerSecond };
}

const ALL = { path: "/*" };

/** Under the second and third rows cannot be ordered by `n`. */
export const POLICIES: readonly JsonObject[] = [
  {},
  { includedPaths: [], excludedPaths: [ALL] },
  { includedPaths: [{ path: "/s/?" }], excludedPaths: [ALL] },
  { includedPaths: [{ path: "/n/?" }], excludedPaths: [ALL] },
  { compositeIndexes: [[{ path: "/s" }, { path: "/n", order: "descending" }]] },
];

export function definitionOf(kind: ContainerKind, policy: JsonObject): ContainerDefinition {
  const { name, paths, hasUniqueKey } = kind;
  const isDeep = paths.length > 1;
  const partitionKey = { paths, version: 2, kind: isDeep ? "MultiHash" : "Hash" };
  const uniqueKeyPolicy = { uniqueKeys: [{ paths: ["/u"] }] };
  const body = {
    id: name,
    partitionKey,
    indexingPolicy: policy,
    ...(hasUniqueKey && { uniqueKeyPolicy }),
  };
  const definition = parseContainerDefinition(body, undefined, LIMITS);
  assert(definition.ok, "the definition of a test container is wrong");
  return definition.value;
}
