/** The moment when a container begins or ceases to keep versions, or its default ttl changes. */

import type { ContainerDefinition } from "../definition/containerDefinition.ts";
import { keepsVersions } from "../definition/containerDefinition.ts";
import type { Container } from "../partition/container.ts";
import { heldTogether } from "./succession.ts";

/**
 * Versions are kept without a gap or not at all: where that begins or ends, what was there before
 * is forgotten first, and no write comes in between. Nor does one where the default ttl changes:
 * what was about to be removed by the one must not be seen again by the other.
 */
export function keepingVersions(
  container: Container,
  next: ContainerDefinition,
  become: () => Promise<void>,
): Promise<void> {
  const isKeptAlike = keepsVersions(next) === container.keepsVersions;
  if (isKeptAlike && next.defaultTtl === container.definition.defaultTtl) return become();
  const partitions = [...container.partitions.values()];
  return heldTogether(partitions, async () => {
    if (!isKeptAlike) {
      for (const partition of partitions) await partition.sweepLog(partition.lsn);
    }
    await become();
  });
}
