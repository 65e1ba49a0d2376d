/**
 * The operations of a batch or bulk request, each with a key of its own. Nothing connects those of
 * a bulk request but the request they came in; each gets a result, in the same order
 * (`answer/bulkBody.ts`).
 *
 * What operations mean is said here once for all forms in which they come; of the forms themselves,
 * JSON is here, and rows are in `hybridRow/batchRows.ts`.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import type { Limits } from "../../model/limits.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type { BatchRequest } from "../../model/request/writeRequest.ts";
import { parseKeyHeader } from "../../partition/partitionKeyOf.ts";
import { parseDirective } from "./indexingDirective.ts";

export type BulkOperation = BatchRequest & {
  readonly key: PartitionKey | undefined;
  /** Its sender does not want to see what it wrote. */
  readonly isMinimal: boolean;
  /** Its body cannot be read, so it fails without being tried. Never with JSON. */
  readonly problem?: Refusal | undefined;
};

/** An operation as it came: its fields under the names that JSON has for them, and its body. */
export interface SentOperation {
  readonly fields: JsonObject;
  readonly resource: Result<JsonValue, Refusal>;
}

const KINDS: ReadonlyMap<string, BulkOperation["kind"]> = new Map([
  ["Create", "create"],
  ["Upsert", "upsert"],
  ["Replace", "replace"],
  ["Patch", "patch"],
  ["Read", "read"],
  ["Delete", "delete"],
]);

/** What is refused rather than left out of account, and what to do instead. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  effectivePartitionKey: "send partitionKey",
  binaryId: "send id",
  timeToLiveInSeconds: "give the item a ttl",
};

export function parseBulk(
  body: JsonValue,
  limits: Limits,
): Result<readonly BulkOperation[], Refusal> {
  if (!Array.isArray(body)) return no(badRequest("A bulk request must be a list of operations."));
  const sent: SentOperation[] = [];
  for (const [index, fields] of (body as readonly JsonValue[]).entries()) {
    if (!isObject(fields)) return no(badRequest(`Operation ${index}: it is not an object.`));
    sent.push({ fields, resource: ok(property(fields, "resourceBody") ?? null) });
  }
  return parseOperations(sent, limits);
}

export function parseOperations(
  sent: readonly SentOperation[],
  { batchOperationsMax: countMax }: Limits,
): Result<readonly BulkOperation[], Refusal> {
  if (sent.length > countMax) {
    // Clients look for the first sentence.
    const message =
      "Batch request has more operations than what is supported. " +
      `A request may have at most ${countMax} operations, not ${sent.length}.`;
    return no(badRequest(message));
  }
  const operations: BulkOperation[] = [];
  for (const [index, one] of sent.entries()) {
    const operation = parseOperation(one);
    if (!operation.ok) return no(badRequest(`Operation ${index}: ${operation.error}`));
    operations.push(operation.value);
  }
  return ok(operations);
}

function parseOperation({ fields, resource }: SentOperation): Result<BulkOperation, string> {
  const type = property(fields, "operationType");
  const kind = typeof type === "string" ? KINDS.get(type) : undefined;
  if (kind === undefined) return no(`the operation type ${JSON.stringify(type)} is not known.`);
  for (const [name, advice] of Object.entries(UNSUPPORTED)) {
    if ((property(fields, name) ?? null) !== null)
      return no(`${name} is not supported; ${advice}.`);
  }
  const key = parseOperationKey(fields);
  if (!key.ok) return key;
  const indexing = parseDirective(textOf(fields, "indexingDirective"));
  if (!indexing.ok) return indexing;
  const common = {
    key: key.value,
    ifMatch: textOf(fields, "ifMatch"),
    ifNoneMatch: textOf(fields, "ifNoneMatch"),
    indexing: indexing.value,
    isMinimal: property(fields, "minimalReturnPreference") === true,
  };
  const id = textOf(fields, "id");
  if (kind === "read" || kind === "delete") {
    if (id === undefined) return no("it needs an id.");
    // A read has one condition under either name: that the sender has another version, or none.
    const ifNoneMatch = common.ifNoneMatch ?? (kind === "read" ? common.ifMatch : undefined);
    return ok({ kind, id, ...common, ifNoneMatch });
  }
  const written = resource.ok
    ? { resource: resource.value, ...common }
    : { resource: null, problem: resource.error, ...common };
  if (kind === "create" || kind === "upsert") return ok({ kind, ...written });
  return id === undefined ? no("it needs an id.") : ok({ kind, id, ...written });
}

/** The key is JSON inside a string. */
function parseOperationKey(fields: JsonObject): Result<PartitionKey | undefined, string> {
  const key = property(fields, "partitionKey");
  if (key === undefined || key === null) return ok(undefined);
  return parseKeyHeader(typeof key === "string" ? key : JSON.stringify(key));
}

function textOf(fields: JsonObject, name: string): string | undefined {
  const value = property(fields, name);
  return typeof value === "string" ? value : undefined;
}
