/**
 * Containers and physical partitions as they come to life: from what is recorded of them, with a
 * meter if load is counted, and with a purse to pay from.
 */
import type { Clock, Timer } from "../../base/world.ts";
import type { Limits } from "../../model/limits.ts";
import type { PartitionEntry } from "../../partition/partitionMap.ts";
import { ContainerMeter } from "../../statistics/containerMeter.ts";
import type { PartHead, PartitionStore } from "../../store/partitionStore.ts";
import type { ContainerRecord } from "../partition/container.ts";
import { Container } from "../partition/container.ts";
import { PhysicalPartition } from "../partition/physicalPartition.ts";
import type { Allotting } from "./allotting.ts";
import type { Database } from "./database.ts";
import type { Parts } from "./parts.ts";

export interface OpeningSetting {
  readonly store: PartitionStore;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly limits: Limits;
  readonly hasStatistics?: boolean | undefined;
  readonly epoch: number;
  readonly parts: Parts;
  readonly allotting: Allotting;
  nextEtag(): string;
  onOvergrown(partition: PhysicalPartition): void;
}

/** The parts of the container must be claimed; what it may spend is settled by `Allotting`. */
export async function openContainer(
  setting: OpeningSetting,
  database: Database,
  record: ContainerRecord,
): Promise<Container> {
  const { clock, hasStatistics, parts } = setting;
  const { entries } = record.map;
  const { partitionKey } = record.definition;
  const meter = hasStatistics ? new ContainerMeter(partitionKey, clock) : undefined;
  const container = new Container(database.record.id, record, meter);
  const heads = await parts.heads(entries.map(({ part }) => part));
  for (const entry of entries) {
    const partition = openPartition(setting, container, entry, heads.get(entry.part)!);
    container.partitions.set(entry.id, partition);
  }
  return container;
}

/** Makes the one owner of a range of keys; `head` is that of its part of the store. */
export function openPartition(
  { store, clock, timer, limits, epoch, allotting, nextEtag, onOvergrown }: OpeningSetting,
  container: Container,
  entry: PartitionEntry,
  head: PartHead,
): PhysicalPartition {
  const spending = allotting.open(container, entry);
  return new PhysicalPartition(
    { container, entry, epoch, store, clock, timer, limits, spending, nextEtag, onOvergrown },
    head,
  );
}
