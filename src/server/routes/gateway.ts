/**
 * From a verified request to its answer: the route table of the service, on one page.
 *
 * A point read is answered without a promise when the store has the item at hand. Everything else
 * may suspend. No handler throws for anything a client can send.
 */
import type { MaybePromise } from "../../base/result.ts";
import type { Account } from "../../engine/account.ts";
import { unsupported } from "../../model/refusal.ts";
import type { ServiceRequest } from "../../protocol/request/decodeRequest.ts";
import type { WireAnswer } from "../../protocol/wire/wire.ts";
import { Fenced, StoreFault } from "../../store/partitionStore.ts";
import { answerItem, answerItems } from "./item/itemRoutes.ts";
import { answerKeyDeletion } from "./item/keyDeletionRoutes.ts";
import { answerAccount } from "./metadata/accountRoutes.ts";
import { answerAddresses } from "./metadata/addressRoutes.ts";
import { answerConflict, answerConflicts } from "./metadata/conflictRoutes.ts";
import { answerContainer, answerContainers, answerRanges } from "./metadata/containerRoutes.ts";
import { answerDatabase, answerDatabases } from "./metadata/databaseRoutes.ts";
import { answerOffer, answerOffers } from "./metadata/offerRoutes.ts";
import { answerResource, answerResources } from "./metadata/resourceRoutes.ts";
import { refuse } from "./refusing.ts";
import type { RequestContext } from "./requestContext.ts";

/** Answers a request. Whatever it asks for, a disk that fails makes the answer a refusal. */
export function answer(
  account: Account,
  context: RequestContext,
  request: ServiceRequest,
): MaybePromise<WireAnswer> {
  const refuseFault = (error: unknown): WireAnswer => {
    if (!(error instanceof StoreFault || error instanceof Fenced)) throw error;
    return refuse(context, { kind: "unavailable", message: error.message });
  };
  try {
    const answered = route(account, context, request);
    return answered instanceof Promise ? answered.catch(refuseFault) : answered;
  } catch (error) {
    return refuseFault(error);
  }
}

function route(
  account: Account,
  context: RequestContext,
  request: ServiceRequest,
): MaybePromise<WireAnswer> {
  switch (request.kind) {
    case "account":
      return answerAccount(account, context, request);
    case "databases":
      return answerDatabases(account, context, request);
    case "database":
      return answerDatabase(account, context, request);
    case "containers":
      return answerContainers(account, context, request);
    case "container":
      return answerContainer(account, context, request);
    case "ranges":
      return answerRanges(account, context, request);
    case "items":
      return answerItems(account, context, request);
    case "item":
      return answerItem(account, context, request);
    case "offers":
      return answerOffers(account, context, request);
    case "offer":
      return answerOffer(account, context, request);
    case "partitionKeyDelete":
      return answerKeyDeletion(account, context, request);
    case "resources":
      return answerResources(account, context, request);
    case "resource":
      return answerResource(account, context, request);
    case "conflicts":
      return answerConflicts(account, context, request);
    case "conflict":
      return answerConflict(account, context, request);
    case "addresses":
    case "rangeAddresses":
      return answerAddresses(account, context, request);
    case "other":
      return refuse(
        context,
        unsupported(`The resource type '${request.resourceType}' is not supported.`),
      );
  }
}
