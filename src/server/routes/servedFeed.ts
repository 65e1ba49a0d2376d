/** What a page of items, read or asked for, says of the physical partitions that it came from. */
import type { Ru } from "../../base/units.ts";
import type { Container } from "../../engine/container.ts";
import type { PhysicalPartition } from "../../engine/physicalPartition.ts";
import type { Served } from "../../protocol/answers.ts";
import { SESSION_VERSION } from "../../protocol/answers.ts";
import { encodeSessionToken } from "../../protocol/sessionToken.ts";

export interface ServedFeed extends Served {
  readonly sessionToken: string;
  readonly itemCount: number;
}

/** Where no physical partition was visited, the first one speaks for the container. */
export function servedFeed(
  container: Container,
  partitions: readonly PhysicalPartition[],
  page: { readonly charge: Ru; readonly itemCount: number },
): ServedFeed {
  const visited =
    partitions.length > 0 ? partitions : [...container.partitions.values()].slice(0, 1);
  const sessionToken = visited
    .map(({ entry, lsn }) => encodeSessionToken(entry.id, { version: SESSION_VERSION, lsn }))
    .join(",");
  const { entry, lsn } = visited.at(-1)!;
  return { owner: container, rangeId: entry.id, lsn, sessionToken, ...page };
}
