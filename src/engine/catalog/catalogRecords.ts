/**
 * The catalogue on disk: items of part 0, one per database, container and other resource, and one
 * for the counters that give out numbers. Records are JSON; each names its kind and format, so that
 * a newer one is recognised instead of misread.
 */
import { INDEX_FORMAT } from "../../index/terms.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import type { Rid } from "../../model/rid.ts";
import type { ProvisionedThroughput, Throughput } from "../../model/throughput.ts";
import { provisioned } from "../../model/throughput.ts";
import type { PartitionMap } from "../../partition/partitionMap.ts";
import { decodeMap, encodeMap, initialMap } from "../../partition/partitionMap.ts";
import type { ItemDelete, ItemPut, StoredItem } from "../../store/partitionStore.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import type { ContainerDefinition } from "../definition/containerDefinition.ts";
import { policyInForce } from "../definition/fullTextPolicy.ts";
import type { JobChange, JobRecord } from "../jobs/jobRecord.ts";
import type { Container, ContainerRecord } from "../partition/container.ts";
import { Database } from "./database.ts";
import type { ResourceRecord } from "./resourceRecords.ts";

export const CATALOG_PART = 0;
const FORMAT = 1;
/** The last index format without the words of full-text indexes; it lacks nothing else. */
const BEFORE_WORDS = 3;
/** The last index format with the older terms for the ends of items; the rest is as today. */
const BEFORE_OWN_ENDS = 4;
/** The format of resources: older versions would leave them behind when their owner goes. */
const RESOURCE_FORMAT = 2;
/** The format of views: older versions would let clients write to them, and not fill them. */
const VIEW_FORMAT = 3;
const FORMATS: readonly unknown[] = [FORMAT, RESOURCE_FORMAT, VIEW_FORMAT];

export interface DatabaseRecord {
  readonly databaseNumber: number;
  readonly id: string;
  /** What containers without throughput of their own share. */
  readonly throughput: ProvisionedThroughput | undefined;
  readonly etag: string;
  readonly ts: number;
}

/** The next number of each kind; a number is never given twice. */
export interface Counters {
  readonly part: number;
  readonly database: number;
  readonly container: number;
  /** Users, permissions, scripts and keys are counted together. */
  readonly resource: number;
}

export const FIRST_COUNTERS: Counters = { part: 1, database: 1, container: 1, resource: 1 };

export type CatalogRecord =
  | { readonly kind: "database"; readonly database: DatabaseRecord }
  | { readonly kind: "container"; readonly container: ContainerRecord }
  | { readonly kind: "resource"; readonly resource: ResourceRecord }
  /** A version that knows nothing of jobs leaves them alone, and the next one goes on with them. */
  | { readonly kind: "job"; readonly job: JobRecord }
  | { readonly kind: "counters"; readonly counters: Counters }
  /** The time of the database, in milliseconds since 1970: it does not go back over a restart. */
  | { readonly kind: "time"; readonly time: number }
  /** The secret that signs cursors, in base64. */
  | { readonly kind: "cursorKey"; readonly cursorKey: string };

/** The key under which part 0 holds a record. */
export function catalogKey(record: CatalogRecord): string {
  switch (record.kind) {
    case "database":
      return `database ${record.database.databaseNumber}`;
    case "container":
      return `container ${record.container.containerNumber}`;
    case "resource":
      return `resource ${record.resource.number}`;
    case "job":
      return `job ${record.job.job.id}`;
    case "counters":
      return "counters";
    case "time":
      return "time";
    case "cursorKey":
      return "cursor key";
  }
}

/** `held` is what there is under the record's key; a new record takes the next number. */
export function catalogPut(
  record: CatalogRecord,
  held: StoredItem | undefined,
  nextNumber: number,
): ItemPut {
  return {
    kind: "put",
    key: catalogKey(record),
    number: held?.number ?? nextNumber,
    tag: 0,
    body: encodeCatalogRecord(record),
    before: held && { lsn: held.lsn, bodyBytes: held.body.length },
    termsAdded: [],
    termsRemoved: [],
  };
}

export function catalogRemoval({ key, number, lsn, body }: StoredItem): ItemDelete {
  const before = { lsn, bodyBytes: body.length };
  return { kind: "delete", key, number, tag: 0, before, termsRemoved: [] };
}

function encodeCatalogRecord(record: CatalogRecord): Buffer {
  const body: JsonValue = {
    format: formatOf(record),
    kind: record.kind,
    ...membersOf(record),
  };
  return Buffer.from(JSON.stringify(body));
}

function formatOf(record: CatalogRecord): number {
  if (record.kind === "resource") return RESOURCE_FORMAT;
  const isView = record.kind === "container" && record.container.definition.view !== undefined;
  return isView ? VIEW_FORMAT : FORMAT;
}

function membersOf(record: CatalogRecord): object {
  if (record.kind === "database") return { database: record.database };
  if (record.kind === "resource") return { resource: record.resource };
  if (record.kind === "job") return { job: record.job };
  if (record.kind === "counters") return { counters: record.counters };
  if (record.kind === "time") return { time: record.time };
  if (record.kind === "cursorKey") return { cursorKey: record.cursorKey };
  return { container: { ...record.container, map: encodeMap(record.container.map) } };
}

/** Reads what `encodeCatalogRecord` wrote; anything else is damage or a newer version's. */
export function decodeCatalogRecord(body: Buffer): CatalogRecord {
  const record = JSON.parse(body.toString("utf8")) as JsonObject;
  if (!FORMATS.includes(record["format"])) {
    throw new StoreFault(
      `the catalogue has format ${JSON.stringify(record["format"])}; this version reads ` +
        `${FORMATS.join(", ")}. Open the data directory with the version that wrote it.`,
    );
  }
  if (record["kind"] === "counters") {
    // Before there were resources nothing counted them.
    const counters = { ...FIRST_COUNTERS, ...(record["counters"] as unknown as Counters) };
    return { kind: "counters", counters };
  }
  if (record["kind"] !== "container") return record as unknown as CatalogRecord;
  const stored = record["container"] as unknown as Omit<ContainerRecord, "map"> & {
    readonly definition: ContainerDefinition;
    readonly map: JsonValue;
  };
  return { kind: "container", container: indexedToday({ ...stored, map: mapOf(stored.map) }) };
}

/** If the items have terms of an older format, the policy counts as one they were indexed by. */
function indexedToday(container: ContainerRecord): ContainerRecord {
  if (container.indexFormat === INDEX_FORMAT) return container;
  const policy = policyInForce(container.definition);
  const today = { ...container, indexFormat: INDEX_FORMAT, hasFormerExpiry: true as const };
  const { indexFormat } = container;
  const isWithoutWords = indexFormat === BEFORE_WORDS && policy.fullTextIndexes === undefined;
  if (indexFormat === BEFORE_OWN_ENDS || isWithoutWords) return today;
  return { ...today, formerPolicies: [...container.formerPolicies, policy] };
}

/** Which ordinals a container leaves to the one that it is filled from. */
interface CopyOrdinals {
  /** No range id is the same in both. */
  readonly firstRangeId: number;
  /** No item of one has the number of another item of the other. */
  readonly firstOwnOrdinal: number;
}

/** What a new container starts with, besides its definition. */
export interface NewContainer {
  readonly partitionCount?: number;
  readonly throughput: Throughput | undefined;
  /** Of a container that a job fills with copies; the job is recorded in the same commit. */
  readonly copies?: {
    readonly ordinals: CopyOrdinals;
    recordedWith(rid: Rid): JobChange;
  };
}

/** The record of a new container, with a physical partition for each of the parts. */
export function newContainerRecord(
  database: Database,
  definition: ContainerDefinition,
  made: {
    readonly containerNumber: number;
    readonly parts: readonly number[];
    readonly throughput: ProvisionedThroughput | undefined;
    readonly stamp: { readonly etag: string; readonly ts: number };
    /** Of a container that is to be filled with copies. */
    readonly ordinals?: CopyOrdinals | undefined;
  },
): ContainerRecord {
  const { containerNumber, parts, throughput, stamp, ordinals } = made;
  // The rows of a view have the numbers of their items, and it has none of its own.
  const first = definition.view === undefined ? undefined : 0;
  const { firstRangeId = 0, firstOwnOrdinal = first } = ordinals ?? {};
  return {
    databaseNumber: database.record.databaseNumber,
    containerNumber,
    definition,
    map: initialMap(definition.partitionKey, parts.length, parts, firstRangeId),
    throughput,
    formerPolicies: [],
    indexFormat: INDEX_FORMAT,
    ...(firstOwnOrdinal !== undefined && { firstOwnOrdinal }),
    ...stamp,
  };
}

/** The record of an owner with other throughput, and how the owner takes it over. */
export function withThroughput(
  owner: Database | Container,
  throughput: ProvisionedThroughput,
): { readonly record: CatalogRecord; become(): void } {
  if (owner instanceof Database) {
    const database = { ...owner.record, throughput };
    return { record: { kind: "database", database }, become: () => owner.become(database) };
  }
  const container = { ...owner.record, throughput };
  return { record: { kind: "container", container }, become: () => owner.become(container) };
}

/** Adds to a record of an older version what such records do not say of throughput. */
export function ratedToday<R extends DatabaseRecord | ContainerRecord>(
  record: R,
  own: Throughput | undefined = record.throughput,
): R {
  if (own === undefined || record.throughput?.rateMaxEver !== undefined) return record;
  return { ...record, throughput: provisioned(own, undefined, record) };
}

function mapOf(json: JsonValue): PartitionMap {
  const map = decodeMap(json);
  if (!map.ok) throw new StoreFault(`the catalogue is damaged: ${map.error}`);
  return map.value;
}
