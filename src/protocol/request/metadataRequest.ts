/**
 * Requests about databases, containers, offers, scripts and all else but items, decoded.
 *
 * Each part that a client can get wrong is a result of its own: only the parts that a request needs
 * are looked at, so that what one kind of request does not use cannot be wrong with it.
 */
import type { Result } from "../../base/result.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Condition } from "../../model/request/writeRequest.ts";
import type { Throughput } from "../../model/throughput.ts";
import { mayBeToken } from "../wire/authorizationHeader.ts";
import { HEADER } from "../wire/headerNames.ts";
import type { WireHeaders } from "../wire/wire.ts";
import { headerOf, isTrue } from "../wire/wire.ts";
import type { AskedCall } from "./procedureCall.ts";
import { decodeCall } from "./procedureCall.ts";
import type { PostPurpose } from "./purpose.ts";
import { purposeOf } from "./purpose.ts";
import type { PageTerms } from "./requestHeaders.ts";
import {
  intendedRidOf,
  isOld,
  parseExpirySeconds,
  parseKey,
  parsePage,
  parseThroughput,
} from "./requestHeaders.ts";
import type { ContainerPlace, DatabasePlace, OwnedPlace, ResourcePath } from "./resourcePath.ts";
import type { AccountTerms, RequestHead, SentRequest } from "./sentRequest.ts";

/** What is to be done with a resource or a feed; `other` is no verb that anything has. */
type MetadataOperation =
  | "read"
  | "list"
  | PostPurpose
  | "replace"
  | "delete"
  /** A POST to what is no feed. Where that is a stored procedure, it is run. */
  | "call"
  | "other";

export interface MetadataHead extends RequestHead, Condition {
  readonly operation: MetadataOperation;
  readonly page: Result<PageTerms, Refusal>;
}

export interface DatabasesRequest extends MetadataHead {
  readonly kind: "databases";
  readonly throughput: Result<Throughput | undefined, Refusal>;
}

export interface DatabaseRequest extends MetadataHead {
  readonly kind: "database";
  readonly path: DatabasePlace;
}

/** The client is from before there were partition keys, and knows of none that nobody gave. */
interface OfOldProgram {
  readonly isOfOldProgram: boolean;
}

export interface ContainersRequest extends MetadataHead, OfOldProgram {
  readonly kind: "containers";
  readonly path: DatabasePlace;
  readonly throughput: Result<Throughput | undefined, Refusal>;
  readonly isQuotaAsked: boolean;
}

export interface ContainerRequest extends MetadataHead, OfOldProgram {
  readonly kind: "container";
  readonly path: ContainerPlace;
  readonly isQuotaAsked: boolean;
  readonly areStatisticsAsked: boolean;
}

export interface RangesRequest extends MetadataHead {
  readonly kind: "ranges";
  readonly path: ContainerPlace;
  readonly intendedRid: string | undefined;
}

export interface KeyDeletionRequest extends RequestHead {
  readonly kind: "partitionKeyDelete";
  readonly path: ContainerPlace;
  readonly intendedRid: string | undefined;
  readonly key: Result<PartitionKey | undefined, Refusal>;
}

export interface ConflictsRequest extends MetadataHead {
  readonly kind: "conflicts";
  readonly path: ContainerPlace;
  /** A query is about one key or one range, or may be about all of them. */
  readonly isConfined: boolean;
}

export interface ConflictRequest extends MetadataHead {
  readonly kind: "conflict";
  readonly path: ContainerPlace;
}

export interface OffersRequest extends MetadataHead {
  readonly kind: "offers";
}

export interface OfferRequest extends MetadataHead {
  readonly kind: "offer";
  readonly path: { readonly id: string };
  readonly migration: OfferMigration;
}

/** Whether an offer is to get the other kind of throughput. */
export interface OfferMigration {
  readonly toAutoscale: boolean;
  readonly toManual: boolean;
}

interface OfOwned extends MetadataHead {
  /** For how long the tokens are to be good that the answer carries. */
  readonly expirySeconds: Result<number, Refusal>;
  /** The request may have come in with a resource token. */
  readonly mayBeOfToken: boolean;
}

export interface ResourcesRequest extends OfOwned {
  readonly kind: "resources";
  readonly path: OwnedPlace;
}

export interface ResourceRequest extends OfOwned {
  readonly kind: "resource";
  readonly path: OwnedPlace & { readonly id: string };
  readonly intendedRid: string | undefined;
  /** Present when a procedure is to be run. */
  readonly call: Result<AskedCall, Refusal> | undefined;
}

export type MetadataRequest =
  | DatabasesRequest
  | DatabaseRequest
  | ContainersRequest
  | ContainerRequest
  | RangesRequest
  | KeyDeletionRequest
  | ConflictsRequest
  | ConflictRequest
  | OffersRequest
  | OfferRequest
  | ResourcesRequest
  | ResourceRequest;

type MetadataPath = Extract<ResourcePath, { readonly kind: MetadataRequest["kind"] }>;

export function decodeMetadataRequest(
  sent: SentRequest,
  path: MetadataPath,
  account: AccountTerms,
): MetadataRequest {
  const { headers } = sent;
  const intendedRid = intendedRidOf(headers);
  const isOfOldProgram = isOld(headers);
  const isQuotaAsked = isTrue(headers, HEADER.populateQuota);
  switch (path.kind) {
    case "databases": {
      const throughput = parseThroughput(headers, account);
      return { kind: path.kind, ...feedHeadOf(sent), throughput };
    }
    case "database":
      return { kind: path.kind, path, ...headOf(sent) };
    case "containers": {
      const throughput = parseThroughput(headers, account);
      return {
        kind: path.kind,
        path,
        ...feedHeadOf(sent),
        throughput,
        isOfOldProgram,
        isQuotaAsked,
      };
    }
    case "container": {
      const areStatisticsAsked = isTrue(headers, HEADER.populateStatistics);
      const asked = { isOfOldProgram, isQuotaAsked, areStatisticsAsked };
      return { kind: path.kind, path, ...headOf(sent), ...asked };
    }
    case "ranges":
      return { kind: path.kind, path, ...feedHeadOf(sent), intendedRid };
    case "partitionKeyDelete": {
      const { method: verb, body } = sent;
      return { kind: path.kind, path, verb, body, intendedRid, key: parseKey(headers) };
    }
    case "conflicts":
      return { kind: path.kind, path, ...feedHeadOf(sent), isConfined: isConfined(headers) };
    case "conflict":
      return { kind: path.kind, path, ...headOf(sent) };
    case "offers":
      return { kind: path.kind, ...feedHeadOf(sent) };
    case "offer":
      return { kind: path.kind, path, ...headOf(sent), migration: migrationOf(headers) };
    case "resources":
      return { kind: path.kind, path, ...feedHeadOf(sent), ...ownedTermsOf(headers, account) };
    case "resource": {
      const head = { ...headOf(sent), ...ownedTermsOf(headers, account), intendedRid };
      const isCall = head.operation === "call" && path.resource === "storedProcedure";
      return {
        kind: path.kind,
        path,
        ...head,
        call: isCall ? decodeCall(headers, account) : undefined,
      };
    }
  }
}

function feedHeadOf(sent: SentRequest): MetadataHead {
  const { method, headers } = sent;
  if (method === "GET") return headWith(sent, "list");
  return headWith(sent, method === "POST" ? purposeOf(headers) : "other");
}

const OPERATIONS: ReadonlyMap<string, MetadataOperation> = new Map([
  ["GET", "read"],
  ["POST", "call"],
  ["PUT", "replace"],
  ["DELETE", "delete"],
]);

function headOf(sent: SentRequest): MetadataHead {
  return headWith(sent, OPERATIONS.get(sent.method) ?? "other");
}

function headWith(
  { method, headers, body }: SentRequest,
  operation: MetadataOperation,
): MetadataHead {
  return {
    verb: method,
    body,
    operation,
    ifMatch: headerOf(headers, "if-match"),
    ifNoneMatch: headerOf(headers, "if-none-match"),
    page: parsePage(headers),
  };
}

/** Conflicts lie where their items do: a query is about one key, a range, or says otherwise. */
function isConfined(headers: WireHeaders): boolean {
  if (isTrue(headers, HEADER.crossPartition)) return true;
  return SCOPES.some((name) => headerOf(headers, name) !== undefined);
}

const SCOPES = [HEADER.partitionKey, HEADER.rangeId, HEADER.startEpk] as const;

function migrationOf(headers: WireHeaders): OfferMigration {
  return {
    toAutoscale: isTrue(headers, HEADER.toAutoscale),
    toManual: isTrue(headers, HEADER.toManual),
  };
}

function ownedTermsOf(
  headers: WireHeaders,
  { limits }: AccountTerms,
): Pick<OfOwned, "expirySeconds" | "mayBeOfToken"> {
  return {
    expirySeconds: parseExpirySeconds(headers, limits),
    mayBeOfToken: mayBeToken(headerOf(headers, "authorization")),
  };
}
