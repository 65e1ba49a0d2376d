/**
 * `…/colls/{container}/conflicts`: writes of several regions that contradict each other. This
 * account has one region, so there are none, and clients are told just that.
 */
import type { Account } from "../../../engine/account.ts";
import { metadataAnswer } from "../../../protocol/answer/answers.ts";
import { feedBody } from "../../../protocol/answer/bodies.ts";
import { isQuestion, purposeOf } from "../../../protocol/request/purpose.ts";
import type { ContainerPlace } from "../../../protocol/request/resourcePath.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import type { WireAnswer, WireHeaders } from "../../../protocol/wire/wire.ts";
import { headerOf, isTrue } from "../../../protocol/wire/wire.ts";
import { chargeOf } from "../../../throughput/charge.ts";
import type { GatewayRequest } from "../gateway.ts";
import { refuse, refuseMethod } from "../gateway.ts";
import { answerListQuery } from "../metadata/metadataQuery.ts";

const CHARGE = chargeOf({ kind: "metadata" });

export async function answerConflicts(
  account: Account,
  request: GatewayRequest,
  place: ContainerPlace,
): Promise<WireAnswer> {
  const { method, headers, activityId } = request;
  const isQuery = method === "POST" && isQuestion(purposeOf(headers));
  if (method !== "GET" && !isQuery) return refuseMethod(request);
  const owner = account.catalog.container(place.database, place.container);
  if (owner === undefined) return refuse(request, { kind: "ownerNotFound" });
  if (isQuery && !isConfined(headers)) return refuse(request, { kind: "fanOutNotAllowed" });
  if (isQuery) return answerListQuery(account, request, { name: "Conflicts", owner, members: [] });
  const body = feedBody(owner.rid, "Conflicts", []);
  const counted = [HEADER.itemCount, "0"];
  return metadataAnswer(200, activityId, CHARGE, { body, owner, headers: counted });
}

/** Conflicts lie where their items do: a query is about one key, a range, or says otherwise. */
function isConfined(headers: WireHeaders): boolean {
  if (isTrue(headers, HEADER.crossPartition)) return true;
  return SCOPES.some((name) => headerOf(headers, name) !== undefined);
}

const SCOPES = [HEADER.partitionKey, HEADER.rangeId, HEADER.startEpk] as const;

export function answerConflict(
  account: Account,
  request: GatewayRequest,
  place: ContainerPlace,
): WireAnswer {
  const { method } = request;
  if (method !== "GET" && method !== "DELETE") return refuseMethod(request);
  const owner = account.catalog.container(place.database, place.container);
  return refuse(request, { kind: owner === undefined ? "ownerNotFound" : "notFound" });
}
