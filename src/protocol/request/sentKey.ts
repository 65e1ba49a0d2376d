/** The partition key of a request about one logical partition. */
import type { Result } from "../../base/result.ts";
import { ok } from "../../base/result.ts";
import type { PartitionKey, PartitionKeyDefinition } from "../../model/partitionKey.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { WireHeaders } from "../wire/wire.ts";
import { isOld, parseKey } from "./requestHeaders.ts";

export interface SentKey {
  /** Absent when the request does not name one. */
  readonly key: PartitionKey | undefined;
  /** The sender names none because it is from before there were partition keys. */
  readonly isOfOldProgram: boolean;
}

export function parseSentKey(headers: WireHeaders): Result<SentKey, Refusal> {
  const key = parseKey(headers);
  if (!key.ok) return key;
  return ok({ key: key.value, isOfOldProgram: lacksKeyByAge(headers, key.value) });
}

/** Whether a request names no key because its sender is from before there were partition keys. */
export function lacksKeyByAge(headers: WireHeaders, key: PartitionKey | undefined): boolean {
  return key === undefined && isOld(headers);
}

/**
 * The key that is meant in a certain container. In one from before there were partition keys, a
 * program of that time means the items without one, and says nothing of it.
 */
export function keyMeantIn(
  { systemKey }: PartitionKeyDefinition,
  key: PartitionKey | undefined,
  isOfOldProgram: boolean,
): PartitionKey | undefined {
  return isOfOldProgram && systemKey === true ? [] : key;
}
