/** `/`: the account document, which tells clients where to send everything else. */

import { ru } from "../../../base/units.ts";
import type { CatalogSetting } from "../../../engine/catalog/catalog.ts";
import { MEDIA_STORAGE } from "../../../protocol/answer/answerHeaders.ts";
import { metadataAnswer } from "../../../protocol/answer/answers.ts";
import type { AccountFacts } from "../../../protocol/answer/bodies.ts";
import { accountBody } from "../../../protocol/answer/bodies.ts";
import type { AccountRequest } from "../../../protocol/request/decodeRequest.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { consistencyNameOf } from "../../surroundings/options.ts";
import { refuseVerb } from "../refusing.ts";
import type { RequestContext } from "../requestContext.ts";

/** What of an account shows in its document. */
type ShownAccount = Pick<CatalogSetting, "limits" | "rates" | "consistency">;

export function answerAccount(
  account: ShownAccount,
  context: RequestContext,
  request: AccountRequest,
): WireAnswer {
  if (request.verb !== "GET") return refuseVerb(context, request);
  const body = Buffer.from(JSON.stringify(accountBody(context.endpoint, factsOf(account))));
  return metadataAnswer(200, context.activityId, ru(0), { body, headers: MEDIA_STORAGE });
}

function factsOf({ limits, rates, consistency = "session" }: ShownAccount): AccountFacts {
  return {
    consistency: consistencyNameOf(consistency),
    limits,
    rates: rates ?? {
      isLimited: false,
      isServerless: false,
      hasBurst: false,
      manualRatePerPartition: limits.partitionRateMax,
    },
  };
}
