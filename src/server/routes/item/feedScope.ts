/**
 * Which items a feed or a query is about, in the container of the moment: what a request says of
 * ranges and keys becomes EPKs. A key with a range id means what both have in common, which may be
 * nothing.
 */
import type { Result } from "../../../base/result.ts";
import { no, ok } from "../../../base/result.ts";
import type { Container } from "../../../engine/partition/container.ts";
import type { PartitionKey } from "../../../model/partitionKey.ts";
import type { Refusal } from "../../../model/refusal.ts";
import { badRequest } from "../../../model/refusal.ts";
import type { AskedScope, ItemScope } from "../../../model/request/itemScope.ts";
import { WHOLE_CONTAINER } from "../../../model/request/itemScope.ts";
import type { EpkRange } from "../../../partition/epkRange.ts";
import { intersect, rangeOfKey, WHOLE_RANGE } from "../../../partition/epkRange.ts";
import { byId, rangeOfId } from "../../../partition/partitionMap.ts";

export function scopeIn(container: Container, asked: AskedScope): Result<ItemScope, Refusal> {
  switch (asked.kind) {
    case "container": {
      const isImplied =
        asked.isOfOldProgram && container.definition.partitionKey.systemKey === true;
      return isImplied ? keyWithin(container, [], WHOLE_RANGE) : ok(WHOLE_CONTAINER);
    }
    case "bounds":
      return ok({ kind: asked.isOfKey ? "key" : "bounds", range: asked.range });
    case "key":
      return keyWithin(container, asked.key, WHOLE_RANGE);
    case "rangeId":
    case "keyInRange": {
      const range = rangeOfId(container.map, asked.rangeId) ?? asked.range;
      if (range === undefined) return no({ kind: "rangeGone" });
      return asked.kind === "rangeId"
        ? ok({ kind: "range", range })
        : keyWithin(container, asked.key, range);
    }
  }
}

/** What a key stands for in the container. */
export function rangeOfSentKey(container: Container, key: PartitionKey): Result<EpkRange, Refusal> {
  const { partitionKey } = container.definition;
  if (key.length <= partitionKey.paths.length) return ok(rangeOfKey(partitionKey, key));
  return no(badRequest("The partition key has more components than the container's key."));
}

/**
 * Whether a request names a range that was split or merged, and leaves it to that name which keys
 * it means.
 */
export function isOfRetiredRange(asked: AskedScope, { map }: Container): boolean {
  if (asked.kind !== "rangeId" || byId(map, asked.rangeId) !== undefined) return false;
  return asked.range === undefined || rangeOfId(map, asked.rangeId) !== undefined;
}

function keyWithin(
  container: Container,
  key: PartitionKey,
  named: EpkRange,
): Result<ItemScope, Refusal> {
  const ofKey = rangeOfSentKey(container, key);
  if (!ofKey.ok) return ofKey;
  const range = intersect(ofKey.value, named);
  return ok(range === undefined ? { kind: "nowhere", range: named } : { kind: "key", range });
}
