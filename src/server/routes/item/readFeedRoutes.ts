/** `GET …/docs` without `A-IM`: items page by page. */
import type { Result } from "../../../base/result.ts";
import { ok } from "../../../base/result.ts";
import type { Account } from "../../../engine/account.ts";
import type { SignedCursors } from "../../../engine/cursor/cursorKey.ts";
import { cursorScopeOf } from "../../../engine/cursor/cursorScope.ts";
import {
  encodeFeedCursor,
  feedQuestion,
  parseFeedCursor,
} from "../../../engine/feed/feedCursor.ts";
import type { FeedPosition } from "../../../engine/feed/itemFeed.ts";
import { feedScopeOf } from "../../../engine/feed/itemFeed.ts";
import type { Container } from "../../../engine/partition/container.ts";
import type { Refusal } from "../../../model/refusal.ts";
import type { EpkRange } from "../../../partition/epkRange.ts";
import { overlapping } from "../../../partition/partitionMap.ts";
import { itemFeedAnswer } from "../../../protocol/answer/answers.ts";
import { itemFeedBody } from "../../../protocol/answer/bodies.ts";
import type { AskedFeed } from "../../../protocol/request/itemsRequest.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { chargeOf } from "../../../throughput/charge.ts";
import { refuse } from "../refusing.ts";
import type { RequestContext } from "../requestContext.ts";
import { sessionProblem } from "../session.ts";
import { isOfRetiredRange, scopeIn } from "./feedScope.ts";
import { servedFeed } from "./servedFeed.ts";

export async function answerReadFeed(
  account: Account,
  context: RequestContext,
  container: Container,
  asked: AskedFeed,
): Promise<WireAnswer> {
  const found = scopeIn(container, asked.scope);
  if (!found.ok) return refuse(context, found.error);
  const scope = found.value;
  // Every client that names a range in a read feed looks at the map again when it is gone.
  if (isOfRetiredRange(asked.scope, container)) return refuse(context, { kind: "rangeGone" });
  const cursors = account.cursorKey.cursorsOf(() =>
    feedQuestion(container.rid, cursorScopeOf(scope)),
  );
  const position = positionOf(asked, cursors);
  if (!position.ok) return refuse(context, position.error);
  if (scope.kind === "nowhere") return emptyFeed(context, container, asked, scope.range);
  const { range, order } = feedScopeOf(scope);
  const { countMax, caller, consistency } = asked;
  const page = await account.readItems(container, {
    // Who goes on keeps its order: a range that was merged meanwhile is asked for by its bounds.
    scope: { range, order: position.value?.order ?? order },
    position: position.value,
    countMax,
    caller,
    consistency,
  });
  if (!page.ok) return refuse(context, page.error);
  const { charge, bodies, visited, next } = page.value;
  const problem = sessionProblem(asked.session, ...visited);
  if (problem !== undefined) return refuse(context, problem);
  const served = servedFeed(container, visited, { charge, itemCount: bodies.length });
  const body = itemFeedBody(container.rid, bodies);
  const continuation = next && encodeFeedCursor(cursors, next);
  return itemFeedAnswer(context.activityId, served, body, continuation);
}

/** A key that does not lie in the range named beside it has no items there. */
function emptyFeed(
  context: RequestContext,
  container: Container,
  { session }: AskedFeed,
  range: EpkRange,
): WireAnswer {
  const asked = overlapping(container.map, range).map(({ id }) => container.partitions.get(id)!);
  const problem = sessionProblem(session, ...asked);
  if (problem !== undefined) return refuse(context, problem);
  const charge = chargeOf({ kind: "feedPage", itemBytes: [] });
  const served = servedFeed(container, asked, { charge, itemCount: 0 });
  return itemFeedAnswer(context.activityId, served, itemFeedBody(container.rid, []), undefined);
}

function positionOf(
  { continuation }: AskedFeed,
  cursors: SignedCursors,
): Result<FeedPosition | undefined, Refusal> {
  return continuation === undefined ? ok(undefined) : parseFeedCursor(cursors, continuation);
}
