/**
 * Reciprocal rank fusion: makes one order out of several scores that cannot be compared with each
 * other. Only the ranks count. The best score has rank 1, equal scores share a rank, and the next
 * score has the next rank; a row comes the earlier, the larger its sum of `weight / (60 + rank)`
 * is.
 *
 * A negative weight turns the order of its scores round. A row without a score comes behind all
 * rows that have one, whichever way the order goes. Clients that fuse scores themselves compute the
 * same sums.
 */
import type { Pause } from "../evaluate/sortInTurns.ts";
import { sortInTurns } from "../evaluate/sortInTurns.ts";

/** Keeps the first few ranks from outweighing all others. The value is that of the service. */
const RANK_OFFSET = 60;

export interface ScoredComponent {
  /** One score for each row; all components have the rows in the same order. */
  readonly scores: readonly (number | undefined)[];
  readonly isLargerBetter: boolean;
  readonly weight: number;
}

/**
 * Resolves with the places of the rows, the best first. Rows with equal sums stay in their order.
 */
export async function fusedOrder(
  components: readonly ScoredComponent[],
  pause: Pause,
): Promise<readonly number[]> {
  const [first] = components;
  const rowCount = first?.scores.length ?? 0;
  const places = Array.from({ length: rowCount }, (_, place) => place);
  if (components.length === 1) {
    return sortInTurns(places, comparisonOf(first!), pause);
  }
  const sums = new Float64Array(rowCount);
  for (const component of components) {
    addRanks(component, await sortInTurns(places, comparisonOf(component), pause), sums);
  }
  return sortInTurns(places, (left, right) => sums[right]! - sums[left]!, pause);
}

/** Adds what a component gives each row to `sums`. `places` are in the order of its scores. */
function addRanks(component: ScoredComponent, places: readonly number[], sums: Float64Array): void {
  const compare = comparisonOf(component);
  const weight = Math.abs(component.weight);
  let rank = 1;
  for (const [at, place] of places.entries()) {
    if (at > 0 && compare(places[at - 1]!, place) !== 0) rank++;
    sums[place]! += weight / (RANK_OFFSET + rank);
  }
}

function comparisonOf({
  scores,
  isLargerBetter,
  weight,
}: ScoredComponent): (left: number, right: number) => number {
  const isDown = isLargerBetter === weight >= 0;
  return (left, right) => {
    const [a, b] = [scores[left], scores[right]];
    if (a === undefined || b === undefined) {
      return a === b ? 0 : a === undefined ? 1 : -1;
    }
    return isDown ? b - a : a - b;
  };
}
