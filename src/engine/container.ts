/**
 * A container while the server runs: its definition, and everything derived from it once instead
 * of on every request. The definition and the partition map are values that are replaced whole;
 * whoever needs both at one moment reads them from here without suspending in between.
 */
import type { CompiledPolicy } from "../index/compiledPolicy.ts";
import { compilePolicy } from "../index/compiledPolicy.ts";
import type { IndexingPolicy } from "../index/policy.ts";
import type { ChildRidPrefix, Rid } from "../model/rid.ts";
import { childRidPrefix, containerRid, databaseRid, parseRid } from "../model/rid.ts";
import type { ProvisionedThroughput } from "../model/throughput.ts";
import type { KeyReader } from "../partition/partitionKeyOf.ts";
import { compileKeyPaths } from "../partition/partitionKeyOf.ts";
import type { PartitionMap } from "../partition/partitionMap.ts";
import { CollectedPages } from "./collectedPages.ts";
import type { ContainerDefinition } from "./containerDefinition.ts";
import type { PhysicalPartition } from "./physicalPartition.ts";
import { PreparedQueries } from "./preparedQueries.ts";

const ITEM_RID_CHARACTERS = 24;

/** What the catalogue remembers of a container. */
export interface ContainerRecord {
  readonly databaseNumber: number;
  readonly containerNumber: number;
  readonly definition: ContainerDefinition;
  readonly map: PartitionMap;
  /** Absent if it shares that of its database. */
  readonly throughput: ProvisionedThroughput | undefined;
  /** Policies under which items may still be indexed. */
  readonly formerPolicies: readonly IndexingPolicy[];
  /** Which terms items have under a policy (`index/terms.ts`). */
  readonly indexFormat: number;
  readonly etag: string;
  readonly ts: number;
}

export class Container {
  readonly rid: Rid;
  readonly databaseRid: Rid;
  readonly childRids: ChildRidPrefix;
  /** By names, each safe in a header: what SDKs keep session tokens under. */
  readonly link: string;
  /** What the self link of every item starts with. */
  readonly itemSelfPrefix: string;
  readonly readKey: KeyReader;
  readonly queries: PreparedQueries = new PreparedQueries();
  readonly collected: CollectedPages = new CollectedPages();
  /** By range id. Filled and emptied by the catalogue. */
  readonly partitions: Map<string, PhysicalPartition> = new Map<string, PhysicalPartition>();
  #record: ContainerRecord;
  #policy: CompiledPolicy;
  #formerPolicies: readonly CompiledPolicy[];
  #reindexedCount = 0;
  #isDeleted = false;

  constructor(databaseId: string, record: ContainerRecord) {
    const { databaseNumber, containerNumber, definition } = record;
    this.rid = containerRid(databaseNumber, containerNumber);
    this.databaseRid = databaseRid(databaseNumber);
    this.childRids = childRidPrefix(databaseNumber, containerNumber);
    const names = [databaseId, definition.id].map(encodeURI);
    this.link = `dbs/${names[0]}/colls/${names[1]}`;
    this.itemSelfPrefix = `dbs/${this.databaseRid}/colls/${this.rid}/docs/`;
    this.readKey = compileKeyPaths(definition.partitionKey);
    this.#record = record;
    this.#policy = compilePolicy(definition.indexingPolicy);
    this.#formerPolicies = record.formerPolicies.map((policy) => compilePolicy(policy));
  }

  get record(): ContainerRecord {
    return this.#record;
  }

  get definition(): ContainerDefinition {
    return this.#record.definition;
  }

  get map(): PartitionMap {
    return this.#record.map;
  }

  get policy(): CompiledPolicy {
    return this.#policy;
  }

  /** Those under which items may still be indexed. */
  get formerPolicies(): readonly CompiledPolicy[] {
    return this.#formerPolicies;
  }

  /** How much of the container is indexed under its own policy, in percent. */
  get indexProgress(): number {
    if (this.#formerPolicies.length === 0) return 100;
    let itemCount = 0;
    for (const { head } of this.partitions.values()) itemCount += head.itemCount;
    return itemCount === 0 ? 0 : Math.min(99, Math.floor((100 * this.#reindexedCount) / itemCount));
  }

  /** Items that have been indexed anew since this was last begun. */
  noteReindexed(itemCount: number): void {
    this.#reindexedCount = itemCount;
  }

  /** Writes still waiting when a container is deleted must not be acknowledged. */
  get isDeleted(): boolean {
    return this.#isDeleted;
  }

  /** The item number that a text gives if it is the rid of an item of this container. */
  itemNumberIn(text: string): number | undefined {
    if (text.length !== ITEM_RID_CHARACTERS || !text.endsWith("==")) return undefined;
    const rid = parseRid(text);
    if (rid?.kind !== "item") return undefined;
    const { databaseNumber, containerNumber } = this.#record;
    const isOurs = rid.database === databaseNumber && rid.container === containerNumber;
    return isOurs ? rid.child : undefined;
  }

  /** Takes over a record the catalogue has made durable. */
  become(record: ContainerRecord): void {
    if (record.formerPolicies !== this.#record.formerPolicies) this.#reindexedCount = 0;
    this.#record = record;
    this.queries.clear();
    this.collected.clear();
    this.#policy = compilePolicy(record.definition.indexingPolicy);
    this.#formerPolicies = record.formerPolicies.map((policy) => compilePolicy(policy));
  }

  markDeleted(): void {
    this.#isDeleted = true;
  }
}
