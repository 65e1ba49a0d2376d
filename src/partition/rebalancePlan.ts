/**
 * Which physical partitions should move between endpoints, so that all have about as many and about
 * as much. Pure: what there is in, moves out.
 *
 * Rates are divided over physical partitions, and bytes are not: a partition weighs one for being
 * there and one, on average, for what it holds.
 */

interface PlacedWeight<P> {
  readonly partition: P;
  readonly itemBytes: number;
}

export interface EndpointWeights<P> {
  readonly name: string;
  readonly partitions: readonly PlacedWeight<P>[];
}

export interface PlannedMove<P> {
  readonly partition: P;
  readonly itemBytes: number;
  readonly from: string;
  readonly to: string;
}

/** A move that evens out less than this is not worth it; a partition weighs two on average. */
const WORTH = 0.5;

export function rebalancePlan<P>(
  endpoints: readonly EndpointWeights<P>[],
): readonly PlannedMove<P>[] {
  const all = endpoints.flatMap(({ partitions }) => partitions);
  const meanBytes = all.reduce((sum, { itemBytes }) => sum + itemBytes, 0) / all.length;
  const weightOf = ({ itemBytes }: PlacedWeight<P>): number =>
    1 + (meanBytes > 0 ? itemBytes / meanBytes : 1);
  const held = endpoints.map(({ name, partitions }) => ({ name, partitions: [...partitions] }));
  const loadOf = ({ partitions }: (typeof held)[number]): number =>
    partitions.reduce((sum, one) => sum + weightOf(one), 0);
  const moves: PlannedMove<P>[] = [];
  const moved = new Set<PlacedWeight<P>>();
  for (let count = 0; held.length > 1 && count < all.length; count++) {
    const sorted = held.toSorted((a, b) => loadOf(a) - loadOf(b));
    const [to, from] = [sorted[0]!, sorted.at(-1)!];
    const gap = loadOf(from) - loadOf(to);
    // What is left of the gap afterwards, whichever of the two is ahead then.
    const leftBy = (one: PlacedWeight<P>): number => Math.abs(gap - 2 * weightOf(one));
    const [best] = from.partitions
      .filter((one) => !moved.has(one))
      .toSorted((a, b) => leftBy(a) - leftBy(b));
    if (best === undefined || leftBy(best) > gap - WORTH) break;
    moved.add(best);
    from.partitions.splice(from.partitions.indexOf(best), 1);
    to.partitions.push(best);
    const { partition, itemBytes } = best;
    moves.push({ partition, itemBytes, from: from.name, to: to.name });
  }
  return moves;
}
