/**
 * Work that what is stored gives rise to. The catalogue tells of it and knows nothing of who does
 * it; whoever does it reads from the catalogue when it is done.
 */
import type { Limits } from "../../model/limits.ts";
import { isIndexedAnew } from "../item/itemTerms.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import { Database } from "./database.ts";

export type WorkNeeded =
  /** The physical partition holds more than it may. */
  | { readonly kind: "overgrown"; readonly partition: PhysicalPartition }
  /** Items of the container may be indexed otherwise than its policy says. */
  | { readonly kind: "indexedAnew"; readonly container: Container }
  /** The container is a view, and has to follow its source. */
  | { readonly kind: "followed"; readonly view: Container }
  /** A rate was accepted that needs more physical partitions than there are. */
  | { readonly kind: "ratePending"; readonly owner: Database | Container };

/** All there is for one database, without its containers, or for one container. */
export function workNeededBy(owner: Database | Container, limits: Limits): readonly WorkNeeded[] {
  const work: WorkNeeded[] = [];
  if (owner.record.throughput?.pending !== undefined) work.push({ kind: "ratePending", owner });
  if (owner instanceof Database) return work;
  if (owner.definition.view !== undefined) work.push({ kind: "followed", view: owner });
  if (isIndexedAnew(owner)) work.push({ kind: "indexedAnew", container: owner });
  for (const partition of owner.partitions.values()) {
    if (isOvergrown(partition, limits)) work.push({ kind: "overgrown", partition });
  }
  return work;
}

export function isOvergrown(
  { head }: PhysicalPartition,
  { physicalPartitionBytesMax }: Limits,
): boolean {
  return head.itemBytes > physicalPartitionBytesMax;
}
