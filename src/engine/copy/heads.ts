/** How far a container is: the ends of its logs, and how many items it has. */
import type { Container } from "../partition/container.ts";
import { Positions } from "./positions.ts";

export function headsOf({ partitions }: Container): Positions {
  return new Positions(
    [...partitions.values()].map(({ entry, lsn }) => ({ range: entry.range, lsn })),
  );
}

export function countOf({ partitions }: Container): number {
  let count = 0;
  for (const { head } of partitions.values()) count += head.itemCount;
  return count;
}
