/**
 * The moment in which physical partitions give way to others: no write of theirs is under way, one
 * commit of the catalogue decides, and nobody ever sees the map of before with the partitions of
 * after.
 */
import { replaceEntries } from "../../partition/partitionMap.ts";
import type { PartHead } from "../../store/partitionStore.ts";
import type { CatalogChange } from "../jobs/jobBook.ts";
import type { Container, ContainerRecord } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import type { Destination } from "../reshape/transfer.ts";
import type { CatalogFile } from "./catalogFile.ts";
import type { OpeningSetting } from "./opening.ts";
import { openPartition } from "./opening.ts";

export interface SuccessionSetting extends OpeningSetting {
  readonly file: CatalogFile;
}

/** Who gives way to whom, and what else becomes true with it. */
export interface Replacement {
  readonly removedIds: readonly string[];
  readonly added: readonly Destination[];
  /** Runs while the writes wait; nothing happens unless it says yes. */
  finish(): Promise<boolean>;
  /** What is in the same commit, given the range ids of those that were added. */
  alongside?(newIds: readonly string[]): CatalogChange;
}

/** False if it did not come to that. Only one change of the catalogue may be under way. */
export async function replacePartitions(
  setting: SuccessionSetting,
  container: Container,
  { removedIds, added, finish, alongside }: Replacement,
): Promise<boolean> {
  const parents = removedIds.flatMap((id) => container.partitions.get(id) ?? []);
  if (container.isDeleted || parents.length < removedIds.length) return false;
  const { file, parts } = setting;
  const isDone = await heldTogether(parents, async () => {
    if (!(await finish())) return false;
    const map = replaceEntries(container.map, removedIds, added);
    const record = { ...container.record, map };
    const heads = await parts.heads(added.map(({ part }) => part));
    const isNew = (part: number): boolean => added.some((one) => one.part === part);
    const newEntries = map.entries.filter(({ part }) => isNew(part));
    const more = alongside?.(newEntries.map(({ id }) => id));
    const puts = [{ kind: "container", container: record } as const, ...(more?.puts ?? [])];
    await file.commit(puts, more?.removals);
    succeed(setting, container, record, parents, heads);
    more?.apply();
    return true;
  });
  if (isDone) await parts.drop(parents.map(({ entry }) => entry.part));
  return isDone;
}

/** Does not suspend. */
function succeed(
  setting: SuccessionSetting,
  container: Container,
  record: ContainerRecord,
  parents: readonly PhysicalPartition[],
  heads: ReadonlyMap<number, PartHead>,
): void {
  const before = new Map(container.partitions);
  container.become(record);
  container.partitions.clear();
  for (const entry of record.map.entries) {
    const known = before.get(entry.id);
    const head = heads.get(entry.part)!;
    container.partitions.set(entry.id, known ?? openPartition(setting, container, entry, head));
  }
  setting.allotting.succeed(container, parents);
  for (const parent of parents) parent.retire((epk) => container.ownerOf(epk));
}

/** Runs a step while none of the partitions takes a write. */
export function heldTogether<T>(
  [first, ...others]: readonly PhysicalPartition[],
  step: () => Promise<T>,
): Promise<T> {
  return first === undefined ? step() : first.exclusively(() => heldTogether(others, step));
}
