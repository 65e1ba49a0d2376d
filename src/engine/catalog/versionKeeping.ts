/** The moment when a container begins or ceases to keep versions, or its default ttl changes. */

import type { ContainerDefinition } from "../definition/containerDefinition.ts";
import { keepsVersions } from "../definition/containerDefinition.ts";
import type { Container } from "../partition/container.ts";
import { heldTogether } from "./succession.ts";

/**
 * Runs `become`, which gives a container its next definition. Versions are kept without a gap or
 * not at all: when keeping begins or ends, older versions are forgotten first, and no write comes
 * in between. No write comes in between either when the default ttl changes: an item that is about
 * to be removed under the old ttl must not be seen again under the new one.
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
