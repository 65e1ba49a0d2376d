/** `…/colls/{container}/docs` and `…/docs/{id}`: everything about items. */
import type { MaybePromise, Result } from "../../../base/result.ts";
import { ok } from "../../../base/result.ts";
import type { Account } from "../../../engine/account.ts";
import type { SignedCursors } from "../../../engine/cursor/cursorKey.ts";
import {
  encodeFeedCursor,
  feedQuestion,
  parseFeedCursor,
} from "../../../engine/feed/feedCursor.ts";
import type { FeedPosition, FeedScope } from "../../../engine/feed/itemFeed.ts";
import type { ItemOutcome, WriteTerms } from "../../../engine/item/itemCommand.ts";
import type { Container } from "../../../engine/partition/container.ts";
import type { WriteRequest } from "../../../engine/partition/itemRouting.ts";
import type { PartitionKey } from "../../../model/partitionKey.ts";
import type { Refusal } from "../../../model/refusal.ts";
import { WHOLE_RANGE } from "../../../partition/epkRange.ts";
import { overlapping } from "../../../partition/partitionMap.ts";
import type { Served } from "../../../protocol/answer/answers.ts";
import { itemAnswer, itemFeedAnswer, refusalAnswer } from "../../../protocol/answer/answers.ts";
import { itemFeedBody } from "../../../protocol/answer/bodies.ts";
import { mayBeToken } from "../../../protocol/auth/resourceToken.ts";
import { parseCaller } from "../../../protocol/request/callerHeaders.ts";
import { parseFeedHeaders } from "../../../protocol/request/changeFeed.ts";
import { parseConsistency } from "../../../protocol/request/consistency.ts";
import { directiveOf } from "../../../protocol/request/indexingDirective.ts";
import { purposeOf } from "../../../protocol/request/purpose.ts";
import { parseKey, parseKeyIn, parsePageCount } from "../../../protocol/request/requestHeaders.ts";
import type { ContainerPlace } from "../../../protocol/request/resourcePath.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import type { WireAnswer, WireHeaders } from "../../../protocol/wire/wire.ts";
import { headerOf, isTrue } from "../../../protocol/wire/wire.ts";
import { chargeOf } from "../../../throughput/charge.ts";
import type { GatewayRequest } from "../gateway.ts";
import { refuse, refuseMethod } from "../gateway.ts";
import { withScriptLog } from "../script/scriptLog.ts";
import { namesTriggers, writeWithTriggers } from "../script/triggeredWrite.ts";
import { answerBatch } from "./batchRoutes.ts";
import { answerChangeFeed } from "./changeFeedRoutes.ts";
import { cursorScopeOf, EVERYWHERE, isOfRetiredRange, scopeOf } from "./feedScope.ts";
import { isReturnMinimal, OUTCOME_STATUS, shownItem } from "./itemOutcome.ts";
import { answerPlan, answerQuery } from "./queryRoutes.ts";
import { servedFeed } from "./servedFeed.ts";
import { sessionProblem, staleProblem } from "./session.ts";

export function answerItem(
  account: Account,
  request: GatewayRequest,
  place: ContainerPlace & { readonly id: string },
): MaybePromise<WireAnswer> {
  const container = account.catalog.container(place.database, place.container);
  if (container === undefined) return refuse(request, { kind: "ownerNotFound" });
  const problem = headerProblem(request.headers, container, account);
  if (problem !== undefined) return refuse(request, problem);
  const key = parseKeyIn(request.headers, container.definition.partitionKey);
  if (!key.ok) return refuse(request, key.error);
  const id = account.itemIdOf(container, key.value, place.id);
  if (id === undefined) return refuse(request, { kind: "notFound" });
  if (id instanceof Promise)
    return id.then((found) => answerOneItem(account, request, container, key.value, found));
  return answerOneItem(account, request, container, key.value, id);
}

function answerOneItem(
  account: Account,
  request: GatewayRequest,
  container: Container,
  key: PartitionKey | undefined,
  id: string,
): MaybePromise<WireAnswer> {
  if (request.method === "GET") return readItem(account, request, container, key, id);
  const terms = termsOf(request.headers);
  if (!terms.ok) return refuse(request, terms.error);
  switch (request.method) {
    case "PUT":
      return write(account, request, container, {
        kind: "replace",
        id,
        key,
        body: request.body,
        // A token may be about this one item, and no other.
        isNameFixed: mayBeToken(headerOf(request.headers, "authorization")),
        ...terms.value,
      });
    case "PATCH":
      return write(account, request, container, {
        kind: "patch",
        id,
        key,
        body: request.body,
        ...terms.value,
      });
    case "DELETE":
      return write(account, request, container, {
        kind: "delete",
        id,
        key,
        ...terms.value,
      });
    default:
      return refuseMethod(request);
  }
}

export function answerItems(
  account: Account,
  request: GatewayRequest,
  place: ContainerPlace,
): MaybePromise<WireAnswer> {
  const container = account.catalog.container(place.database, place.container);
  if (container === undefined) return refuse(request, { kind: "ownerNotFound" });
  const problem = headerProblem(request.headers, container, account);
  if (problem !== undefined) return refuse(request, problem);
  if (request.method === "GET") return readFeed(account, request, container);
  if (request.method !== "POST") return refuseMethod(request);
  const purpose = purposeOf(request.headers);
  if (purpose === "batch") return answerBatch(account, request, container);
  if (purpose === "query") return answerQueryWithin(account, request, container);
  if (purpose === "queryPlan") return answerPlan(account, request, container);
  const key = parseKey(request.headers);
  if (!key.ok) return refuse(request, key.error);
  const terms = termsOf(request.headers);
  if (!terms.ok) return refuse(request, terms.error);
  const command = { kind: purpose, key: key.value, body: request.body, ...terms.value };
  return write(account, request, container, command);
}

/** The busiest path of all: no promise unless the store needs one, and few objects on the way. */
function readItem(
  account: Account,
  request: GatewayRequest,
  container: Container,
  key: PartitionKey | undefined,
  id: string,
): MaybePromise<WireAnswer> {
  const { headers } = request;
  const routed = account.route(container, key);
  if (!routed.ok) return refuse(request, routed.error);
  const { partition, epk } = routed.value;
  const problem = sessionProblem(headers, partition);
  if (problem !== undefined) return refuse(request, problem);
  const caller = parseCaller(headers);
  if (!caller.ok) return refuse(request, caller.error);
  const consistency = parseConsistency(headers, account.consistency);
  if (!consistency.ok) return refuse(request, consistency.error);
  const outcome = partition.read(epk, id, {
    ifNoneMatch: headerOf(headers, "if-none-match"),
    caller: caller.value,
    consistency: consistency.value,
  });
  return outcome instanceof Promise
    ? outcome.then((value) => readAnswer(request, container, value))
    : readAnswer(request, container, outcome);
}

/** There is no cache in front of this server: who wants to go past it is told that it did. */
function readAnswer(
  request: GatewayRequest,
  container: Container,
  outcome: ItemOutcome,
): WireAnswer {
  const answer = outcomeAnswer(request, container, outcome);
  if (!isTrue(request.headers, HEADER.bypassCache)) return answer;
  return { ...answer, headers: [...answer.headers, HEADER.cacheBypass, "True"] };
}

function write(
  account: Account,
  request: GatewayRequest,
  container: Container,
  command: WriteRequest,
): MaybePromise<WireAnswer> {
  if (namesTriggers(request.headers)) return triggered(account, request, container, command);
  const caller = parseCaller(request.headers);
  if (!caller.ok) return refuse(request, caller.error);
  const submitted = account.writeItem(container, command, caller.value);
  if (!submitted.ok) return refuse(request, submitted.error);
  return submitted.value.then((outcome) => outcomeAnswer(request, container, outcome));
}

async function triggered(
  account: Account,
  request: GatewayRequest,
  container: Container,
  command: WriteRequest,
): Promise<WireAnswer> {
  const written = await writeWithTriggers(account, container, request, command);
  if (!written.ok) return refuse(request, written.error);
  const { outcome, log } = written.value;
  return withScriptLog(outcomeAnswer(request, container, outcome), log);
}

function outcomeAnswer(
  request: GatewayRequest,
  container: Container,
  outcome: ItemOutcome,
): WireAnswer {
  const { rangeId, lsn, charge } = outcome;
  const served: Served = { owner: container, rangeId, lsn, charge };
  if (outcome.kind === "refused") return refusalAnswer(outcome.refusal, request.activityId, served);
  const isMinimal = outcome.kind !== "found" && isReturnMinimal(request.headers);
  const { etag, itemLsn } = outcome;
  const body = isMinimal ? undefined : shownItem(request.headers, outcome.body);
  return itemAnswer(OUTCOME_STATUS[outcome.kind], request.activityId, served, {
    etag,
    itemLsn,
    body,
  });
}

/** The scope of a query is what its headers say, or else what its filter does. */
function answerQueryWithin(
  account: Account,
  request: GatewayRequest,
  container: Container,
): MaybePromise<WireAnswer> {
  const scope = scopeOf(request.headers, container);
  if (!scope.ok) return refuse(request, scope.error);
  const { range, isNowhere, key } = scope.value;
  const isWhole = range === WHOLE_RANGE && isNowhere !== true;
  const hasKey = key !== undefined || headerOf(request.headers, HEADER.partitionKey) !== undefined;
  const isSlice = !isWhole && !hasKey;
  const asked = isWhole ? undefined : range;
  const isAddressed = scope.value !== EVERYWHERE;
  const confined = { range: asked, isSlice, isNowhere, isAddressed };
  return answerQuery(account, request, container, confined);
}

async function readFeed(
  account: Account,
  request: GatewayRequest,
  container: Container,
): Promise<WireAnswer> {
  const changes = parseFeedHeaders(request.headers);
  if (!changes.ok) return refuse(request, changes.error);
  const scope = scopeOf(request.headers, container);
  if (!scope.ok) return refuse(request, scope.error);
  if (changes.value !== undefined) {
    const { range, isNowhere } = scope.value;
    // Who is told that nothing has changed wants to know from where to go on.
    const from = isNowhere ? ({ kind: "now" } as const) : changes.value.from;
    return answerChangeFeed(account, request, container, { ...changes.value, range, from });
  }
  // Every client that names a range in a read feed looks at the map again when it is gone.
  if (isOfRetiredRange(request.headers, container)) return refuse(request, { kind: "rangeGone" });
  const count = parsePageCount(request.headers);
  if (!count.ok) return refuse(request, count.error);
  const cursors = account.cursorKey.cursorsOf(() =>
    feedQuestion(container.rid, cursorScopeOf(request.headers, scope.value)),
  );
  const position = positionOf(request.headers, cursors);
  if (!position.ok) return refuse(request, position.error);
  if (scope.value.isNowhere) return emptyFeed(request, container, scope.value);
  const caller = parseCaller(request.headers);
  if (!caller.ok) return refuse(request, caller.error);
  const consistency = parseConsistency(request.headers, account.consistency);
  if (!consistency.ok) return refuse(request, consistency.error);
  const page = await account.readItems(container, {
    // Who goes on keeps its order: a range that was merged meanwhile is asked for by its bounds.
    scope: { range: scope.value.range, order: position.value?.order ?? scope.value.order },
    position: position.value,
    countMax: count.value,
    caller: caller.value,
    consistency: consistency.value,
  });
  if (!page.ok) return refuse(request, page.error);
  const { charge, bodies, visited, next } = page.value;
  const problem = sessionProblem(request.headers, ...visited);
  if (problem !== undefined) return refuse(request, problem);
  const served = servedFeed(container, visited, { charge, itemCount: bodies.length });
  const body = itemFeedBody(container.rid, bodies);
  const continuation = next && encodeFeedCursor(cursors, next);
  return itemFeedAnswer(request.activityId, served, body, continuation);
}

function emptyFeed(
  request: GatewayRequest,
  container: Container,
  { range }: FeedScope,
): WireAnswer {
  const asked = overlapping(container.map, range).map(({ id }) => container.partitions.get(id)!);
  const problem = sessionProblem(request.headers, ...asked);
  if (problem !== undefined) return refuse(request, problem);
  const charge = chargeOf({ kind: "feedPage", itemBytes: [] });
  const served = servedFeed(container, asked, { charge, itemCount: 0 });
  return itemFeedAnswer(request.activityId, served, itemFeedBody(container.rid, []), undefined);
}

function positionOf(
  headers: WireHeaders,
  cursors: SignedCursors,
): Result<FeedPosition | undefined, Refusal> {
  const text = headerOf(headers, HEADER.continuation);
  return text === undefined || text === "" ? ok(undefined) : parseFeedCursor(cursors, text);
}

/** What has to be right about any request for items, before it is looked at more closely. */
function headerProblem(
  headers: WireHeaders,
  container: Container,
  account: Account,
): Refusal | undefined {
  const stale = staleProblem(headers, container);
  if (stale !== undefined) return stale;
  const consistency = parseConsistency(headers, account.consistency);
  return consistency.ok ? undefined : consistency.error;
}

function termsOf(headers: WireHeaders): Result<WriteTerms, Refusal> {
  const directive = directiveOf(headers);
  if (!directive.ok) return directive;
  return ok({
    ifMatch: headerOf(headers, "if-match"),
    ifNoneMatch: headerOf(headers, "if-none-match"),
    indexing: directive.value,
  });
}
