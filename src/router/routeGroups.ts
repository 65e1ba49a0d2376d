/**
 * From pieces of a range to streams: which container is asked under which key for which dates, in
 * groups that follow each other.
 *
 * In the order of the dates a group is a piece of the range, and of that the keys of one period. So
 * a query with a limit reaches later pieces, and their containers, only if the rows before do not
 * suffice. In any other order all streams have to be merged, and there is one group.
 */
import type { KeyGroup } from "../keys/client/periodKeys.ts";
import { keyGroups, unlistedText } from "../keys/client/periodKeys.ts";
import type { KeyComponent } from "../keys/component.ts";
import type { KeyStrategy } from "../keys/strategy.ts";
import type { RouteSpan } from "./dateFormat.ts";
import type { RoutePiece, TierName } from "./pieces.ts";
import { isShared, spanOfTier } from "./pieces.ts";
import type { RouteRequest } from "./routeRequest.ts";
import type { RouteReport } from "./routeTypes.ts";

export interface StreamPlan {
  readonly tier: TierName;
  /** Undefined: all keys. */
  readonly key: readonly KeyComponent[] | undefined;
  readonly span: RouteSpan;
}

export interface StreamGroup {
  /** Those of hot before those of warm. */
  readonly streams: readonly StreamPlan[];
  /** Whether an item may come from both containers. */
  readonly isShared: boolean;
}

export interface StreamPlans {
  readonly groups: readonly StreamGroup[];
  readonly fanOut: RouteReport["fanOut"];
  readonly fanOutReason: string | undefined;
  readonly plannedKeyCount: number;
}

interface GroupSetting {
  readonly datePath: string;
  readonly strategy: KeyStrategy | undefined;
  /** Whether stored dates are ordered as time is. */
  readonly isOrdered: boolean;
}

export function streamPlans(
  { datePath, strategy, isOrdered }: GroupSetting,
  request: RouteRequest,
  pieces: readonly RoutePiece[],
): StreamPlans {
  const reasons = new Set<string>();
  const keysIn = (span: RouteSpan): readonly (KeyGroup | undefined)[] => {
    if (request.key !== undefined) return [[request.key]];
    if (strategy === undefined) return [undefined];
    const range = { path: datePath, from: span.from, to: span.before - 1 };
    const groups = keyGroups(strategy, request.values, range);
    if (groups !== undefined) return groups;
    reasons.add(unlistedText(strategy, request.values, range));
    return [undefined];
  };
  const isInTime = isOrdered && request.by === datePath;
  const groups = isInTime
    ? groupsInTime(pieces, keysIn, request.isDescending)
    : [mergedGroup(pieces, keysIn)].filter(({ streams }) => streams.length > 0);
  const [reason] = reasons;
  return {
    groups,
    fanOut: request.key !== undefined ? "key" : strategy && reasons.size === 0 ? "keys" : "all",
    fanOutReason: reason,
    plannedKeyCount: keyCountOf(groups),
  };
}

type KeysIn = (span: RouteSpan) => readonly (KeyGroup | undefined)[];

function groupsInTime(
  pieces: readonly RoutePiece[],
  keysIn: KeysIn,
  isDescending: boolean,
): readonly StreamGroup[] {
  const groups = pieces.flatMap((piece) =>
    keysIn(piece.span).map((keys) => ({
      streams: piece.tiers.flatMap((tier) => streamsOf(tier, keys, piece.span)),
      isShared: isShared(piece),
    })),
  );
  return isDescending ? groups.toReversed() : groups;
}

function mergedGroup(pieces: readonly RoutePiece[], keysIn: KeysIn): StreamGroup {
  const tiers: readonly TierName[] = ["only", "hot", "warm"];
  const streams = tiers.flatMap((tier) => {
    const span = spanOfTier(pieces, tier);
    if (span === undefined) return [];
    return keysIn(span).flatMap((keys) => streamsOf(tier, keys, span));
  });
  return { streams, isShared: pieces.some(isShared) };
}

function streamsOf(
  tier: TierName,
  keys: KeyGroup | undefined,
  span: RouteSpan,
): readonly StreamPlan[] {
  if (keys === undefined) return [{ tier, key: undefined, span }];
  return keys.map((key) => ({ tier, key, span }));
}

/** A key that is asked for several pieces counts once for each container. */
function keyCountOf(groups: readonly StreamGroup[]): number {
  const names = groups.flatMap(({ streams }) =>
    streams
      .filter(({ key }) => key !== undefined)
      .map(({ tier, key }) => JSON.stringify([tier, key!.map((part) => part ?? [typeof part])])),
  );
  return new Set(names).size;
}
