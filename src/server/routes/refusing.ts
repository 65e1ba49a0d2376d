/** Refusals that no physical partition gave, and what clients are told that they cost. */
import type { Ru } from "../../base/units.ts";
import { ru } from "../../base/units.ts";
import type { Refusal } from "../../model/refusal.ts";
import { refusalAnswer } from "../../protocol/answer/answers.ts";
import type { ServiceRequest } from "../../protocol/request/decodeRequest.ts";
import { verbRefusal } from "../../protocol/request/sentRequest.ts";
import type { WireAnswer } from "../../protocol/wire/wire.ts";
import { chargeOf } from "../../throughput/charge.ts";
import type { RequestContext } from "./requestContext.ts";

type Refused = Pick<RequestContext, "activityId">;

/** Clients are told what a refusal cost, though nobody pays. */
export function refuse({ activityId }: Refused, refusal: Refusal): WireAnswer {
  return refusalAnswer(refusal, activityId, { charge: chargeOfRefusal(refusal) });
}

export function refuseVerb(
  context: Refused,
  { verb, kind }: Pick<ServiceRequest, "verb" | "kind">,
): WireAnswer {
  return refuse(context, verbRefusal(verb, kind));
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
    case "replicaSplit":
    case "replicaOfAnother":
    case "replicaGone":
    case "staleContainer":
    case "queryNotServable":
    case "unavailable":
      return ru(0);
    default:
      return LOOKED_AT;
  }
}
