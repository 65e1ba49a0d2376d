/**
 * Decides when an item has expired. The decision is made whenever the item is read, from the item's
 * own ttl (kept in the tag beside the body), the container's default and the time of the last
 * write. So a change of the default takes effect at once, and an expired item is gone before any
 * sweep has removed it.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { JsonObject } from "../../json/value.ts";
import { property } from "../../json/value.ts";
import type { Limits } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type { StoredItem } from "../../store/partitionStore.ts";
import { tsOf } from "./itemBody.ts";

/** The tag of an item that has no ttl of its own. */
const NO_OWN_TTL = 0;
const FOREVER = -1;

/**
 * Returns the tag of an item: its own ttl in seconds, -1 for ever, 0 when it has none. An invalid
 * ttl is refused even where expiry is switched off, as the service does: expiry may be switched on
 * later.
 */
export function ttlTagOf(object: JsonObject, limits: Limits): Result<number, Refusal> {
  const ttl = property(object, "ttl");
  if (ttl === undefined) return ok(NO_OWN_TTL);
  const isValid =
    typeof ttl === "number" &&
    Number.isInteger(ttl) &&
    (ttl === FOREVER || (ttl >= 1 && ttl <= limits.ttlSecondsMax));
  if (isValid) return ok(ttl);
  return no(
    badRequest(
      "The input ttl '" +
        JSON.stringify(ttl) +
        "' is invalid. Ensure to provide a nonzero positive integer less than or equal to " +
        `'${limits.ttlSecondsMax}', or '-1' which means never expire.`,
    ),
  );
}

/** True when the item has a ttl of its own, be it "for ever". */
export function hasOwnTtl({ tag }: StoredItem): boolean {
  return tag !== NO_OWN_TTL;
}

/** Returns the tag of the end of an item: the time of the end in seconds, as 32 bits. */
export function endTagOf(wallNowMs: number): number {
  return Math.floor(wallNowMs / 1000) | 0;
}

/** Returns the seconds since 1970 that an `endTagOf` tag stands for. */
export function endedAt(tag: number): number {
  return tag >>> 0;
}

/**
 * Tells whether an item has expired. `defaultTtl` is that of the container; when it is absent,
 * expiry is switched off.
 */
export function isExpired(
  item: StoredItem,
  defaultTtl: number | undefined,
  wallNowMs: number,
): boolean {
  if (defaultTtl === undefined) return false;
  const seconds = item.tag === NO_OWN_TTL ? defaultTtl : item.tag;
  return seconds !== FOREVER && tsOf(item.body) + seconds <= wallNowMs / 1000;
}
