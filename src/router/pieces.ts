/**
 * Which containers a span of dates needs: warm alone where all is settled, both where an item may
 * be in either, hot alone where no item is old enough to have been moved.
 */
import type { RouteSpan } from "./dateFormat.ts";

/** What a container is to a router: `only` if there is no other. */
export type TierName = "hot" | "warm" | "only";

/** A part of a span of dates, and the containers that have items of it. Hot comes before warm. */
export interface RoutePiece {
  readonly span: RouteSpan;
  readonly tiers: readonly TierName[];
}

interface Borders {
  /** No item with a later date has been moved. */
  readonly threshold: number;
  /** Every item with an earlier date is in warm, as it is in hot; undefined if nobody knows. */
  readonly settledBefore: number | undefined;
}

/** The pieces of a span in the order of time; none is empty. */
export function piecesOf(
  span: RouteSpan,
  { threshold, settledBefore }: Borders,
): readonly RoutePiece[] {
  const settled = settledBefore ?? Number.NEGATIVE_INFINITY;
  const young = Math.max(settled, threshold + 1);
  const pieces: readonly RoutePiece[] = [
    { span: cut(span, Number.NEGATIVE_INFINITY, settled), tiers: ["warm"] },
    { span: cut(span, settled, young), tiers: ["hot", "warm"] },
    { span: cut(span, young, Number.POSITIVE_INFINITY), tiers: ["hot"] },
  ];
  return pieces.filter(({ span: { from, before } }) => from < before);
}

/** From the first date to the last that a container has of these pieces. */
export function spanOfTier(pieces: readonly RoutePiece[], tier: TierName): RouteSpan | undefined {
  const spans = pieces.filter(({ tiers }) => tiers.includes(tier)).map(({ span }) => span);
  const [first, last] = [spans[0], spans.at(-1)];
  return first === undefined ? undefined : { from: first.from, before: last!.before };
}

export function isShared({ tiers }: RoutePiece): boolean {
  return tiers.length > 1;
}

function cut({ from, before }: RouteSpan, first: number, end: number): RouteSpan {
  return { from: Math.max(from, first), before: Math.min(before, end) };
}
