/** `POST …/operations/partitionkeydelete`: all items of one logical partition go. */
import type { Account } from "../../../engine/account.ts";
import { metadataAnswer } from "../../../protocol/answer/answers.ts";
import { parseKey } from "../../../protocol/request/requestHeaders.ts";
import type { ContainerPlace } from "../../../protocol/request/resourcePath.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { Fenced, StoreFault } from "../../../store/partitionStore.ts";
import { chargeOf } from "../../../throughput/charge.ts";
import type { GatewayRequest } from "../gateway.ts";
import { refuse, refuseMethod } from "../gateway.ts";
import { staleProblem } from "./session.ts";

export async function answerKeyDeletion(
  account: Account,
  request: GatewayRequest,
  place: ContainerPlace,
): Promise<WireAnswer> {
  if (request.method !== "POST") return refuseMethod(request);
  const container = account.catalog.container(place.database, place.container);
  if (container === undefined) return refuse(request, { kind: "ownerNotFound" });
  const stale = staleProblem(request.headers, container);
  if (stale !== undefined) return refuse(request, stale);
  const key = parseKey(request.headers);
  if (!key.ok) return refuse(request, key.error);
  const routed = account.route(container, key.value);
  if (!routed.ok) return refuse(request, routed.error);
  try {
    await account.deleteKey(container, routed.value);
  } catch (error) {
    if (!(error instanceof StoreFault || error instanceof Fenced)) throw error;
    // What is gone is gone; whoever asks again deletes the rest.
    return refuse(request, { kind: "unavailable", message: error.message });
  }
  const charge = chargeOf({ kind: "metadata" });
  return metadataAnswer(200, request.activityId, charge, { owner: container });
}
