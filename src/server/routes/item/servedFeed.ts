/** What a page of items, read or asked for, says of the physical partitions that it came from. */
import type { Ru } from "../../../base/units.ts";
import type { Container } from "../../../engine/partition/container.ts";
import type { PhysicalPartition } from "../../../engine/partition/physicalPartition.ts";
import type { Served } from "../../../protocol/answer/answers.ts";

interface ServedFeed extends Served {
  readonly itemCount: number;
}

/**
 * One of them speaks for all, the last one, and where none was visited the first of the container:
 * some clients cannot read a session token of several. What it leaves out is not missed, for no
 * physical partition ever answers with an older state than it did before.
 */
export function servedFeed(
  container: Container,
  partitions: readonly PhysicalPartition[],
  page: { readonly charge: Ru; readonly itemCount: number },
): ServedFeed {
  const [first] = container.partitions.values();
  const { entry, lsn } = partitions.at(-1) ?? first!;
  return { owner: container, rangeId: entry.id, lsn, ...page };
}
