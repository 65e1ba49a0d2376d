/**
 * `…/colls/{container}/conflicts`: writes of several regions that contradict each other. This
 * account has one region, so there are none, and clients are told just that.
 */
import type { Account } from "../../../engine/account.ts";
import { pageHeaders } from "../../../protocol/answer/answerHeaders.ts";
import { metadataAnswer } from "../../../protocol/answer/answers.ts";
import { feedBody } from "../../../protocol/answer/bodies.ts";
import type {
  ConflictRequest,
  ConflictsRequest,
} from "../../../protocol/request/metadataRequest.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { chargeOf } from "../../../throughput/charge.ts";
import { refuse, refuseVerb } from "../refusing.ts";
import type { RequestContext } from "../requestContext.ts";
import { answerListQuery, isListQuery } from "./metadataQuery.ts";

const CHARGE = chargeOf({ kind: "metadata" });

export async function answerConflicts(
  account: Account,
  context: RequestContext,
  request: ConflictsRequest,
): Promise<WireAnswer> {
  const { operation, path } = request;
  const isQuery = isListQuery(request);
  if (operation !== "list" && !isQuery) return refuseVerb(context, request);
  const owner = account.catalog.container(path.database, path.container);
  if (owner === undefined) return refuse(context, { kind: "ownerNotFound" });
  if (isQuery) {
    if (!request.isConfined) return refuse(context, { kind: "fanOutNotAllowed" });
    return answerListQuery(account, context, request, { name: "Conflicts", owner, members: [] });
  }
  const body = feedBody(owner.rid, "Conflicts", []);
  return metadataAnswer(200, context.activityId, CHARGE, { body, owner, headers: pageHeaders(0) });
}

export function answerConflict(
  account: Account,
  context: RequestContext,
  request: ConflictRequest,
): WireAnswer {
  const { operation, path } = request;
  if (operation !== "read" && operation !== "delete") return refuseVerb(context, request);
  const owner = account.catalog.container(path.database, path.container);
  return refuse(context, { kind: owner === undefined ? "ownerNotFound" : "notFound" });
}
