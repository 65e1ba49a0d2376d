/**
 * What a POST to a feed wants. Headers tell, and they are looked at in the service's order: whoever
 * decides anything from a request's purpose asks here, so that nobody takes it for something else.
 */
import { HEADER } from "../wire/headerNames.ts";
import type { WireHeaders } from "../wire/wire.ts";
import { headerOf, isTrue } from "../wire/wire.ts";

export type PostPurpose = "queryPlan" | "batch" | "query" | "upsert" | "create";

export function purposeOf(headers: WireHeaders): PostPurpose {
  if (isTrue(headers, HEADER.isQueryPlan)) return "queryPlan";
  if (isTrue(headers, HEADER.isBatch)) return "batch";
  if (isTrue(headers, HEADER.isQuery) || isQueryType(headers)) return "query";
  return isTrue(headers, HEADER.isUpsert) ? "upsert" : "create";
}

/** Whether a request of that purpose asks without changing anything, as a read-only key may. */
export function isQuestion(purpose: PostPurpose): boolean {
  return purpose === "query" || purpose === "queryPlan";
}

function isQueryType(headers: WireHeaders): boolean {
  return headerOf(headers, "content-type")?.startsWith("application/query+json") ?? false;
}
