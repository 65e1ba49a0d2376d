/**
 * Requests about many items, decoded: all that goes to `…/docs`, be it a page of a feed, of changes
 * or of a query, the plan of a query, a batch, or the writing of a new item.
 *
 * As with one item, a refusal in `asked` is about the request alone, and told after the container
 * was found.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Caller } from "../../model/caller.ts";
import type { Consistency } from "../../model/consistency.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import { HEADER } from "../wire/headerNames.ts";
import type { SentSession } from "../wire/sessionToken.ts";
import { sentSession } from "../wire/sessionToken.ts";
import type { WireHeaders } from "../wire/wire.ts";
import { headerOf, isTrue } from "../wire/wire.ts";
import { parseCaller } from "./caller.ts";
import type { FeedHeaders } from "./changeFeed.ts";
import { parseFeedHeaders } from "./changeFeed.ts";
import { parseConsistency } from "./consistency.ts";
import type { AskedWrite } from "./itemRequest.ts";
import { decodeWrite, isReturnMinimal, writeTermsOf } from "./itemRequest.ts";
import type { PagedRead } from "./pagedRead.ts";
import { decodePagedRead } from "./pagedRead.ts";
import { purposeOf } from "./purpose.ts";
import type { AskedQueryPage } from "./queryRequest.ts";
import { decodeQuery } from "./queryRequest.ts";
import { intendedRidOf, parseKey, rangeIdOf } from "./requestHeaders.ts";
import type { ContainerPlace } from "./resourcePath.ts";
import { namesTriggers } from "./scriptTerms.ts";
import type { SentKey } from "./sentKey.ts";
import { parseSentKey } from "./sentKey.ts";
import type { AccountTerms, RequestHead, SentRequest } from "./sentRequest.ts";
import { verbRefusal } from "./sentRequest.ts";

export interface ItemsRequest extends RequestHead {
  readonly kind: "items";
  readonly path: ContainerPlace;
  readonly intendedRid: string | undefined;
  readonly asked: Result<AskedItems, Refusal>;
}

type AskedItems = AskedFeed | AskedChanges | AskedQueryPage | AskedPlan | AskedBatch | AskedWrite;

export interface AskedFeed extends PagedRead {
  readonly kind: "readFeed";
}

export interface AskedChanges extends PagedRead, FeedHeaders {
  readonly kind: "changes";
}

/** A client wants the plan of a query, to ask each range by itself. */
export interface AskedPlan extends SentKey {
  readonly kind: "queryPlan";
  /** The names of what the client can do, as it sent them. */
  readonly features: string;
}

export interface AskedBatch {
  readonly kind: "batch";
  /** One transaction on one logical partition, or else each operation for itself. */
  readonly isAtomic: boolean;
  /** The key of all operations that have none of their own. */
  readonly key: PartitionKey | undefined;
  /** The physical partition for which the client sorted the operations. */
  readonly rangeId: string | undefined;
  readonly session: SentSession;
  readonly caller: Caller;
  readonly consistency: Consistency;
  readonly isMinimal: boolean;
  /** What comes after the first operation that fails is not tried. */
  readonly isUntilFailure: boolean;
}

export function decodeItemsRequest(
  sent: SentRequest,
  path: ContainerPlace,
  account: AccountTerms,
): ItemsRequest {
  return {
    kind: "items",
    verb: sent.method,
    path,
    body: sent.body,
    intendedRid: intendedRidOf(sent.headers),
    asked: askedOf(sent, account),
  };
}

function askedOf(
  { method, headers, body }: SentRequest,
  account: AccountTerms,
): ItemsRequest["asked"] {
  const level = parseConsistency(headers, account.consistency);
  if (!level.ok) return level;
  const consistency = level.value;
  if (method === "GET") return decodeFeed(headers, consistency);
  if (method !== "POST") return no(verbRefusal(method, "items"));
  const purpose = purposeOf(headers);
  switch (purpose) {
    case "batch":
      return decodeBatch(headers, consistency);
    case "query": {
      const read = decodePagedRead(headers, consistency);
      return read.ok ? ok(decodeQuery(headers, read.value)) : read;
    }
    case "queryPlan":
      return decodePlan(headers);
    default: {
      const key = parseKey(headers);
      if (!key.ok) return key;
      const terms = writeTermsOf(headers);
      if (!terms.ok) return terms;
      const write = { kind: purpose, key: key.value, body, ...terms.value };
      // The key of a new item is read from its body.
      return decodeWrite(headers, write, false, consistency);
    }
  }
}

function decodeFeed(
  headers: WireHeaders,
  consistency: Consistency,
): Result<AskedFeed | AskedChanges, Refusal> {
  const changes = parseFeedHeaders(headers);
  if (!changes.ok) return changes;
  const read = decodePagedRead(headers, consistency);
  if (!read.ok) return read;
  if (changes.value === undefined) return ok({ kind: "readFeed", ...read.value });
  return ok({ kind: "changes", ...changes.value, ...read.value });
}

function decodePlan(headers: WireHeaders): Result<AskedPlan, Refusal> {
  const sent = parseSentKey(headers);
  if (!sent.ok) return sent;
  const features = headerOf(headers, HEADER.queryFeatures) ?? "";
  return ok({ kind: "queryPlan", ...sent.value, features });
}

function decodeBatch(headers: WireHeaders, consistency: Consistency): Result<AskedBatch, Refusal> {
  if (namesTriggers(headers)) return no(NO_TRIGGERS);
  const key = parseKey(headers);
  if (!key.ok) return key;
  const caller = parseCaller(headers);
  if (!caller.ok) return caller;
  return ok({
    kind: "batch",
    isAtomic: isTrue(headers, HEADER.isBatchAtomic),
    key: key.value,
    rangeId: rangeIdOf(headers),
    session: sentSession(headers),
    caller: caller.value,
    consistency,
    isMinimal: isReturnMinimal(headers),
    isUntilFailure: headerOf(headers, HEADER.continueOnError)?.toLowerCase() === "false",
  });
}

const NO_TRIGGERS: Refusal = badRequest(
  "Triggers cannot run with a batch or bulk request. Name them in requests that write one item.",
);
