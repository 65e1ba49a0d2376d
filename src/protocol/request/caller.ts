/** The headers that say how much a request matters and which throughput bucket pays for it. */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Caller } from "../../model/caller.ts";
import { BUCKET_ID_MAX, callerOf, HIGH_CALLER, isBucketId } from "../../model/caller.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import { HEADER } from "../wire/headerNames.ts";
import type { WireHeaders } from "../wire/wire.ts";
import { headerOf } from "../wire/wire.ts";

const PRIORITY = HEADER.priorityLevel;
const BUCKET = HEADER.throughputBucket;

/** Nearly every request has neither, and gets the same value. */
const ORDINARY: Result<Caller, Refusal> = ok(HIGH_CALLER);

export function parseCaller(headers: WireHeaders): Result<Caller, Refusal> {
  const priorityText = headerOf(headers, PRIORITY);
  const bucketText = headerOf(headers, BUCKET);
  if (priorityText === undefined && bucketText === undefined) return ORDINARY;
  const priority = (priorityText ?? "high").toLowerCase();
  if (priority !== "high" && priority !== "low") {
    return no(badRequest(`The header ${PRIORITY} is '${priorityText}'; it can be High or Low.`));
  }
  if (bucketText === undefined) return ok(callerOf(priority));
  const bucket = /^\d+$/.test(bucketText) ? Number(bucketText) : 0;
  if (isBucketId(bucket)) return ok(callerOf(priority, bucket));
  return no(
    badRequest(
      `The header ${BUCKET} is '${bucketText}'; it can be a number from 1 to ${BUCKET_ID_MAX}.`,
    ),
  );
}
