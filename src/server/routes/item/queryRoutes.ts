/** Queries over items, and the plans that clients ask for before they query range by range. */
import type { Account } from "../../../engine/account.ts";
import type { Container } from "../../../engine/partition/container.ts";
import type { QueryAnswer } from "../../../engine/query/queryItems.ts";
import { parseQueryBody } from "../../../model/request/queryText.ts";
import { itemFeedAnswer, metadataAnswer } from "../../../protocol/answer/answers.ts";
import { itemFeedBody } from "../../../protocol/answer/bodies.ts";
import type { AskedPlan } from "../../../protocol/request/itemsRequest.ts";
import type { AskedQueryPage } from "../../../protocol/request/queryRequest.ts";
import { keyMeantIn } from "../../../protocol/request/sentKey.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { planText } from "../../../query/clientPlan/clientPlan.ts";
import { parseFeatures } from "../../../query/clientPlan/planFeatures.ts";
import { chargeOf } from "../../../throughput/charge.ts";
import { refuse } from "../refusing.ts";
import type { RequestContext } from "../requestContext.ts";
import { sessionProblem } from "../session.ts";
import { rangeOfSentKey, scopeIn } from "./feedScope.ts";
import { containerPlannedFor } from "./formerTerms.ts";
import { queryHeaders } from "./queryHeaders.ts";
import { servedFeed } from "./servedFeed.ts";

export async function answerQuery(
  account: Account,
  context: RequestContext,
  container: Container,
  asked: AskedQueryPage & { readonly body: Buffer },
): Promise<WireAnswer> {
  const scope = scopeIn(container, asked.scope);
  if (!scope.ok) return refuse(context, scope.error);
  const body = account.parseBody(asked.body);
  if (!body.ok) return refuse(context, body.error);
  const query = parseQueryBody(body.value);
  if (!query.ok) return refuse(context, query.error);
  const { isFanOutAllowed, isParallel, countMax, continuation, consistency, caller } = asked;
  // Where the request says nothing of where to ask, the gateway decides, unless it is to merge.
  const isGateways = scope.value.kind === "container" && !asked.isMerged;
  if (isGateways) {
    const terms = { isFanOutAllowed, isParallel };
    const left = await account.leftToClients(container, query.value, terms);
    if (left !== undefined) return refuse(context, left);
  }
  const answer = await account.queryItems(container, {
    ...query.value,
    scope: scope.value,
    isFanOutAllowed,
    isRangeByRange: isGateways,
    continuation,
    countMax,
    consistency,
    caller,
    queryId: asked.queryId,
    isGone: () => context.isGone(),
  });
  if (!answer.ok) return refuse(context, answer.error);
  const problem = sessionProblem(asked.session, ...answer.value.partitions);
  if (problem !== undefined) return refuse(context, problem);
  const mirror = account.mirroring.active?.get(container);
  mirror?.noteQuery({ ...query.value, ...asked, answer: answer.value });
  const extra = queryHeaders(asked.told, answer.value);
  return pageAnswer(answer.value, container, context.activityId, extra);
}

function pageAnswer(
  { rows, continuation, charge, partitions }: QueryAnswer,
  container: Container,
  activityId: string,
  extra: readonly string[],
): WireAnswer {
  const served = servedFeed(container, partitions, { charge, itemCount: rows.length });
  const body = itemFeedBody(container.rid, rows);
  const answer = itemFeedAnswer(activityId, served, body, continuation);
  return extra.length === 0 ? answer : { ...answer, headers: [...answer.headers, ...extra] };
}

/** A key in the request is what the plan is for; nothing else in it confines the plan. */
export async function answerPlan(
  account: Account,
  context: RequestContext,
  container: Container,
  asked: AskedPlan & { readonly body: Buffer },
): Promise<WireAnswer> {
  const body = account.parseBody(asked.body);
  if (!body.ok) return refuse(context, body.error);
  const query = parseQueryBody(body.value);
  if (!query.ok) return refuse(context, query.error);
  const key = keyMeantIn(container.definition.partitionKey, asked.key, asked.isOfOldProgram);
  const meant = await containerPlannedFor(container, key);
  const range = key && rangeOfSentKey(meant, key);
  if (range?.ok === false) return refuse(context, range.error);
  const plan = await account.planQuery(meant, query.value, {
    supportedFeatures: parseFeatures(asked.features),
    asked: range?.value,
  });
  if (!plan.ok) return refuse(context, plan.error);
  const charge = chargeOf({ kind: "metadata" });
  return metadataAnswer(200, context.activityId, charge, {
    body: Buffer.from(planText(plan.value)),
    owner: container,
  });
}
