/** Throughput buckets as they are in the content of an offer. Their bounds are not checked here. */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type { ThroughputBucket } from "../../model/throughputBucket.ts";

export function bucketsBody(buckets: readonly ThroughputBucket[]): readonly JsonObject[] {
  return buckets.map(({ id, percent, isDefault }) => ({
    id,
    maxThroughputPercentage: percent,
    ...(isDefault && { isDefaultBucket: true }),
  }));
}

export function parseBuckets(
  body: JsonValue | undefined,
): Result<readonly ThroughputBucket[] | undefined, Refusal> {
  if (body === undefined) return ok(undefined);
  if (!Array.isArray(body)) return no(badRequest("The throughputBuckets must be an array."));
  const buckets: ThroughputBucket[] = [];
  for (const entry of body as readonly JsonValue[]) {
    const bucket = bucketIn(entry);
    if (bucket === undefined) {
      return no(
        badRequest(
          "Each of the throughputBuckets must be an object with numbers as id and " +
            "maxThroughputPercentage, and perhaps a boolean as isDefaultBucket.",
        ),
      );
    }
    buckets.push(bucket);
  }
  return ok(buckets);
}

function bucketIn(entry: JsonValue): ThroughputBucket | undefined {
  if (!isObject(entry)) return undefined;
  const id = property(entry, "id");
  const percent = property(entry, "maxThroughputPercentage");
  const isDefault = property(entry, "isDefaultBucket") ?? false;
  if (typeof id !== "number" || typeof percent !== "number") return undefined;
  if (typeof isDefault !== "boolean") return undefined;
  return { id, percent, ...(isDefault && { isDefault }) };
}
