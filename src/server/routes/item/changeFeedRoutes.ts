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
import type { EpkRange } from "../../../partition/epkRange.ts";
import { overlapping } from "../../../partition/partitionMap.ts";
import { changeFeedAnswer } from "../../../protocol/answer/answers.ts";
import { itemFeedBody } from "../../../protocol/answer/bodies.ts";
import { parseCaller } from "../../../protocol/request/callerHeaders.ts";
import type { FeedHeaders } from "../../../protocol/request/changeFeed.ts";
import { parseConsistency } from "../../../protocol/request/consistency.ts";
import { parsePageCount } from "../../../protocol/request/requestHeaders.ts";
import type { WireAnswer, WireHeaders } from "../../../protocol/wire/wire.ts";
import type { GatewayRequest } from "../gateway.ts";
import { refuse } from "../gateway.ts";
import { isOfRetiredRange } from "./feedScope.ts";
import { servedFeed } from "./servedFeed.ts";
import { sessionProblem } from "./session.ts";

export async function answerChangeFeed(
  account: Account,
  request: GatewayRequest,
  container: Container,
  asked: FeedHeaders & { readonly range: EpkRange },
): Promise<WireAnswer> {
  const { headers, activityId } = request;
  const problem = scopeProblem(headers, container, asked.range);
  if (problem !== undefined) return refuse(request, problem);
  const cursors = marksOf(account.cursorKey, container.rid, asked.mode);
  const start = startOf(cursors, asked.from);
  if (!start.ok) return refuse(request, start.error);
  const count = parsePageCount(headers);
  if (!count.ok) return refuse(request, count.error);
  const caller = parseCaller(headers);
  if (!caller.ok) return refuse(request, caller.error);
  const consistency = parseConsistency(headers, account.consistency);
  if (!consistency.ok) return refuse(request, consistency.error);
  const page = await account.readChanges(container, {
    mode: asked.mode,
    isSeparate: asked.isSeparate,
    range: asked.range,
    start: start.value,
    countMax: count.value,
    caller: caller.value,
    consistency: consistency.value,
  });
  if (!page.ok) return refuse(request, page.error);
  const { rows, isUnchanged, progress, charge, visited } = page.value;
  const served = servedFeed(container, visited, { charge, itemCount: rows.length });
  const etag = encodeProgress(cursors, progress);
  const body = isUnchanged ? undefined : itemFeedBody(container.rid, rows);
  return changeFeedAnswer(activityId, served, etag, body);
}

/**
 * Whoever asks for a range that was split or merged has to look at the map again, unless it says
 * which keys it means. Nobody reads from a state before the one it has seen.
 */
function scopeProblem(
  headers: WireHeaders,
  container: Container,
  range: EpkRange,
): Refusal | undefined {
  if (isOfRetiredRange(headers, container)) return { kind: "rangeGone" };
  const asked = overlapping(container.map, range).map(({ id }) => container.partitions.get(id)!);
  return sessionProblem(headers, ...asked);
}

function startOf(cursors: SignedMarks, from: FeedHeaders["from"]): Result<FeedStart, Refusal> {
  if (from.kind !== "etag") return ok(from);
  const progress = parseProgress(cursors, from.etag);
  if (!progress.ok) return no(badRequest(progress.error));
  return ok({ kind: "after", progress: progress.value });
}
