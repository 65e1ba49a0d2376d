/**
 * The catalogue: which databases and containers there are. It owns them all, and it is the one
 * writer of part 0.
 *
 * Changes run one after the other. Each is committed first and only then applied in memory, without
 * suspending in between, so nobody ever sees a container that a power cut could take back. The
 * parts of a new container are claimed before the container is recorded and dropped after it is
 * forgotten; a crash in between leaves parts that no container names, and opening drops them.
 */
import type { Result } from "../base/result.ts";
import { no, ok } from "../base/result.ts";
import type { Clock, Random, Timer } from "../base/world.ts";
import type { IndexingPolicy } from "../index/policy.ts";
import { INDEX_FORMAT } from "../index/terms.ts";
import type { Limits } from "../model/limits.ts";
import type { Refusal } from "../model/refusal.ts";
import { containerRid, databaseRid } from "../model/rid.ts";
import type { Throughput } from "../model/throughput.ts";
import { provisioned } from "../model/throughput.ts";
import type { PartitionEntry } from "../partition/partitionMap.ts";
import { initialMap } from "../partition/partitionMap.ts";
import type { PartHead, PartitionStore, StoredItem } from "../store/partitionStore.ts";
import type { CatalogRecord, Counters, DatabaseRecord } from "./catalogRecords.ts";
import {
  CATALOG_PART,
  catalogKey,
  catalogPut,
  catalogRemoval,
  decodeCatalogRecord,
  ratedToday,
} from "./catalogRecords.ts";
import type { ContainerRecord } from "./container.ts";
import { Container } from "./container.ts";
import type { ContainerDefinition } from "./containerDefinition.ts";
import { Database } from "./database.ts";
import { PhysicalPartition } from "./physicalPartition.ts";
import { formerPoliciesOf, Reindexing } from "./reindex.ts";

export interface CatalogSetting {
  readonly store: PartitionStore;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly random: Random;
  readonly limits: Limits;
}

/** How long a change may take before the next one starts is not bounded; only their order is. */
type Change<T> = () => Promise<T>;

export class Catalog {
  readonly #setting: CatalogSetting;
  readonly #epoch: number;
  readonly #databases = new Map<string, Database>();
  /** Names and rids of databases and containers share no key: rids of both kinds differ. */
  readonly #databaseByRid = new Map<string, Database>();
  readonly #containerByRid = new Map<string, Container>();
  readonly #stored = new Map<string, StoredItem>();
  readonly #etagPrefix: string;
  readonly #reindexing: Reindexing;
  #etagCount = 0;
  #counters: Counters = { part: 1, database: 1, container: 1 };
  #lastChange: Promise<unknown> = Promise.resolve();

  private constructor(setting: CatalogSetting, epoch: number) {
    this.#setting = setting;
    this.#epoch = epoch;
    const instance = Buffer.from(setting.random.bytes(4)).toString("hex");
    this.#etagPrefix = `${instance}-0000-0000-0000-`;
    this.#reindexing = new Reindexing({ ...setting, finish: this.#finishReindex });
  }

  /** Takes over every part of the store: from here on this process is their only writer. */
  static async open(setting: CatalogSetting): Promise<Catalog> {
    const { store } = setting;
    const epoch = ((await store.head(CATALOG_PART))?.epoch ?? 0) + 1;
    const catalog = new Catalog(setting, epoch);
    await store.claim(CATALOG_PART, epoch);
    await catalog.#load();
    await catalog.#dropOrphans();
    for (const container of catalog.#containerByRid.values()) catalog.#reindexing.start(container);
    return catalog;
  }

  databases(): readonly Database[] {
    return [...this.#databases.values()];
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

  createDatabase(
    id: string,
    throughput: Throughput | undefined,
  ): Promise<Result<Database, Refusal>> {
    return this.#inOrder(async () => {
      if (this.#databases.has(id)) return no({ kind: "idTaken" });
      const databaseNumber = this.#counters.database;
      const stamp = this.#stamp();
      const rated = throughput && provisioned(throughput, undefined, stamp);
      const record = { databaseNumber, id, throughput: rated, ...stamp };
      const counters = { ...this.#counters, database: databaseNumber + 1 };
      await this.#commit([
        { kind: "database", database: record },
        { kind: "counters", counters },
      ]);
      this.#counters = counters;
      return ok(this.#addDatabase(record));
    });
  }

  deleteDatabase(database: Database): Promise<Result<void, Refusal>> {
    return this.#inOrder(async () => {
      if (this.#databases.get(database.record.id) !== database) return no({ kind: "notFound" });
      const containers = [...database.containers.values()];
      await this.#commit(
        [],
        [
          { kind: "database", database: database.record },
          ...containers.map(({ record }) => ({ kind: "container", container: record }) as const),
        ],
      );
      this.#databases.delete(database.record.id);
      this.#databaseByRid.delete(database.rid);
      database.markDeleted();
      for (const container of containers) this.#forget(database, container);
      await this.#dropParts(containers);
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
      const { limits } = this.#setting;
      const throughput = database.throughputFor(provisioning.throughput, limits);
      if (throughput === undefined && database.sharing.length >= limits.sharingContainersMax) {
        return no({ kind: "sharingFull", countMax: limits.sharingContainersMax });
      }
      const neededCount = database.partitionCountFor(throughput, limits);
      const partitionCount = Math.max(neededCount, provisioning.partitionCount ?? 1);
      const stamp = this.#stamp();
      const { part: firstPart, container: containerNumber } = this.#counters;
      const parts = Array.from({ length: partitionCount }, (_, index) => firstPart + index);
      const record: ContainerRecord = {
        databaseNumber: database.record.databaseNumber,
        containerNumber,
        definition,
        map: initialMap(definition.partitionKey, partitionCount, parts),
        throughput: throughput && provisioned(throughput, undefined, stamp),
        formerPolicies: [],
        indexFormat: INDEX_FORMAT,
        ...stamp,
      };
      const counters = {
        ...this.#counters,
        part: firstPart + partitionCount,
        container: containerNumber + 1,
      };
      // Numbers are spent even if the commit fails: a part must never be claimed by two.
      this.#counters = counters;
      await this.#claim(parts);
      await this.#commit([
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
      const formerPolicies = formerPoliciesOf(container.record, definition.indexingPolicy);
      const record = { ...container.record, definition, formerPolicies, ...this.#stamp() };
      await this.#commit([{ kind: "container", container: record }]);
      container.become(record);
      this.#reindexing.start(container);
      return ok(container);
    });
  }

  deleteContainer(database: Database, container: Container): Promise<Result<void, Refusal>> {
    return this.#inOrder(async () => {
      if (container.isDeleted) return no({ kind: "notFound" });
      await this.#commit([], [{ kind: "container", container: container.record }]);
      this.#forget(database, container);
      await this.#dropParts([container]);
      return ok(undefined);
    });
  }

  /**
   * `decide` is asked when no other change is under way, and nothing changes before its answer is
   * committed. The owner's own etag stays: what clients see of the owner does not change.
   */
  replaceThroughput(
    owner: Database | Container,
    decide: () => Result<Throughput, Refusal>,
  ): Promise<Result<void, Refusal>> {
    return this.#inOrder(async () => {
      if (owner.isDeleted) return no({ kind: "notFound" });
      const decided = decide();
      if (!decided.ok) return decided;
      const throughput = provisioned(decided.value, owner.record.throughput, this.#stamp());
      if (owner instanceof Database) {
        const record = { ...owner.record, throughput };
        await this.#commit([{ kind: "database", database: record }]);
        owner.become(record);
      } else {
        const record = { ...owner.record, throughput };
        await this.#commit([{ kind: "container", container: record }]);
        owner.become(record);
      }
      return ok(undefined);
    });
  }

  /** Stops what runs in the background, and waits for changes and writes under way. */
  async close(): Promise<void> {
    await this.#reindexing.stop();
    await this.#lastChange;
    for (const container of this.#containerByRid.values()) {
      for (const partition of container.partitions.values()) await partition.settled();
    }
  }

  #finishReindex = (
    container: Container,
    formerPolicies: readonly IndexingPolicy[],
  ): Promise<void> =>
    this.#inOrder(async () => {
      if (container.isDeleted || container.record.formerPolicies !== formerPolicies) return;
      const record = { ...container.record, formerPolicies: [] };
      await this.#commit([{ kind: "container", container: record }]);
      container.become(record);
    });

  #inOrder<T>(change: Change<T>): Promise<T> {
    const result = this.#lastChange.then(change);
    this.#lastChange = result.catch(() => undefined);
    return result;
  }

  #stamp(): { readonly etag: string; readonly ts: number } {
    const ts = Math.floor(this.#setting.clock.wallNow() / 1000);
    return { etag: `"${this.#nextEtag()}"`, ts };
  }

  #nextEtag = (): string => this.#etagPrefix + (++this.#etagCount).toString(16).padStart(12, "0");

  /** Puts and removes records, all or nothing. */
  async #commit(
    puts: readonly CatalogRecord[],
    removals: readonly CatalogRecord[] = [],
  ): Promise<void> {
    const { store } = this.#setting;
    const { numberMax } = (await store.head(CATALOG_PART))!;
    const writes = [
      ...removals.map((record) => catalogRemoval(this.#stored.get(catalogKey(record))!)),
      ...puts.map((record, index) =>
        catalogPut(record, this.#stored.get(catalogKey(record)), numberMax + 1 + index),
      ),
    ];
    const lsn = await store.commit(CATALOG_PART, this.#epoch, [writes]);
    for (const write of writes) {
      if (write.kind === "delete") this.#stored.delete(write.key);
      else this.#stored.set(write.key, { ...write, lsn, body: Buffer.from(write.body) });
    }
  }

  async #load(): Promise<void> {
    const { store } = this.#setting;
    const limits = { countMax: 1000, bytesMax: 16 * 1024 * 1024 };
    const containers: ContainerRecord[] = [];
    for (let after = 0, isLast = false; !isLast; ) {
      const page = await store.scanItems(CATALOG_PART, after, limits);
      for (const item of page.items) {
        after = item.number;
        this.#stored.set(item.key, item);
        const record = decodeCatalogRecord(item.body);
        if (record.kind === "counters") this.#counters = record.counters;
        else if (record.kind === "database") this.#addDatabase(ratedToday(record.database));
        else containers.push(record.container);
      }
      isLast = page.isLast;
    }
    const named = containers.flatMap(({ map }) => map.entries.map(({ part }) => part));
    await this.#claim(named);
    for (const record of containers) {
      const database = this.#databaseByRid.get(databaseRid(record.databaseNumber))!;
      const own = database.throughputFor(record.throughput, this.#setting.limits);
      await this.#addContainer(database, ratedToday(record, own));
    }
  }

  async #dropOrphans(): Promise<void> {
    const { store } = this.#setting;
    const named = new Set([CATALOG_PART]);
    for (const container of this.#containerByRid.values()) {
      for (const { part } of container.map.entries) named.add(part);
    }
    const orphans = (await store.parts()).filter((part) => !named.has(part));
    // First the counters: a number that a dropped part had must not be given again, even if the
    // next thing that happens is another crash.
    const partMax = Math.max(...named, ...orphans);
    if (partMax >= this.#counters.part) {
      const counters = { ...this.#counters, part: partMax + 1 };
      await this.#commit([{ kind: "counters", counters }]);
      this.#counters = counters;
    }
    await Promise.all(orphans.map((part) => store.drop(part)));
  }

  async #claim(parts: readonly number[]): Promise<readonly PartHead[]> {
    return Promise.all(parts.map((part) => this.#setting.store.claim(part, this.#epoch)));
  }

  #addDatabase(record: DatabaseRecord): Database {
    const database = new Database(record);
    this.#databases.set(record.id, database);
    this.#databaseByRid.set(database.rid, database);
    return database;
  }

  async #addContainer(database: Database, record: ContainerRecord): Promise<Container> {
    const container = new Container(database.record.id, record);
    const heads = await Promise.all(
      record.map.entries.map(({ part }) => this.#setting.store.head(part)),
    );
    record.map.entries.forEach((entry, index) => {
      container.partitions.set(entry.id, this.#openPartition(container, entry, heads[index]!));
    });
    database.containers.set(record.definition.id, container);
    this.#containerByRid.set(
      containerRid(record.databaseNumber, record.containerNumber),
      container,
    );
    return container;
  }

  #openPartition(container: Container, entry: PartitionEntry, head: PartHead): PhysicalPartition {
    const { store, clock, timer, limits } = this.#setting;
    const nextEtag = this.#nextEtag;
    const epoch = this.#epoch;
    return new PhysicalPartition(
      { container, entry, epoch, store, clock, timer, limits, nextEtag },
      head,
    );
  }

  #forget(database: Database, container: Container): void {
    container.markDeleted();
    database.containers.delete(container.definition.id);
    this.#containerByRid.delete(container.rid);
  }

  async #dropParts(containers: readonly Container[]): Promise<void> {
    for (const container of containers) {
      for (const partition of container.partitions.values()) await partition.settled();
      await Promise.all(container.map.entries.map(({ part }) => this.#setting.store.drop(part)));
    }
  }
}
