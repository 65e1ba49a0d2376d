/**
 * Which items a feed or a query is about, as its headers say: EPK bounds, a key, a range id, or
 * nothing at all. Bounds say most exactly what is meant, and are all that counts where they are
 * given. A key with a range id means what both have in common, which may be nothing: some clients
 * ask every range for one key.
 */
import type { Result } from "../../../base/result.ts";
import { no, ok } from "../../../base/result.ts";
import type { CursorScope } from "../../../engine/cursor/cursorKey.ts";
import type { FeedScope } from "../../../engine/feed/itemFeed.ts";
import type { Container } from "../../../engine/partition/container.ts";
import type { PartitionKey } from "../../../model/partitionKey.ts";
import type { Refusal } from "../../../model/refusal.ts";
import { badRequest } from "../../../model/refusal.ts";
import type { EpkRange } from "../../../partition/epkRange.ts";
import { intersect, rangeOfKey, WHOLE_RANGE } from "../../../partition/epkRange.ts";
import { byId, rangeOfId } from "../../../partition/partitionMap.ts";
import {
  parseEpkBounds,
  parseKey,
  parseKeyIn,
  rangeIdOf,
} from "../../../protocol/request/requestHeaders.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import type { WireHeaders } from "../../../protocol/wire/wire.ts";
import { headerOf } from "../../../protocol/wire/wire.ts";

export interface AskedScope extends FeedScope {
  /** The range of the id does not have the key: no item is meant, and `range` is the former. */
  readonly isNowhere?: boolean;
  /** It is what this key stands for, or a part of that. */
  readonly key?: PartitionKey;
}

/** Of requests that do not say where. */
export const EVERYWHERE: AskedScope = { range: WHOLE_RANGE, order: "creation" };

export function scopeOf(headers: WireHeaders, container: Container): Result<AskedScope, Refusal> {
  const bounds = parseEpkBounds(headers);
  if (!bounds.ok) return bounds;
  if (bounds.value !== undefined) return ok({ range: bounds.value, order: "placement" });
  const rangeId = rangeIdOf(headers);
  const { partitionKey } = container.definition;
  const key = rangeId === undefined ? parseKeyIn(headers, partitionKey) : parseKey(headers);
  if (!key.ok) return key;
  if (rangeId === undefined && key.value === undefined) return ok(EVERYWHERE);
  const named = rangeId === undefined ? WHOLE_RANGE : rangeOfId(container.map, rangeId);
  if (named === undefined) return no({ kind: "rangeGone" });
  if (key.value === undefined) return ok({ range: named, order: "creation" });
  return keyWithin(container, key.value, named);
}

/** What the key in the headers stands for, whatever else they say; undefined without a key. */
export function keyRangeOf(
  headers: WireHeaders,
  container: Container,
): Result<EpkRange | undefined, Refusal> {
  const key = parseKeyIn(headers, container.definition.partitionKey);
  if (!key.ok) return key;
  if (key.value === undefined) return ok(undefined);
  const scope = keyWithin(container, key.value, WHOLE_RANGE);
  return scope.ok ? ok(scope.value.range) : scope;
}

/** What a cursor of the request is good for; `undefined` if the request says nothing of where. */
export function cursorScopeOf(headers: WireHeaders, scope: AskedScope): CursorScope | undefined {
  if (scope === EVERYWHERE) return undefined;
  const hasKey = scope.key !== undefined || headerOf(headers, PARTITION_KEY) !== undefined;
  return { by: hasKey ? "key" : "range", range: scope.isNowhere ? "nowhere" : scope.range };
}

/**
 * Whether a request names a range that was split or merged, and leaves it to that name which keys
 * it means.
 */
export function isOfRetiredRange(headers: WireHeaders, { map }: Container): boolean {
  const rangeId = rangeIdOf(headers);
  if (rangeId === undefined || byId(map, rangeId) !== undefined) return false;
  const bounds = parseEpkBounds(headers);
  const hasBounds = bounds.ok && bounds.value !== undefined;
  return !hasBounds && headerOf(headers, PARTITION_KEY) === undefined;
}

const PARTITION_KEY = HEADER.partitionKey;

function keyWithin(
  { definition: { partitionKey } }: Container,
  key: PartitionKey,
  named: EpkRange,
): Result<AskedScope, Refusal> {
  if (key.length > partitionKey.paths.length) {
    return no(badRequest("The partition key has more components than the container's key."));
  }
  const range = intersect(rangeOfKey(partitionKey, key), named);
  const scope = { range: range ?? named, order: "placement", key } as const;
  return ok(range === undefined ? { ...scope, isNowhere: true } : scope);
}
