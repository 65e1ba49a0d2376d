/** Queries over items, and the plans that clients ask for before they query range by range. */
import type { Account } from "../../../engine/account.ts";
import type { Container } from "../../../engine/partition/container.ts";
import type { QueryAnswer } from "../../../engine/query/queryItems.ts";
import { parseQueryBody } from "../../../engine/query/queryItems.ts";
import type { EpkRange } from "../../../partition/epkRange.ts";
import { itemFeedAnswer, metadataAnswer } from "../../../protocol/answer/answers.ts";
import { itemFeedBody } from "../../../protocol/answer/bodies.ts";
import { parseCaller } from "../../../protocol/request/callerHeaders.ts";
import { parseConsistency } from "../../../protocol/request/consistency.ts";
import { parsePageCount } from "../../../protocol/request/requestHeaders.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { headerOf, isTrue } from "../../../protocol/wire/wire.ts";
import { planText } from "../../../query/clientPlan/clientPlan.ts";
import { parseFeatures } from "../../../query/clientPlan/planFeatures.ts";
import { chargeOf } from "../../../throughput/charge.ts";
import type { GatewayRequest } from "../gateway.ts";
import { refuse } from "../gateway.ts";
import { keyRangeOf } from "./feedScope.ts";
import { queryHeaders } from "./queryHeaders.ts";
import { servedFeed } from "./servedFeed.ts";
import { sessionProblem } from "./session.ts";

/** The same for all requests that a client makes of one query. */
const CORRELATION = HEADER.correlatedActivityId;

const FAN_OUT = HEADER.crossPartition;
/** The client would ask several ranges at a time. */
const PARALLEL = HEADER.parallelCrossPartition;
/** Our own: the client wants one answer, whatever the service would leave to it. */
const MERGE = HEADER.mergeQuery;

/** What the headers of a query confine it to. */
export interface QueryScope {
  /** Absent when they leave that to the query. */
  readonly range: EpkRange | undefined;
  /** Whether the client means more than this range, and asks for the rest by itself. */
  readonly isSlice: boolean;
  /** They contradict each other: no item is meant. */
  readonly isNowhere?: boolean | undefined;
  /** Whether they say where to ask at all, be it everywhere. */
  readonly isAddressed: boolean;
}

export async function answerQuery(
  account: Account,
  request: GatewayRequest,
  container: Container,
  { range: scope, isSlice, isNowhere, isAddressed }: QueryScope,
): Promise<WireAnswer> {
  const { headers, activityId } = request;
  const body = account.parseBody(request.body);
  if (!body.ok) return refuse(request, body.error);
  const query = parseQueryBody(body.value);
  if (!query.ok) return refuse(request, query.error);
  const count = parsePageCount(headers);
  if (!count.ok) return refuse(request, count.error);
  const consistency = parseConsistency(headers, account.consistency);
  if (!consistency.ok) return refuse(request, consistency.error);
  const caller = parseCaller(headers);
  if (!caller.ok) return refuse(request, caller.error);
  const isFanOutAllowed = isTrue(headers, FAN_OUT);
  const isGateways = !isAddressed && !isTrue(headers, MERGE);
  if (isGateways) {
    const isParallel = isTrue(headers, PARALLEL);
    const asked = { isFanOutAllowed, isParallel };
    const left = await account.leftToClients(container, query.value, asked);
    if (left !== undefined) return refuse(request, left);
  }
  const continuation = headerOf(headers, HEADER.continuation);
  const answer = await account.queryItems(container, {
    ...query.value,
    scope,
    isNowhere,
    isFanOutAllowed,
    isRangeByRange: isGateways,
    continuation: continuation === "" ? undefined : continuation,
    countMax: count.value,
    consistency: consistency.value,
    caller: caller.value,
    slice: isSlice ? { queryId: headerOf(headers, CORRELATION) } : undefined,
    isGone: () => request.isGone(),
  });
  if (!answer.ok) return refuse(request, answer.error);
  const problem = sessionProblem(headers, ...answer.value.partitions);
  if (problem !== undefined) return refuse(request, problem);
  return pageAnswer(answer.value, container, activityId, queryHeaders(headers, answer.value));
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
  return { ...answer, headers: [...answer.headers, ...extra] };
}

/** A key in the headers is what the plan is for; nothing else in them confines it. */
export async function answerPlan(
  account: Account,
  request: GatewayRequest,
  container: Container,
): Promise<WireAnswer> {
  const body = account.parseBody(request.body);
  if (!body.ok) return refuse(request, body.error);
  const query = parseQueryBody(body.value);
  if (!query.ok) return refuse(request, query.error);
  const asked = keyRangeOf(request.headers, container);
  if (!asked.ok) return refuse(request, asked.error);
  const features = headerOf(request.headers, HEADER.queryFeatures) ?? "";
  const plan = await account.planQuery(container, query.value, {
    supportedFeatures: parseFeatures(features),
    asked: asked.value,
  });
  if (!plan.ok) return refuse(request, plan.error);
  const charge = chargeOf({ kind: "metadata" });
  return metadataAnswer(200, request.activityId, charge, {
    body: Buffer.from(planText(plan.value)),
    owner: container,
  });
}
