/**
 * Which items a feed or a query is about, as its headers say: EPK bounds, a key, a range id, or
 * nothing at all. Bounds are all that counts where they are given.
 */
import type { Result } from "../../base/result.ts";
import { ok } from "../../base/result.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { AskedScope } from "../../model/request/itemScope.ts";
import { HEADER } from "../wire/headerNames.ts";
import type { WireHeaders } from "../wire/wire.ts";
import { headerOf } from "../wire/wire.ts";
import { isOld, parseEpkBounds, parseKey, rangeIdOf } from "./requestHeaders.ts";

export function parseScope(headers: WireHeaders): Result<AskedScope, Refusal> {
  const bounds = parseEpkBounds(headers);
  if (!bounds.ok) return bounds;
  const parsed = parseKey(headers);
  const rangeId = rangeIdOf(headers);
  if (bounds.value !== undefined) {
    const isOfKey = headerOf(headers, HEADER.partitionKey) !== undefined;
    const sent = parsed.ok ? parsed.value : undefined;
    const beside = rangeId === undefined ? {} : { rangeId };
    return ok({ kind: "bounds", range: bounds.value, isOfKey, key: sent, ...beside });
  }
  if (!parsed.ok) return parsed;
  const key = parsed.value;
  if (rangeId !== undefined) {
    return ok(
      key === undefined ? { kind: "rangeId", rangeId } : { kind: "keyInRange", key, rangeId },
    );
  }
  return ok(
    key === undefined
      ? { kind: "container", isOfOldProgram: isOld(headers) }
      : { kind: "key", key },
  );
}
