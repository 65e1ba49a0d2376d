/**
 * The one decoder: what a client asks of the service, as a value. Whoever answers a request sees
 * this value and no header, so that it does not matter which form of the protocol the request came
 * in.
 *
 * The `kind` of a request is that of its path. Not here: credentials, which are looked at before
 * the body is read (`auth/grants.ts`), and what is in the body.
 */
import type { ItemRequest } from "./itemRequest.ts";
import { decodeItemRequest } from "./itemRequest.ts";
import type { ItemsRequest } from "./itemsRequest.ts";
import { decodeItemsRequest } from "./itemsRequest.ts";
import type { MetadataRequest } from "./metadataRequest.ts";
import { decodeMetadataRequest } from "./metadataRequest.ts";
import type { ContainerPlace } from "./resourcePath.ts";
import type { AccountTerms, RequestHead, SentRequest } from "./sentRequest.ts";

/** About the account itself, or about something that nobody serves. */
export interface AccountRequest extends RequestHead {
  readonly kind: "account" | "other";
  readonly resourceType: string;
}

/** For the addresses of replicas, those of databases and containers or those of ranges. */
export interface AddressesRequest extends RequestHead {
  readonly kind: "addresses" | "rangeAddresses";
  /** Absent where the path is about no container. */
  readonly place: AskedRanges | undefined;
}

interface AskedRanges extends ContainerPlace {
  /** Absent where all are asked for. */
  readonly rangeIds: readonly string[] | undefined;
}

export type ServiceRequest =
  | AccountRequest
  | AddressesRequest
  | MetadataRequest
  | ItemsRequest
  | ItemRequest;

export function decodeRequest(sent: SentRequest, account: AccountTerms): ServiceRequest {
  const { method, path, body } = sent;
  switch (path.kind) {
    case "item":
      return decodeItemRequest(sent, path, account);
    case "items":
      return decodeItemsRequest(sent, path, account);
    case "rangeAddresses":
      return { kind: path.kind, verb: method, body, place: path };
    case "addresses":
      return { kind: path.kind, verb: method, body, place: undefined };
    case "account":
    case "other":
      return { kind: path.kind, verb: method, body, resourceType: path.resourceType };
    default:
      return decodeMetadataRequest(sent, path, account);
  }
}
