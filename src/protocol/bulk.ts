/**
 * Bulk on the wire: a list of operations, each with a key of its own, answered by a list of results
 * in the same order. Nothing connects them but the request they came in.
 */
import type { Result } from "../base/result.ts";
import { no, ok } from "../base/result.ts";
import type { Ru } from "../base/units.ts";
import type { JsonObject, JsonValue } from "../json/value.ts";
import { isObject, property } from "../json/value.ts";
import type { Limits } from "../model/limits.ts";
import type { PartitionKey } from "../model/partitionKey.ts";
import type { Refusal } from "../model/refusal.ts";
import { badRequest } from "../model/refusal.ts";
import { parseKeyHeader } from "../partition/partitionKeyOf.ts";
import { refusalMessage, WIRE_STATUS } from "./refusal.ts";

export type BulkOperation = {
  readonly key: PartitionKey | undefined;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
} & (
  | { readonly kind: "create" | "upsert"; readonly resource: JsonValue }
  | { readonly kind: "replace" | "patch"; readonly id: string; readonly resource: JsonValue }
  | { readonly kind: "read" | "delete"; readonly id: string }
);

export interface BulkResult {
  readonly status: number;
  readonly refusal?: Refusal | undefined;
  readonly charge: Ru;
  readonly etag?: string | undefined;
  readonly body?: Buffer | undefined;
}

const KINDS: ReadonlyMap<string, BulkOperation["kind"]> = new Map([
  ["Create", "create"],
  ["Upsert", "upsert"],
  ["Replace", "replace"],
  ["Patch", "patch"],
  ["Read", "read"],
  ["Delete", "delete"],
]);

export function parseBulk(
  body: JsonValue,
  limits: Limits,
): Result<readonly BulkOperation[], Refusal> {
  if (!Array.isArray(body)) return no(badRequest("A bulk request must be a list of operations."));
  const countMax = limits.batchOperationsMax;
  if (body.length > countMax) {
    const message = `A request may have at most ${countMax} operations, not ${body.length}.`;
    return no(badRequest(message));
  }
  const operations: BulkOperation[] = [];
  for (const [index, member] of (body as readonly JsonValue[]).entries()) {
    const operation = parseOperation(member);
    if (!operation.ok) return no(badRequest(`Operation ${index}: ${operation.error}`));
    operations.push(operation.value);
  }
  return ok(operations);
}

function parseOperation(member: JsonValue): Result<BulkOperation, string> {
  if (!isObject(member)) return no("it is not an object.");
  const type = property(member, "operationType");
  const kind = typeof type === "string" ? KINDS.get(type) : undefined;
  if (kind === undefined) return no(`the operation type ${JSON.stringify(type)} is not known.`);
  const key = parseOperationKey(member);
  if (!key.ok) return key;
  const common = {
    key: key.value,
    ifMatch: textOf(member, "ifMatch"),
    ifNoneMatch: textOf(member, "ifNoneMatch"),
  };
  const resource = property(member, "resourceBody") ?? null;
  if (kind === "create" || kind === "upsert") return ok({ kind, resource, ...common });
  const id = textOf(member, "id");
  if (id === undefined) return no("it needs an id.");
  if (kind === "replace" || kind === "patch") return ok({ kind, id, resource, ...common });
  return ok({ kind, id, ...common });
}

/** The key is JSON inside a string. */
function parseOperationKey(member: JsonObject): Result<PartitionKey | undefined, string> {
  const key = property(member, "partitionKey");
  if (key === undefined || key === null) return ok(undefined);
  return parseKeyHeader(typeof key === "string" ? key : JSON.stringify(key));
}

function textOf(member: JsonObject, name: string): string | undefined {
  const value = property(member, name);
  return typeof value === "string" ? value : undefined;
}

/** Stored bodies go between the brackets as they are. */
export function bulkBody(results: readonly BulkResult[]): Buffer {
  const parts: Buffer[] = [];
  results.forEach((result, index) => {
    const fields = JSON.stringify(fieldsOf(result));
    parts.push(Buffer.from(`${index === 0 ? "[" : ","}${fields.slice(0, -1)}`));
    if (result.body !== undefined) parts.push(Buffer.from(',"resourceBody":'), result.body);
    parts.push(Buffer.from("}"));
  });
  if (results.length === 0) parts.push(Buffer.from("["));
  parts.push(Buffer.from("]"));
  return Buffer.concat(parts);
}

function fieldsOf({ status, refusal, charge, etag }: BulkResult): JsonObject {
  return {
    statusCode: status,
    subStatusCode: refusal === undefined ? 0 : WIRE_STATUS[refusal.kind].substatus,
    requestCharge: charge,
    ...(etag !== undefined && { eTag: etag }),
    ...(refusal !== undefined && { message: refusalMessage(refusal) }),
    ...((refusal?.kind === "throttled" || refusal?.kind === "bucketThrottled") && {
      retryAfterMilliseconds: refusal.retryAfterMs,
    }),
  };
}
