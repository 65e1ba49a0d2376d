/**
 * Queries over databases, containers, users and all else but items: the same language as over
 * items, on the bodies that a list would show. There is one list and nothing to fan out to, so no
 * plan is ever made for a client.
 */
import type { Account } from "../../../engine/account.ts";
import type { ListMember } from "../../../engine/query/listQuery.ts";
import { parseQueryBody } from "../../../engine/query/queryItems.ts";
import { badRequest } from "../../../model/refusal.ts";
import type { Owner } from "../../../protocol/answer/answers.ts";
import { metadataAnswer } from "../../../protocol/answer/answers.ts";
import type { FeedName } from "../../../protocol/answer/bodies.ts";
import { rowsBody } from "../../../protocol/answer/bodies.ts";
import { purposeOf } from "../../../protocol/request/purpose.ts";
import { parsePageCount } from "../../../protocol/request/requestHeaders.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { headerOf } from "../../../protocol/wire/wire.ts";
import { chargeOf } from "../../../throughput/charge.ts";
import type { GatewayRequest } from "../gateway.ts";
import { refuse } from "../gateway.ts";

export interface MemberList {
  readonly name: FeedName;
  /** Absent for databases and offers: nothing that has a name owns them. */
  readonly owner: Owner | undefined;
  readonly members: readonly ListMember[];
}

export async function answerListQuery(
  account: Account,
  request: GatewayRequest,
  { name, owner, members }: MemberList,
): Promise<WireAnswer> {
  const { headers, activityId } = request;
  if (purposeOf(headers) === "queryPlan") {
    return refuse(request, badRequest("Only a query over items has a query plan."));
  }
  const body = account.parseBody(request.body);
  if (!body.ok) return refuse(request, body.error);
  const query = parseQueryBody(body.value);
  if (!query.ok) return refuse(request, query.error);
  const count = parsePageCount(headers);
  if (!count.ok) return refuse(request, count.error);
  const answer = await account.queryList({
    ...query.value,
    // Lists of one owner differ by their names: a cursor of one is none of another.
    ownerRid: owner === undefined ? name : `${owner.rid}/${name}`,
    members,
    continuation: headerOf(headers, HEADER.continuation) || undefined,
    countMax: count.value,
  });
  if (!answer.ok) return refuse(request, answer.error);
  const { rows, continuation } = answer.value;
  const extra = [HEADER.itemCount, String(rows.length)];
  if (continuation !== undefined) extra.push(HEADER.continuation, continuation);
  return metadataAnswer(200, activityId, chargeOf({ kind: "metadata" }), {
    body: rowsBody(owner?.rid ?? "", name, rows),
    owner,
    headers: extra,
  });
}
