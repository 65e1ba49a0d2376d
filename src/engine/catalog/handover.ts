/**
 * The moment in which a container gives way to another one: no write of it is under way, one commit
 * of the catalogue decides, and nobody ever sees the names of before with the containers of after.
 */
import { assert } from "../../base/assert.ts";
import type { Millis } from "../../base/units.ts";
import type { Clock } from "../../base/world.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { JobChange } from "../jobs/jobRecord.ts";
import type { Container, ContainerRecord } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import { rightsHandedOn } from "../partition/predecessors.ts";
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

/** A name that goes from one container to another of the same database. */
export interface Renaming {
  readonly from: Container;
  readonly to: Container;
  /** What `to` is called afterwards: the name that moves. */
  readonly taken: string;
  /** What `from` is called afterwards. */
  readonly left: string;
}

/** From then on the container gives its own items numbers of these ordinals and later ones. */
export interface Reservation {
  readonly container: Container;
  readonly firstOwnOrdinal: number;
}

interface HandedOver {
  readonly renaming: Renaming | undefined;
  readonly reservation: Reservation;
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

  /** Answers the writes that wait now, and returns how many there were. */
  refuseWaiting(refusal: Refusal): number {
    return this.#partitions.reduce((sum, one) => sum + one.refuseWaiting(refusal), 0);
  }

  /**
   * Gives two containers of one database other names, if there are any, and the permissions of the
   * one that is left to the other; and a container its own numbers. What it says of jobs is in the
   * same commit, and is applied without suspending after it.
   */
  async commit({ renaming, reservation }: HandedOver, jobs: JobChange): Promise<void> {
    assert(!this.#isCommitted, "a container is handed over once");
    const { file, roster } = this.#setting;
    const records =
      renaming === undefined ? new Map<Container, ContainerRecord>() : renamedRecords(renaming);
    const { container: reserved, firstOwnOrdinal } = reservation;
    records.set(reserved, { ...(records.get(reserved) ?? reserved.record), firstOwnOrdinal });
    const puts = [...records.values()].map(
      (container) => ({ kind: "container", container }) as const,
    );
    await file.commit([...puts, ...jobs.puts.map(ofJob)], jobs.removals.map(ofJob));
    this.#isCommitted = true;
    const before = new Map([...records.keys()].map((one) => [one, one.definition.id]));
    for (const [container, record] of records) container.become(record);
    if (renaming !== undefined) roster.rename(this.#databaseOf(renaming.to), before);
    jobs.apply();
  }

  #databaseOf(container: Container): ReturnType<Roster["databaseByRid"]> & object {
    return this.#setting.roster.databaseByRid(container.databaseRid)!;
  }
}

/** Says so in the commit that says something of a job. */
export async function reserveOrdinals(
  file: CatalogFile,
  { container, firstOwnOrdinal }: Reservation,
  jobs: JobChange,
): Promise<void> {
  const record = { ...container.record, firstOwnOrdinal };
  const puts = [{ kind: "container", container: record } as const, ...jobs.puts.map(ofJob)];
  await file.commit(puts, jobs.removals.map(ofJob));
  container.become(record);
  jobs.apply();
}

function renamedRecords({ from, to, left, taken }: Renaming): Map<Container, ContainerRecord> {
  const handed = rightsHandedOn(from, to);
  return new Map([
    [to, named(handed.to, taken)],
    [from, named(handed.from, left)],
  ]);
}

function named(record: ContainerRecord, id: string): ContainerRecord {
  return { ...record, definition: { ...record.definition, id } };
}
