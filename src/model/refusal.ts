/**
 * Every expected "no" of the database, with the facts its caller needs. A refusal is a value; what
 * it looks like on the wire is decided once, in `protocol/answer/refusal.ts`.
 */
export type Refusal =
  /** The request itself is wrong; the message says what to do about it. */
  | { readonly kind: "badRequest"; readonly message: string }
  /** A known feature of the service that this server does not have; the message names it. */
  | { readonly kind: "unsupported"; readonly message: string }
  /** The text is not a query, or makes no sense; the diagnostics say where. */
  | { readonly kind: "badQuery"; readonly diagnostics: readonly QueryDiagnostic[] }
  /** The query is well-formed, and refused for a reason that has no place in its text. */
  | { readonly kind: "queryRefused"; readonly message: string; readonly errorNumber?: ErrorNumber }
  /** The query is left to clients that ask each range by themselves; the plan is JSON text. */
  | { readonly kind: "queryNotServable"; readonly plan: string }
  /** The query is about more than one partition key, and nobody said that it may be. */
  | { readonly kind: "fanOutNotAllowed" }
  /** `isPrefix`: it is not even as long as a key of the container. */
  | { readonly kind: "keyMismatch"; readonly isPrefix?: boolean }
  /** The client means a container that was deleted and created again since the client looked. */
  | { readonly kind: "staleContainer" }
  | { readonly kind: "unauthorized"; readonly message: string }
  | { readonly kind: "forbidden"; readonly message: string }
  /** A token of an identity provider whose time is over; clients fetch another. */
  | { readonly kind: "bearerExpired"; readonly message: string }
  /**
   * A token of an identity provider gives access to data, and the request is about what holds the
   * data.
   */
  | { readonly kind: "bearerBeyondData"; readonly message: string }
  /** As many containers as may share the rate of their database do so already. */
  | { readonly kind: "sharingFull"; readonly countMax: number }
  | { readonly kind: "notFound" }
  /** The database or container that should own the resource does not exist. */
  | { readonly kind: "ownerNotFound" }
  /** The client has read a later state of this physical partition than we hold. */
  | { readonly kind: "sessionNotAvailable" }
  | { readonly kind: "methodNotAllowed"; readonly message: string }
  | { readonly kind: "idTaken" }
  /** The id is taken by an item of another partition key that has the same EPK. */
  | { readonly kind: "keyHashTaken" }
  /** The user has a permission for that resource already. */
  | { readonly kind: "permissionTaken" }
  | { readonly kind: "uniqueKeyTaken" }
  /** The physical partition named by the client was split or merged away. */
  | { readonly kind: "rangeGone" }
  /** The replica that the client asks was of a physical partition that has been split or merged. */
  | { readonly kind: "replicaSplit" }
  /** The replica that the client asks is of another container than the one of that name. */
  | { readonly kind: "replicaOfAnother" }
  /** The client asks a replica that is none, or not for long any more. */
  | { readonly kind: "replicaGone" }
  | { readonly kind: "preconditionFailed" }
  /** The stored item does not pass the filter that a patch came with. */
  | { readonly kind: "patchConditionFailed" }
  | { readonly kind: "tooLarge"; readonly message: string }
  /** The request asks for more at once than one answer may carry. */
  | { readonly kind: "answerTooLarge" }
  | { readonly kind: "throttled"; readonly retryAfterMs: number }
  /** The request is throttled because of the throughput bucket that it belongs to. */
  | { readonly kind: "bucketThrottled"; readonly retryAfterMs: number }
  /** The container has just given its name to another one, which takes the request. */
  | { readonly kind: "nameMoved"; readonly retryAfterMs: number }
  /** The logical partition holds as much as one may: no write that makes it grow is accepted. */
  | { readonly kind: "logicalPartitionFull"; readonly bytesMax: number }
  /** A stored procedure or trigger failed by itself; none of its changes remain. */
  | { readonly kind: "scriptFailed"; readonly message: string; readonly errorNumber?: ErrorNumber }
  | { readonly kind: "scriptNotCompiled"; readonly message: string }
  | { readonly kind: "scriptTimeout"; readonly message: string }
  /** Other writers changed what the script had seen, each time that it was tried. */
  | { readonly kind: "scriptContended"; readonly retryAfterMs: number }
  /** An earlier change of the throughput is still under way. */
  | { readonly kind: "replacePending"; readonly pendingRate: number }
  /** The store stopped accepting writes (disk full, failed sync); reads may go on. */
  | { readonly kind: "unavailable"; readonly message: string }
  /** Stored bytes do not have the checksum that was stored with them. */
  | { readonly kind: "damaged"; readonly place: string };

/** The number that a user's code gave to the error it threw; clients find it as the substatus. */
type ErrorNumber = number | undefined;

/**
 * A problem in a query. Some of the service's codes are numbers. Offsets are UTF-16 units, the end
 * exclusive.
 */
export interface QueryDiagnostic {
  readonly code: string | number;
  readonly message: string;
  readonly location?: { readonly start: number; readonly end: number };
}

/** The message in the exact form that SDKs parse. */
export const TOO_LARGE_MESSAGE = 'Message: {"Errors":["Request size is too large"]}';

export const badRequest = (message: string): Refusal => ({ kind: "badRequest", message });
export const unsupported = (message: string): Refusal => ({ kind: "unsupported", message });
