/** `/`: the account document, which tells clients where to send everything else. */

import { ru } from "../../base/units.ts";
import { metadataAnswer } from "../../protocol/answers.ts";
import { accountBody } from "../../protocol/bodies.ts";
import type { WireAnswer } from "../../protocol/wire.ts";
import type { GatewayRequest } from "./gateway.ts";
import { refuseMethod } from "./gateway.ts";

export function answerAccount(request: GatewayRequest): WireAnswer {
  if (request.method !== "GET") return refuseMethod(request);
  const body = Buffer.from(JSON.stringify(accountBody(request.endpoint)));
  return metadataAnswer(200, request.activityId, ru(0), { body });
}
