/** Which physical partitions a query would ask, by its text alone: nothing is read for it. */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Timer } from "../../base/world.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { QueryText } from "../../model/request/queryText.ts";
import type { Epk, EpkRange } from "../../partition/epkRange.ts";
import { intersect, isPoint, WHOLE_RANGE } from "../../partition/epkRange.ts";
import { refusalOf } from "../item/queryRefusal.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import { isKeyIndexed, keysOf, rangesWithin } from "./queryRanges.ts";

export interface QueryReach {
  /** What the filter says of the partition key. */
  readonly keys: "all" | "some" | "none";
  readonly keyCount: number;
  /** In the order of the key space. */
  readonly partitions: readonly ReachedPartition[];
}

export interface ReachedPartition {
  readonly partition: PhysicalPartition;
  /** The part of it that is asked; absent when all of it is. */
  readonly ranges?: readonly EpkRange[] | undefined;
  /** The EPKs of the keys that are asked for; absent when not all ranges are of one key. */
  readonly epks?: readonly Epk[] | undefined;
}

export async function queryReachOf(
  world: { readonly timer: Pick<Timer, "soon"> },
  container: Container,
  { text, parameters }: QueryText,
): Promise<Result<QueryReach, Refusal>> {
  const made = await container.queries.find(container, text, parameters, world);
  if (!made.ok) return no(refusalOf(made.error));
  const keys = keysOf(container, made.value, parameters);
  const ranges = rangesWithin(keys, WHOLE_RANGE);
  // Where the key is not indexed, a filter on it tells where to read, and all of it is read there.
  const isWhole = keys === "everything" || !isKeyIndexed(container, made.value);
  const partitions = container.map.entries.flatMap(({ id, range }): ReachedPartition[] => {
    const parts = ranges.flatMap((each) => intersect(range, each) ?? []);
    if (parts.length === 0) return [];
    const partition = container.partitions.get(id)!;
    if (isWhole) return [{ partition }];
    const epks = parts.every(isPoint) ? parts.map(({ min }) => min) : undefined;
    return [{ partition, ranges: parts, epks }];
  });
  return ok({
    keys: keys === "everything" ? "all" : keys === "nothing" ? "none" : "some",
    keyCount: typeof keys === "string" ? 0 : keys.length,
    partitions,
  });
}
