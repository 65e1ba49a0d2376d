/**
 * The moment in which a container gives way to another one: no write of it is under way, one commit
 * of the catalogue decides, and nobody ever sees the names of before with the containers of after.
 */
import { assert } from "../../base/assert.ts";
import type { Millis } from "../../base/units.ts";
import type { Clock } from "../../base/world.ts";
import type { JobChange } from "../jobs/jobRecord.ts";
import type { Container, ContainerRecord } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import type { CatalogFile } from "./catalogFile.ts";
import { ofJob } from "./jobRecords.ts";
import type { Roster } from "./roster.ts";
import { heldTogether } from "./succession.ts";

interface HandoverSetting {
  readonly file: CatalogFile;
  readonly roster: Roster;
  readonly clock: Clock;
}

/**
 * Runs `handOver` while the container takes no writes, unless it is deleted. Only one change of the
 * catalogue may be under way.
 */
export async function handOverContainer(
  setting: HandoverSetting,
  container: Container,
  handOver: (handover: Handover) => Promise<void>,
): Promise<void> {
  if (container.isDeleted) return;
  const partitions = [...container.partitions.values()];
  const [first] = partitions;
  // Writes to the first partition wait from the moment in which its turn comes.
  await first?.exclusively(async () => {
    const handover = new Handover(setting, partitions);
    await heldTogether(partitions.slice(1), () => handOver(handover));
  });
}

/** What may happen while writes wait; it happens with `commit`, or not at all. */
export class Handover {
  /** Since when writes wait. */
  readonly heldSince: Millis;
  readonly #setting: HandoverSetting;
  readonly #partitions: readonly PhysicalPartition[];
  #isCommitted = false;

  constructor(setting: HandoverSetting, partitions: readonly PhysicalPartition[]) {
    this.#setting = setting;
    this.#partitions = partitions;
    this.heldSince = setting.clock.now();
  }

  /** How many writes wait now. */
  get waitingCount(): number {
    return this.#partitions.reduce((sum, { waitingCount }) => sum + waitingCount, 0);
  }

  /** Whether a container of this name is there, or would be in the way. */
  hasName(container: Container, name: string): boolean {
    return this.#databaseOf(container).containers.has(name);
  }

  /**
   * Gives containers of one database other names. What it says of jobs is in the same commit, and
   * is applied without suspending after it.
   */
  async commit(names: ReadonlyMap<Container, string>, jobs: JobChange): Promise<void> {
    assert(!this.#isCommitted, "a container is handed over once");
    const { file, roster } = this.#setting;
    const records = new Map([...names].map(([one, name]) => [one, named(one.record, name)]));
    const puts = [...records.values()].map(
      (container) => ({ kind: "container", container }) as const,
    );
    await file.commit([...puts, ...jobs.puts.map(ofJob)], jobs.removals.map(ofJob));
    this.#isCommitted = true;
    const before = new Map([...names.keys()].map((one) => [one, one.definition.id]));
    for (const [container, record] of records) container.become(record);
    const [first] = names.keys();
    if (first !== undefined) roster.rename(this.#databaseOf(first), before);
    jobs.apply();
  }

  #databaseOf(container: Container): ReturnType<Roster["databaseByRid"]> & object {
    return this.#setting.roster.databaseByRid(container.databaseRid)!;
  }
}

/** From now on the container gives its own items numbers of these ordinals and later ones. */
export async function reserveOrdinals(
  file: CatalogFile,
  container: Container,
  firstOwnOrdinal: number,
  jobs: JobChange,
): Promise<void> {
  const record = { ...container.record, firstOwnOrdinal };
  await file.commit([{ kind: "container", container: record }, ...jobs.puts.map(ofJob)]);
  container.become(record);
  jobs.apply();
}

function named(record: ContainerRecord, id: string): ContainerRecord {
  return { ...record, definition: { ...record.definition, id } };
}
