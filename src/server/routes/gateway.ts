/**
 * From a verified request to its answer: the route table of the service, on one page.
 *
 * A point read is answered without a promise when the store has the item at hand. Everything else
 * may suspend. No handler throws for anything a client can send.
 */
import type { MaybePromise } from "../../base/result.ts";
import type { Ru } from "../../base/units.ts";
import { ru } from "../../base/units.ts";
import type { Account } from "../../engine/account.ts";
import type { Refusal } from "../../model/refusal.ts";
import { unsupported } from "../../model/refusal.ts";
import { refusalAnswer } from "../../protocol/answer/answers.ts";
import type { ResourcePath } from "../../protocol/request/resourcePath.ts";
import type { WireAnswer, WireHeaders } from "../../protocol/wire/wire.ts";
import { Fenced, StoreFault } from "../../store/partitionStore.ts";
import { chargeOf } from "../../throughput/charge.ts";
import { answerConflict, answerConflicts } from "./item/conflictRoutes.ts";
import { answerItem, answerItems } from "./item/itemRoutes.ts";
import { answerKeyDeletion } from "./item/keyDeletionRoutes.ts";
import { answerAccount } from "./metadata/accountRoutes.ts";
import { answerContainer, answerContainers, answerRanges } from "./metadata/containerRoutes.ts";
import { answerDatabase, answerDatabases } from "./metadata/databaseRoutes.ts";
import { answerOffer, answerOffers } from "./metadata/offerRoutes.ts";
import { answerResource, answerResources } from "./metadata/resourceRoutes.ts";
import type { TokenMint } from "./tokenMinting.ts";

export interface GatewayRequest {
  readonly method: string;
  readonly path: ResourcePath;
  readonly headers: WireHeaders;
  readonly body: Buffer;
  /** The address by which this client reached us. */
  readonly endpoint: string;
  readonly activityId: string;
  readonly tokens: TokenMint;
  /** Has the client closed its connection? */
  readonly isGone: () => boolean;
}

/** A disk that fails is a refusal to whoever asks, whatever he asks for. */
export function answer(account: Account, request: GatewayRequest): MaybePromise<WireAnswer> {
  const refuseFault = (error: unknown): WireAnswer => {
    if (!(error instanceof StoreFault || error instanceof Fenced)) throw error;
    return refuse(request, { kind: "unavailable", message: error.message });
  };
  try {
    const answered = route(account, request);
    return answered instanceof Promise ? answered.catch(refuseFault) : answered;
  } catch (error) {
    return refuseFault(error);
  }
}

function route(account: Account, request: GatewayRequest): MaybePromise<WireAnswer> {
  const { path } = request;
  switch (path.kind) {
    case "account":
      return answerAccount(account, request);
    case "databases":
      return answerDatabases(account, request);
    case "database":
      return answerDatabase(account, request, path);
    case "containers":
      return answerContainers(account, request, path);
    case "container":
      return answerContainer(account, request, path);
    case "ranges":
      return answerRanges(account, request, path);
    case "items":
      return answerItems(account, request, path);
    case "item":
      return answerItem(account, request, path);
    case "offers":
      return answerOffers(account, request);
    case "offer":
      return answerOffer(account, request, path.id);
    case "partitionKeyDelete":
      return answerKeyDeletion(account, request, path);
    case "resources":
      return answerResources(account, request, path);
    case "resource":
      return answerResource(account, request, path);
    case "conflicts":
      return answerConflicts(account, request, path);
    case "conflict":
      return answerConflict(account, request, path);
    case "addresses":
      return refuse(request, unsupported(GATEWAY_ONLY));
    case "other":
      return refuse(
        request,
        unsupported(`The resource type '${path.resourceType}' is not supported.`),
      );
  }
}

/** Clients in direct mode give this to whoever made them, and do not ask again. */
const GATEWAY_ONLY =
  "This server is reached in gateway mode only, and the client asks for addresses of replicas, " +
  "as in direct mode. Make the client in gateway mode: gatewayMode() of the CosmosClientBuilder " +
  "in Java, ConnectionMode = ConnectionMode.Gateway in the CosmosClientOptions of .NET.";

/** A refusal that no physical partition gave. Clients are told what it cost, though nobody pays. */
export function refuse({ activityId }: GatewayRequest, refusal: Refusal): WireAnswer {
  return refusalAnswer(refusal, activityId, { charge: chargeOfRefusal(refusal) });
}

const LOOKED_AT = chargeOf({ kind: "refused", examinedBytes: 0 });
const THROTTLED = chargeOf({ kind: "throttled" });

/** Documented: failed requests are charged, too. Not those that were turned away at the door. */
export function chargeOfRefusal({ kind }: Refusal): Ru {
  switch (kind) {
    case "throttled":
    case "bucketThrottled":
      return THROTTLED;
    case "unauthorized":
    case "forbidden":
    case "methodNotAllowed":
    case "rangeGone":
    case "staleContainer":
    case "queryNotServable":
    case "unavailable":
      return ru(0);
    default:
      return LOOKED_AT;
  }
}

export function refuseMethod(request: GatewayRequest): WireAnswer {
  const message = `The verb ${request.method} is not allowed on ${request.path.kind}.`;
  return refuse(request, { kind: "methodNotAllowed", message });
}
