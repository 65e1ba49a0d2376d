/**
 * The moment in which physical partitions give way to others: no write of theirs is under way, one
 * commit of the catalogue decides, and nobody ever sees the map of before with the partitions of
 * after.
 */
import { assert } from "../../base/assert.ts";
import type { AddedEntry, PartitionMap } from "../../partition/partitionMap.ts";
import { replaceEntries } from "../../partition/partitionMap.ts";
import type { PartHead } from "../../store/partitionStore.ts";
import type { JobChange } from "../jobs/jobRecord.ts";
import type { Container, ContainerRecord } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import type { CatalogFile } from "./catalogFile.ts";
import { ofJob } from "./jobRecords.ts";
import type { OpeningSetting } from "./opening.ts";
import { openPartition } from "./opening.ts";

export interface SuccessionSetting extends OpeningSetting {
  readonly file: CatalogFile;
}

/** Who gives way to whom. */
export interface Replacement {
  readonly removedIds: readonly string[];
  readonly added: readonly AddedEntry[];
}

/**
 * Runs `handOver` while the physical partitions that are to go take no writes, unless some of them
 * are gone already. Once it has committed, their parts are dropped. Only one change of the
 * catalogue may be under way.
 */
export async function replacePartitions(
  setting: SuccessionSetting,
  container: Container,
  replacement: Replacement,
  handOver: (succession: Succession) => Promise<void>,
): Promise<void> {
  const { removedIds } = replacement;
  const parents = removedIds.flatMap((id) => container.partitions.get(id) ?? []);
  if (container.isDeleted || parents.length < removedIds.length) return;
  const succession = new Succession(setting, container, parents, replacement);
  await heldTogether(parents, () => handOver(succession));
  if (succession.isCommitted) await setting.parts.drop(parents.map(({ entry }) => entry.part));
}

/** What is about to happen while writes wait; it happens with `commit`, or not at all. */
export class Succession {
  readonly #setting: SuccessionSetting;
  readonly #container: Container;
  readonly #parents: readonly PhysicalPartition[];
  readonly #added: readonly AddedEntry[];
  readonly #map: PartitionMap;
  #isCommitted = false;

  constructor(
    setting: SuccessionSetting,
    container: Container,
    parents: readonly PhysicalPartition[],
    { removedIds, added }: Replacement,
  ) {
    this.#setting = setting;
    this.#container = container;
    this.#parents = parents;
    this.#added = added;
    this.#map = replaceEntries(container.map, removedIds, added);
  }

  get isCommitted(): boolean {
    return this.#isCommitted;
  }

  /** The range ids of the new physical partitions, in the order of their keys. */
  get newIds(): readonly string[] {
    const isNew = (part: number): boolean => this.#added.some((one) => one.part === part);
    return this.#map.entries.filter(({ part }) => isNew(part)).map(({ id }) => id);
  }

  /** The new ones must hold everything. What it says of jobs is in the same commit. */
  async commit(jobs: JobChange): Promise<void> {
    assert(!this.#isCommitted, "partitions give way once");
    const { file, parts } = this.#setting;
    const record = { ...this.#container.record, map: this.#map };
    const heads = await parts.heads(this.#added.map(({ part }) => part));
    const puts = [{ kind: "container", container: record } as const, ...jobs.puts.map(ofJob)];
    await file.commit(puts, jobs.removals.map(ofJob));
    this.#isCommitted = true;
    this.#succeed(record, heads);
    jobs.apply();
  }

  /** Does not suspend. */
  #succeed(record: ContainerRecord, heads: ReadonlyMap<number, PartHead>): void {
    const container = this.#container;
    const before = new Map(container.partitions);
    container.become(record);
    container.partitions.clear();
    for (const entry of record.map.entries) {
      const known = before.get(entry.id);
      const head = heads.get(entry.part)!;
      const owner = known ?? openPartition(this.#setting, container, entry, head);
      container.partitions.set(entry.id, owner);
    }
    this.#setting.allotting.succeed(container, this.#parents);
    for (const parent of this.#parents) parent.retire((epk) => container.ownerOf(epk));
  }
}

/** Runs a step while none of the partitions takes a write. */
export function heldTogether<T>(
  [first, ...others]: readonly PhysicalPartition[],
  step: () => Promise<T>,
): Promise<T> {
  return first === undefined ? step() : first.exclusively(() => heldTogether(others, step));
}
