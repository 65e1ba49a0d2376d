/**
 * Answers: status, headers and body of everything the server says. Headers are flat arrays because
 * they are written once per request; what never changes is spelled out here once.
 */
import type { Lsn, Ru } from "../../base/units.ts";
import { ru } from "../../base/units.ts";
import type { Refusal } from "../../model/refusal.ts";
import { encodeSessionToken } from "../wire/sessionToken.ts";
import type { WireAnswer } from "../wire/wire.ts";
import { errorBody, refusalBody, substatusOf, WIRE_STATUS } from "./refusal.ts";

/** The same for ever: a merged range has an id of its own, and counts on from its parents' LSNs. */
export const SESSION_VERSION = 0;

const GATEWAY_VERSION = "version=2.14.0";
const SERVICE_VERSION = "version=2.14.0.0";
const COMMON: readonly string[] = [
  "content-type",
  "application/json",
  "x-ms-gatewayversion",
  GATEWAY_VERSION,
  "x-ms-serviceversion",
  SERVICE_VERSION,
];

/** Whom a resource belongs to, by rid and by name: SDKs keep session tokens under it. */
export interface Owner {
  readonly rid: string;
  readonly link: string;
}

/** What every answer about items says of the physical partition that gave it. */
export interface Served {
  /** Not said where an item was not found: clients do not expect it there. */
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
  if (item.itemLsn !== undefined) headers.push("x-ms-item-lsn", String(item.itemLsn));
  return { status, headers, body: item.body };
}

export function itemFeedAnswer(
  activityId: string,
  served: Served & { readonly itemCount: number },
  body: Buffer,
  continuation: string | undefined,
): WireAnswer {
  const headers = [...COMMON, "x-ms-activity-id", activityId];
  headers.push("x-ms-request-charge", String(served.charge));
  headers.push("x-ms-session-token", sessionTokenOf(served));
  pushOwner(headers, served.owner);
  headers.push("x-ms-documentdb-partitionkeyrangeid", served.rangeId);
  headers.push("x-ms-item-count", String(served.itemCount));
  if (continuation !== undefined) headers.push("x-ms-continuation", continuation);
  return { status: 200, headers, body };
}

/** A page of changes; without a body there was none. The etag is where to go on either way. */
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

/** A database, a container, a feed of them: anything but items. */
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
  const headers = [...COMMON, "x-ms-activity-id", activityId];
  headers.push("x-ms-request-charge", String(charge));
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
      : [...COMMON, "x-ms-activity-id", activityId, "x-ms-request-charge", charge];
  if (substatus !== 0) headers.push("x-ms-substatus", String(substatus));
  if ("retryAfterMs" in refusal) {
    headers.push("x-ms-retry-after-ms", String(refusal.retryAfterMs));
  } else if (status === 503) headers.push(...RETRY_LATER);
  return { status, headers, body: refusalBody(refusal, activityId) };
}

/**
 * When to ask again a server that cannot serve now: it is closing, or its disk failed. A restart
 * takes about as long, and whether a disk is well again is tried more often than that.
 */
const UNAVAILABLE_RETRY_MS = 2000;

/** In the service's words and in those of HTTP, which proxies and load balancers know. */
export const RETRY_LATER: readonly string[] = [
  "x-ms-retry-after-ms",
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
  const headers = [...COMMON, "x-ms-activity-id", activityId];
  return { status, headers, body: errorBody(code, message, activityId) };
}

/** Our own mistake. The caller has logged it; the client learns where to look for it. */
export function defectAnswer(activityId: string): WireAnswer {
  const headers = [...COMMON, "x-ms-activity-id", activityId];
  const message = "Unknown server error occurred when processing this request.";
  return { status: 500, headers, body: errorBody("InternalServerError", message, activityId) };
}

/** Spelled out as one list: this runs for every request about an item. */
function servedHeaders(activityId: string, { owner, rangeId, lsn, charge }: Served): string[] {
  const headers = [
    "content-type",
    "application/json",
    "x-ms-gatewayversion",
    GATEWAY_VERSION,
    "x-ms-serviceversion",
    SERVICE_VERSION,
    "x-ms-activity-id",
    activityId,
    "x-ms-request-charge",
    String(charge),
    "x-ms-session-token",
    sessionTokenOf({ rangeId, lsn }),
    "x-ms-documentdb-partitionkeyrangeid",
    rangeId,
    "lsn",
    String(lsn),
  ];
  pushOwner(headers, owner);
  return headers;
}

/** Of one physical partition, always: Java's client, for one, cannot read several. */
export function sessionTokenOf({ rangeId, lsn }: Pick<Served, "rangeId" | "lsn">): string {
  return encodeSessionToken(rangeId, { version: SESSION_VERSION, lsn });
}

function pushOwner(headers: string[], owner: Owner | undefined): void {
  if (owner === undefined) return;
  headers.push("x-ms-content-path", owner.rid, "x-ms-alt-content-path", owner.link);
}
