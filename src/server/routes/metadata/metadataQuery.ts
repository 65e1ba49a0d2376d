/**
 * Queries over databases, containers, users and all else but items: the same language as over
 * items, on the bodies that a list would show. There is one list and nothing to fan out to, so no
 * plan is ever made for a client.
 */
import type { Account } from "../../../engine/account.ts";
import type { ListMember } from "../../../engine/query/listQuery.ts";
import { badRequest } from "../../../model/refusal.ts";
import { parseQueryBody } from "../../../model/request/queryText.ts";
import { pageHeaders } from "../../../protocol/answer/answerHeaders.ts";
import type { Owner } from "../../../protocol/answer/answers.ts";
import { metadataAnswer } from "../../../protocol/answer/answers.ts";
import type { FeedName } from "../../../protocol/answer/bodies.ts";
import { rowsBody } from "../../../protocol/answer/bodies.ts";
import type { MetadataHead } from "../../../protocol/request/metadataRequest.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { chargeOf } from "../../../throughput/charge.ts";
import { refuse } from "../refusing.ts";
import type { RequestContext } from "../requestContext.ts";

interface MemberList {
  readonly name: FeedName;
  /** Absent for databases and offers: nothing that has a name owns them. */
  readonly owner: Owner | undefined;
  readonly members: readonly ListMember[];
}

export function isListQuery({ operation }: MetadataHead): boolean {
  return operation === "query" || operation === "queryPlan";
}

export async function answerListQuery(
  account: Account,
  context: RequestContext,
  request: MetadataHead,
  { name, owner, members }: MemberList,
): Promise<WireAnswer> {
  if (request.operation === "queryPlan") {
    return refuse(context, badRequest("Only a query over items has a query plan."));
  }
  const body = account.parseBody(request.body);
  if (!body.ok) return refuse(context, body.error);
  const query = parseQueryBody(body.value);
  if (!query.ok) return refuse(context, query.error);
  if (!request.page.ok) return refuse(context, request.page.error);
  const answer = await account.queryList({
    ...query.value,
    // Lists of one owner differ by their names: a cursor of one is none of another.
    ownerRid: owner === undefined ? name : `${owner.rid}/${name}`,
    members,
    ...request.page.value,
  });
  if (!answer.ok) return refuse(context, answer.error);
  const { rows, continuation } = answer.value;
  return metadataAnswer(200, context.activityId, chargeOf({ kind: "metadata" }), {
    body: rowsBody(owner?.rid ?? "", name, rows),
    owner,
    headers: pageHeaders(rows.length, continuation),
  });
}
