/**
 * Answers: status, headers and body of everything the server says. Headers are flat arrays because
 * they are written once per request; what never changes is spelled out here once.
 */
import type { Lsn, Ru } from "../../base/units.ts";
import { ru } from "../../base/units.ts";
import type { Refusal } from "../../model/refusal.ts";
import { HEADER } from "../wire/headerNames.ts";
import { encodeSessionToken } from "../wire/sessionToken.ts";
import type { WireAnswer } from "../wire/wire.ts";
import { errorBody, refusalBody, substatusOf, WIRE_STATUS } from "./refusal.ts";

/**
 * The version in every session token. It never changes: a merged range has an id of its own, and
 * counts on from its parents' LSNs.
 */
export const SESSION_VERSION = 0;

const GATEWAY_VERSION = "version=2.14.0";
const SERVICE_VERSION = "version=2.14.0.0";
const COMMON: readonly string[] = [
  "content-type",
  "application/json",
  HEADER.gatewayVersion,
  GATEWAY_VERSION,
  HEADER.serviceVersion,
  SERVICE_VERSION,
];

/** Whom a resource belongs to, by rid and by name: SDKs keep session tokens under it. */
export interface Owner {
  readonly rid: string;
  readonly link: string;
}

/** What every answer about items says of the physical partition that gave it. */
export interface Served {
  /** Absent where an item was not found: clients do not expect it there. */
  readonly owner: Owner | undefined;
  readonly rangeId: string;
  readonly lsn: Lsn;
  readonly charge: Ru;
}

export function itemAnswer(
  status: number,
  activityId: string,
  served: Served,
  item: {
    readonly etag?: string | undefined;
    readonly itemLsn?: Lsn | undefined;
    readonly body?: Buffer | undefined;
  },
): WireAnswer {
  const headers = servedHeaders(activityId, served);
  if (item.etag !== undefined) headers.push("etag", item.etag);
  if (item.itemLsn !== undefined) headers.push(HEADER.itemLsn, String(item.itemLsn));
  return { status, headers, body: item.body };
}

export function itemFeedAnswer(
  activityId: string,
  served: Served & { readonly itemCount: number },
  body: Buffer,
  continuation: string | undefined,
): WireAnswer {
  const headers = [...COMMON, HEADER.activityId, activityId];
  headers.push(HEADER.requestCharge, String(served.charge));
  headers.push(HEADER.sessionToken, sessionTokenOf(served));
  pushOwner(headers, served.owner);
  headers.push(HEADER.rangeId, served.rangeId);
  headers.push(HEADER.itemCount, String(served.itemCount));
  if (continuation !== undefined) headers.push(HEADER.continuation, continuation);
  return { status: 200, headers, body };
}

/**
 * The answer with a page of changes. Without a body nothing has changed; the etag says where to go
 * on either way.
 */
export function changeFeedAnswer(
  activityId: string,
  served: Served & { readonly itemCount: number },
  etag: string,
  body: Buffer | undefined,
): WireAnswer {
  if (body === undefined) {
    const { headers } = itemFeedAnswer(activityId, served, NO_BODY, undefined);
    return { status: 304, headers: [...headers, "etag", etag], body };
  }
  const { headers } = itemFeedAnswer(activityId, served, body, etag);
  return { status: 200, headers: [...headers, "etag", etag], body };
}

const NO_BODY = Buffer.alloc(0);

/** The answer about a database, a container, a feed of them: anything but items. */
export function metadataAnswer(
  status: number,
  activityId: string,
  charge: Ru,
  extra: {
    readonly body?: Buffer | undefined;
    readonly etag?: string | undefined;
    readonly owner?: Owner | undefined;
    readonly headers?: readonly string[] | undefined;
  },
): WireAnswer {
  const headers = [...COMMON, HEADER.activityId, activityId];
  headers.push(HEADER.requestCharge, String(charge));
  if (extra.etag !== undefined) headers.push("etag", extra.etag);
  pushOwner(headers, extra.owner);
  if (extra.headers !== undefined) headers.push(...extra.headers);
  return { status, headers, body: extra.body };
}

const FREE: Pick<Served, "charge"> = { charge: ru(0) };

/** All of `Served` is there when the refusal is one physical partition's: sessions count it. */
export function refusalAnswer(
  refusal: Refusal,
  activityId: string,
  served: Served | Pick<Served, "charge"> = FREE,
): WireAnswer {
  const { status } = WIRE_STATUS[refusal.kind];
  const substatus = substatusOf(refusal);
  const charge = String(served.charge);
  const headers =
    "rangeId" in served
      ? servedHeaders(activityId, status === 404 ? { ...served, owner: undefined } : served)
      : [...COMMON, HEADER.activityId, activityId, HEADER.requestCharge, charge];
  if (substatus !== 0) headers.push(HEADER.substatus, String(substatus));
  if ("retryAfterMs" in refusal) {
    headers.push(HEADER.retryAfter, String(refusal.retryAfterMs));
  } else if (status === 503) headers.push(...RETRY_LATER);
  return { status, headers, body: refusalBody(refusal, activityId) };
}

/**
 * When to ask again a server that cannot serve now: it is closing, or its disk failed. A restart
 * takes about as long, and whether a disk is well again is tried more often than that.
 */
const UNAVAILABLE_RETRY_MS = 2000;

/**
 * The headers that say so, the service's own and that of HTTP, which proxies and balancers know.
 */
export const RETRY_LATER: readonly string[] = [
  HEADER.retryAfter,
  String(UNAVAILABLE_RETRY_MS),
  "retry-after",
  String(Math.ceil(UNAVAILABLE_RETRY_MS / 1000)),
];

/** A refusal that is about HTTP and not about the database. */
export interface TransportRefusal {
  readonly status: 400 | 405 | 408 | 417 | 431;
  readonly code: string;
  readonly message: string;
}

export function transportAnswer(refusal: TransportRefusal, activityId: string): WireAnswer {
  const { status, code, message } = refusal;
  const headers = [...COMMON, HEADER.activityId, activityId];
  return { status, headers, body: errorBody(code, message, activityId) };
}

/** The answer after a mistake of our own. The caller has logged it under the activity id. */
export function defectAnswer(activityId: string): WireAnswer {
  const headers = [...COMMON, HEADER.activityId, activityId];
  const message = "Unknown server error occurred when processing this request.";
  return { status: 500, headers, body: errorBody("InternalServerError", message, activityId) };
}

/** The list is spelled out, because this runs for every request about an item. */
function servedHeaders(activityId: string, { owner, rangeId, lsn, charge }: Served): string[] {
  const headers = [
    "content-type",
    "application/json",
    HEADER.gatewayVersion,
    GATEWAY_VERSION,
    HEADER.serviceVersion,
    SERVICE_VERSION,
    HEADER.activityId,
    activityId,
    HEADER.requestCharge,
    String(charge),
    HEADER.sessionToken,
    sessionTokenOf({ rangeId, lsn }),
    HEADER.rangeId,
    rangeId,
    "lsn",
    String(lsn),
  ];
  pushOwner(headers, owner);
  return headers;
}

/** A token names one physical partition, always: Java's client, for one, cannot read several. */
export function sessionTokenOf({ rangeId, lsn }: Pick<Served, "rangeId" | "lsn">): string {
  return encodeSessionToken(rangeId, { version: SESSION_VERSION, lsn });
}

function pushOwner(headers: string[], owner: Owner | undefined): void {
  if (owner === undefined) return;
  headers.push(HEADER.contentPath, owner.rid, HEADER.altContentPath, owner.link);
}
