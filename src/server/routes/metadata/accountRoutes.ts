/** `/`: the account document, which tells clients where to send everything else. */

import { ru } from "../../../base/units.ts";
import type { CatalogSetting } from "../../../engine/catalog/catalog.ts";
import { metadataAnswer } from "../../../protocol/answer/answers.ts";
import type { AccountFacts } from "../../../protocol/answer/bodies.ts";
import { accountBody } from "../../../protocol/answer/bodies.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { consistencyNameOf } from "../../options.ts";
import type { GatewayRequest } from "../gateway.ts";
import { refuseMethod } from "../gateway.ts";

/** What of an account shows in its document. */
export type ShownAccount = Pick<CatalogSetting, "limits" | "rates" | "consistency">;

export function answerAccount(account: ShownAccount, request: GatewayRequest): WireAnswer {
  if (request.method !== "GET") return refuseMethod(request);
  const body = Buffer.from(JSON.stringify(accountBody(request.endpoint, factsOf(account))));
  return metadataAnswer(200, request.activityId, ru(0), { body, headers: MEDIA_STORAGE });
}

/** There are no attachments; Java's client fails where it is not told how large they may be. */
const MEDIA_STORAGE = [HEADER.mediaStorageMax, "0", HEADER.mediaStorageUsed, "0"];

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
