/**
 * The catalogue: which databases and containers there are, and what else they own. It owns them
 * all, and it is the one writer of part 0. It tells what work comes up (`workNeeded.ts`) and knows
 * nothing of who does it.
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
import { containerRid, databaseRid } from "../../model/rid.ts";
import type {
  ProvisionedThroughput,
  RateSetting,
  Throughput,
  ThroughputStamp,
} from "../../model/throughput.ts";
import { provisioned } from "../../model/throughput.ts";
import type { PartitionStore } from "../../store/partitionStore.ts";
import type { ContainerDefinition } from "../definition/containerDefinition.ts";
import { viewsOf } from "../definition/viewSource.ts";
import type { JobChange } from "../jobs/jobRecord.ts";
import { oneAfterAnother } from "../jobs/turns.ts";
import type { Container, ContainerRecord } from "../partition/container.ts";
import { Allotting } from "./allotting.ts";
import { CatalogFile } from "./catalogFile.ts";
import { CatalogNotes } from "./catalogNotes.ts";
import type { DatabaseRecord, NewContainer } from "./catalogRecords.ts";
import { CATALOG_PART, newContainerRecord, ratedToday, withThroughput } from "./catalogRecords.ts";
import { Database, neededCount, sourceRefusal, usersOf } from "./database.ts";
import { formerPoliciesOf, withoutFormer } from "./formerPolicies.ts";
import type { Handover, Reservation } from "./handover.ts";
import { handOverContainer, reserveOrdinals } from "./handover.ts";
import { JobRecords, ofJob } from "./jobRecords.ts";
import { openContainer } from "./opening.ts";
import { numbersFrom, Parts, STATISTICS_PART } from "./parts.ts";
import { Resources } from "./resources.ts";
import { Roster } from "./roster.ts";
import { Stamps } from "./stamps.ts";
import type { Replacement, Succession, SuccessionSetting } from "./succession.ts";
import { replacePartitions } from "./succession.ts";
import { keepingVersions } from "./versionKeeping.ts";
import type { WorkNeeded } from "./workNeeded.ts";
import { workNeededBy } from "./workNeeded.ts";

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
  readonly #roster = new Roster();
  readonly #file: CatalogFile;
  readonly #parts: Parts;
  readonly #succession: SuccessionSetting;
  readonly stamps: Stamps;
  readonly allotting: Allotting;
  /** Users, permissions, scripts and keys. */
  readonly resources: Resources;
  readonly notes: CatalogNotes;
  /** What is on record of jobs. */
  readonly jobs: JobRecords;
  readonly #inOrder = oneAfterAnother();
  #seeTo: (work: WorkNeeded) => void = () => undefined;

  private constructor(setting: CatalogSetting, epoch: number) {
    this.#setting = setting;
    this.epoch = epoch;
    this.#file = new CatalogFile(setting.store, epoch);
    this.#parts = new Parts(setting.store, epoch);
    this.stamps = new Stamps(setting);
    this.notes = new CatalogNotes(this.#file, this.#inOrder);
    this.jobs = new JobRecords(this.#file, this.#inOrder);
    this.resources = new Resources({
      ...setting,
      file: this.#file,
      stamps: this.stamps,
      inOrder: this.#inOrder,
      roster: this.#roster,
    });
    this.allotting = new Allotting({ ...setting, databaseOf: (held) => this.databaseOf(held) });
    this.#succession = {
      ...setting,
      epoch,
      file: this.#file,
      parts: this.#parts,
      allotting: this.allotting,
      nextEtag: this.stamps.nextEtag,
      onOvergrown: (partition) => this.#seeTo({ kind: "overgrown", partition }),
    };
  }

  /** Takes over every part of the store: from here on this process is their only writer. */
  static async open(setting: CatalogSetting): Promise<Catalog> {
    const epoch = ((await setting.store.head(CATALOG_PART))?.epoch ?? 0) + 1;
    const catalog = new Catalog(setting, epoch);
    await setting.store.claim(CATALOG_PART, epoch);
    await catalog.#load();
    await catalog.#dropOrphans();
    return catalog;
  }

  /** Calls `seeTo` for all work that is there, and from now on for what comes up. */
  tellWork(seeTo: (work: WorkNeeded) => void): void {
    this.#seeTo = seeTo;
    for (const database of this.databases()) this.#tellWorkOf(database);
    for (const container of this.containers()) this.#tellWorkOf(container);
  }

  databases(): readonly Database[] {
    return this.#roster.databases();
  }

  containers(): readonly Container[] {
    return this.#roster.containers();
  }

  database(nameOrRid: string): Database | undefined {
    return this.#roster.database(nameOrRid);
  }

  container(database: string, nameOrRid: string): Container | undefined {
    return this.#roster.container(database, nameOrRid);
  }

  containerByRid(rid: string): Container | undefined {
    return this.#roster.containerByRid(rid);
  }

  databaseOf(container: Container): Database {
    return this.#roster.databaseByRid(container.databaseRid)!;
  }

  viewsOf(container: Container): readonly Container[] {
    return viewsOf(container.rid, this.databaseOf(container).containers.values());
  }

  createDatabase(
    id: string,
    throughput: Throughput | undefined,
  ): Promise<Result<Database, Refusal>> {
    return this.#inOrder(async () => {
      if (this.#roster.hasName(id)) return no({ kind: "idTaken" });
      const databaseNumber = this.#file.counters.database;
      const stamp = this.stamps.next();
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

  /** All is dropped, unseen by clients: see `isAfterReset` of containers made from now on. */
  noteReset(): void {
    this.#roster.isReset = true;
  }

  deleteDatabase(database: Database): Promise<Result<void, Refusal>> {
    return this.#inOrder(async () => {
      if (!this.#roster.has(database)) return no({ kind: "notFound" });
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
      this.#roster.forget(database);
      for (const container of containers) this.#forget(database, container);
      await this.#dropPartsOf(containers);
      return ok(undefined);
    });
  }

  /** It starts with as many physical partitions as its rate needs, or with more if told so. */
  createContainer(
    database: Database,
    asked: ContainerDefinition,
    provisioning: NewContainer,
  ): Promise<Result<Container, Refusal>> {
    return this.#inOrder(async () => {
      if (!this.#roster.has(database)) return no({ kind: "ownerNotFound" });
      const prepared = database.prepared(asked, provisioning.throughput, this.#setting);
      if (!prepared.ok) return prepared;
      const { definition, throughput } = prepared.value;
      const neededCount = database.partitionCountFor(throughput, this.#setting);
      const partitionCount = Math.max(neededCount, provisioning.partitionCount ?? 1);
      const stamp = this.stamps.next();
      const { part: firstPart, container: containerNumber } = this.#file.counters;
      const parts = numbersFrom(firstPart, partitionCount);
      const record = newContainerRecord(database, definition, {
        containerNumber,
        parts,
        throughput: throughput && provisioned(throughput, undefined, stamp),
        stamp,
        ordinals: provisioning.copies?.ordinals,
      });
      const counters = {
        ...this.#file.counters,
        part: firstPart + partitionCount,
        container: containerNumber + 1,
      };
      // Numbers are spent even if the commit fails: a part must never be claimed by two.
      this.#file.counters = counters;
      await this.#parts.claim(parts);
      const rid = containerRid(record.databaseNumber, containerNumber);
      const jobs = provisioning.copies?.recordedWith(rid);
      await this.#file.commit([
        { kind: "container", container: record },
        { kind: "counters", counters },
        ...(jobs?.puts.map(ofJob) ?? []),
      ]);
      const container = await this.#addContainer(database, record);
      jobs?.apply();
      this.#tellWorkOf(container);
      return ok(container);
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
      const record = { ...container.record, definition, formerPolicies, ...this.stamps.next() };
      await keepingVersions(container, definition, async () => {
        await this.#file.commit([{ kind: "container", container: record }]);
        container.become(record);
      });
      this.#tellWorkOf(container);
      return ok(container);
    });
  }

  deleteContainer(database: Database, container: Container): Promise<Result<void, Refusal>> {
    return this.#inOrder(async () => {
      if (container.isDeleted) return no({ kind: "notFound" });
      const refusal = sourceRefusal(container, this.viewsOf(container));
      if (refusal !== undefined) return no(refusal);
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
      const decided = decide(this.stamps.next());
      if (!decided.ok) return decided;
      const { record, become } = withThroughput(owner, decided.value);
      await this.#file.commit([record]);
      become();
      this.allotting.reallot(usersOf(owner));
      this.#tellWorkOf(owner);
      return ok(undefined);
    });
  }

  /** The physical partitions that the rate of a container needs, its own rate or a shared one. */
  neededCount(container: Container): number {
    return neededCount(this.databaseOf(container), container, this.#setting.limits);
  }

  /** Sets parts of the store aside that nobody else will get, at an endpoint if one is named. */
  claimParts(count: number, endpoint?: string): Promise<readonly number[]> {
    return this.#inOrder(async () => {
      const parts = await this.#file.takeParts(count);
      await this.#parts.claim(parts, endpoint);
      return parts;
    });
  }

  /** Gives up parts that no container names. */
  dropParts(parts: readonly number[]): Promise<void> {
    return this.#parts.drop(parts);
  }

  /** Physical partitions give way to others if `handOver` commits that; see `succession.ts`. */
  replacePartitions(
    container: Container,
    replacement: Replacement,
    handOver: (succession: Succession) => Promise<void>,
  ): Promise<void> {
    return this.#inOrder(() =>
      replacePartitions(this.#succession, container, replacement, handOver),
    );
  }

  /** Containers change places if `handOver` commits that; see `handover.ts`. */
  handOver(container: Container, handOver: (handover: Handover) => Promise<void>): Promise<void> {
    const { clock } = this.#setting;
    const setting = { clock, file: this.#file, roster: this.#roster };
    return this.#inOrder(() => handOverContainer(setting, container, handOver));
  }

  /** Sets numbers aside for copies, and says so of a job in the same commit. */
  reserve(reservation: () => Reservation, jobs: () => JobChange): Promise<void> {
    return this.#inOrder(() => reserveOrdinals(this.#file, reservation(), jobs()));
  }

  /** Called when no item is indexed under these policies; if there are others by now, they stay. */
  forgetFormerPolicies(
    container: Container,
    formerPolicies: readonly IndexingPolicy[],
  ): Promise<void> {
    return this.#inOrder(async () => {
      if (container.isDeleted || container.record.formerPolicies !== formerPolicies) return;
      const record = withoutFormer(container.record);
      await this.#file.commit([{ kind: "container", container: record }]);
      container.become(record);
    });
  }

  /** Waits for changes and writes that are under way. */
  async close(): Promise<void> {
    await this.#inOrder(async () => undefined);
    for (const container of this.containers()) {
      for (const partition of container.partitions.values()) await partition.settled();
    }
  }

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
      const database = this.#roster.databaseByRid(databaseRid(record.databaseNumber))!;
      const own = database.throughputFor(record.throughput, this.#setting, record.definition);
      await this.#addContainer(database, ratedToday(record, own));
    }
    this.resources.load(records);
    this.jobs.load(records);
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
    this.#roster.add(database);
    return database;
  }

  async #addContainer(database: Database, record: ContainerRecord): Promise<Container> {
    const container = await openContainer(this.#succession, database, record);
    this.#roster.addContainer(database, container);
    this.allotting.reallot(record.throughput ? [container] : database.sharing);
    return container;
  }

  #forget(database: Database, container: Container): void {
    this.#roster.forgetContainer(database, container);
    this.resources.forgetUnder([container]);
  }

  async #dropPartsOf(containers: readonly Container[]): Promise<void> {
    for (const container of containers) {
      for (const partition of container.partitions.values()) await partition.settled();
      await this.#parts.drop(container.map.entries.map(({ part }) => part));
    }
  }

  #tellWorkOf(owner: Database | Container): void {
    for (const work of workNeededBy(owner, this.#setting.limits)) this.#seeTo(work);
  }
}
