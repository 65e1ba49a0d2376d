/**
 * A container while the server runs: its definition, and everything derived from it once instead of
 * on every request. The definition and the partition map are values that are replaced whole; code
 * that needs both as of one moment reads both without suspending in between.
 */
import type { Result } from "../../base/result.ts";
import type { Millis } from "../../base/units.ts";
import type { CompiledPolicy } from "../../index/compiledPolicy.ts";
import { compilePolicy } from "../../index/compiledPolicy.ts";
import type { IndexingPolicy } from "../../index/policy.ts";
import type { JsonObject } from "../../json/value.ts";
import type { Caller } from "../../model/caller.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { BatchRequest, WriteRequest } from "../../model/request/writeRequest.ts";
import type { ChildRidPrefix, Rid } from "../../model/rid.ts";
import { childRidPrefix, containerRid, databaseRid, parseRid } from "../../model/rid.ts";
import type { ProvisionedThroughput } from "../../model/throughput.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { KeyReader } from "../../partition/partitionKeyOf.ts";
import { compileKeyPaths, sameKey } from "../../partition/partitionKeyOf.ts";
import type { PartitionMap } from "../../partition/partitionMap.ts";
import { ownerOfEpk, rangeOfId } from "../../partition/partitionMap.ts";
import type { UserFunction } from "../../query/bind/binding.ts";
import type { ContainerMeter } from "../../statistics/containerMeter.ts";
import type { StoredItem, WriteGroup } from "../../store/partitionStore.ts";
import type { ContainerDefinition } from "../definition/containerDefinition.ts";
import { keepsVersions } from "../definition/containerDefinition.ts";
import { policyInForce } from "../definition/fullTextPolicy.ts";
import type { ItemOutcome } from "../item/itemCommand.ts";
import { isExpired } from "../item/ttl.ts";
import { CollectedPages } from "./collectedPages.ts";
import { ItemPlaces } from "./itemPlaces.ts";
import type { PhysicalPartition } from "./physicalPartition.ts";
import type { Predecessor } from "./predecessors.ts";
import { PreparedQueries } from "./preparedQueries.ts";

const ITEM_RID_CHARACTERS = 24;
/** Number of remembered query ids. Clients send one query in several requests, close together. */
const QUERY_IDS_MAX = 256;

/** The catalogue's record of a container. */
export interface ContainerRecord {
  readonly databaseNumber: number;
  readonly containerNumber: number;
  readonly definition: ContainerDefinition;
  readonly map: PartitionMap;
  /** Absent if the container shares the throughput of its database. */
  readonly throughput: ProvisionedThroughput | undefined;
  /** Former policies under which some items may still be indexed. */
  readonly formerPolicies: readonly IndexingPolicy[];
  /** Number of the format that decides which terms items have under a policy (`index/terms.ts`). */
  readonly indexFormat: number;
  /** Present while items may have end terms of the form before index format 5. */
  readonly hasFormerExpiry?: true;
  /**
   * Present where items were copied from elsewhere. They keep their numbers and time stamps, so own
   * numbers begin with this ordinal, and the log is not in the order of the stamps.
   */
  readonly firstOwnOrdinal?: number;
  /** The containers whose permissions this one has taken over with their name, the oldest first. */
  readonly standsFor?: readonly Predecessor[];
  /** Present while another container has the name and the permissions that this one had. */
  readonly isReplaced?: true;
  readonly etag: string;
  readonly ts: number;
}

/** What requests mean that go by the key of the container that had the name before. */
export interface FormerKey {
  readonly old: Container;
  /** False where the old container stays as it was at the switch. */
  readonly isFollowed: boolean;
  /** Resolves when the old container has everything that was written until the call. */
  caughtUp(): Promise<boolean>;
  /** Requests in terms of the old key, by the program that sent them. */
  readonly counts: ReadonlyMap<string, number>;
  /** Counts a request in terms of the old key. */
  note(program?: string): void;
  /** The key that an item has now; `undefined` if there is no such item. */
  keyNowOf(oldKey: PartitionKey, id: string): Promise<PartitionKey | undefined>;
  /** True if a key, or the beginning of one, means something in the old container only. */
  isOldKey(key: PartitionKey): Promise<boolean>;
  /** The same request in terms of the key of now. */
  translated(
    request: WriteRequest,
    terms: {
      /** Who sent it. */
      readonly program?: string | undefined;
      /** False if the request cannot be one that gives an item another key. */
      readonly mayMove: boolean;
    },
  ): Promise<Result<TranslatedWrite, Refusal>>;
  /** Does what was translated into a write of an item that is under another key. */
  move(write: TranslatedWrite, caller: Caller): Promise<ItemOutcome>;
  /** The same batch in terms of the key of now, if it is one there. */
  translatedBatch<One extends BatchRequest>(
    key: PartitionKey,
    operations: readonly One[],
    program?: string,
  ): Promise<Result<TranslatedBatch<One>, Refusal>>;
}

export interface TranslatedWrite {
  readonly request: WriteRequest;
  /** Where the item is that the request gives another key. */
  readonly leaves?: { readonly key: PartitionKey; readonly id: string } | undefined;
}

export interface TranslatedBatch<One extends BatchRequest> {
  readonly key: PartitionKey;
  readonly operations: readonly One[];
}

/** A container that is written by a job, or was, and not by clients. */
interface Closure {
  readonly refusal: Refusal;
  /** The container that has just taken over the name of this one. */
  readonly movedTo?: Container | undefined;
}

/** What a lifecycle sees to in its hot container. */
export interface ContainerGuard {
  /** Whether an item stays though its time is over. Asked only of such items. */
  holds(item: StoredItem): boolean;
  /** Whatever changes the answers of `holds`, other than a write of the item, changes this. */
  readonly terms: object;
  /** Told of every commit, without suspending after it, and before its writers are answered. */
  note(groups: readonly WriteGroup[]): void;
}

export class Container {
  readonly rid: Rid;
  readonly databaseId: string;
  readonly databaseRid: Rid;
  readonly childRids: ChildRidPrefix;
  /** The beginning of every item's self link. */
  readonly itemSelfPrefix: string;
  readonly readKey: KeyReader;
  readonly meter: ContainerMeter | undefined;
  readonly queries: PreparedQueries = new PreparedQueries();
  readonly collected: CollectedPages = new CollectedPages();
  readonly places: ItemPlaces = new ItemPlaces();
  /** Physical partitions by range id, in key order. The catalogue adds and removes them. */
  readonly partitions: Map<string, PhysicalPartition> = new Map<string, PhysicalPartition>();
  #record: ContainerRecord;
  #policy: CompiledPolicy;
  #keepsVersions: boolean;
  #formerPolicies: readonly CompiledPolicy[];
  #functions: ReadonlyMap<string, UserFunction> = new Map();
  #reindexedCount = 0;
  #queryCount = 0;
  readonly #recentQueryIds = new Set<string>();
  #crossPartitionQueryCount = 0;
  #isDeleted = false;
  #link: string;
  /** Why clients may not write at present, and where they may; see `closeToClients`. */
  #closure: Closure | undefined;
  /** Why they never may. */
  readonly #ownClosure: Closure | undefined;

  /** Without a meter, no load is counted. */
  constructor(databaseId: string, record: ContainerRecord, meter?: ContainerMeter) {
    const { databaseNumber, containerNumber, definition } = record;
    this.rid = containerRid(databaseNumber, containerNumber);
    this.databaseId = databaseId;
    this.databaseRid = databaseRid(databaseNumber);
    this.childRids = childRidPrefix(databaseNumber, containerNumber);
    this.itemSelfPrefix = `dbs/${this.databaseRid}/colls/${this.rid}/docs/`;
    this.readKey = compileKeyPaths(definition.partitionKey);
    this.meter = meter;
    this.#record = record;
    this.#ownClosure = closureOf(definition);
    this.#link = linkOf(databaseId, definition.id);
    this.#policy = compilePolicy(policyInForce(definition));
    this.#keepsVersions = keepsVersions(definition);
    this.#formerPolicies = record.formerPolicies.map((policy) => compilePolicy(policy));
  }

  get record(): ContainerRecord {
    return this.#record;
  }

  get definition(): ContainerDefinition {
    return this.#record.definition;
  }

  /** The link made of names, each safe in a header; SDKs keep session tokens under it. */
  get link(): string {
    return this.#link;
  }

  /**
   * True if everything was dropped before it was made, unseen by clients: they may know later
   * states of a container that had its name than it has.
   */
  isAfterReset = false;

  /** Present while the container is the hot one of a lifecycle. */
  guard: ContainerGuard | undefined;

  /** Present while clients may still go by the key of the container that had the name before. */
  former: FormerKey | undefined;

  /**
   * True if the container was made as the copy of another one. Then it has none of the other's
   * range ids, not even the first one of all.
   */
  get isCopy(): boolean {
    return this.#record.firstOwnOrdinal !== undefined && rangeOfId(this.map, "0") === undefined;
  }

  /** Why clients may not write to the container at present; `undefined` when they may. */
  get closedFor(): Refusal | undefined {
    return this.closure?.refusal;
  }

  get closure(): Closure | undefined {
    return this.#closure ?? this.#ownClosure;
  }

  /** The container that takes what this one refuses, because its name has moved meanwhile. */
  movedToBy(refusal: Refusal): Container | undefined {
    return refusal.kind === "nameMoved" ? this.#closure?.movedTo : undefined;
  }

  /**
   * Refuses the writes of clients from now on, or takes them again if there is no closure; a view
   * never takes them. Copies, and the removal of what has expired, go on.
   */
  closeToClients(closure: Closure | undefined): void {
    this.#closure = closure;
  }

  /** True when items can expire. */
  get hasTtl(): boolean {
    return this.#record.definition.defaultTtl !== undefined;
  }

  /** True if the item has not expired at that time, in ms since 1970, or is held beyond its end. */
  isLive(item: StoredItem, wallNow: number): boolean {
    const isOver = isExpired(item, this.definition.defaultTtl, wallNow);
    return !isOver || this.guard?.holds(item) === true;
  }

  get map(): PartitionMap {
    return this.#record.map;
  }

  /** The physical partition that owns a key. */
  ownerOf(epk: Epk): PhysicalPartition {
    return this.partitions.get(ownerOfEpk(this.map, epk).id)!;
  }

  /**
   * Tells whether an item that was found by the EPK of a key belongs to that key. Different keys
   * can have the same EPK: old definitions hash only the beginning of a key, and for the other
   * definitions anybody can compute a second key with the same hash.
   */
  isOfKey(item: JsonObject, key: PartitionKey): boolean {
    const own = this.readKey(item);
    return own.ok && sameKey(own.value, key);
  }

  get policy(): CompiledPolicy {
    return this.#policy;
  }

  /** Former policies under which some items may still be indexed. */
  get formerPolicies(): readonly CompiledPolicy[] {
    return this.#formerPolicies;
  }

  /** True while items may have end terms of the form before index format 5. */
  get hasFormerExpiry(): boolean {
    return this.#record.hasFormerExpiry === true;
  }

  /** True when the container keeps versions for the feed of all versions and deletes. */
  get keepsVersions(): boolean {
    return this.#keepsVersions;
  }

  /** User-defined functions, by name. */
  get functions(): ReadonlyMap<string, UserFunction> {
    return this.#functions;
  }

  /**
   * Takes over functions that the catalogue has made durable. Forgets prepared queries, which were
   * bound to the former functions.
   */
  setFunctions(functions: ReadonlyMap<string, UserFunction>): void {
    this.#functions = functions;
    this.queries.clear();
    this.collected.clear();
  }

  /** How much of the container is indexed under its own policy, in percent. */
  get indexProgress(): number {
    if (this.#formerPolicies.length === 0) return 100;
    let itemCount = 0;
    for (const { head } of this.partitions.values()) itemCount += head.itemCount;
    return itemCount === 0 ? 0 : Math.min(99, Math.floor((100 * this.#reindexedCount) / itemCount));
  }

  /** Sets the number of items that have been indexed anew since the last change of policy. */
  noteReindexed(itemCount: number): void {
    this.#reindexedCount = itemCount;
  }

  /**
   * Counts a query on `partitionCount` physical partitions; requests with the same query id count
   * once.
   */
  noteQuery(partitionCount: number, now: Millis, queryId?: string): void {
    if (queryId !== undefined) {
      if (this.#recentQueryIds.has(queryId)) return;
      this.#recentQueryIds.add(queryId);
      const [oldest] = this.#recentQueryIds;
      if (this.#recentQueryIds.size > QUERY_IDS_MAX) this.#recentQueryIds.delete(oldest!);
    }
    this.#queryCount++;
    if (partitionCount > 1) this.#crossPartitionQueryCount++;
    this.meter?.noteQuery(partitionCount, now);
  }

  /** Counts since the server was started. */
  get queryTotals(): { readonly queryCount: number; readonly crossPartitionQueryCount: number } {
    const crossPartitionQueryCount = this.#crossPartitionQueryCount;
    return { queryCount: this.#queryCount, crossPartitionQueryCount };
  }

  /** True once the container is deleted: writes that still wait must not be acknowledged. */
  get isDeleted(): boolean {
    return this.#isDeleted;
  }

  /** Returns the item number in a text that is the rid of an item of this container. */
  itemNumberIn(text: string): number | undefined {
    if (text.length !== ITEM_RID_CHARACTERS || !text.endsWith("==")) return undefined;
    const rid = parseRid(text);
    if (rid?.kind !== "item") return undefined;
    const { databaseNumber, containerNumber } = this.#record;
    const isOurs = rid.database === databaseNumber && rid.container === containerNumber;
    return isOurs ? rid.child : undefined;
  }

  /** Takes over a record that the catalogue has made durable. */
  become(record: ContainerRecord): void {
    if (record.formerPolicies !== this.#record.formerPolicies) this.#reindexedCount = 0;
    this.#record = record;
    this.#link = linkOf(this.databaseId, record.definition.id);
    this.queries.clear();
    this.collected.clear();
    this.#policy = compilePolicy(policyInForce(record.definition));
    this.#keepsVersions = keepsVersions(record.definition);
    this.#formerPolicies = record.formerPolicies.map((policy) => compilePolicy(policy));
  }

  markDeleted(): void {
    this.#isDeleted = true;
  }
}

function linkOf(databaseId: string, containerId: string): string {
  return `dbs/${encodeURI(databaseId)}/colls/${encodeURI(containerId)}`;
}

function closureOf({ view }: ContainerDefinition): Closure | undefined {
  if (view === undefined) return undefined;
  const message =
    `The container is a view of '${view.sourceCollectionId}', from which the server fills it. ` +
    "Clients read it; they write to the source.";
  return { refusal: { kind: "forbidden", message } };
}
