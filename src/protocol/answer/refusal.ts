/**
 * How a refusal looks on the wire: the one table of status and substatus, and the body every SDK
 * can read. A refusal without a row does not compile.
 */

import { limitBytesText } from "../../base/wording.ts";
import type { JsonObject } from "../../json/value.ts";
import type { QueryDiagnostic, Refusal } from "../../model/refusal.ts";
import { HEADER } from "../wire/headerNames.ts";
import { withoutPaths } from "./withoutPaths.ts";

interface WireStatus {
  readonly status: number;
  readonly substatus: number;
  /** The name SDKs show as the error's code. */
  readonly code: string;
}

export const WIRE_STATUS: Readonly<Record<Refusal["kind"], WireStatus>> = {
  badRequest: { status: 400, substatus: 0, code: "BadRequest" },
  unsupported: { status: 400, substatus: 0, code: "BadRequest" },
  badQuery: { status: 400, substatus: 0, code: "BadRequest" },
  queryRefused: { status: 400, substatus: 0, code: "BadRequest" },
  queryNotServable: { status: 400, substatus: 1004, code: "BadRequest" },
  fanOutNotAllowed: { status: 400, substatus: 0, code: "BadRequest" },
  keyMismatch: { status: 400, substatus: 1001, code: "BadRequest" },
  staleContainer: { status: 400, substatus: 1024, code: "BadRequest" },
  unauthorized: { status: 401, substatus: 0, code: "Unauthorized" },
  forbidden: { status: 403, substatus: 0, code: "Forbidden" },
  bearerExpired: { status: 401, substatus: 5006, code: "Unauthorized" },
  bearerBeyondData: { status: 403, substatus: 5300, code: "Forbidden" },
  sharingFull: { status: 403, substatus: 1019, code: "Forbidden" },
  notFound: { status: 404, substatus: 0, code: "NotFound" },
  ownerNotFound: { status: 404, substatus: 1003, code: "NotFound" },
  sessionNotAvailable: { status: 404, substatus: 1002, code: "NotFound" },
  methodNotAllowed: { status: 405, substatus: 0, code: "MethodNotAllowed" },
  idTaken: { status: 409, substatus: 0, code: "Conflict" },
  keyHashTaken: { status: 409, substatus: 3302, code: "Conflict" },
  permissionTaken: { status: 409, substatus: 0, code: "Conflict" },
  uniqueKeyTaken: { status: 409, substatus: 3301, code: "Conflict" },
  rangeGone: { status: 410, substatus: 1002, code: "Gone" },
  replicaSplit: { status: 410, substatus: 1007, code: "Gone" },
  replicaOfAnother: { status: 410, substatus: 1000, code: "Gone" },
  replicaGone: { status: 410, substatus: 0, code: "Gone" },
  preconditionFailed: { status: 412, substatus: 0, code: "PreconditionFailed" },
  patchConditionFailed: { status: 412, substatus: 1110, code: "PreconditionFailed" },
  tooLarge: { status: 413, substatus: 0, code: "RequestEntityTooLarge" },
  answerTooLarge: { status: 413, substatus: 3402, code: "RequestEntityTooLarge" },
  logicalPartitionFull: { status: 403, substatus: 1014, code: "Forbidden" },
  replacePending: { status: 423, substatus: 0, code: "Locked" },
  throttled: { status: 429, substatus: 3200, code: "TooManyRequests" },
  nameMoved: { status: 429, substatus: 3200, code: "TooManyRequests" },
  bucketThrottled: { status: 429, substatus: 3212, code: "TooManyRequests" },
  scriptFailed: { status: 400, substatus: 0, code: "BadRequest" },
  scriptNotCompiled: { status: 400, substatus: 65_535, code: "BadRequest" },
  scriptTimeout: { status: 408, substatus: 0, code: "RequestTimeout" },
  scriptContended: { status: 429, substatus: 3084, code: "TooManyRequests" },
  unavailable: { status: 503, substatus: 0, code: "ServiceUnavailable" },
  damaged: { status: 500, substatus: 0, code: "InternalServerError" },
};

/** The substatus of a refusal. What a user's script threw may have a number of its own. */
export function substatusOf(refusal: Refusal): number {
  const { substatus } = WIRE_STATUS[refusal.kind];
  return "errorNumber" in refusal ? (refusal.errorNumber ?? substatus) : substatus;
}

/** A server that is asked for too much says this and little else, so the text is made once. */
const THROTTLED_START = startOfBody(
  WIRE_STATUS.throttled.code,
  refusalMessage({ kind: "throttled", retryAfterMs: 0 }),
);

export function refusalBody(refusal: Refusal, activityId: string): Buffer {
  if (refusal.kind === "throttled") return bodyOf(THROTTLED_START, activityId);
  if (refusal.kind === "queryNotServable") return plannedBody(refusal, activityId);
  return errorBody(WIRE_STATUS[refusal.kind].code, refusalMessage(refusal), activityId);
}

/** The body has the plan, as text: clients that do not ask for one of their own go by it. */
function plannedBody(
  refusal: Refusal & { readonly kind: "queryNotServable" },
  activityId: string,
): Buffer {
  const { code } = WIRE_STATUS.queryNotServable;
  const message = `${refusalMessage(refusal)}\r\nActivityId: ${activityId}`;
  return Buffer.from(JSON.stringify({ code, message, additionalErrorInfo: refusal.plan }));
}

/** Every answer of 400 and above has such a body: some SDKs fail on anything else. */
export function errorBody(code: string, message: string, activityId: string): Buffer {
  return bodyOf(startOfBody(code, message), activityId);
}

/** The id is made of digits and dashes: nothing that JSON would have to escape. */
function bodyOf(start: string, activityId: string): Buffer {
  return Buffer.from(`${start}${activityId}"}`);
}

/** The body up to the place of the activity id. */
function startOfBody(code: string, message: string): string {
  const body = JSON.stringify({ code, message: `${message}\r\nActivityId: ` });
  return body.slice(0, -'"}'.length);
}

/** Worded like the service where clients are known to look for the words. */
export function refusalMessage(refusal: Refusal): string {
  switch (refusal.kind) {
    case "badRequest":
    case "unsupported":
    case "unauthorized":
    case "forbidden":
    case "bearerExpired":
    case "bearerBeyondData":
    case "methodNotAllowed":
    case "tooLarge":
      return refusal.message;
    case "damaged":
      return (
        `What was asked for cannot be read, because stored data is damaged: ${refusal.place}. ` +
        "Everything else is served. Restore it from a backup or an export; `orrery check` lists " +
        "all damage."
      );
    case "unavailable":
      return withoutPaths(refusal.message);
    case "badQuery":
      return `Message: ${JSON.stringify({ errors: refusal.diagnostics.map(wireDiagnostic) })}`;
    case "scriptFailed":
    case "scriptNotCompiled":
    case "scriptTimeout":
    case "queryRefused":
      return `Message: ${JSON.stringify({ Errors: [refusal.message] })}`;
    case "queryNotServable":
      return (
        "The provided cross partition query can not be directly served by the gateway. Clients " +
        "ask each range by the plan that comes with this; one that cannot may send " +
        "x-orrery-merge-query: true, and this server merges the rows."
      );
    case "fanOutNotAllowed":
      return (
        `Cross partition query is required but disabled. Please set ${HEADER.crossPartition} to ` +
        `true, specify ${HEADER.partitionKey}, or revise your query to avoid this exception.`
      );
    case "keyMismatch":
      return refusal.isPrefix
        ? "Partition key provided either doesn't correspond to definition in the collection or " +
            "doesn't match partition key field values specified in the document."
        : "PartitionKey extracted from document doesn't match the one specified in the header. " +
            "Learn more: https://aka.ms/CosmosDB/sql/errors/wrong-pk-value";
    case "nameMoved":
      return "The name has just passed to another container. Send the request again.";
    case "staleContainer":
      return "The container rid in the request is not the rid of the container of that name.";
    case "sharingFull":
      return (
        `A database shares its throughput among at most ${refusal.countMax} containers. ` +
        "Create the container with throughput of its own."
      );
    case "notFound":
      // Clients look for one sentence or the other, and for the first one at the beginning.
      return "Entity with the specified id does not exist in the system. Resource Not Found.";
    case "ownerNotFound":
      return "Owner resource does not exist.";
    case "sessionNotAvailable":
      return "The read session is not available for the input session token.";
    case "idTaken":
      return "Entity with the specified id already exists in the system.";
    case "keyHashTaken":
      return (
        "Entity with the specified id already exists in the system, under another partition key " +
        "whose hash is the same. Give the item another id."
      );
    case "permissionTaken":
      return (
        "The user has a permission for this resource already. Replace that one, or give the new " +
        "one to another user."
      );
    case "uniqueKeyTaken":
      return "Unique index constraint violation.";
    case "rangeGone":
      return "The requested partition key range is gone.";
    case "replicaSplit":
      return "The partition key range of the replica has been split or merged.";
    case "replicaOfAnother":
      return "The replica belongs to another container than the one of that name.";
    case "replicaGone":
      return "The replica is gone.";
    case "preconditionFailed":
    case "patchConditionFailed":
      // Clients look for one sentence or the other.
      return (
        "Operation cannot be performed because one of the specified precondition is not met. " +
        "One of the specified pre-condition is not met."
      );
    case "answerTooLarge":
      return "The response would be too large. Ask for fewer items in one request.";
    case "logicalPartitionFull":
      return (
        `Partition key reached maximum size of ${limitBytesText(refusal.bytesMax)}. Delete items ` +
        "of this partition key, make them smaller, or write under another partition key value."
      );
    case "replacePending":
      return (
        `The throughput is being raised to ${refusal.pendingRate} RU/s; until physical ` +
        "partitions have been split for it, it cannot be changed again."
      );
    case "bucketThrottled":
      return (
        "Request rate is large for the throughput bucket of this request, so no changes were " +
        "made. Please retry this request later."
      );
    case "scriptContended":
      return (
        "Other writes to the same partition key kept changing what the script had read, so no " +
        "changes were made. Please retry this request later."
      );
    case "throttled":
      return (
        "Request rate is large. More Request Units may be needed, so no changes were made. " +
        "Please retry this request later."
      );
  }
}

/** Members in the order in which the service writes them. */
function wireDiagnostic({ code, message, location }: QueryDiagnostic): JsonObject {
  return {
    severity: "Error",
    ...(location && { location: { start: location.start, end: location.end } }),
    code,
    message,
  };
}
