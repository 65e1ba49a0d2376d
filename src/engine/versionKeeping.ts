/** The moment in which a container begins to keep versions, or leaves off. */
import type { Container } from "./container.ts";
import type { ContainerDefinition } from "./containerDefinition.ts";
import { keepsVersions } from "./containerDefinition.ts";
import { heldTogether } from "./succession.ts";

/**
 * Versions are kept without a gap or not at all: where that begins or ends, what was there before
 * is forgotten first, and no write comes in between.
 */
export function keepingVersions(
  container: Container,
  next: ContainerDefinition,
  become: () => Promise<void>,
): Promise<void> {
  if (keepsVersions(next) === container.keepsVersions) return become();
  const partitions = [...container.partitions.values()];
  return heldTogether(partitions, async () => {
    for (const partition of partitions) await partition.sweepLog(partition.lsn);
    await become();
  });
}
