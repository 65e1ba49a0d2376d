/**
 * The catalogue: which databases and containers there are, and what else they own. It owns them
 * all, and it is the one writer of part 0.
 *
 * Changes run one after the other. Each is committed first and only then applied in memory, without
 * suspending in between, so nobody ever sees a container that a power cut could take back. The
 * parts of a new container are claimed before the container is recorded and dropped after it is
 * forgotten; a crash in between leaves parts that no container names, and opening drops them.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Clock, Random, Timer } from "../../base/world.ts";
import type { IndexingPolicy } from "../../index/policy.ts";
import type { Consistency } from "../../model/consistency.ts";
import type { Limits } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import { databaseRid } from "../../model/rid.ts";
import type {
  ProvisionedThroughput,
  RateSetting,
  Throughput,
  ThroughputStamp,
} from "../../model/throughput.ts";
import { provisioned } from "../../model/throughput.ts";
import type { PartitionStore } from "../../store/partitionStore.ts";
import type { ContainerDefinition } from "../definition/containerDefinition.ts";
import { AcceptedJobs } from "../jobs/jobBook.ts";
import { oneAfterAnother } from "../jobs/turns.ts";
import type { Container, ContainerRecord } from "../partition/container.ts";
import type { ReshapingSetting } from "../reshape/reshaping.ts";
import { Reshaping } from "../reshape/reshaping.ts";
import { neededCount, Scaling, usersOf } from "../reshape/scaling.ts";
import { STATISTICS_PART } from "../upkeep/keptStatistics.ts";
import { formerPoliciesOf, Reindexing, withoutFormer } from "../upkeep/reindex.ts";
import { Allotting } from "./allotting.ts";
import { CatalogFile } from "./catalogFile.ts";
import { CatalogNotes } from "./catalogNotes.ts";
import type { DatabaseRecord } from "./catalogRecords.ts";
import { CATALOG_PART, newContainerRecord, ratedToday, withThroughput } from "./catalogRecords.ts";
import { Database } from "./database.ts";
import { openContainer } from "./opening.ts";
import { numbersFrom, Parts } from "./parts.ts";
import { Resources } from "./resources.ts";
import { Stamps } from "./stamps.ts";
import type { SuccessionSetting } from "./succession.ts";
import { replacePartitions } from "./succession.ts";
import { keepingVersions } from "./versionKeeping.ts";

export interface CatalogSetting {
  readonly store: PartitionStore;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly random: Random;
  readonly limits: Limits;
  /** Nothing is limited when absent. */
  readonly rates?: RateSetting | undefined;
  /** What reads are promised, and priced by; session when absent. */
  readonly consistency?: Consistency | undefined;
  /** Whether load is counted. */
  readonly hasStatistics?: boolean | undefined;
  /** Whether what was counted survives a restart. */
  readonly isKept?: boolean | undefined;
}

export class Catalog {
  readonly #setting: CatalogSetting;
  /** Of every part that this process writes. */
  readonly epoch: number;
  readonly #databases = new Map<string, Database>();
  /** Names and rids of databases and containers share no key: rids of both kinds differ. */
  readonly #databaseByRid = new Map<string, Database>();
  readonly #containerByRid = new Map<string, Container>();
  readonly #file: CatalogFile;
  readonly #parts: Parts;
  readonly #succession: SuccessionSetting;
  readonly #stamps: Stamps;
  readonly #reindexing: Reindexing;
  readonly #accepted: AcceptedJobs;
  readonly allotting: Allotting;
  readonly #scaling: Scaling;
  /** Splits and merges. */
  readonly reshaping: Reshaping;
  /** Users, permissions, scripts and keys. */
  readonly resources: Resources;
  readonly notes: CatalogNotes;
  readonly #inOrder = oneAfterAnother();

  private constructor(setting: CatalogSetting, epoch: number) {
    this.#setting = setting;
    this.epoch = epoch;
    this.#file = new CatalogFile(setting.store, epoch);
    this.#parts = new Parts(setting.store, epoch);
    this.#stamps = new Stamps(setting);
    this.notes = new CatalogNotes(this.#file, this.#inOrder);
    this.resources = new Resources({
      ...setting,
      file: this.#file,
      stamps: this.#stamps,
      inOrder: this.#inOrder,
      containerByRid: (rid) => this.#containerByRid.get(rid),
    });
    this.#reindexing = new Reindexing({ ...setting, finish: this.#finishReindex });
    this.allotting = new Allotting({ ...setting, databaseOf: (held) => this.databaseOf(held) });
    this.#accepted = new AcceptedJobs({ file: this.#file, inOrder: this.#inOrder });
    this.reshaping = new Reshaping({
      ...setting,
      epoch,
      accepted: this.#accepted,
      neededCount: (container) =>
        neededCount(this.databaseOf(container), container, setting.limits),
      claimParts: this.#claimParts,
      dropParts: this.#parts.drop,
      replacePartitions: this.#replacePartitions,
    });
    this.#succession = {
      ...setting,
      epoch,
      file: this.#file,
      parts: this.#parts,
      allotting: this.allotting,
      nextEtag: this.#stamps.nextEtag,
      onOvergrown: this.reshaping.splitOvergrown,
    };
    this.#scaling = new Scaling({ ...setting, catalog: this });
  }

  /** Takes over every part of the store: from here on this process is their only writer. */
  static async open(setting: CatalogSetting): Promise<Catalog> {
    const epoch = ((await setting.store.head(CATALOG_PART))?.epoch ?? 0) + 1;
    const catalog = new Catalog(setting, epoch);
    await setting.store.claim(CATALOG_PART, epoch);
    await catalog.#load();
    await catalog.#dropOrphans();
    catalog.reshaping.resume((rid) => catalog.#containerByRid.get(rid));
    for (const database of catalog.databases()) catalog.#scaling.start(database);
    for (const container of catalog.#containerByRid.values()) {
      catalog.#reindexing.start(container);
      catalog.#scaling.start(container);
      catalog.reshaping.splitAllOvergrown(container);
    }
    return catalog;
  }

  databases(): readonly Database[] {
    return [...this.#databases.values()];
  }

  containers(): readonly Container[] {
    return [...this.#containerByRid.values()];
  }

  /** By name, or by rid. */
  database(nameOrRid: string): Database | undefined {
    return this.#databases.get(nameOrRid) ?? this.#databaseByRid.get(nameOrRid);
  }

  container(database: string, nameOrRid: string): Container | undefined {
    const byName = this.database(database)?.containers.get(nameOrRid);
    if (byName !== undefined) return byName;
    const byRid = this.#containerByRid.get(nameOrRid);
    return byRid !== undefined && this.database(database)?.rid === byRid.databaseRid
      ? byRid
      : undefined;
  }

  databaseOf(container: Container): Database {
    return this.#databaseByRid.get(container.databaseRid)!;
  }

  createDatabase(
    id: string,
    throughput: Throughput | undefined,
  ): Promise<Result<Database, Refusal>> {
    return this.#inOrder(async () => {
      if (this.#databases.has(id)) return no({ kind: "idTaken" });
      const databaseNumber = this.#file.counters.database;
      const stamp = this.#stamps.next();
      const rated = throughput && provisioned(throughput, undefined, stamp);
      const record = { databaseNumber, id, throughput: rated, ...stamp };
      const counters = { ...this.#file.counters, database: databaseNumber + 1 };
      await this.#file.commit([
        { kind: "database", database: record },
        { kind: "counters", counters },
      ]);
      this.#file.counters = counters;
      return ok(this.#addDatabase(record));
    });
  }

  deleteDatabase(database: Database): Promise<Result<void, Refusal>> {
    return this.#inOrder(async () => {
      if (this.#databases.get(database.record.id) !== database) return no({ kind: "notFound" });
      const containers = [...database.containers.values()];
      await this.#file.commit(
        [],
        [
          { kind: "database", database: database.record },
          ...containers.map(({ record }) => ({ kind: "container", container: record }) as const),
          ...this.resources.recordsUnder([database, ...containers]),
        ],
      );
      this.resources.forgetUnder([database]);
      this.#databases.delete(database.record.id);
      this.#databaseByRid.delete(database.rid);
      database.markDeleted();
      for (const container of containers) this.#forget(database, container);
      await this.#dropPartsOf(containers);
      return ok(undefined);
    });
  }

  /** It starts with as many physical partitions as its rate needs, or with more if told so. */
  createContainer(
    database: Database,
    definition: ContainerDefinition,
    provisioning: { readonly partitionCount?: number; readonly throughput: Throughput | undefined },
  ): Promise<Result<Container, Refusal>> {
    return this.#inOrder(async () => {
      if (this.#databases.get(database.record.id) !== database) {
        return no({ kind: "ownerNotFound" });
      }
      if (database.containers.has(definition.id)) return no({ kind: "idTaken" });
      const throughput = database.throughputFor(provisioning.throughput, this.#setting);
      const refusal = throughput ? undefined : database.sharingRefusal(definition, this.#setting);
      if (refusal !== undefined) return no(refusal);
      const neededCount = database.partitionCountFor(throughput, this.#setting);
      const partitionCount = Math.max(neededCount, provisioning.partitionCount ?? 1);
      const stamp = this.#stamps.next();
      const { part: firstPart, container: containerNumber } = this.#file.counters;
      const parts = numbersFrom(firstPart, partitionCount);
      const record = newContainerRecord(database, definition, {
        containerNumber,
        parts,
        throughput: throughput && provisioned(throughput, undefined, stamp),
        stamp,
      });
      const counters = {
        ...this.#file.counters,
        part: firstPart + partitionCount,
        container: containerNumber + 1,
      };
      // Numbers are spent even if the commit fails: a part must never be claimed by two.
      this.#file.counters = counters;
      await this.#parts.claim(parts);
      await this.#file.commit([
        { kind: "container", container: record },
        { kind: "counters", counters },
      ]);
      return ok(await this.#addContainer(database, record));
    });
  }

  replaceContainer(
    container: Container,
    definition: ContainerDefinition,
  ): Promise<Result<Container, Refusal>> {
    return this.#inOrder(async () => {
      if (container.isDeleted) return no({ kind: "notFound" });
      const database = this.databaseOf(container);
      const refusal = database.sharingRefusal(definition, this.#setting, container);
      if (refusal !== undefined) return no(refusal);
      const formerPolicies = formerPoliciesOf(container.record, definition);
      const record = { ...container.record, definition, formerPolicies, ...this.#stamps.next() };
      await keepingVersions(container, definition, async () => {
        await this.#file.commit([{ kind: "container", container: record }]);
        container.become(record);
      });
      this.#reindexing.start(container);
      return ok(container);
    });
  }

  deleteContainer(database: Database, container: Container): Promise<Result<void, Refusal>> {
    return this.#inOrder(async () => {
      if (container.isDeleted) return no({ kind: "notFound" });
      const owned = this.resources.recordsUnder([container]);
      await this.#file.commit([], [{ kind: "container", container: container.record }, ...owned]);
      this.#forget(database, container);
      if (container.record.throughput === undefined) this.allotting.reallot(database.sharing);
      await this.#dropPartsOf([container]);
      return ok(undefined);
    });
  }

  /**
   * `decide` is asked when no other change is under way, and nothing changes before its answer is
   * committed. The owner's own etag stays: what clients see of the owner does not change.
   */
  replaceThroughput(
    owner: Database | Container,
    decide: (stamp: ThroughputStamp) => Result<ProvisionedThroughput, Refusal>,
  ): Promise<Result<void, Refusal>> {
    return this.#inOrder(async () => {
      if (owner.isDeleted) return no({ kind: "notFound" });
      const decided = decide(this.#stamps.next());
      if (!decided.ok) return decided;
      const { record, become } = withThroughput(owner, decided.value);
      await this.#file.commit([record]);
      become();
      this.allotting.reallot(usersOf(owner));
      this.#scaling.start(owner);
      return ok(undefined);
    });
  }

  /** Stops what runs in the background, and waits for changes and writes under way. */
  async close(): Promise<void> {
    const background = [this.#reindexing, this.reshaping, this.#scaling];
    const stopped = await Promise.allSettled(background.map((jobs) => jobs.stop()));
    await this.#inOrder(async () => undefined);
    for (const container of this.#containerByRid.values()) {
      for (const partition of container.partitions.values()) await partition.settled();
    }
    for (const stop of stopped) if (stop.status === "rejected") throw stop.reason;
  }

  #finishReindex = (
    container: Container,
    formerPolicies: readonly IndexingPolicy[],
  ): Promise<void> =>
    this.#inOrder(async () => {
      if (container.isDeleted || container.record.formerPolicies !== formerPolicies) return;
      const record = withoutFormer(container.record);
      await this.#file.commit([{ kind: "container", container: record }]);
      container.become(record);
    });

  async #load(): Promise<void> {
    const containers: ContainerRecord[] = [];
    const records = await this.#file.read();
    for (const record of records) {
      if (record.kind === "database") this.#addDatabase(ratedToday(record.database));
      else if (record.kind === "container") containers.push(record.container);
    }
    const named = containers.flatMap(({ map }) => map.entries.map(({ part }) => part));
    await this.#parts.claim(named);
    for (const record of containers) {
      const database = this.#databaseByRid.get(databaseRid(record.databaseNumber))!;
      const own = database.throughputFor(record.throughput, this.#setting);
      await this.#addContainer(database, ratedToday(record, own));
    }
    this.resources.load(records);
    this.#accepted.load(records);
  }

  async #dropOrphans(): Promise<void> {
    const named = this.containers().flatMap(({ map }) => map.entries.map(({ part }) => part));
    const orphans = await this.#parts.orphans(new Set([STATISTICS_PART, CATALOG_PART, ...named]));
    // First the counters: a number that a dropped part had must not be given again.
    const isSpent = await this.#file.spendFound(Math.max(CATALOG_PART, ...named, ...orphans));
    if (isSpent) await this.#parts.drop(orphans);
  }

  #addDatabase(record: DatabaseRecord): Database {
    const database = new Database(record);
    this.#databases.set(record.id, database);
    this.#databaseByRid.set(database.rid, database);
    return database;
  }

  async #addContainer(database: Database, record: ContainerRecord): Promise<Container> {
    const container = await openContainer(this.#succession, database, record);
    database.containers.set(record.definition.id, container);
    this.#containerByRid.set(container.rid, container);
    this.allotting.reallot(record.throughput ? [container] : database.sharing);
    return container;
  }

  #forget(database: Database, container: Container): void {
    container.markDeleted();
    this.resources.forgetUnder([container]);
    database.containers.delete(container.definition.id);
    this.#containerByRid.delete(container.rid);
  }

  async #dropPartsOf(containers: readonly Container[]): Promise<void> {
    for (const container of containers) {
      for (const partition of container.partitions.values()) await partition.settled();
      await this.#parts.drop(container.map.entries.map(({ part }) => part));
    }
  }

  #claimParts = (count: number): Promise<readonly number[]> =>
    this.#inOrder(async () => {
      const parts = await this.#file.takeParts(count);
      await this.#parts.claim(parts);
      return parts;
    });

  #replacePartitions: ReshapingSetting["replacePartitions"] = (...change) =>
    this.#inOrder(() => replacePartitions(this.#succession, ...change));
}
