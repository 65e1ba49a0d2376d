/** `GET …/docs` with `A-IM`: what has changed. */
import type { Result } from "../../../base/result.ts";
import { no, ok } from "../../../base/result.ts";
import type { Account } from "../../../engine/account.ts";
import type { FeedStart } from "../../../engine/feed/changeFeed.ts";
import type { SignedMarks } from "../../../engine/feed/feedMarks.ts";
import { encodeProgress, marksOf, parseProgress } from "../../../engine/feed/feedMarks.ts";
import type { Container } from "../../../engine/partition/container.ts";
import type { Refusal } from "../../../model/refusal.ts";
import { badRequest } from "../../../model/refusal.ts";
import { rangeNamedBy } from "../../../model/request/itemScope.ts";
import type { EpkRange } from "../../../partition/epkRange.ts";
import { WHOLE_RANGE } from "../../../partition/epkRange.ts";
import { overlapping } from "../../../partition/partitionMap.ts";
import { changeFeedAnswer } from "../../../protocol/answer/answers.ts";
import { itemFeedBody } from "../../../protocol/answer/bodies.ts";
import type { ChangesFrom } from "../../../protocol/request/changeFeed.ts";
import type { AskedChanges } from "../../../protocol/request/itemsRequest.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { refuse } from "../refusing.ts";
import type { RequestContext } from "../requestContext.ts";
import { sessionProblem } from "../session.ts";
import { isOfRetiredRange, scopeIn } from "./feedScope.ts";
import { servedFeed } from "./servedFeed.ts";

export async function answerChangeFeed(
  account: Account,
  context: RequestContext,
  container: Container,
  asked: AskedChanges,
): Promise<WireAnswer> {
  const scope = scopeIn(container, asked.scope);
  if (!scope.ok) return refuse(context, scope.error);
  const range = rangeNamedBy(scope.value) ?? WHOLE_RANGE;
  const problem = scopeProblem(asked, container, range);
  if (problem !== undefined) return refuse(context, problem);
  const { mode, isSeparate, countMax, caller, consistency } = asked;
  const cursors = marksOf(account.cursorKey, container, mode);
  // Who is told that nothing has changed wants to know from where to go on.
  const from: ChangesFrom = scope.value.kind === "nowhere" ? { kind: "now" } : asked.from;
  const start = startOf(cursors, from);
  if (!start.ok) return refuse(context, start.error);
  const page = await account.readChanges(container, {
    mode,
    isSeparate,
    range,
    start: start.value,
    countMax,
    caller,
    consistency,
  });
  if (!page.ok) return refuse(context, page.error);
  const { rows, isUnchanged, progress, charge, visited } = page.value;
  const served = servedFeed(container, visited, { charge, itemCount: rows.length });
  const etag = encodeProgress(cursors, progress, range);
  const body = isUnchanged ? undefined : itemFeedBody(container.rid, rows);
  return changeFeedAnswer(context.activityId, served, etag, body);
}

/**
 * Whoever asks for a range that was split or merged has to look at the map again, unless it says
 * which keys it means. Nobody reads from a state before the one it has seen.
 */
function scopeProblem(
  { scope, session }: AskedChanges,
  container: Container,
  range: EpkRange,
): Refusal | undefined {
  if (isOfRetiredRange(scope, container)) return { kind: "rangeGone" };
  const asked = overlapping(container.map, range).map(({ id }) => container.partitions.get(id)!);
  return sessionProblem(session, ...asked);
}

function startOf(cursors: SignedMarks, from: ChangesFrom): Result<FeedStart, Refusal> {
  if (from.kind !== "etag") return ok(from);
  const progress = parseProgress(cursors, from.etag);
  if (!progress.ok) return no(badRequest(progress.error));
  return ok({ kind: "after", progress: progress.value });
}
