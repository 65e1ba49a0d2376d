/**
 * `/addresses`: where clients in direct mode find the replicas of what they ask for.
 *
 * A range that was split or merged has no address any more, and a client that asks for it looks at
 * the ranges again. Addresses do not change while a range is there, so there is nothing to refresh.
 */
import type { Account } from "../../../engine/account.ts";
import { unsupported } from "../../../model/refusal.ts";
import { metadataAnswer } from "../../../protocol/answer/answers.ts";
import type { AddressesRequest } from "../../../protocol/request/decodeRequest.ts";
import { addressesBody } from "../../../protocol/rntbd/addressesBody.ts";
import type { ReplicaPlace } from "../../../protocol/rntbd/replicaPath.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { chargeOf } from "../../../throughput/charge.ts";
import { refuse, refuseVerb } from "../refusing.ts";
import type { RequestContext } from "../requestContext.ts";

const CHARGE = chargeOf({ kind: "metadata" });

/** Clients in direct mode give this to whoever made them, and do not ask again. */
const GATEWAY_ONLY =
  "This server was started without direct mode (--no-direct), and the client asks for addresses " +
  "of replicas. Start the server without that option, or make the client in gateway mode: " +
  "gatewayMode() of the CosmosClientBuilder in Java, ConnectionMode = ConnectionMode.Gateway in " +
  "the CosmosClientOptions of .NET.";

export function answerAddresses(
  account: Account,
  context: RequestContext,
  request: AddressesRequest,
): WireAnswer {
  if (request.verb !== "GET") return refuseVerb(context, request);
  const { replicaHost } = context;
  if (replicaHost === undefined) return refuse(context, unsupported(GATEWAY_ONLY));
  const places = placesOf(account, request);
  if (places === undefined) return refuse(context, { kind: "ownerNotFound" });
  const body = Buffer.from(JSON.stringify(addressesBody(replicaHost, places)));
  return metadataAnswer(200, context.activityId, CHARGE, { body });
}

const MASTER: readonly ReplicaPlace[] = [{ kind: "master" }];

function placesOf(
  { catalog }: Account,
  { place }: AddressesRequest,
): readonly ReplicaPlace[] | undefined {
  if (place === undefined) return MASTER;
  const container = catalog.container(place.database, place.container);
  if (container === undefined) return undefined;
  const ids = place.rangeIds ?? [...container.partitions.keys()];
  return ids
    .filter((id) => container.partitions.has(id))
    .map((rangeId) => ({ kind: "range", containerRid: container.rid, rangeId }));
}
